"""Which of several proposed calls an answer means."""

import pytest

from voice_gateway.conversation.choices import Choice, ProposedThing, read_choice

ASKED = "Turn off the Ceiling Light, the Floor Lamp and the Kitchen Light?"
THINGS = (
    ProposedThing("Ceiling Light", "Living Room", "dimmer"),
    ProposedThing("Floor Lamp", "Living Room", "dimmer"),
    ProposedThing("Kitchen Light", "Kitchen", "switch"),
)


@pytest.mark.parametrize(
    ("said", "places"),
    [
        ("only the lamp", {1}),
        ("just the floor lamp please", {1}),
        ("no, only the kitchen", {2}),
        ("yes, but only the ceiling light", {0}),
        ("not the kitchen", {0, 1}),
        ("yes, but not the kitchen", {0, 1}),
        ("all but the floor lamp", {0, 2}),
        ("everything except the kitchen light", {0, 1}),
        ("leave the kitchen light on", {0, 1}),
        ("don't touch the kitchen", {0, 1}),
        ("not the ceiling light and the lamp", {2}),
        ("just the first two", {0, 1}),
        ("only the last one", {2}),
        ("the first one", {0}),
        ("the floor lamp", {1}),
        ("yes, the floor lamp and the kitchen light", {1, 2}),
        ("yes, turn off the kitchen light", {2}),
        ("only the living room", {0, 1}),
    ],
)
def test_some_of_them(said, places):
    assert read_choice(said, ASKED, THINGS) == Choice(frozenset(places))


def test_what_could_be_several_is_asked_about():
    found = read_choice("only the light", ASKED, THINGS)
    assert found is not None
    assert not found.sure
    assert len(found.places) > 1


@pytest.mark.parametrize("said", ["only the garage", "not the aquarium"])
def test_what_was_not_asked_about_is_asked_again(said):
    assert read_choice(said, ASKED, THINGS) == Choice(frozenset(), sure=False)


@pytest.mark.parametrize(
    "said",
    [
        "yes",
        "no",
        "not now",
        "just do it",
        "turn on the floor lamp",
        "only the floor lamp on",
        "just tell me a joke",
        "what time is it",
        "dim the floor lamp to 40",
        "the weather is nice",
    ],
)
def test_anything_else_is_no_choice(said):
    found = read_choice(said, ASKED, THINGS)
    assert found is None or not found.sure
