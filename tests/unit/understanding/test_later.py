"""Orders with a time or an event, and the words of the routine tools' `when`."""

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.eval.later_eval import NOWS, PLACE, _brain, judged, read_cases

from voice_gateway.integrations.home import build_home
from voice_gateway.integrations.listed import read_devices
from voice_gateway.routines.model import Event, Later, Missing, Once, later_of
from voice_gateway.routines.wording import say_news
from voice_gateway.understanding.dialogue import Memory
from voice_gateway.understanding.plan import Context
from voice_gateway.understanding.plan.when import when_of
from voice_gateway.understanding.reader import Reader
from voice_gateway.understanding.stage import UnderstandingStage
from voice_gateway.understanding.templates import language
from zwave_mcp.simulated.home import SimulatedHome
from zwave_mcp.tools import Tools

HERE = Path(__file__).parent
EVENTS_HOME = Path(__file__).parents[2] / "fakes" / "events_home.toml"


@pytest.fixture(scope="module")
def brain() -> UnderstandingStage:
    return asyncio.run(_brain([NOWS["A"]]))


def test_sentences_for_later_start_the_right_thing() -> None:
    moment = [NOWS["A"]]
    brain = asyncio.run(_brain(moment))
    missed = []
    for case in read_cases(HERE / "later_spoken.txt"):
        moment[0] = case.now
        if judged(case, brain.read(case.said), brain) != "right":
            missed.append(case.said)

    assert missed == []


def _rows(name: str) -> Iterator[list[str]]:
    for line in (HERE / name).read_text("utf-8").splitlines():
        if line and not line.startswith("#"):
            yield [part.strip() for part in line.split(" | ")]


async def test_an_event_is_told_by_the_device_that_knows() -> None:
    listed = await Tools(SimulatedHome(EVENTS_HOME)).call("list_zwave_devices", {"includeInactive": True})
    home = build_home(read_devices(listed.structured, "zwave"))
    reader, context = Reader(language("en"), home), Context(home=home, now=NOWS["A"], place=PLACE)
    wrong = []
    for said, resource, becomes in _rows("events_said.txt"):
        later = when_of(said, reader, context)
        told = ("-", "-")
        if isinstance(later, Later) and isinstance(later.trigger, Event):
            told = (later.trigger.resource, later.trigger.becomes)
            assert say_news(later.trigger).endswith(".")
        if told != (resource, becomes):
            wrong.append((said, told))

    assert wrong == []


def _kept(brain: UnderstandingStage, said: str) -> Later:
    [step] = brain.read(said).steps
    return later_of(str(step.requests[0].args["when"]))


@pytest.mark.parametrize(
    "said",
    [
        "turn on the floor lamp and turn it off in ten minutes",
        "turn on the floor lamp now and turn it off again after ten minutes",
    ],
)
def test_what_cannot_be_both_is_done_now_and_undone_then(brain: UnderstandingStage, said: str) -> None:
    now, then = [request for step in brain.read(said).steps for request in step.requests]

    assert (now.args["deviceName"], now.args["action"]) == ("Floor Lamp", "on")
    assert then.tool == "make_routine"
    assert [call["args"]["action"] for call in json.loads(str(then.args["calls"]))] == ["off"]


def test_what_is_kept_on_is_switched_off_then_however_it_was(brain: UnderstandingStage) -> None:
    [step] = brain.read("keep the desk lamp on for an hour").steps

    assert later_of(step.back).back
    assert '"action": "off"' in step.back_calls


@pytest.mark.parametrize(
    ("said", "state"),
    [
        ("if the front door is unlocked at 11 pm lock it", "unlocked"),
        ("if the garage door is still open at midnight close it", "open"),
    ],
)
def test_a_state_at_a_time_is_a_condition_of_that_time(
    brain: UnderstandingStage, said: str, state: str
) -> None:
    later = _kept(brain, said)

    assert isinstance(later.trigger, Once)
    assert later.condition is not None
    assert (later.condition.state, later.condition.unless) == (state, False)


@pytest.mark.parametrize(
    ("said", "becomes"),
    [
        ("if it gets colder than 18 degrees turn on the desk lamp", "temperature < 18"),
        ("turn off the coffee maker when it gets below 5 watts", "power < 5"),
    ],
)
def test_it_is_the_air_of_the_room_unless_the_device_itself_can_tell(
    brain: UnderstandingStage, said: str, becomes: str
) -> None:
    trigger = _kept(brain, said).trigger

    assert isinstance(trigger, Event)
    assert trigger.becomes == becomes


def test_a_way_into_the_house_is_not_opened_for_a_while(brain: UnderstandingStage) -> None:
    [blinds] = brain.read("open the study blinds for ten minutes").steps
    garage = brain.read("open the garage door for ten minutes")

    assert [dict(one.args) for one in blinds.requests] == [{"deviceName": "Study Blinds", "action": "open"}]
    assert not garage.steps


@pytest.mark.parametrize(
    ("said", "key"),
    [
        ("turn on the floor lamp at 25 o'clock", "when.no_such_time"),
        ("when the front door opens turn on the desk lamp", "when.untold"),
        ("when the back door opens at 10 pm turn on the kitchen light", "when.hours_of_event"),
        ("if it gets colder than 18 degrees turn on the space heater", "when.which"),
        ("turn on the floor lamp on the 30th of february at 8", "when.no_such_day"),
        ("turn on the floor lamp tomorrow", "when.at_what_time"),
    ],
)
def test_what_cannot_be_kept_is_told(brain: UnderstandingStage, said: str, key: str) -> None:
    refused = brain.read(said).refused

    assert refused is not None
    assert refused.say is not None
    assert refused.say.key == key


@pytest.mark.parametrize("written", ["2026-12-24T17:00", "2026-12-24T17:00:00+01:00", "2026-12-24T16:00:00Z"])
def test_a_time_that_a_program_writes_is_local_unless_it_says_its_zone(
    brain: UnderstandingStage, written: str
) -> None:
    later = brain.when(written, None, PLACE)

    assert isinstance(later, Later)
    assert isinstance(later.trigger, Once)
    assert later.trigger.at.astimezone(PLACE.zone).isoformat() == "2026-12-24T17:00:00+01:00"


@pytest.mark.parametrize("written", ["2026-11-16T11:00", "2026-13-01T11:00", "RRULE:FREQ=SOMETIMES", "{}"])
def test_a_written_time_that_has_passed_or_does_not_exist_is_told(
    brain: UnderstandingStage, written: str
) -> None:
    assert isinstance(brain.when(written, None, PLACE), Missing)


def test_what_is_planned_is_changed_by_voice(brain: UnderstandingStage) -> None:
    wrong = []
    for topic, said, wanted in _rows("planned_words.txt"):
        read = brain.read(said, None, Memory(topic=topic.strip("-")))
        requests = [request for step in read.steps for request in step.requests]
        shown = [" ".join(f"{key}={text}" for key, text in one.args.items()) for one in requests]
        if shown != ([] if wanted == "-" else [wanted]):
            wrong.append((topic, said, shown))

    assert wrong == []
