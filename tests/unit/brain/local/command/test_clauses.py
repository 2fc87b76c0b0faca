"""What stands around a command: reasons, wishes that are no orders, exceptions, conditions of now."""

import pytest
from tests.fakes.local_talk import Talk

from home_words.wish_words import HINTS, unwrapped
from voice_gateway.turn import OutcomeStatus


@pytest.mark.parametrize(
    ("said", "inside"),
    [
        ("it would be nice if the blinds were shut", "the blinds shut"),
        ("tom wants the desk lamp off", "the desk lamp off"),
        ("what about switching on the fan", "switch on the fan"),
        ("the heater need not be on any more", "the heater off"),
        ("no need for the heater any more", "the heater off"),
        ("the fan should be on", "the fan on"),
        ("is there any chance of some light here", "some light here"),
        ("i said turn on the fan", "turn on the fan"),
        ("the study could do with a bit more heat", "a bit more heat in the study"),
        ("tom does not want the lamp off", None),
        ("it would have been nice to have the light on", None),
        ("i need to lock the door", None),
        ("i like the lamp on", None),
    ],
)
def test_a_wish_that_is_no_order_becomes_the_clause_inside_it(said: str, inside: str | None) -> None:
    assert unwrapped(said) == inside


def test_a_complaint_has_something_that_would_help() -> None:
    assert unwrapped("it is too dark in the study", HINTS) == "some light in the study"
    assert unwrapped("it is a bit dim in the study", HINTS) == "some light in the study"
    assert unwrapped("that film was dark", HINTS) is None


@pytest.mark.parametrize(
    "said", ["It's a bit dim", "the office is rather dim", "the blind looks very open", "it is still set"]
)
async def test_what_something_is_like_is_no_order(said: str) -> None:
    talk = Talk()
    await talk.say("turn on the floor lamp")
    await talk.say(said)

    assert talk.acts == []


@pytest.mark.parametrize(
    ("said", "acts"),
    [
        ("We're out for dinner, kill the floor lamp.", [("Floor Lamp", "off")]),
        ("i am going to bed turn off the desk lamp", [("Desk Lamp", "off")]),
        ("turn on the ceiling light, I can't see a thing", [("Ceiling Light", "on")]),
        ("if the floor lamp is on turn it off", [("Floor Lamp", "off")]),
        ("turn on the ceiling light unless the floor lamp is on", []),
        ("the floor lamp to 30 and the desk lamp off", [("Floor Lamp", "dim"), ("Desk Lamp", "off")]),
        ("i am not going to turn the floor lamp off", []),
        ("she said, turn off the floor lamp", []),
        ("he has turned the floor lamp off", []),
        ("i like to watch people turn off the floor lamp", []),
        ("set a timer for five minutes and afterwards turn off the kitchen light", []),
        ("remind me in 20 minutes to call ann and then switch the floor lamp off", []),
        ("turn the floor lamp on and off", []),
        ("turn off the floor lamp and blorp the wibble", []),
    ],
)
async def test_a_clause_that_is_a_whole_command_acts_and_the_rest_is_talk(
    said: str, acts: list[tuple[str, str]]
) -> None:
    talk = Talk()
    await talk.say(said)

    assert talk.acts == acts


LIGHTS = ["Ceiling Light", "Floor Lamp", "Kitchen Light", "Bedside Lamp", "Desk Lamp"]


@pytest.mark.parametrize(
    ("said", "left"),
    [
        ("leave the kitchen light on and turn the rest off", "Kitchen Light"),
        ("keep the desk lamp on but switch all other lights off", "Desk Lamp"),
        ("turn off the lights, the floor lamp can stay", "Floor Lamp"),
        ("turn off the rest of the lights but leave the desk lamp", "Desk Lamp"),
        ("all lights off and don't turn the bedside lamp off", "Bedside Lamp"),
        ("in case you did not hear, all lights off", None),
    ],
)
async def test_what_is_left_as_it_is_is_an_exception(said: str, left: str | None) -> None:
    talk = Talk()
    await talk.say(said)

    assert talk.acts == [(name, "off") for name in LIGHTS if left and name != left]


@pytest.mark.parametrize(
    ("said", "acts"),
    [
        ("close the window blind unless it is already closed", [("Window Blind", "close")]),
        ("close the study blinds unless they're closed", []),
        ("turn on the floor lamp if it isn't on", []),
        ("unless the desk lamp is off, switch it off", [("Desk Lamp", "off")]),
        ("close the blinds unless they are closed", [("Window Blind", "close"), ("Study Blinds", "close")]),
        ("close the window blind unless it rains", []),
    ],
)
async def test_a_condition_on_its_own_state_looks_first(said: str, acts: list[tuple[str, str]]) -> None:
    talk = Talk()
    await talk.say(said)

    assert talk.acts == acts


@pytest.mark.parametrize(
    "said",
    [
        "there's no need for the desk lamp to be on any longer",
        "we no longer need the desk lamp",
        "the desk lamp doesn't have to be on right now",
        "the desk lamp is not needed any more",
        "nobody is using the desk lamp",
    ],
)
async def test_what_is_not_needed_is_switched_off(said: str) -> None:
    talk = Talk()
    await talk.say(said)

    assert talk.acts == [("Desk Lamp", "off")]


@pytest.mark.parametrize(
    ("said", "acts"),
    [
        ("turn on the coffee maker and don't lock the front door", [("Coffee Maker", "on")]),
        ("don't lock the front door, just turn on the desk lamp", [("Desk Lamp", "on")]),
        ("turn off the desk lamp but never open the garage door", [("Desk Lamp", "off")]),
        ("don't turn on the desk lamp and turn on the ceiling light", []),  # both may be denied
        ("turn on the coffee maker and don't blorp the wibble", []),
        ("turn on the desk lamp and don't turn on the desk lamp", []),
    ],
)
async def test_a_denied_clause_does_nothing_and_forbids_nothing(
    said: str, acts: list[tuple[str, str]]
) -> None:
    talk = Talk()
    await talk.say(said)

    assert talk.acts == acts


@pytest.mark.parametrize(
    ("said", "acts"),
    [
        ("turn the floor lamp off, no wait, on", [("Floor Lamp", "on")]),
        ("turn on the kitchen, sorry, the bedroom light", [("Bedside Lamp", "on")]),
        ("turn on the ceiling light no sorry the bedside lamp", [("Bedside Lamp", "on")]),
        ("set the thermostat to 20, no, 22", [("Thermostat", "22")]),
        ("close the window blind, or rather the study blinds", [("Study Blinds", "close")]),
        ("turn on the desk lamp, I mean turn off the floor lamp", [("Floor Lamp", "off")]),
        ("turn on the floor lamp, scratch that", []),
        ("turn off the desk lamp actually never mind", []),
        ("turn on the floor lamp no wait the wibble", []),
    ],
)
async def test_who_corrects_himself_means_what_he_said_last(said: str, acts: list[tuple[str, str]]) -> None:
    talk = Talk()
    await talk.say(said)

    assert talk.acts == acts


@pytest.mark.parametrize(
    ("said", "acts"),
    [
        (
            "turn on the ceiling light, dim it to 35 and turn off the kitchen light",
            [("Ceiling Light", "dim"), ("Kitchen Light", "off")],
        ),
        (
            "turn off the kitchen light because nobody is there and lock the front door",
            [("Kitchen Light", "off"), ("Front Door", "lock")],
        ),
        ("the lamp by the bed, the bedside lamp, switch it on", [("Bedside Lamp", "on")]),
        ("floor lamp off desk lamp off", [("Floor Lamp", "off"), ("Desk Lamp", "off")]),
    ],
)
async def test_clauses_are_found_with_and_without_commas(said: str, acts: list[tuple[str, str]]) -> None:
    talk = Talk()
    await talk.say(said)

    assert talk.acts == acts


@pytest.mark.parametrize(
    "said",
    [
        "I would turn off the desk lamp if I were you",
        "he said he would turn off the desk lamp",
        "the desk lamp off switch is broken",
        "the desk lamp has not come on",
        "leave our bedroom lamp on",
        "suppose I turned off the desk lamp, would you mind",
        "I was told, turn off the desk lamp",
        "turn off the desk lamp when the movie starts and turn on the ceiling light",
    ],
)
async def test_what_only_sounds_like_a_wish_does_nothing(said: str) -> None:
    talk = Talk()
    await talk.say(said)

    assert talk.acts == []


async def test_a_wish_for_everything_that_is_no_order_is_asked_about() -> None:
    talk = Talk()
    reply = await talk.reply("I want everything off except the coffee maker")

    assert talk.acts == []
    assert {outcome.status for outcome in reply.outcomes} == {OutcomeStatus.WAITING}
