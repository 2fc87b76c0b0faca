"""A lock tells two things: where its bolt is, and that it jammed once."""

from dataclasses import replace
from typing import Any

import pytest
from tests.fakes.scripted_home import ScriptedHome, lock, switch

from zwave_mcp.home import GatewayError, HomeDown, NoAnswer, Node, WriteResult
from zwave_mcp.tools import Tools


def told_at(node: Node, jam: float, bolt: float | None = None) -> Node:
    """The same lock, with the times of its notification and of its mode."""
    times = {"Lock state": jam, None: bolt}
    return replace(
        node, values=tuple(replace(item, updated=times[item.id.property_key]) for item in node.values)
    )


async def command(tools: Tools, action: str):
    return await tools.call("control_zwave_lock", {"deviceName": "front door", "action": action})


async def test_a_bolt_that_moved_is_not_said_to_be_jammed():
    home = ScriptedHome(told_at(lock(6, "Front Door", mode=255, jammed=True), 100.0, 101.0))
    # Many locks never take the jam back.
    home.after_write = (told_at(lock(6, "Front Door", mode=0, jammed=True), 100.0, 160.0),)
    home.written, home.polled = WriteResult(254), [0]
    tools = Tools(home, allow_unlock=True)
    wording_ = await command(tools, "unlock")
    assert (wording_.sentence, wording_.structured["state"]) == (
        "The Front Door is now unlocked.",
        "unlocked",
    )
    seen = await tools.call("get_zwave_device", {"deviceName": "front door"})
    assert (seen.sentence, seen.structured["state"]) == ("The Front Door is unlocked.", "unlocked")
    assert seen.structured["readings"] == []
    listed = await tools.call("list_zwave_devices", {})
    assert listed.structured["devices"][0]["state"] == "unlocked"


async def test_an_overcome_jam_does_not_spoil_the_next_command():
    home = ScriptedHome(lock(6, "Front Door", mode=0, jammed=True))
    home.written, home.polled = WriteResult(254), [255, 255, 0]
    tools = Tools(home, allow_unlock=True)
    for action, state in (("lock", "locked"), ("unlock", "unlocked")):
        facts = (await command(tools, action)).structured
        assert (facts["outcome"], facts["state"]) == ("confirmed", state)


async def test_a_new_jam_after_an_overcome_one_counts():
    home = ScriptedHome(told_at(lock(6, "Front Door", mode=0, jammed=True), 100.0))
    home.written, home.polled = WriteResult(254), [255]
    tools = Tools(home, allow_unlock=True)
    await command(tools, "lock")
    home.after_write = (told_at(lock(6, "Front Door", mode=0, jammed=True), 200.0),)
    wording_ = await command(tools, "unlock")
    assert wording_.sentence == "The Front Door is jammed and did not unlock."
    seen = await tools.call("get_zwave_device", {"deviceName": "front door"})
    assert seen.structured["state"] == wording_.structured["state"] == "jammed"


async def unlock(home: ScriptedHome):
    return await command(Tools(home, allow_unlock=True), "unlock")


@pytest.mark.parametrize("silence", [NoAnswer("nothing came"), GatewayError("no acknowledgement")], ids=repr)
async def test_a_lock_that_does_not_answer_is_not_sent_what_would_open_it_later(silence: Exception):
    home = ScriptedHome(lock(6, "Front Door", "Hallway"))
    home.polled = [silence]
    wording_ = await unlock(home)
    assert wording_.sentence == "The Front Door in the Hallway does not answer, so nothing was sent to it."
    assert (wording_.structured["outcome"], home.sent) == ("unreachable", [])


@pytest.mark.parametrize(
    ("lost", "outcome"),
    [(NoAnswer("silence"), "unconfirmed"), (HomeDown("The connection is lost.", sent=True), "system_down")],
    ids=repr,
)
async def test_an_unanswered_unlock_is_taken_back_behind_it(lost: Exception, outcome: str):
    home = ScriptedHome(lock(6, "Front Door"))
    home.written, home.polled = lost, [255]
    reply = await unlock(home)
    assert home.sent == [("6-98-0-targetMode", 0), ("6-98-0-targetMode", 255)]
    assert reply.structured["outcome"] == outcome
    assert "it may still happen" in reply.sentence
    assert "it is taken back at once: that command was sent behind it." in reply.sentence


async def test_a_gate_on_a_relay_is_taken_back_and_a_lamp_is_not():
    home = ScriptedHome(switch(7, "Garden Gate"), switch(8, "Desk Lamp"))
    home.written, home.polled = NoAnswer("nothing came"), [False]
    tools = Tools(home)
    for name in ("garden gate", "desk lamp"):
        await tools.call("control_zwave_device", {"deviceName": name, "action": "on"})
    sent = [("7-37-0-targetValue", True), ("7-37-0-targetValue", False), ("8-37-0-targetValue", True)]
    assert home.sent == sent


async def test_an_old_jam_does_not_come_back_after_a_restart():
    """Nothing is remembered: but the lock has told where its bolt is, long after it told of the jam."""
    jammed, states = lock(6, "Front Door", mode=255, jammed=True), []
    for bolt in (160.0, 101.5):
        listed = await Tools(ScriptedHome(told_at(jammed, 100.0, bolt))).call("list_zwave_devices", {})
        states.append(listed.structured["devices"][0]["state"])
    assert states == ["locked", "jammed"]


# --- a lock that does not know where its bolt is (mode 254)


async def test_a_bolt_that_nobody_knows_of_is_neither_locked_nor_unlocked():
    for action, mode in (("lock", 0), ("unlock", 255)):
        home = ScriptedHome(lock(6, "Front Door", mode=mode))
        home.written, home.polled = WriteResult(254), [254]
        reply = (await command(Tools(home, allow_unlock=True), action)).structured
        assert (reply["outcome"], reply["state"]) == ("unconfirmed", "unknown")


@pytest.mark.parametrize(
    ("polled", "after", "expected"),
    [
        (0, None, ("failed", "unlocked")),
        (0, lock(6, "Front Door", mode=0, jammed=True), ("failed", "jammed")),
        (NoAnswer("silence"), lock(6, "Front Door", mode=255), ("confirmed", "locked")),  # it was reported
        (NoAnswer("silence"), None, ("unconfirmed", "unknown")),
        (254, lock(6, "Front Door", mode=254), ("unconfirmed", "unknown")),
    ],
)
async def test_the_bolt_of_a_lock_that_confirmed_by_itself_counts(
    polled: Any, after: Node | None, expected: tuple[str, str]
):
    home = ScriptedHome(lock(6, "Front Door", mode=0))
    home.written, home.polled = WriteResult(255), [polled]
    home.after_write = (after,) if after else None
    reply = await Tools(home).call("control_zwave_lock", {"deviceName": "front door", "action": "lock"})
    assert (reply.structured["outcome"], reply.structured["state"]) == expected
