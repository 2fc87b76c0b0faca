"""A place and a distance in time in one question, in either order."""

import pytest
from tests.fakes.local_talk import Talk


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        ("what time is it in New York in 3 hours", {"timezone": "New York", "offset": "in 3 hours"}),
        ("what time is it in 3 hours in New York", {"timezone": "New York", "offset": "in 3 hours"}),
        ("what time will it be in tokyo in 2 days", {"timezone": "Tokyo", "offset": "in 2 days"}),
        ("what day is it in sydney tomorrow", {"timezone": "Sydney", "offset": "tomorrow"}),
        ("what time is it in 3 hours", {"offset": "in 3 hours"}),
        ("what time is it in new york", {"timezone": "New York"}),
    ],
)
async def test_a_place_and_a_distance_are_told_apart(said, asked):
    talk = Talk()
    await talk.reply(said)
    assert talk.home.calls == [("get_current_datetime", asked)]


async def test_what_is_no_place_is_not_taken_for_one():
    talk = Talk()
    await talk.passed("what time will it be when dinner is ready in 3 hours")
    assert "get_current_datetime" not in [name for name, _ in talk.home.calls]


@pytest.mark.parametrize(
    "said",
    [
        "google turn off the kitchen light",
        "find out who turned off the desk lamp",
        "look up when the front door was opened",
        "google it is dark dim the floor lamp",
        "search up switch on the lights",
    ],
)
async def test_an_order_to_the_home_is_not_sent_to_the_web(said):
    talk = Talk()
    await talk.passed(said)
    assert "search_web" not in [name for name, _ in talk.home.calls]
