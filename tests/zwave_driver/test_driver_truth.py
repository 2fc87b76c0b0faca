"""What the real driver does, through the whole server: status codes, wishes shown as facts, dead, jammed."""

import asyncio
import contextlib
import time
from typing import Any

import pytest
from tests.fakes.zwave_server import claims_success, running

from zwave_mcp.home import Status, ValueId
from zwave_mcp.options import MqttOptions

pytestmark = [pytest.mark.zwave_driver, pytest.mark.asyncio(loop_scope="package")]

CEILING_LIGHT = ValueId(2, 37, 0, "targetValue")
FLOOR_LAMP = ValueId(3, 38, 0, "targetValue")
BLIND = ValueId(6, 38, 0, "targetValue")
COFFEE_MAKER = ValueId(7, 37, 0, "targetValue")
COFFEE_MAKER_STATE = ValueId(7, 37, 0, "currentValue")


@contextlib.asynccontextmanager
async def faulty(driver, node, fault):
    await driver.fault(node, fault)
    try:
        yield
    finally:
        await driver.fault(node, None)


async def believed(home, text):
    snapshot = await home.snapshot(0)
    return next(value.value for node in snapshot.nodes for value in node.values if str(value.id) == text)


@pytest.mark.parametrize(
    ("value_id", "value", "status"),
    [
        (CEILING_LIGHT, True, Status.CONFIRMED),
        (FLOOR_LAMP, 42, Status.ACKNOWLEDGED),
        (BLIND, 99, Status.WORKING),
        (ValueId(2, 37, 3, "targetValue"), True, 3),
        (CEILING_LIGHT, "banana", 5),
        (ValueId(99, 37, 0, "targetValue"), True, Status.FAILED),
    ],
)
async def test_the_status_codes_are_those_of_the_recordings(driver, value_id, value, status):
    async with running(MqttOptions(driver.broker.url)) as home:
        assert (await home.write(value_id, value)).status == status


async def test_the_driver_shows_a_wish_as_a_fact_and_a_poll_tells_the_truth(driver):
    async with running(MqttOptions(driver.broker.url)) as home, faulty(driver, 7, "ignoring"):
        assert (await home.write(COFFEE_MAKER, True)).status == Status.ACKNOWLEDGED
        assert await believed(home, "7-37-0-currentValue") is True
        assert await home.poll(COFFEE_MAKER_STATE) is False


IGNORED: dict[int, tuple[str, dict[str, Any]]] = {
    7: ("control_zwave_device", {"deviceName": "coffee maker", "action": "on"}),
    12: ("set_zwave_thermostat", {"deviceName": "thermostat", "temperature": 27}),
    13: ("control_zwave_device", {"deviceName": "garage door", "action": "open"}),
    15: ("control_zwave_device", {"deviceName": "alarm siren", "action": "on"}),
    21: ("set_zwave_color", {"deviceName": "reading lamp", "color": "warm white"}),
    22: ("control_zwave_device", {"deviceName": "airflow", "action": "on", "level": 67}),
    23: ("play_zwave_sound", {"deviceName": "door chime", "action": "play"}),
    4: ("control_zwave_lock", {"deviceName": "Front Door Lock", "action": "lock"}),
}


async def test_no_kind_of_device_that_ignores_its_command_is_called_done(driver, server):
    """All of them at once: each is asked for seconds."""
    await server.call("control_zwave_lock", deviceName="Front Door Lock", action="unlock")
    await server.call("play_zwave_sound", deviceName="door chime", action="stop")
    async with contextlib.AsyncExitStack() as faults:
        for node in IGNORED:
            await faults.enter_async_context(faulty(driver, node, "ignoring"))
        calls = [server.call(tool, **wish) for tool, wish in IGNORED.values()]
        answers = dict(zip(IGNORED, await asyncio.gather(*calls), strict=True))

    reported = {node: (answer.outcome, answer.is_error) for node, answer in answers.items()}
    assert reported == dict.fromkeys(IGNORED, ("failed", True))
    assert not any(claims_success(answer) for answer in answers.values())
    back = {
        node: answer.structured["before"] for node, answer in answers.items() if "before" in answer.structured
    }
    assert back == {}, "nothing is to be put back"
    states = {node: answers[node].structured["state"] for node in (7, 13, 15, 22, 23, 4)}
    assert states == {7: "off", 13: "closed", 15: "silent", 22: "off", 23: "silent", 4: "unlocked"}


async def test_what_was_before_is_put_back(server):
    await server.control("floor lamp", "dim", level=35)
    await server.call("control_zwave_lock", deviceName="Front Door Lock", action="lock")
    acts = [
        await server.control("floor lamp", "off"),
        await server.call("control_zwave_lock", deviceName="Front Door Lock", action="unlock"),
    ]

    for answer in acts:
        for call in answer.structured["before"]:
            assert (await server.call(call["name"], **call["args"])).outcome == "confirmed"

    lamp = await server.call("get_zwave_device", deviceName="floor lamp")
    lock = await server.call("get_zwave_device", deviceName="Front Door Lock")
    assert (lamp.structured["state"], lock.structured["state"]) == ("on, 35 %", "locked")


async def test_a_jammed_lock_is_not_called_locked(driver, server):
    """It says so, and does not move."""
    opened = await server.call("control_zwave_lock", deviceName="Front Door Lock", action="unlock")
    async with faulty(driver, 4, "jammed"):
        jammed = await server.call("control_zwave_lock", deviceName="Front Door Lock", action="lock")
        assert await driver.held(4, "DoorLock_currentMode") == 0
    closed = await server.call("control_zwave_lock", deviceName="Front Door Lock", action="lock")

    assert opened.outcome == "confirmed"
    assert (jammed.outcome, jammed.is_error, jammed.structured["state"]) == ("failed", True, "jammed")
    assert closed.outcome == "confirmed"


async def test_a_dead_device_is_said_and_lives_again(driver, server):
    async with faulty(driver, 5, "dead"):
        first = await server.control("space heater", "on")
        started = time.perf_counter()
        second = await server.control("space heater", "on")
        listed = await server.call("list_zwave_devices", includeInactive=True)

    assert (first.outcome, second.outcome) == ("unreachable", "unreachable")
    assert not claims_success(first)
    assert time.perf_counter() - started < 20
    heater = next(device for device in listed.structured["devices"] if device["name"] == "Space Heater")
    assert heater["available"] is False
    assert (await server.control("space heater", "on")).outcome == "confirmed"
