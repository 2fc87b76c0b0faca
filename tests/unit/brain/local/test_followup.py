"""Which timer is meant, with the real timers: a question that waits for its answer, and "cancel it"."""

from pathlib import Path

import pytest
from tests.fakes.local_talk import Talk
from tests.fakes.timer_clock import StoppedClock

from voice_gateway.tools.builtin.timers import TimerStore
from voice_gateway.tools.builtin.timers.tools import timer_tools
from voice_gateway.turn import Passed
from voice_gateway.turns.history import History


@pytest.fixture
def store(tmp_path: Path) -> TimerStore:
    return TimerStore(tmp_path / "timers.sqlite3")


@pytest.fixture
def talk(store: TimerStore) -> Talk:
    talking = Talk()
    for tool in timer_tools(store, StoppedClock().now):
        talking.tools.add(tool)
    return talking


def running(store: TimerStore) -> list[float]:
    return sorted(timer.seconds for timer in store.all())


async def asked(talk: Talk) -> None:
    """Told in the order in which they ring: pasta, 10 minutes, an hour."""
    for said in ("timer 10 minutes", "set a pasta timer for 5 minutes", "set a timer for an hour"):
        await talk.reply(said)
    reply = await talk.reply("cancel the timer")
    assert reply.text.startswith("Which timer do you mean?")
    assert reply.expects_answer


@pytest.mark.parametrize(
    ("answer", "left"),
    [
        ("the ten minute one", [300, 3600]),
        ("ten minutes", [300, 3600]),
        ("ten", [300, 3600]),
        ("the one for ten minutes", [300, 3600]),
        ("cancel the ten minute timer", [300, 3600]),
        ("the first one", [600, 3600]),
        ("the second", [300, 3600]),
        ("the last one", [300, 600]),
        ("pasta", [600, 3600]),
        ("the one called pasta", [600, 3600]),
        ("the pasta timer please", [600, 3600]),
        ("the one hour timer", [300, 600]),
        ("all of them", []),
        ("all", []),
        ("no", [300, 600, 3600]),
        ("both", [300, 600, 3600]),
        ("the fourth one", [300, 600, 3600]),
        ("not the pasta one", [300, 600, 3600]),
        ("the egg timer", [300, 600, 3600]),
        ("seven minutes", [300, 600, 3600]),
        ("is it the pasta one?", [300, 600, 3600]),
    ],
)
async def test_an_answer_cancels_exactly_what_it_names(
    talk: Talk, store: TimerStore, answer: str, left: list[float]
) -> None:
    await asked(talk)

    await talk.say(answer)

    assert running(store) == left


async def test_both_of_two_alike_leaves_the_others(talk: Talk, store: TimerStore) -> None:
    for _ in range(2):
        await talk.reply("timer 10 minutes")
    await talk.reply("set a pasta timer for 5 minutes")

    question = await talk.reply("cancel the ten minute timer")
    again = await talk.reply("the ten minute one")
    await talk.reply("both of them")

    assert question.expects_answer
    assert again.expects_answer
    assert running(store) == [300]


async def test_the_question_survives_a_stored_conversation_and_ends_with_another_command(
    talk: Talk, store: TimerStore
) -> None:
    await asked(talk)
    talk.history = History.from_json(talk.history.to_json())
    await talk.reply("the first one")
    assert running(store) == [600, 3600]

    await talk.reply("cancel the timer")
    await talk.reply("turn on the floor lamp")
    assert isinstance(await talk.say("the first one"), Passed)
    assert running(store) == [600, 3600]


@pytest.mark.parametrize(
    "said", ["cancel it", "stop it", "cancel that", "please cancel it", "delete that timer", "turn it off"]
)
async def test_it_is_the_timer_that_was_just_set(talk: Talk, store: TimerStore, said: str) -> None:
    await talk.reply("set a timer for an hour")
    await talk.reply("timer 10 minutes")

    await talk.reply(said)

    assert running(store) == [3600]


@pytest.mark.parametrize("said", ["stop", "never mind", "don't cancel it", "cancel it?", "did you cancel it"])
async def test_other_words_leave_it_running(talk: Talk, store: TimerStore, said: str) -> None:
    await talk.reply("timer 10 minutes")

    await talk.say(said)

    assert running(store) == [600]


@pytest.mark.parametrize("said", ["delete all my reminders", "clear the reminders"])
async def test_all_reminders_are_not_all_timers(talk: Talk, store: TimerStore, said: str) -> None:
    await talk.reply("timer 10 minutes")

    assert (await talk.reply(said)).text == "No reminders are set."
    assert running(store) == [600]


@pytest.mark.parametrize(
    ("said", "seconds"),
    [
        ("set a ten minute pizza timer", 600), ("set a timer for a couple of minutes", 120),
        ("in ten minutes remind me to call ann", 600), ("set a timer for two and a half minutes", 150),
        ("set a timer for ten minutes called pasta and turn on the floor lamp", 600),
    ],
)  # fmt: skip
async def test_lengths_as_they_are_said(talk: Talk, store: TimerStore, said: str, seconds: float) -> None:
    await talk.reply(said)

    assert running(store) == [seconds]


async def test_a_timer_for_five_is_asked_about_and_no_time_of_day(talk: Talk, store: TimerStore) -> None:
    asked = await talk.reply("set a timer for five")
    assert asked.expects_answer
    assert running(store) == []

    await talk.reply("five minutes")

    assert running(store) == [300]


async def test_it_is_no_timer_any_more_once_something_else_was_done_or_time_has_passed(
    talk: Talk, store: TimerStore
) -> None:
    await talk.reply("timer 10 minutes")
    await talk.reply("turn on the floor lamp")
    await talk.say("stop it")
    await talk.reply("set a timer for an hour")
    talk.now += 121
    await talk.say("stop it")

    assert running(store) == [600, 3600]
