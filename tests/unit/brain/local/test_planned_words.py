"""Words for what is planned: cancelling, skipping and moving it; and what nobody can keep."""

import asyncio

import pytest
from tests.eval.later_eval import NOWS, PLACE, _brain

from voice_gateway.brain.local.routine_words import when_of
from voice_gateway.brain.local.stage import LocalBrain
from voice_gateway.routines.model import Event, Later, Missing, Once


@pytest.fixture(scope="module")
def brain() -> LocalBrain:
    return asyncio.run(_brain([NOWS["A"]]))


@pytest.mark.parametrize(
    ("said", "args"),
    [
        ("cancel the last one", {"name": "last"}),
        ("cancel the 11 pm one", {"name": "11 pm"}),
        ("forget the one for the desk lamp", {"name": "the desk lamp"}),
        ("cancel everything that is planned", {"name": "all"}),
        ("cancel all routines", {"name": "all"}),
        ("cancel the coffee maker routine", {"name": "coffee maker"}),
        ("not tomorrow", {"action": "skip", "when": "tomorrow"}),
        ("skip it", {"name": "last", "action": "skip"}),
        (
            "skip the coffee maker routine tomorrow",
            {"name": "coffee maker", "action": "skip", "when": "tomorrow"},
        ),
        ("move the morning one to 7:30", {"name": "morning", "action": "move", "when": "at 7:30"}),
        (
            "move the coffee maker routine to 8 am",
            {"name": "coffee maker", "action": "move", "when": "at 8 am"},
        ),
        ("pause all routines", {"name": "all", "action": "pause"}),
        ("we are on vacation", {"name": "all", "action": "pause"}),
    ],
)
def test_what_is_planned_is_changed_by_voice(brain: LocalBrain, said: str, args: dict[str, str]) -> None:
    [request] = brain.understand(said).requests

    assert (request.tool, dict(request.args)) == ("cancel_routine", args)


@pytest.mark.parametrize(
    ("said", "reply"),
    [
        (
            "turn on the floor lamp at 50",
            "There is no such time as 50. If you mean the brightness, say percent.",
        ),
        ("turn on the floor lamp at 25:00", "There is no such time as 25:00."),
        ("turn on the floor lamp at 25 o'clock", "There is no such time as 25 o'clock."),
        (
            "when the front door opens turn on the desk lamp",
            "The Front Door can only tell me when it is locked or unlocked, so I kept nothing.",
        ),
        (
            "when the thermostat opens turn on the desk lamp",
            "Nothing here can tell me when the Thermostat opens, so I kept nothing.",
        ),
        (
            "when the floor lamp drops below 18 degrees turn on the desk lamp",
            "Nothing here measures the temperature of the Floor Lamp, so I kept nothing.",
        ),
        (
            "when there is motion in the kitchen turn on the desk lamp",
            "Nothing in the Kitchen can tell me that, so I kept nothing.",
        ),
        (
            "if it gets colder than 18 degrees turn on the space heater",
            "Which one do you mean: the Climate Sensor or the Motion Sensor? I kept nothing.",
        ),
        ("turn on the floor lamp on the 30th of february at 8", "There is no such day as 30 February."),
        (
            "when the moon rises turn on the floor lamp",
            "Nothing here can tell me when that happens, so I kept nothing.",
        ),
        (
            "when i come home turn on the floor lamp",
            "Nothing here can tell me when that happens, so I kept nothing.",
        ),
        (
            "tell me the temperature at 7 pm",
            "Later I can only do something or say fixed words, so I kept nothing.",
        ),
    ],
)
def test_what_cannot_be_kept_is_told_in_one_sentence(brain: LocalBrain, said: str, reply: str) -> None:
    understood = brain.understand(said)

    assert not understood.requests
    assert [step.say for step in understood.steps] == [reply]


@pytest.mark.parametrize(
    ("said", "becomes"),
    [
        ("if it gets colder than 18 degrees turn on the desk lamp", "temperature < 18"),
        ("turn off the coffee maker when it gets below 5 watts", "power < 5"),
    ],
)
def test_it_is_the_air_of_the_room_unless_the_device_itself_can_tell(
    brain: LocalBrain, said: str, becomes: str
) -> None:
    [request] = brain.understand(said).requests
    [device] = [one for one in brain.home.devices if one.name in str(request.args["calls"])]
    later = when_of(str(request.args["when"]), brain.home, device.room, NOWS["A"], PLACE)

    assert isinstance(later, Later)
    assert isinstance(later.trigger, Event)
    assert later.trigger.becomes == becomes


def test_blinds_are_no_way_into_the_house_and_a_garage_door_is(brain: LocalBrain) -> None:
    blinds = brain.understand("open the study blinds for ten minutes")
    garage = brain.understand("open the garage door for ten minutes")

    assert [dict(one.args) for one in blinds.requests] == [{"deviceName": "Study Blinds", "action": "open"}]
    assert not garage.requests
    assert garage.steps[0].say.startswith("I don't open anything for a while.")


@pytest.mark.parametrize("written", ["2026-12-24T17:00", "2026-12-24T17:00:00+01:00", "2026-12-24T16:00:00Z"])
def test_a_time_that_a_program_writes_is_local_unless_it_says_its_zone(
    brain: LocalBrain, written: str
) -> None:
    later = when_of(written, brain.home, None, NOWS["A"], PLACE)

    assert isinstance(later, Later)
    assert isinstance(later.trigger, Once)
    assert later.trigger.at.astimezone(PLACE.zone).isoformat() == "2026-12-24T17:00:00+01:00"


@pytest.mark.parametrize("written", ["2026-11-16T11:00", "2026-13-01T11:00"])
def test_a_written_time_that_has_passed_or_does_not_exist_is_told(brain: LocalBrain, written: str) -> None:
    assert isinstance(when_of(written, brain.home, None, NOWS["A"], PLACE), Missing)
