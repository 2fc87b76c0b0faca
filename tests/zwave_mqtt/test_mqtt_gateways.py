"""The gateway is found by itself when there is one, and never guessed when there are more."""

import pytest
from tests.fakes.zwave_gateway import FakeGateway

from zwave_mcp.home import HomeDown, ValueId
from zwave_mcp.mqtt.connection import Gateways
from zwave_mcp.options import MqttOptions

ON, OFF = b'{"value":true,"time":1794726670090}', b'{"value":false}'


def gateways(*states: tuple[str, bytes], wanted: str | None = None) -> Gateways:
    known = Gateways("zwave", wanted)
    for name, payload in states:
        assert known.receive(f"zwave/_CLIENTS/ZWAVE_GATEWAY-{name}/status", payload)
    known.choose()
    return known


def test_an_only_gateway_that_is_offline_is_taken_and_said_to_be_away():
    known = gateways(("Home", OFF))

    assert known.name == "Home"
    assert "not connected" in known.problem()


def test_a_choice_is_kept_when_another_gateway_appears_and_ours_goes():
    known = gateways(("Home", ON))
    known.forget()
    known.receive("zwave/_CLIENTS/ZWAVE_GATEWAY-Other/status", ON)
    known.receive("zwave/_CLIENTS/ZWAVE_GATEWAY-Home/status", OFF)
    known.choose()

    assert known.name == "Home"
    assert "not connected" in known.problem()


def test_a_removed_gateway_is_forgotten():
    known = gateways(("Upstairs", ON), ("Garage", ON))
    known.receive("zwave/_CLIENTS/ZWAVE_GATEWAY-Garage/status", b"")
    known.choose()

    assert known.name == "Upstairs"


@pytest.mark.parametrize(
    ("payload", "driver"), [(b"true", True), (b"false", False), (b"", None), (b"{", None), (b"1", None)]
)
def test_the_driver_is_there_gone_or_unknown(payload, driver):
    known = Gateways("zwave", None)
    known.receive("zwave/driver/status", payload)

    assert known.driver is driver


async def test_the_gateway_is_found_by_itself(broker, gateway, start_home):
    async with start_home(MqttOptions(broker.url)) as home:
        assert (await home.health()).gateway_name == "Home_Gateway"


async def test_a_search_that_is_not_over_blames_no_gateway(broker, gateway, start_home):
    async with start_home(MqttOptions(broker.url), discovery_seconds=3600) as home:
        with pytest.raises(HomeDown, match="Z-Wave JS UI has not answered yet"):
            await home.snapshot()


async def test_a_gateway_that_comes_later_is_found(broker, start_home):
    async with start_home(MqttOptions(broker.url)) as home:
        with pytest.raises(HomeDown, match="No Z-Wave JS UI is on the MQTT broker under the prefix zwave"):
            await home.snapshot()
        async with FakeGateway(broker.port) as gateway:
            await gateway.asked("getNodes")
            assert len((await home.snapshot()).nodes) == 12


async def test_two_gateways_need_a_decision_and_the_decision_holds(broker, gateway, start_home):
    async with FakeGateway(broker.port, name="Garage") as garage:
        async with start_home(MqttOptions(broker.url)) as home:
            with pytest.raises(HomeDown, match="Garage, Home_Gateway"):
                await home.snapshot()
            assert not (await home.health()).ok
        async with start_home(MqttOptions(broker.url, gateway="Garage")) as home:
            await home.write(ValueId(3, 38, 0, "targetValue"), 42)

        assert garage.house.writes == [(3, "38-0-targetValue", 42)]
        assert gateway.requests == []


async def test_another_prefix_is_another_home(broker, start_home):
    async with (
        FakeGateway(broker.port, prefix="house/zw") as gateway,
        start_home(MqttOptions(broker.url, prefix="house/zw")) as home,
    ):
        assert len((await home.snapshot()).nodes) == 12
        assert gateway.count("getNodes") == 1
