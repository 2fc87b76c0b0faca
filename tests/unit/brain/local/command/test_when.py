"""When a command shall be carried out, kept as data."""

import pytest

from voice_gateway.brain.local.command.what import When, read_later


@pytest.mark.parametrize(
    ("said", "action", "when"),
    [
        ("turn off the floor lamp at 10", "TurnOff", When("time", "at 10")),
        ("in 10 minutes close the blinds", "Close", When("time", "in 10 minutes")),
        ("when the film is over turn on the lamp", None, None),
        ("turn on the lamp when tom comes home", "TurnOn", When("event", "when tom comes home")),
        ("close the blind if it rains", "Close", When("condition", "if it rains")),
        ("turn on the lamp", None, None),
    ],
)
def test_a_time_is_taken_out_of_the_order(said: str, action: str | None, when: When | None) -> None:
    later = read_later(said)

    if when is not None:
        assert later is not None
        assert (later.what.action, later.when) == (action, when)
        assert when.said in str(later)
    else:
        assert later is None or later.what.action != "TurnOff"
