"""Groups of the gateway come with every list and outlast a failed one."""

from typing import Any

from tests.fakes.mosquitto import Broker
from tests.fakes.zwave_gateway import FakeGateway

from zwave_mcp.home import Snapshot
from zwave_mcp.options import MqttOptions

VIRTUAL = {"id": 4096, "name": "Lamps", "virtual": True, "kind": "multicast", "values": {}}
LAMPS = {"id": 4096, "name": "Lamps", "nodeIds": [2, 3]}


class GroupingGateway(FakeGateway):
    failing = False

    async def _answer(self, api: str, args: Any) -> dict[str, Any]:
        if api != "_getGroups":
            return await super()._answer(api, args)
        if self.failing:
            return {"success": False, "message": "Something else is going on"}
        return {"success": True, "message": "", "result": [LAMPS]}


def groups(snapshot: Snapshot) -> list[tuple[str, tuple[int, ...]]]:
    return [(node.name, node.members) for node in snapshot.nodes if node.members]


async def test_groups_are_kept_when_they_cannot_be_asked_for(broker: Broker, start_home) -> None:
    async with GroupingGateway(broker.port) as gateway:
        gateway.house.nodes.append(dict(VIRTUAL))
        async with start_home(MqttOptions(broker.url), refresh_seconds=1000) as home:
            assert groups(await home.snapshot(0)) == [("Lamps", (2, 3))]
            gateway.failing = True
            assert groups(await home.snapshot(0)) == [("Lamps", (2, 3))]
            gateway.house.nodes.pop()
            assert groups(await home.snapshot(0)) == []
