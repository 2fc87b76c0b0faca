"""Garage door, window covering and siren with the real driver: there, on the way, refused, stopped."""

import pytest
import pytest_asyncio
from tests.fakes.waiting import until
from tests.zwave_driver.test_driver_truth import faulty

pytestmark = [pytest.mark.zwave_driver, pytest.mark.asyncio(loop_scope="package")]

GARAGE_DOOR, SHUTTER, SIREN = 13, 14, 15
CLOSED, STOPPED, OPEN = 0, 253, 255


async def state_of(server, device: str) -> str:
    return (await server.call("get_zwave_device", deviceName=device)).structured["state"]


async def becomes(server, device: str, *states: str) -> None:
    async def is_so() -> bool:
        return await state_of(server, device) in states

    await until(is_so)


@pytest_asyncio.fixture(loop_scope="package")
async def closed(driver, server):
    """The garage door, whatever was before."""
    await driver.by_hand(GARAGE_DOOR, barrier=CLOSED)
    await becomes(server, "garage door", "closed")


@pytest.mark.usefixtures("closed")
async def test_a_garage_door_is_on_its_way_and_then_there(driver, server):
    for action, way, end, held in [("open", "opening", "open", OPEN), ("close", "closing", "closed", CLOSED)]:
        answer = await server.control("garage door", action)
        assert (answer.outcome, answer.text) == ("working", f"The Garage Door is {way}.")
        await becomes(server, "garage door", end)
        assert await driver.held(GARAGE_DOOR, "barrier") == held

    again = await server.control("garage door", "close")
    assert (again.outcome, again.text) == ("confirmed", "The Garage Door is now closed.")


@pytest.mark.usefixtures("closed")
async def test_a_garage_door_that_met_something_is_stopped_and_not_closed(driver, server):
    await server.control("garage door", "open")
    await becomes(server, "garage door", "open")
    async with faulty(driver, GARAGE_DOOR, "jammed"):
        answer = await server.control("garage door", "close")
        assert answer.outcome == "working"
        await becomes(server, "garage door", "stopped")
    assert await driver.held(GARAGE_DOOR, "barrier") == STOPPED
    listed = await server.call("list_zwave_devices", filter="garage door")
    assert "Garage Door (stopped)" in listed.text


async def test_a_window_covering_moves_by_its_bottom_and_leaves_its_slats_alone(driver, server):
    await driver.by_hand(SHUTTER, WindowCovering_currentValue_23=40)
    answer = await server.control("roller shutter", "open")
    assert (answer.outcome, answer.text) == ("working", "The Roller Shutter is opening.")
    await becomes(server, "roller shutter", "open")
    half = await server.control("roller shutter", "dim", level=50)
    assert (half.outcome, half.text) == ("working", "The Roller Shutter is moving to 50 percent.")
    await becomes(server, "roller shutter", "50 % open")
    assert await driver.held(SHUTTER, "WindowCovering_currentValue_13") == 50
    assert await driver.held(SHUTTER, "WindowCovering_currentValue_23") == 40

    [call] = half.structured["before"]
    assert (await server.call(call["name"], **call["args"])).outcome == "working"
    await becomes(server, "roller shutter", "open")


async def test_a_window_covering_stops_where_it_is(driver, server):
    await driver.by_hand(SHUTTER, WindowCovering_currentValue_13=99)
    assert await state_of(server, "roller shutter") == "open"
    await server.control("roller shutter", "close")
    stopped = await server.control("roller shutter", "stop")
    assert stopped.outcome == "confirmed"
    assert 0 < await driver.held(SHUTTER, "WindowCovering_currentValue_13") < 99
    assert await state_of(server, "roller shutter") == stopped.structured["state"]


async def test_a_window_covering_that_refuses_has_not_moved(driver, server):
    await driver.by_hand(SHUTTER, WindowCovering_currentValue_13=0)
    assert await state_of(server, "roller shutter") == "closed"
    async with faulty(driver, SHUTTER, "refusing"):
        answer = await server.control("roller shutter", "open")
    assert (answer.outcome, answer.is_error) == ("failed", True)
    assert await state_of(server, "roller shutter") == "closed"


async def test_a_siren_is_known_by_its_class_sounds_and_stops(driver, server):
    answer = await server.control("alarm siren", "on")
    assert (answer.outcome, answer.text) == ("confirmed", "The Alarm Siren is now sounding.")
    assert await driver.held(SIREN, "BinarySwitch_currentValue") is True
    tone = await server.call("play_zwave_sound", deviceName="alarm siren", action="play", tone="westminster")
    assert (tone.outcome, tone.text) == ("unsupported", "The Alarm Siren has one sound only, and one volume.")
    stopped = await server.call("play_zwave_sound", deviceName="alarm siren", action="stop")
    assert (stopped.outcome, stopped.text) == ("confirmed", "The Alarm Siren is now silent.")
    assert await driver.held(SIREN, "BinarySwitch_currentValue") is False

    listed = await server.call("list_zwave_devices", filter="siren")
    assert [(item["name"], item["kind"]) for item in listed.structured["devices"]] == [
        ("Alarm Siren", "siren")
    ]
