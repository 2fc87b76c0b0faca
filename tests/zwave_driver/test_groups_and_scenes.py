"""Groups and scenes with the real driver: every member is asked, and whoever does not follow is named."""

import pytest
from tests.zwave_driver.test_driver_truth import faulty

pytestmark = [pytest.mark.zwave_driver, pytest.mark.asyncio(loop_scope="package")]

CEILING_LIGHT, FLOOR_LAMP, LOCK, MOOD_LIGHT, READING_LAMP = 2, 3, 4, 20, 21
LEVEL, POWER, BOLT = "MultilevelSwitch_currentValue", "BinarySwitch_currentValue", "DoorLock_currentMode"


async def levels(driver) -> list[int]:
    return [await driver.held(node, LEVEL) for node in (MOOD_LIGHT, READING_LAMP)]


async def scene(server, name: str, **more):
    return await server.call("activate_zwave_scene", sceneName=name, **more)


async def test_a_group_is_done_when_every_member_says_so(driver, server):
    answer = await server.control("lounge lights", "dim", level=30)
    assert (answer.outcome, answer.text) == ("confirmed", "The Lounge Lights are now on at 30 percent.")
    assert await levels(driver) == [30, 30]
    assert (await server.control("lounge lights", "off")).outcome == "confirmed"
    assert await levels(driver) == [0, 0]

    for call in answer.structured["before"]:
        assert (await server.call(call["name"], **call["args"])).outcome == "confirmed"


async def test_a_member_that_does_not_follow_is_named(driver, server):
    await server.control("lounge lights", "off")
    async with faulty(driver, READING_LAMP, "ignoring"):
        answer = await server.control("lounge lights", "dim", level=50)
    assert (answer.outcome, answer.is_error) == ("failed", True)
    assert (
        answer.text == "The command was sent to the Lounge Lights, but this is not confirmed: Reading Lamp."
    )
    assert answer.structured["notConfirmed"] == ["Reading Lamp"]
    assert await levels(driver) == [50, 0]
    looked = await server.call("get_zwave_device", deviceName="lounge lights")
    assert (looked.outcome, looked.structured["state"]) == ("confirmed", "partly on")
    await server.control("lounge lights", "off")


async def test_a_scene_is_on_when_its_devices_are_as_it_says(driver, server):
    await server.control("ceiling light", "on")
    await server.control("floor lamp", "dim", level=80)
    answer = await scene(server, "movie night")
    assert (answer.outcome, answer.text) == ("confirmed", "The scene Movie Night is on.")
    assert await driver.held(FLOOR_LAMP, LEVEL) == 10
    assert await driver.held(CEILING_LIGHT, POWER) is False


async def test_a_scene_that_a_device_ignores_is_not_called_on(driver, server):
    await server.control("floor lamp", "dim", level=40)
    async with faulty(driver, FLOOR_LAMP, "ignoring"):
        answer = await scene(server, "movie night")
    assert (answer.outcome, answer.is_error) == ("unconfirmed", True)
    assert answer.structured["notConfirmed"] == ["Floor Lamp"]
    assert await driver.held(FLOOR_LAMP, LEVEL) == 40


async def test_a_scene_that_unlocks_is_not_started(driver, server):
    await server.call("control_zwave_lock", deviceName="Front Door Lock", action="lock")
    for more in ({}, {"confirmed": True}):
        answer = await scene(server, "come home", **more)
        assert (answer.outcome, answer.is_error) == ("unsupported", True)
    assert await driver.held(LOCK, BOLT) == 255
