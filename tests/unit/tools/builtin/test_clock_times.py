"""Times of day, read as people say them."""

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voice_gateway.tools.builtin.clock_times import parse_moment

BERLIN = ZoneInfo("Europe/Berlin")
SUNDAY_3_PM = datetime(2026, 11, 15, 15, 0, tzinfo=BERLIN)


@pytest.mark.parametrize(
    ("spoken", "expected"),
    [
        ("7 pm", "15T19:00"),
        ("7 p.m.", "15T19:00"),
        ("at 7", "15T19:00"),
        ("seven", "15T19:00"),
        ("4", "15T16:00"),
        ("2", "16T02:00"),
        ("7:30", "15T19:30"),
        ("07:30", "16T07:30"),
        ("19:30", "15T19:30"),
        ("seven thirty pm", "15T19:30"),
        ("half past seven", "15T19:30"),
        ("quarter to eight", "15T19:45"),
        ("twenty five past 6", "15T18:25"),
        ("7 o'clock in the evening", "15T19:00"),
        ("noon", "16T12:00"),
        ("midnight", "16T00:00"),
        ("12 am", "16T00:00"),
        ("12 pm", "16T12:00"),
        ("3 at night", "16T03:00"),
        ("8 tonight", "15T20:00"),
        ("tonight at 8", "15T20:00"),
        ("tomorrow at 9", "16T09:00"),
        ("tomorrow morning at 9", "16T09:00"),
        ("monday at 9 am", "16T09:00"),
        ("next sunday at 10:15", "22T10:15"),
        ("2026-11-16T07:00", "16T07:00"),
    ],
)
def test_the_next_such_moment_is_meant(spoken: str, expected: str) -> None:
    moment = parse_moment(spoken, SUNDAY_3_PM, BERLIN)

    assert moment is not None
    assert moment.astimezone(BERLIN).strftime("%dT%H:%M") == expected


@pytest.mark.parametrize(
    "spoken", ["", "banana", "25:00", "7:75", "tomorrow", "13 am", "99", "x" * 1000, "0 past 7"]
)
def test_what_is_no_time_of_day_is_not_guessed(spoken: str) -> None:
    assert parse_moment(spoken, SUNDAY_3_PM, BERLIN) is None


def test_a_named_day_that_has_passed_stays_in_the_past() -> None:
    moment = parse_moment("today at 2 am", SUNDAY_3_PM, BERLIN)

    assert moment is not None
    assert moment < SUNDAY_3_PM


def test_an_alarm_across_daylight_saving_follows_the_wall_clock() -> None:
    evening = datetime(2026, 3, 28, 22, 0, tzinfo=BERLIN)

    moment = parse_moment("7 am", evening, BERLIN)

    assert moment is not None
    assert (moment - evening).total_seconds() == 8 * 3600  # one hour of that night is missing
    assert moment.astimezone(BERLIN).isoformat() == "2026-03-29T07:00:00+02:00"


@given(st.text(max_size=110))
def test_any_text_is_read_or_not(text: str) -> None:
    moment = parse_moment(text, SUNDAY_3_PM, BERLIN)

    assert moment is None or moment.tzinfo is not None


@given(st.sampled_from([*range(10), *range(13, 24)]), st.integers(0, 59))  # 10 to 12 may be of either half
def test_every_time_of_the_24_hour_clock_lies_within_a_day(hour: int, minute: int) -> None:
    moment = parse_moment(f"{hour:02}:{minute:02}", SUNDAY_3_PM, BERLIN)

    assert moment is not None
    assert 0 < (moment - SUNDAY_3_PM).total_seconds() <= 86400
    assert moment.astimezone(BERLIN).strftime("%H:%M") == f"{hour:02}:{minute:02}"
