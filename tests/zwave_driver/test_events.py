"""What devices tell by themselves, through the real driver: each is an event once, in the right words.

The bridge passes everything on twice, by topics and as events, as Z-Wave JS UI does where both are on.
"""

import contextlib
import json
import warnings
from collections.abc import AsyncIterator
from typing import Any

import pytest
from tests.fakes.waiting import until
from tests.fakes.zwave_server import Server

pytestmark = [pytest.mark.zwave_driver, pytest.mark.asyncio(loop_scope="package")]

EVENTS = "zwave://events"
LOCK, DOOR, REMOTE, BELL, SMOKE, WATER = 4, 8, 30, 31, 32, 33
PRESSED, RELEASED, HELD, TWICE, THREE_TIMES = range(5)
SMOKE_ALARM, WATER_ALARM, ACCESS, SECURITY = 1, 5, 6, 7  # types of notifications
IDLE = 0


async def kept(server: Server) -> dict[str, Any]:
    read: Any = await server.session.read_resource(EVENTS)
    return json.loads(read.contents[0].text)


class Told:
    """What is told from now on."""

    def __init__(self, server: Server, last: int) -> None:
        self._server, self._last = server, last

    async def events(self) -> list[dict[str, Any]]:
        return [item for item in (await kept(self._server))["events"] if item["id"] > self._last]

    async def texts(self) -> list[str]:
        return [item["text"] for item in await self.events()]

    async def has(self, text: str, count: int = 1) -> None:
        async def is_told() -> bool:
            return (await self.texts()).count(text) >= count

        await until(is_told)

    async def all(self, driver) -> list[str]:
        """Everything; whatever may come late has come before a button was held three times."""
        over = "Button 4 of the Wall Remote in the Stairs was released."
        before = (await self.texts()).count(over)
        for count in range(before + 1, before + 4):
            await driver.reports(REMOTE, button=4, key=HELD)
            await self.has(over, count)
        return [text for text in await self.texts() if not text.startswith("Button 4 of")]


@contextlib.asynccontextmanager
async def telling(server: Server, driver: Any) -> AsyncIterator[Told]:
    """From the moment on when reports come in: the server subscribes behind its answer."""
    await server.call("list_zwave_devices")
    with warnings.catch_warnings(action="ignore"):  # clients of the handshake protocol say it so
        await server.session.subscribe_resource(EVENTS)

    async def texts() -> list[str]:
        return [item["text"] for item in (await kept(server))["events"]]

    async def hears() -> bool:
        if await texts():
            return True
        await driver.reports(REMOTE, button=4, key=HELD)
        return False

    async def rests() -> bool:
        return not (await texts())[-1].endswith("held.")

    await until(hears)
    await until(rests)
    events = (await kept(server))["events"]
    yield Told(server, events[-1]["id"] if events else 0)


async def test_every_press_is_told_once_the_same_one_again_too(driver, server):
    async with telling(server, driver) as reported:
        for button, key in ((1, PRESSED), (1, PRESSED), (2, TWICE), (3, THREE_TIMES)):
            await driver.reports(REMOTE, button=button, key=key)
        await driver.reports(BELL, button=1, key=PRESSED)
        assert await reported.all(driver) == [
            "Button 1 of the Wall Remote in the Stairs was pressed.",
            "Button 1 of the Wall Remote in the Stairs was pressed.",
            "Button 2 of the Wall Remote in the Stairs was pressed twice.",
            "Button 3 of the Wall Remote in the Stairs was pressed three times.",
            "The Doorbell in the Hallway rang: somebody is at the door.",
        ]
        first, bell = (await reported.events())[0], (await reported.events())[4]
    assert (first["kind"], first["state"], first["button"], first["nodeId"]) == (
        "button",
        "pressed",
        1,
        REMOTE,
    )
    assert (bell["kind"], bell["nodeId"]) == ("doorbell", BELL)


async def test_a_button_that_is_held_is_told_when_it_begins_and_ends(driver, server):
    async with telling(server, driver) as reported:
        for _ in range(3):
            await driver.reports(REMOTE, button=1, key=HELD)
        await driver.reports(REMOTE, button=1, key=RELEASED)
        assert await reported.all(driver) == [
            "Button 1 of the Wall Remote in the Stairs was held.",
            "Button 1 of the Wall Remote in the Stairs was released.",
        ]


async def test_smoke_begins_is_repeated_and_ends(driver, server):
    async with telling(server, driver) as reported:
        await driver.reports(SMOKE, notification=[SMOKE_ALARM, 2])
        await driver.reports(SMOKE, notification=[SMOKE_ALARM, 2])
        await reported.has("Smoke is detected in the Kitchen.")
        [alarm] = (await kept(server))["alarms"]
        assert (alarm["kind"], alarm["urgent"], alarm["nodeId"]) == ("smoke", True, SMOKE)
        smoke = await server.call("get_zwave_device", deviceName="smoke alarm")
        assert "Smoke is detected in the Kitchen." in smoke.text

        await driver.reports(SMOKE, notification=[SMOKE_ALARM, IDLE, 2])
        assert await reported.all(driver) == [
            "Smoke is detected in the Kitchen.",
            "Smoke is no longer detected in the Kitchen.",
        ]
        assert (await kept(server))["alarms"] == []


async def test_water_and_an_opened_cover_stand_until_they_are_over(driver, server):
    async with telling(server, driver) as reported:
        await driver.reports(WATER, notification=[WATER_ALARM, 2])
        await driver.reports(DOOR, notification=[SECURITY, 3])
        await reported.has("The Back Door in the Hallway is being tampered with.")
        assert [item["kind"] for item in (await kept(server))["alarms"]] == ["water", "tamper"]
        await driver.reports(WATER, notification=[WATER_ALARM, IDLE])
        await driver.reports(DOOR, notification=[SECURITY, IDLE])
        assert await reported.all(driver) == [
            "Water is detected in the Bathroom.",
            "The Back Door in the Hallway is being tampered with.",
            "Water is no longer detected in the Bathroom.",
            "The Back Door in the Hallway is no longer tampered with.",
        ]
        assert (await kept(server))["alarms"] == []


async def test_a_door_tells_by_three_values_and_is_told_once(driver, server):
    await driver.reports(DOOR, door="closed")
    async with telling(server, driver) as reported:
        for state in ("open", "open", "closed", "open", "closed"):
            await driver.reports(DOOR, door=state)
        opened, closed = (
            "The Back Door in the Hallway was opened.",
            "The Back Door in the Hallway was closed.",
        )
        assert await reported.all(driver) == [opened, closed, opened, closed]


async def test_who_operated_the_lock_is_told_and_its_mode_does_not_tell_it_again(driver, server):
    await server.call("control_zwave_lock", deviceName="Front Door Lock", action="lock")
    async with telling(server, driver) as quiet:
        await quiet.all(driver)  # what that command tells
    async with telling(server, driver) as reported:
        await driver.reports(LOCK, notification=[ACCESS, 6, 3])  # unlocked at the keypad, by user 3
        lock = "The Front Door Lock in the Hallway was"
        assert await reported.all(driver) == [f"{lock} unlocked at the keypad by user 3."]
        [event] = [item for item in await reported.events() if item["kind"] == "lock"]
        assert (event["state"], event["user"], event["way"]) == ("unlocked", 3, "at the keypad")
        assert "unlocked" in (await server.call("get_zwave_device", deviceName="front door lock")).text

        await driver.reports(LOCK, notification=[ACCESS, 1])
        assert await reported.all(driver) == [
            f"{lock} unlocked at the keypad by user 3.",
            f"{lock} locked by hand.",
        ]


async def test_a_battery_that_runs_low_is_told_once(driver, server):
    async with telling(server, driver) as reported:
        for level in (80, 12, 11):
            await driver.reports(SMOKE, battery=level)
        assert await reported.all(driver) == ["The battery of the Smoke Alarm in the Kitchen is low."]
        await driver.reports(SMOKE, battery=100)
