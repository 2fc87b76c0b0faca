"""One entrance for words: stages in order, one utterance at a time, confirmation by the user alone."""

import asyncio
from typing import Any

import pytest
from tests.fakes.locked_house import LOCK, UNLOCK, House, Scripted

from voice_gateway.config import BrainSettings, PermissionSettings
from voice_gateway.conversation.conversation import NAME_TOO_LONG, TOO_LONG
from voice_gateway.conversation.stages import Aside
from voice_gateway.conversation.store import MemoryStore
from voice_gateway.errors import BrainError
from voice_gateway.events import Acted, Answered, Heard, Progressed
from voice_gateway.progress import Progress, listener
from voice_gateway.turn import LONGEST_NAME, LONGEST_TEXT, Passed, Reply, ToolCall, Utterance, Words
from voice_gateway.turns.stage import Turn


async def test_a_sensitive_call_waits_for_the_users_own_yes():
    house = House([UNLOCK])

    asked = await house.hears("unlock the front door")

    assert asked.text == "Shall I unlock the front door?"
    assert asked.expects_answer
    assert asked.outcomes == ()
    assert asked.ok
    assert house.lock.actions == []

    done = await house.hears("yes please")

    assert house.lock.actions == ["unlock"]
    assert done.text == "Front Door is unlocked."
    assert done.outcomes[0].ok
    assert not done.expects_answer


@pytest.mark.parametrize(
    "words", ["no", "never mind", "turn on the lamp", "okay turn on the lamp", "what time is it"]
)
async def test_only_a_yes_unlocks_and_other_words_end_the_question(words):
    house = House([UNLOCK], "something else")
    await house.hears("unlock the front door")

    await house.hears(words)
    later = await house.hears("yes")

    assert house.lock.actions == []
    assert "unlocked" not in later.text


async def test_a_yes_that_comes_too_late_does_nothing():
    house = House([UNLOCK])
    await house.hears("unlock the front door")
    house.now += 31

    late = await house.hears("yes")

    assert house.lock.actions == []
    assert "too long ago" in late.text
    assert not late.ok


async def test_outcomes_come_before_the_question():
    house = House([LOCK, UNLOCK])

    asked = await house.hears("lock the back door and unlock the front door")

    assert house.lock.actions == ["lock"]
    assert asked.text == "Back Door is locked. Shall I unlock the front door?"
    assert [outcome.args["action"] for outcome in asked.outcomes] == ["lock"]


async def test_a_channel_without_permission_gets_a_refusal_and_no_question():
    house = House([UNLOCK], permission=PermissionSettings(sensitive_channels=("voice",)))

    refused = await house.hears("unlock the front door", channel="mqtt")

    assert house.lock.actions == []
    assert not refused.expects_answer
    assert not refused.ok
    allow = "voice-gateway config set permission.sensitive_channels voice,mqtt"
    assert refused.outcomes[0].structured["allow"] == allow
    assert allow in refused.outcomes[0].text


async def test_after_plain_talk_the_next_stage_does_nothing():
    first = Scripted(None, Passed("local", "talk", words=Words.TALK), name="local")
    house = House([LOCK], before=[first])

    reply = await house.hears("my uncle is a locksmith")

    assert house.lock.actions == []
    assert not reply.ok
    assert reply.passed == (Passed("local", "talk", words=Words.TALK),)
    assert reply.outcomes[0].structured == {"outcome": "not_permitted"}


async def test_people_and_models_get_different_words_for_a_refusal():
    """A model gets other words than people do."""
    first = Scripted(None, Passed("local", "talk", words=Words.TALK), name="local")

    async def act_and_fail(turn):
        await turn.run(house.stage.executor, [LOCK])
        raise BrainError("gone")

    house = House(act_and_fail, before=[first])
    reply = await house.hears("don't lock the back door")

    assert "you didn't ask for it" in reply.text
    assert "the user" in reply.outcomes[0].for_model
    assert "the user" not in str(reply.to_json())


async def test_an_aside_answers_before_every_stage():
    async def stop_ringing(asked):
        return "Okay, the timer is off." if asked.text == "stop" else None

    house = House("a model's answer", asides=[Aside("timers", "a timer rings", stop_ringing)])

    assert (await house.hears("stop")).text == "Okay, the timer is off."
    assert house.stage.seen == []
    assert (await house.hears("hello")).text == "a model's answer"
    assert [message.text for message in house.stage.seen[0].history.messages] == [
        "stop",
        "Okay, the timer is off.",
    ]


async def test_the_reply_says_that_no_stage_understood():
    house = House(Passed("local", "no match", spoken="I can't fly."))

    reply = await house.hears("fly me to the moon")

    assert (reply.text, reply.ok, reply.stage) == ("I can't fly.", False, "none")


@pytest.mark.parametrize(
    ("trouble", "says"),
    [
        (
            BrainError("ollama is down", spoken="The model server is not answering."),
            "model server is not answering",
        ),
        (RuntimeError("secret detail"), "something went wrong"),
        (TimeoutError("a tool's own"), "something went wrong"),
        (lambda _turn: asyncio.Event().wait(), "took too long"),
    ],
)
async def test_a_stage_that_fails_becomes_a_reply(trouble, says):
    reply = await House(trouble, brain=BrainSettings(turn_timeout_seconds=0.3)).hears("hello")

    assert says in reply.text
    assert "secret detail" not in reply.text
    assert not reply.ok


async def test_a_call_that_the_words_do_not_mention_is_asked_about():
    first = Scripted(None, Passed("local", "unknown", unspoken_of=frozenset({LOCK.name})))
    house = House([LOCK], before=[first])

    reply = await house.hears("make it cosy")

    assert house.lock.actions == []
    assert reply.text == "Shall I lock the back door?"


@pytest.mark.parametrize(
    ("trouble", "says"),
    [
        (None, "took too long"),
        (BrainError("down", spoken="My model is gone."), "My model is gone."),
        (ValueError("a bug"), "something went wrong"),
    ],
)
async def test_outcomes_before_a_failure_are_reported(trouble, says):
    house = House(brain=BrainSettings(turn_timeout_seconds=0.2))

    async def act_and_fail(turn):
        await turn.run(house.stage.executor, [LOCK])
        if trouble is not None:
            raise trouble
        await asyncio.Event().wait()

    house.stage.steps.append(act_and_fail)
    reply = await house.hears("lock the back door")

    assert house.lock.actions == ["lock"]
    assert [outcome.ok for outcome in reply.outcomes] == [True]
    assert reply.text.startswith("Back Door is locked. ")
    assert says in reply.text
    assert not reply.ok


@pytest.mark.parametrize("text", ["", "   ", "\x00\x07\n"])
async def test_empty_text_is_not_an_utterance(text):
    house = House()

    assert (await house.hears(text)).text == "I didn't hear anything."
    assert house.stage.seen == []


async def test_one_conversation_answers_in_order_and_others_do_not_wait():
    release = asyncio.Event()
    order = []

    async def slow(turn):
        order.append(turn.utterance.text)
        await release.wait()
        return Reply("slow")

    async def quick(turn):
        order.append(turn.utterance.text)
        return Reply("quick")

    house = House(slow, quick, quick)
    first = asyncio.create_task(house.hears("first", conversation_id="a"))
    second = asyncio.create_task(house.hears("second", conversation_id="a"))
    await asyncio.wait_for(house.hears("other", conversation_id="b"), 30)

    assert order == ["first", "other"]

    release.set()
    await asyncio.wait_for(asyncio.gather(first, second), 30)
    assert order == ["first", "other", "second"]
    assert not house.conversation.locks._locks


async def test_a_cancelled_turn_leaves_a_history_that_can_go_on():
    store = MemoryStore()
    started = asyncio.Event()

    async def interrupted(turn):
        turn.history.add_user(turn.utterance.text)
        turn.history.add_ai("", [LOCK])
        started.set()
        await asyncio.Event().wait()

    house = House(interrupted, "fine", store=store)
    task = asyncio.create_task(house.hears("lock up"))
    await asyncio.wait_for(started.wait(), 30)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task

    await house.hears("and now?")

    kinds = [message.type for message in house.stage.seen[-1].history.messages]
    assert kinds == ["human", "ai", "tool"]


@pytest.mark.parametrize("again", ["yes", "okay", "yes yes, okay"])
async def test_an_okay_to_an_alarm_does_not_confirm_an_open_question(again: str):
    sounding = [False, True]

    async def alarms(_text: str) -> str | None:
        return "Okay, I stop." if sounding and sounding.pop(0) else None

    house = House([UNLOCK], alarms=alarms)
    assert (await house.hears("unlock the front door")).expects_answer
    assert (await house.hears("okay")).text == "Okay, I stop."
    await house.hears(again)
    assert house.lock.actions == []


class Slow:
    """Takes longer than a turn may, and reports progress all the time."""

    name = "local"

    async def answer(self, _turn: Turn) -> Reply:
        report = listener()
        assert report is not None
        for step in range(8):
            report(Progress(step, 8, "a step", "the slow server"))
            await asyncio.sleep(0.2)
        return Reply("Done.", stage="local")


async def test_progress_of_a_call_extends_the_turn_and_is_published():
    settings = BrainSettings(turn_timeout_seconds=1.5)
    house = House(brain=settings)
    house.conversation._stages._stages = (Slow(),)
    reply = await house.hears("go")

    assert reply.text == "Done."
    events = [event for event in house.told if isinstance(event, Progressed)]
    assert events[4].progress.text == "the slow server: 50 %, a step"


# --- Calls that somebody chose by hand (a program, a switch on a page) are judged like calls that were said


ALLOWED = PermissionSettings(sensitive_channels=("mcp",))


def chosen(conversation_id="a", channel="mcp"):
    return Utterance("use the lock", channel=channel, conversation_id=conversation_id)


async def test_a_chosen_call_without_risk_is_made_and_published():
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


async def test_another_chosen_call_closes_the_question():
    house = House("hello", permission=ALLOWED)
    await house.conversation.make_calls(chosen(), [UNLOCK])
    await house.conversation.make_calls(chosen(), [LOCK])

    await house.hears("yes", channel="mcp", conversation_id="a")

    assert house.lock.actions == ["lock"]


async def test_an_argument_of_the_caller_does_not_confirm():
    house = House(permission=ALLOWED)
    call = ToolCall("1", UNLOCK.name, {**UNLOCK.args, "confirmed": True})

    reply = await house.conversation.make_calls(chosen(), [call])

    assert house.lock.actions == []
    assert not reply.ok or reply.expects_answer


# --- One limit for every text that a door takes in, before anything looks at it


async def echo(turn: Turn) -> Reply:
    return Reply(f"{len(turn.utterance.text)} characters")


@pytest.mark.parametrize("channel", ["cli", "mqtt", "voice", "wyoming"])
@pytest.mark.parametrize(
    ("said", "answered"),
    [
        ({"text": "a" * LONGEST_TEXT}, f"{LONGEST_TEXT} characters"),
        ({"text": "a" * (LONGEST_TEXT + 1)}, TOO_LONG),
        ({"text": "* a" * 1_000_000}, TOO_LONG),
        ({"text": "hello", "conversation_id": "c" * (LONGEST_NAME + 1)}, NAME_TOO_LONG),
        ({"text": "hello", "room": "r" * 1_000_000}, NAME_TOO_LONG),
        ({"text": "hello", "satellite": "s" * (LONGEST_NAME + 1)}, NAME_TOO_LONG),
    ],
)
async def test_a_text_above_the_limit_is_refused_and_not_passed_on(
    channel: str, said: dict[str, Any], answered: str
) -> None:
    store = MemoryStore()
    house = House(echo, store=store)

    reply = await house.hears(**{"channel": channel, "conversation_id": "c", **said})

    assert reply.text == answered
    assert reply.ok is (answered not in (TOO_LONG, NAME_TOO_LONG))
    assert reply.conversation_id == said.get("conversation_id", "c"), "who asked knows it again"
    shown = [event.utterance for event in house.told if isinstance(event, Heard | Answered)]
    assert len(shown) == 2
    for each in shown:
        assert len(each.text) <= LONGEST_TEXT
        assert len(each.conversation_id + (each.room or "") + (each.satellite or "")) <= 2 * LONGEST_NAME
    if not reply.ok:
        assert not store._entries
