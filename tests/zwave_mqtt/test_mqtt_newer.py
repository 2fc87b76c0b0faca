"""What is published while a list is still read brings another list."""

from collections.abc import Callable
from typing import Any

import pytest
from tests.fakes.mosquitto import Broker
from tests.fakes.waiting import until
from tests.fakes.zwave_gateway import FakeGateway
from tests.fakes.zwave_house import House

from zwave_mcp.home import Node, Report, Snapshot
from zwave_mcp.mqtt.home import MqttHome
from zwave_mcp.options import MqttOptions

NODE = "_EVENTS/ZWAVE_GATEWAY-Home_Gateway/node"
LAMP = 3  # the Floor Lamp
GROUP = {"id": 4096, "name": "All", "virtual": True, "kind": "multicast", "values": {}}
PRESS = '{"nodeId": 3, "commandClass": 91, "endpoint": 0, "property": "scene", "value": 0}'
NAMING = '{"data": [{"id": 3}, {"commandClass": 119, "property": "name", "newValue": "Reading Lamp"}]}'


class TellingGateway(FakeGateway):
    """Has a group: asked for those, its list is with the client already, and then something happens."""

    behind: Callable[[House], None] | None = None
    message: tuple[str, str] = "", ""

    async def _answer(self, api: str, args: Any) -> dict[str, Any]:
        if api == "_getGroups" and self.behind is not None:
            change, self.behind = self.behind, None
            change(self.house)
            await self.publish(*self.message)
        return await super()._answer(api, args)


def _lamp(house: House) -> dict[str, Any]:
    matches = house.node(LAMP)
    assert matches is not None
    return matches


def _is_dark(house: House) -> None:
    _lamp(house)["values"]["38-0-currentValue"].update(value=0, lastUpdate=2_000_000_000_000)


def _is_dead(house: House) -> None:
    _lamp(house).update(status="Dead", available=False)


def _is_gone(house: House) -> None:
    house.nodes = [node for node in house.nodes if node["id"] != LAMP]


def _is_renamed(house: House) -> None:
    house.rename(LAMP, "Reading Lamp", "Study")


def _level(node: Node) -> Any:
    return next(
        item.value
        for item in node.values
        if (item.id.command_class, item.id.property) == (38, "currentValue")
    )


CASES: dict[str, tuple[Callable[[House], None], tuple[str, str], Callable[[Node | None], bool]]] = {
    "a value": (_is_dark, ("Living_Room/Floor_Lamp/38/0/currentValue", '{"time": 2, "value": 0}'),
                lambda lamp: lamp is not None and _level(lamp) == 0),
    "a status": (_is_dead, (f"{NODE}/node_dead", "{}"), lambda lamp: lamp is not None and lamp.dead),
    "a node that is gone": (_is_gone, (f"{NODE}/node_removed", "{}"), lambda lamp: lamp is None),
    "a name": (_is_renamed, (f"{NODE}/node_value_updated", NAMING),
               lambda lamp: lamp is not None and lamp.name == "Reading Lamp"),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
async def test_a_change_while_a_list_is_read_brings_another_list(
    case: str, broker: Broker, start_home
) -> None:
    change, message, is_right = CASES[case]
    seen: list[Snapshot] = []
    async with TellingGateway(broker.port) as gateway:
        gateway.house.nodes.append(dict(GROUP))
        _lamp(gateway.house)["values"]["38-0-currentValue"].update(value=40)
        options = MqttOptions(broker.url, gateway="Home Gateway")
        async with start_home(options, refresh_seconds=1000) as home:
            home.follow()
            await until(lambda: _is_followed(home, gateway))
            assert not is_right(_found(await home.snapshot(0)))
            home.on_snapshot(seen.append)
            gateway.message, gateway.behind = message, change
            await home.snapshot(0)
            await until(lambda: seen and is_right(_found(seen[-1])))


async def _is_followed(home: MqttHome, gateway: FakeGateway) -> bool:
    """Whether messages come in: this one did."""
    heard: list[Report] = []
    home.on_report(heard.append)
    await gateway.publish("Hall/Remote/91/0/scene/001", PRESS)
    try:
        await until(lambda: heard, 0.5)
    except TimeoutError:
        return False
    return True


def _found(snapshot: Snapshot) -> Node | None:
    return next((node for node in snapshot.nodes if node.id == LAMP), None)
