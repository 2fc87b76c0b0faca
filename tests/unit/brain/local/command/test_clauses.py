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


async def test_a_wish_for_everything_that_is_no_order_is_asked_about() -> None:
    talk = Talk()
    reply = await talk.reply("I want everything off except the coffee maker")

    assert talk.acts == []
    assert {outcome.status for outcome in reply.outcomes} == {OutcomeStatus.WAITING}
