"""A question for alarms is about the home where something watches for smoke, else about the clock."""

from dataclasses import replace

import pytest

from voice_gateway.brain.local.alarm_answer import alarm_answer
from voice_gateway.brain.local.grammar import Frame
from voice_gateway.brain.local.meaning import Context, Step
from voice_gateway.brain.local.normalise import normalise
from voice_gateway.brain.local.understand import Reader
from voice_gateway.integrations.home import Home, build_home
from voice_gateway.integrations.listed import read_devices

TOOLS = frozenset({"list_timers", "cancel_timer", "list_zwave_devices"})


def home(*events: str) -> Home:
    device = {"name": "Detector", "room": "Kitchen", "kind": "sensor", "nodeId": 2, "available": True}
    lamp = {"name": "Lamp", "room": "Hall", "kind": "switch", "nodeId": 3, "available": True, "state": "on"}
    return build_home(read_devices({"devices": [{**device, "events": list(events)}, lamp]}, "zwave"))


def read(said: str, home: Home) -> Step:
    [step] = Reader(Context(home=home, tools=TOOLS)).read(normalise(said)).steps
    return step


@pytest.mark.parametrize(
    ("said", "about", "room"),
    [
        ("how is the smoke alarm", "smoke", None),
        ("how is the kitchen smoke alarm", "smoke", "Kitchen"),
        ("what's the status of the fire alarm", "smoke", None),
        ("is the smoke alarm on", "smoke", None),
        ("are there any alarms", "", None),
        ("is there an alarm", "", None),
    ],
)
def test_where_something_watches_it_is_looked_at(said: str, about: str, room: str | None) -> None:
    step = read(said, home("smoke"))
    assert step.query is not None, step
    assert (step.query.mode, step.query.noun, step.query.room) == ("alarm", about, room)


@pytest.mark.parametrize(
    "said",
    ["how is the smoke alarm", "are there any alarms", "is the smoke alarm on", "how is the fire alarm"],
)
def test_where_nothing_does_it_is_one_of_the_clock(said: str) -> None:
    assert [one.tool for one in read(said, home()).requests] == ["list_timers"]


@pytest.mark.parametrize(
    "said",
    [
        "do I have any alarms", "what alarms are set", "are there any alarms set", "list my alarms",
        "when is my morning alarm", "how is the work alarm", "are there any timers", "how is the water alarm",
        "when is my smoke alarm", "what time is the fire alarm set for",
    ],
)  # fmt: skip
def test_what_somebody_has_set_is_of_the_clock_in_every_home(said: str) -> None:
    assert [one.tool for one in read(said, home("smoke")).requests] == ["list_timers"]


@pytest.mark.parametrize(
    "said",
    [
        "stop the smoke alarm", "turn off the smoke alarm", "turn the fire alarm off",
        "silence the smoke alarm",
        "mute the kitchen smoke alarm", "switch off the smoke detector",
    ],
)  # fmt: skip
def test_to_stop_one_that_does_not_sound_tells_how_it_is(said: str) -> None:
    step = read(said, home("smoke"))
    assert step.query is not None, step
    assert not step.acts
    assert (step.query.mode, step.query.noun, step.query.state) == ("alarm", "smoke", "told")


@pytest.mark.parametrize(
    ("said", "events"),
    [
        ("stop the smoke alarm", ()), ("cancel the smoke alarm", ("smoke",)),
        ("stop the work alarm", ("smoke",)),
        ("stop the water alarm", ("smoke",)), ("stop the alarm", ("smoke",)),
    ],
)  # fmt: skip
def test_other_alarms_are_stopped_as_those_of_the_clock(said: str, events: tuple[str, ...]) -> None:
    assert [one.tool for one in read(said, home(*events)).requests] == ["cancel_timer"]


@pytest.mark.parametrize(
    ("state", "asked", "said"),
    [
        ("no smoke", True, "No, no smoke is detected."),
        ("no smoke", False, "No smoke is detected."),
        ("smoke detected", True, "Yes: smoke is detected in the Kitchen."),
        ("smoke detected", False, "Smoke is detected in the Kitchen."),
    ],
)
def test_only_a_question_for_yes_or_no_gets_one(state: str, asked: bool, said: str) -> None:
    [detector, _lamp] = home("smoke").devices
    assert alarm_answer([replace(detector, state=state)], "smoke", None, asked=asked) == said


def test_the_home_is_needed_to_know_it() -> None:
    reader = Reader(Context(tools=TOOLS), core_only=True)
    assert not reader.read(normalise("how is the smoke alarm")).steps
    assert not reader.read(normalise("stop the smoke alarm")).steps
    assert reader.read(normalise("how is the work alarm")).steps[0].frame == Frame(
        "ListTimers", {"kind": "alarm", "label": "work"}, literal=10
    )
