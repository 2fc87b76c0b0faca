"""Lengths of time, read as people say them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voice_gateway.tools.builtin.durations import parse_span, say_seconds


@pytest.mark.parametrize(
    ("spoken", "seconds"),
    [
        ("ten minutes", 600),
        ("10 min", 600),
        ("1 h 30", 5400),
        ("1h30m", 5400),
        ("an hour and a half", 5400),
        ("one and a half hours", 5400),
        ("two and a half hours", 9000),
        ("half an hour", 1800),
        ("a quarter of an hour", 900),
        ("three quarters of an hour", 2700),
        ("twenty-five minutes", 1500),
        ("a hundred and twenty seconds", 120),
        ("one hour twenty", 4800),
        ("1:30:00", 5400),
        ("1.5 hours", 5400),
        ("a couple of minutes", 120),
        ("90 s", 90),
        ("2 days", 172800),
    ],
)
def test_what_people_say_has_its_length(spoken: str, seconds: int) -> None:
    span = parse_span(spoken)

    assert span is not None
    assert span.total_seconds == seconds


@pytest.mark.parametrize(
    "spoken",
    ["", "5", "a", "half", "banana", "five seven minutes", "half a month", "minutes", "1" * 200, "1:30"],
)
def test_what_is_no_length_of_time_is_not_guessed(spoken: str) -> None:
    assert parse_span(spoken) is None


def test_a_month_has_no_number_of_seconds() -> None:
    span = parse_span("2 months")

    assert span is not None
    assert span.months == 2
    assert span.total_seconds is None


@given(st.integers(min_value=1, max_value=10**7))
def test_what_is_said_is_understood_again(seconds: int) -> None:
    span = parse_span(say_seconds(seconds))

    assert span is not None
    assert span.total_seconds == seconds


@given(st.text(max_size=120))
def test_any_text_gives_a_span_or_nothing(text: str) -> None:
    span = parse_span(text)

    assert span is None or (span.total_seconds or 0) >= 0
