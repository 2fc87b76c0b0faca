"""The gateway is found by itself when there is one, and never guessed when there are more."""

import pytest
from tests.fakes.zwave_gateway import FakeGateway

from zwave_mcp.home import HomeDown, ValueId
from zwave_mcp.mqtt.connection import Gateways
from zwave_mcp.options import MqttOptions

ON, OFF, REMOVED = b'{"value":true,"time":1794726670090}', b'{"value":false}', b""
AWAY = "Z-Wave JS UI is not connected to the MQTT broker."


@pytest.mark.parametrize(
    ("first", "later", "name", "problem"),
    [
        ({"Home": OFF}, {}, "Home", AWAY),
        ({"Home": ON}, {"Other": ON, "Home": OFF}, "Home", AWAY),  # a choice is kept
        ({"Upstairs": ON, "Garage": ON}, {"Garage": REMOVED}, "Upstairs", None),
        ({"Upstairs": ON, "Garage": OFF}, {}, "Upstairs", None),
    ],
)
def test_one_gateway_is_chosen_and_stays_chosen(first, later, name, problem):
    known = Gateways("zwave", None)
    for states in (first, later):
        for gateway, payload in states.items():
            assert known.receive(f"zwave/_CLIENTS/ZWAVE_GATEWAY-{gateway}/status", payload)
        known.choose()

    assert (known.name, known.problem()) == (name, problem)


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
