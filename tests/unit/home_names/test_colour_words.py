"""One table of colours: whatever the server can show can be said."""

import pytest

from home_names.colours import COLOURS, NAMED, css_of, rgb_of
from voice_gateway.brain.local.command.what import read_command


def test_every_colour_has_words() -> None:
    assert set(COLOURS.values()) == set(NAMED)
    assert all(rgb_of(said) == NAMED[css] for said, css in COLOURS.items())


@pytest.mark.parametrize("said", sorted(COLOURS))
def test_every_one_of_them_can_be_said(said: str) -> None:
    [command] = read_command(f"set the mood lamp to {said}")
    assert command.frame.text("colour") == COLOURS[said]
    assert command.frame.text("thing") == "the mood lamp"


@pytest.mark.parametrize(
    ("said", "colour"),
    [
        ("make the mood lamp ivory", "ivory"),
        ("turn the mood lamp khaki", "khaki"),
        ("turn the mood lamp dark olive green", "darkolivegreen"),
        ("change the colour of the mood lamp to plum", "plum"),
        ("set the mood lamp to plum at 30 percent", "plum"),
        ("make the mood lamp light blue", "lightblue"),
    ],
)
def test_colours_are_said_in_many_ways(said: str, colour: str) -> None:
    [command] = read_command(said)
    assert (command.what.action, command.frame.text("colour")) == ("SetColour", colour)


@pytest.mark.parametrize(
    ("said", "thing"), [("turn on lamp rose", "lamp rose"), ("turn on the plum lamp", "the plum lamp")]
)
def test_a_name_that_is_also_a_colour_stays_a_name(said: str, thing: str) -> None:
    [command] = read_command(said)
    assert (command.what.action, command.frame.text("thing")) == ("TurnOn", thing)


def test_what_is_none_has_no_css() -> None:
    assert (css_of("Light-Blue"), css_of("ghastly")) == ("lightblue", "")
