"""What was to be done later is told to whoever asks why it was not done."""

import pytest

from voice_gateway.brain.local.command.what import told_for_later


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("turn off the floor lamp at 10", "TurnOff (thing the floor lamp, time: at 10)"),
        ("in 10 minutes close the blinds", "Close (thing the blinds, sweep True, time: in 10 minutes)"),
        ("turn on the lamp when tom comes home", "TurnOn (thing the lamp, event: when tom comes home)"),
        ("close the blind if it rains", "Close (thing the blind, sweep True, condition: if it rains)"),
        ("turn on the lamp", ""),
    ],
)
def test_a_time_is_taken_out_of_the_order(said: str, told: str) -> None:
    assert told_for_later(said) == told
