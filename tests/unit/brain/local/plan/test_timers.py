"""Timers in the words that people have for them."""

import pytest
from tests.fakes.local_talk import Talk


@pytest.mark.parametrize(
    ("said", "call"),
    [
        ("how long does my timer still run", ("list_timers", {"kind": "timer"})),
        ("how much longer will the tea timer take", ("list_timers", {"name": "tea", "kind": "timer"})),
        ("how much longer for the rice", ("list_timers", {"name": "rice", "kind": "timer"})),
        ("give the rice four more minutes", ("extend_timer", {"duration": "4 minutes", "name": "rice"})),
        (
            "snooze for a quarter of an hour",
            ("extend_timer", {"duration": "a quarter of an hour", "name": "ringing"}),
        ),
    ],
)
async def test_a_timer_goes_by_what_it_is_for(said, call):
    talk = Talk()
    await talk.say(said)
    assert talk.home.calls == [call]
