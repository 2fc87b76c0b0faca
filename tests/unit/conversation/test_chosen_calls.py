"""Calls that somebody chose by hand (a program, a switch on a page) are judged like calls that were said."""

from tests.fakes.locked_house import LOCK, UNLOCK, House

from voice_gateway.config import PermissionSettings
from voice_gateway.events import Acted, Answered, Heard
from voice_gateway.turn import ToolCall, Utterance

ALLOWED = PermissionSettings(sensitive_channels=("mcp",))


def chosen(conversation_id="a", channel="mcp"):
    return Utterance("use the lock", channel=channel, conversation_id=conversation_id)


async def test_a_call_that_needs_no_yes_is_made_and_told_to_all_who_watch():
    house = House()

    reply = await house.conversation.make_calls(chosen(), [LOCK])

    assert house.lock.actions == ["lock"]
    assert reply.ok
    assert reply.text == "Back Door is locked."
    assert reply.conversation_id == "a"
    told = [type(event) for event in house.told if isinstance(event, Heard | Acted | Answered)]
    assert told == [Heard, Acted, Answered]


async def test_a_sensitive_call_becomes_a_question_of_that_conversation():
    house = House("hello", permission=ALLOWED)

    asked = await house.conversation.make_calls(chosen(), [UNLOCK])
    elsewhere = await house.hears("yes", channel="mcp", conversation_id="b")

    assert asked.expects_answer
    assert asked.ok
    assert asked.outcomes == ()
    assert "unlocked" not in elsewhere.text
    assert house.lock.actions == []

    await house.hears("yes", channel="mcp", conversation_id="a")

    assert house.lock.actions == ["unlock"]


async def test_another_call_is_no_yes_and_ends_the_question():
    house = House("hello", permission=ALLOWED)
    await house.conversation.make_calls(chosen(), [UNLOCK])
    await house.conversation.make_calls(chosen(), [LOCK])

    await house.hears("yes", channel="mcp", conversation_id="a")

    assert house.lock.actions == ["lock"]


async def test_no_argument_of_the_caller_is_a_yes():
    house = House(permission=ALLOWED)
    call = ToolCall("1", UNLOCK.name, {**UNLOCK.args, "confirmed": True})

    reply = await house.conversation.make_calls(chosen(), [call])

    assert house.lock.actions == []
    assert not reply.ok or reply.expects_answer
