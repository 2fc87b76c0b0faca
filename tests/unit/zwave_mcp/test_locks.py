"""A lock tells two things: where its bolt is, and that it jammed once."""

from dataclasses import replace
from typing import Any

import pytest
from tests.fakes.scripted_home import ScriptedHome, lock, switch

from zwave_mcp.home import GatewayError, HomeDown, NoAnswer, Node, WriteResult
from zwave_mcp.tools import Tools


def told_at(node: Node, updated: float) -> Node:
    """The same lock, with the time of its notification."""
    values = (
        replace(value, updated=updated) if value.id.property_key == "Lock state" else value
        for value in node.values
    )
    return replace(node, values=tuple(values))


async def test_a_bolt_that_moved_is_not_said_to_be_jammed():
    home = ScriptedHome(lock(6, "Front Door", mode=255, jammed=True))
    home.after_write = (lock(6, "Front Door", mode=0, jammed=True),)  # many locks never take the jam back
    home.written, home.polled = WriteResult(254), [0]
    tools = Tools(home, allow_unlock=True)
    said = await tools.call("control_zwave_lock", {"deviceName": "front door", "action": "unlock"})
    assert (said.sentence, said.structured["state"]) == ("The Front Door is now unlocked.", "unlocked")
    seen = await tools.call("get_zwave_device", {"deviceName": "front door"})
    assert (seen.sentence, seen.structured["state"]) == ("The Front Door is unlocked.", "unlocked")
    assert seen.structured["readings"] == []
    listed = await tools.call("list_zwave_devices", {})
    assert listed.structured["devices"][0]["state"] == "unlocked"


async def test_an_overcome_jam_does_not_spoil_the_next_command():
    home = ScriptedHome(lock(6, "Front Door", mode=0, jammed=True))
    home.written, home.polled = WriteResult(254), [255, 255, 0]
    tools = Tools(home, allow_unlock=True)
    outcomes = [
        (await tools.call("control_zwave_lock", {"deviceName": "front door", "action": action})).structured
        for action in ("lock", "unlock")
    ]
    assert [(one["outcome"], one["state"]) for one in outcomes] == [
        ("confirmed", "locked"),
        ("confirmed", "unlocked"),
    ]


async def test_a_new_jam_after_an_overcome_one_counts():
    home = ScriptedHome(told_at(lock(6, "Front Door", mode=0, jammed=True), 100.0))
    home.written, home.polled = WriteResult(254), [255]
    tools = Tools(home, allow_unlock=True)
    await tools.call("control_zwave_lock", {"deviceName": "front door", "action": "lock"})
    home.after_write = (told_at(lock(6, "Front Door", mode=0, jammed=True), 200.0),)
    said = await tools.call("control_zwave_lock", {"deviceName": "front door", "action": "unlock"})
    assert said.sentence == "The Front Door is jammed and did not unlock."
    seen = await tools.call("get_zwave_device", {"deviceName": "front door"})
    assert seen.structured["state"] == said.structured["state"] == "jammed"


async def unlock(home: ScriptedHome):
    tools = Tools(home, allow_unlock=True)
    return await tools.call("control_zwave_lock", {"deviceName": "front door", "action": "unlock"})


@pytest.mark.parametrize("silence", [NoAnswer("nothing came"), GatewayError("no acknowledgement")], ids=repr)
async def test_a_lock_that_does_not_answer_is_not_sent_what_would_open_it_later(silence: Exception):
    home = ScriptedHome(lock(6, "Front Door", "Hallway"))
    home.polled = [silence]
    said = await unlock(home)
    assert said.sentence == "The Front Door in the Hallway does not answer, so nothing was sent to it."
    assert (said.structured["outcome"], home.sent) == ("unreachable", [])


async def test_an_unlock_that_nobody_answered_is_taken_back_behind_it():
    home = ScriptedHome(lock(6, "Front Door"))
    home.written, home.polled = NoAnswer("Z-Wave JS UI did not answer within 10 seconds."), [255]
    said = await unlock(home)
    assert home.sent == [("6-98-0-targetMode", 0), ("6-98-0-targetMode", 255)]
    assert said.structured["outcome"] == "unconfirmed"
    assert said.sentence == (
        "The command for the Front Door is not confirmed, it may still happen. "
        "If it still happens, it is taken back at once: that command was sent behind it."
    )


async def test_an_unlock_lost_with_the_connection_is_taken_back_too():
    home = ScriptedHome(lock(6, "Front Door"))
    home.written, home.polled = HomeDown("The connection is lost.", sent=True), [255]
    said = await unlock(home)
    assert home.sent[1:] == [("6-98-0-targetMode", 255)]
    assert (said.structured["outcome"], "taken back" in said.sentence) == ("system_down", True)


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
    node = told_at(lock(6, "Front Door", mode=255, jammed=True), 100.0)
    spoken = replace(node, values=(replace(node.values[0], updated=160.0), *node.values[1:]))
    at_once = replace(node, values=(replace(node.values[0], updated=101.5), *node.values[1:]))
    states = []
    for one in (spoken, at_once):
        listed = await Tools(ScriptedHome(one)).call("list_zwave_devices", {})
        states.append(listed.structured["devices"][0]["state"])
    assert states == ["locked", "jammed"]


# --- a lock that does not know where its bolt is (mode 254)


async def test_a_bolt_that_nobody_knows_of_is_neither_locked_nor_unlocked():
    for action in ("lock", "unlock"):
        home = ScriptedHome(lock(6, "Front Door", mode=255 if action == "unlock" else 0))
        home.written, home.polled = WriteResult(254), [254]
        said = await Tools(home, allow_unlock=True).call(
            "control_zwave_lock", {"deviceName": "front door", "action": action}
        )
        assert (said.structured["outcome"], said.structured["state"]) == ("unconfirmed", "unknown")


# --- a lock that confirms by itself


async def locked(polled: list[Any], **more: Any) -> tuple[str, str]:
    home = ScriptedHome(lock(6, "Front Door", mode=0))
    home.written, home.polled = WriteResult(255), polled
    for key, value in more.items():
        setattr(home, key, value)
    said = await Tools(home).call("control_zwave_lock", {"deviceName": "front door", "action": "lock"})
    return said.structured["outcome"], said.structured["state"]


async def test_a_bolt_that_has_not_moved_is_not_locked_although_the_lock_confirmed():
    assert await locked([0]) == ("failed", "unlocked")


async def test_a_jam_after_a_confirmation_is_told():
    jam = (lock(6, "Front Door", mode=0, jammed=True),)
    assert await locked([0], after_write=jam) == ("failed", "jammed")


async def test_a_lock_that_confirmed_and_cannot_be_asked_is_locked_if_nothing_speaks_against_it():
    reported = (lock(6, "Front Door", mode=255),)
    assert await locked([NoAnswer("silence")], after_write=reported) == ("confirmed", "locked")
    assert await locked([NoAnswer("silence")]) == ("unconfirmed", "unknown")


async def test_one_that_confirmed_and_then_does_not_know_is_not():
    lost = (lock(6, "Front Door", mode=254),)
    assert await locked([254], after_write=lost) == ("unconfirmed", "unknown")
