"""Ramps and toggles with the real driver: told at the end or as under way; the device is asked."""

import time

import pytest
from tests.fakes.zwave_server import claims_success

pytestmark = [pytest.mark.zwave_driver, pytest.mark.asyncio(loop_scope="package")]

HEATER, DESK_LAMP, WALL_LAMP, SUNRISE_LAMP = 5, 16, 17, 18
MEMORY = "level before it went off"
LEVEL = "MultilevelSwitch_currentValue"
RAMP = "MultilevelSwitch_transition"


async def dark(driver, node: int, remembers: int) -> None:
    await driver.by_hand(node, **{RAMP: None, MEMORY: remembers})
    await driver.reports(node, level=0)


@pytest.mark.parametrize(("name", "node"), [("desk lamp", DESK_LAMP), ("wall lamp", WALL_LAMP)])
async def test_on_with_a_ramp_is_told_at_its_end(driver, server, name, node):
    """By 255, "as bright as it was": one of them only acknowledges it, the other is supervised."""
    await dark(driver, node, 75)
    answer = await server.control(name, "on")
    assert (answer.outcome, answer.structured["state"]) == ("confirmed", "on, 76 %")
    assert await driver.held(node, LEVEL) == 75
    assert await driver.held(node, RAMP) is None


@pytest.mark.parametrize(("name", "node"), [("desk lamp", DESK_LAMP), ("wall lamp", WALL_LAMP)])
async def test_a_level_with_a_ramp_is_told_at_its_end(driver, server, name, node):
    await dark(driver, node, 99)
    answer = await server.control(name, "dim", level=60)
    assert (answer.outcome, answer.structured["state"]) == ("confirmed", "on, 60 %")
    assert await driver.held(node, RAMP) is None


async def test_a_long_ramp_is_told_as_under_way_and_never_as_its_first_step(driver, server):
    await dark(driver, SUNRISE_LAMP, 90)
    started = time.perf_counter()
    answer = await server.control("sunrise lamp", "on")
    assert time.perf_counter() - started < 10
    assert (answer.outcome, answer.is_error) == ("working", False)
    assert not claims_success(answer)
    assert await driver.held(SUNRISE_LAMP, RAMP) is not None
    off = await server.control("sunrise lamp", "off")
    assert off.outcome in ("working", "confirmed")


async def test_toggle_asks_the_device_first(driver, server):
    """Somebody was at the switch, and nobody told the driver."""
    await server.control("space heater", "off")
    await driver.by_hand(HEATER, BinarySwitch_currentValue=True)
    answer = await server.control("space heater", "toggle")
    assert (answer.outcome, answer.structured["requested"]["resolved"]) == ("confirmed", "off")
    assert await driver.held(HEATER, "BinarySwitch_currentValue") is False

    await driver.by_hand(DESK_LAMP, **{RAMP: None})
    await driver.reports(DESK_LAMP, level=0)
    await driver.by_hand(DESK_LAMP, **{LEVEL: 40})
    answer = await server.control("desk lamp", "toggle")
    assert answer.structured["requested"]["resolved"] == "off"
    assert await driver.held(DESK_LAMP, LEVEL) == 0
