"""Sentences for later as people say them: the right trigger, time and calls, and nothing done now."""

import asyncio

import pytest
from tests.eval.later_eval import NOWS, PLACE, Case, _brain, judged, read_cases

from voice_gateway.brain.local.command.when.sentences import HOURS_OF_EVENT
from voice_gateway.brain.local.routine_words import when_of
from voice_gateway.brain.local.stage import LocalBrain
from voice_gateway.routines.model import Later, Once


@pytest.fixture(scope="module")
def brain_at() -> tuple[LocalBrain, list]:
    moment = [NOWS["A"]]
    return asyncio.run(_brain(moment)), moment


@pytest.mark.parametrize("case", list(read_cases("later_spoken.txt")), ids=lambda case: case.said)
def test_a_sentence_for_later_is_understood(case: Case, brain_at: tuple[LocalBrain, list]) -> None:
    brain, moment = brain_at
    moment[0] = case.now

    assert judged(case, brain.understand(case.said), brain) == "right"


@pytest.mark.parametrize(
    "said",
    [
        "turn on the floor lamp and turn it off in ten minutes",
        "turn on the floor lamp now and turn it off again after ten minutes",
    ],
)
def test_what_cannot_be_both_is_done_now_and_undone_then(
    said: str, brain_at: tuple[LocalBrain, list]
) -> None:
    brain, _ = brain_at

    now, then = brain.understand(said).requests

    assert (now.args["deviceName"], now.args["action"]) == ("Floor Lamp", "on")
    assert then.tool == "make_routine"
    assert '"action": "off"' in then.args["calls"]
    assert '"action": "on"' not in then.args["calls"]


def test_days_are_said_once_for_two_times(brain_at: tuple[LocalBrain, list]) -> None:
    brain, _ = brain_at

    made = brain.understand("turn on the floor lamp at 7 every morning and turn it off at 8").requests

    assert [one.args["when"] for one in made] == ["at 7 every morning", "every morning at 8"]


def test_what_is_kept_on_is_switched_off_then_however_it_was(
    brain_at: tuple[LocalBrain, list],
) -> None:
    brain, _ = brain_at

    steps = brain.understand("keep the desk lamp on for an hour").steps

    assert steps[-1].frame is not None
    assert '"action": "off"' in steps[-1].frame.text("calls")


@pytest.mark.parametrize(
    ("said", "state"),
    [
        ("if the front door is unlocked at 11 pm lock it", "unlocked"),
        ("if the garage door is still open at midnight close it", "open"),
    ],
)
def test_a_state_at_a_time_is_a_condition_of_that_time(
    said: str, state: str, brain_at: tuple[LocalBrain, list]
) -> None:
    brain, moment = brain_at

    [request] = brain.understand(said).requests
    later = when_of(str(request.args["when"]), brain.home, None, moment[0], PLACE)

    assert isinstance(later, Later)
    assert isinstance(later.trigger, Once)
    assert later.condition is not None
    assert (later.condition.state, later.condition.unless) == (state, False)


def test_an_event_has_hours_and_no_moment(brain_at: tuple[LocalBrain, list]) -> None:
    brain, _ = brain_at

    understood = brain.understand("when the back door opens at 10 pm turn on the kitchen light")

    assert [step.say for step in understood.steps] == [HOURS_OF_EVENT]
