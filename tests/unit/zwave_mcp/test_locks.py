"""A lock tells two things: where its bolt is, and that it jammed once."""

from dataclasses import replace
from typing import Any

import pytest
from tests.fakes.scripted_home import ScriptedHome, lock, switch

from zwave_mcp.home import GatewayError, HomeDown, NoAnswer, Node, WriteResult
from zwave_mcp.results import Result
from zwave_mcp.tools import Tools


def door(mode: int, *, jammed: bool = False) -> Node:
    return lock(6, "Front Door", mode=mode, jammed=jammed)


def told_at(node: Node, jam: float, bolt: float | None = None) -> Node:
    """The same lock, with the times of its notification and of its mode."""
    times = {"Lock state": jam, None: bolt}
    return replace(
        node, values=tuple(replace(item, updated=times[item.id.property_key]) for item in node.values)
    )


async def command(home: ScriptedHome, action: str, **settings: Any) -> Result:
    tools = Tools(home, **{"allow_unlock": True, **settings})
    return await tools.call("control_zwave_lock", {"deviceName": "front door", "action": action})


async def state(home: ScriptedHome) -> tuple[str, str]:
    seen = await Tools(home).call("get_zwave_device", {"deviceName": "front door"})
    listed = await Tools(home).call("list_zwave_devices", {})
    return seen.structured["state"], listed.structured["devices"][0]["state"]


async def test_a_bolt_that_moved_is_not_said_to_be_jammed() -> None:
    home = ScriptedHome(told_at(door(255, jammed=True), 100.0, 101.0))
    home.after_write = (told_at(door(0, jammed=True), 100.0, 160.0),)  # many locks never take the jam back
    home.written, home.polled = WriteResult(254), [0]
    assert (await command(home, "unlock")).structured["state"] == "unlocked"
    assert await state(home) == ("unlocked", "unlocked")


async def test_a_new_jam_after_an_overcome_one_counts() -> None:
    home = ScriptedHome(told_at(door(0, jammed=True), 100.0))
    home.after_write = (told_at(door(0, jammed=True), 200.0),)
    home.written, home.polled = WriteResult(254), [255]
    assert (await command(home, "unlock")).sentence == "The Front Door is jammed and did not unlock."
    assert await state(home) == ("jammed", "jammed")


async def test_an_old_jam_does_not_come_back_after_a_restart() -> None:
    """Nothing is remembered: but the lock has told where its bolt is, long after it told of the jam."""
    for bolt, expected in ((160.0, "locked"), (101.5, "jammed")):
        home = ScriptedHome(told_at(door(255, jammed=True), 100.0, bolt))
        home.polled = [255]
        assert (await state(home))[1] == expected


async def test_a_lost_snapshot_does_not_hide_the_bolt() -> None:
    class Forgetful(ScriptedHome):
        async def snapshot(self, max_age_seconds: float = 2.0) -> Any:
            if self.sent:
                raise GatewayError("It could not be understood.")
            return await super().snapshot(max_age_seconds)

    home = Forgetful(door(0))
    home.written, home.polled = WriteResult(254), [0, 255]
    assert (await command(home, "lock")).structured["outcome"] == "confirmed"


# --- unlocking


async def test_unlocking_must_be_allowed_by_the_settings() -> None:
    home = ScriptedHome(door(255))
    answer = await command(home, "unlock", allow_unlock=False)
    assert (answer.structured["outcome"], home.sent) == ("unsupported", [])


@pytest.mark.parametrize("silence", [NoAnswer("nothing came"), GatewayError("no acknowledgement")], ids=repr)
async def test_a_lock_that_does_not_answer_is_not_sent_what_would_open_it_later(silence: Exception) -> None:
    home = ScriptedHome(door(255))
    home.polled = [silence]
    assert ((await command(home, "unlock")).structured["outcome"], home.sent) == ("unreachable", [])


@pytest.mark.parametrize(
    ("lost", "outcome"),
    [(NoAnswer("silence"), "unconfirmed"), (HomeDown("The connection is lost.", sent=True), "system_down")],
    ids=repr,
)
async def test_an_unanswered_unlock_is_taken_back_behind_it(lost: Exception, outcome: str) -> None:
    home = ScriptedHome(door(255))
    home.written, home.polled = lost, [255]
    reply = await command(home, "unlock")
    assert home.sent == [("6-98-0-targetMode", 0), ("6-98-0-targetMode", 255)]
    assert reply.structured["outcome"] == outcome
    assert "it is taken back at once: that command was sent behind it." in reply.sentence


async def test_a_gate_on_a_relay_is_taken_back_and_a_lamp_is_not() -> None:
    home = ScriptedHome(switch(7, "Garden Gate"), switch(8, "Desk Lamp"))
    home.written, home.polled = NoAnswer("nothing came"), [False]
    for name in ("garden gate", "desk lamp"):
        await Tools(home).call("control_zwave_device", {"deviceName": name, "action": "on"})
    sent = [("7-37-0-targetValue", True), ("7-37-0-targetValue", False), ("8-37-0-targetValue", True)]
    assert home.sent == sent
