"""Which things are meant, as an expression over the home."""

import pytest
from tests.fakes.local_talk import Talk

from voice_gateway.brain.local.command.which import Which, read_which

LIVING = ("Ceiling Light", "Floor Lamp")
SWITCHED = ("Kitchen Light", "Coffee Maker", "Bedside Lamp", "Desk Lamp", "Space Heater")


@pytest.mark.parametrize(
    ("said", "which"),
    [
        ("everything but the hall", Which("everything", ("the hall",))),
        ("all lights except for the desk lamp and the hall", Which("all lights", ("the desk lamp", "hall"))),
        ("whatever is still on", Which("everything", having="on")),
        ("the lights that are on in the kitchen", Which("the lights in the kitchen", having="on")),
        ("all open blinds", Which("all blinds", having="open")),
        ("every light that can be dimmed", Which("every", having="dimmable")),
        ("one of the lamps", Which("lamps", pick="one")),
        ("half the lights", Which("the lights", pick="some")),
    ],
)
def test_a_set_is_read_in_its_parts(said: str, which: Which) -> None:
    read = read_which(said)

    assert (read.without, read.having, read.pick) == (which.without, which.having, which.pick)


@pytest.mark.parametrize(
    ("said", "off"),
    [
        (
            "all the lights off apart from the kitchen",
            {"Ceiling Light", "Floor Lamp", "Bedside Lamp", "Desk Lamp"},
        ),
        ("turn off whatever is still on", {"Floor Lamp", "Kitchen Light", "Desk Lamp"}),
        ("switch off one of the living room lights", {"Floor Lamp"}),
        (
            "turn off the lights, leaving the floor lamp and the office on",
            {"Ceiling Light", "Kitchen Light", "Bedside Lamp"},
        ),
    ],
)
async def test_the_set_is_evaluated_in_the_home(said: str, off: set[str]) -> None:
    talk = Talk()
    await talk.reply(said)

    assert set(talk.acts) == {(name, "off") for name in off}


@pytest.mark.parametrize(
    ("said", "acts"),
    [
        (
            "turn on the desk lamp and turn off the others",
            {("Desk Lamp", "on"), *((name, "off") for name in (*LIVING, "Kitchen Light", "Bedside Lamp"))},
        ),
        (
            "floor lamp on and everything else off",
            {("Floor Lamp", "on"), *((name, "off") for name in (*SWITCHED, "Ceiling Light"))},
        ),
        (
            "turn off the floor lamp and turn on the rest of the living room lights",
            {("Floor Lamp", "off"), ("Ceiling Light", "on")},
        ),
        (
            "switch off the house except the office and the kitchen",
            {(name, "off") for name in (*LIVING, "Bedside Lamp", "Space Heater")},
        ),
        ("switch the kitchen off without the coffee maker", {("Kitchen Light", "off")}),
        ("turn on both lamps in the living room", {(name, "on") for name in LIVING}),
        (
            "turn off every light besides the two in the living room",
            {(name, "off") for name in ("Kitchen Light", "Bedside Lamp", "Desk Lamp")},
        ),
    ],
)
async def test_a_place_is_all_in_it_and_the_rest_is_what_was_not_named(
    said: str, acts: set[tuple[str, str]]
) -> None:
    talk = Talk()
    await talk.reply(said)

    assert set(talk.acts) == acts


@pytest.mark.parametrize("said", ["turn on the rest", "switch everything else off", "open the others"])
async def test_nothing_was_named_that_there_could_be_a_rest_of(said: str) -> None:
    talk = Talk()
    passed = await talk.passed(said)

    assert passed.spoken == "I don't know what you mean by that."
    assert talk.acts == []


async def test_the_rest_of_what_was_not_spoken_of_is_asked_about() -> None:
    talk = Talk()
    await talk.reply("is the front door locked")
    reply = await talk.reply("turn the rest of the lights on")

    assert reply.expects_answer
    assert talk.acts == []


@pytest.mark.parametrize("said", ["turn off half the lights", "all lights off except the lava lamp"])
async def test_nobody_knows_which_and_it_is_asked(said: str) -> None:
    talk = Talk()
    reply = await talk.reply(said)

    assert reply.expects_answer
    assert talk.acts == []


async def test_an_exception_that_nobody_knows_can_be_said_again() -> None:
    talk = Talk()
    await talk.reply("all lights off except the lava lamp")
    await talk.reply("the floor lamp")

    assert ("Floor Lamp", "off") not in talk.acts
    assert ("Desk Lamp", "off") in talk.acts
