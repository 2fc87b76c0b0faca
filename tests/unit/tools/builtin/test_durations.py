"""Lengths of time, read as people say them."""

from hypothesis import given
from hypothesis import strategies as st

from voice_gateway.tools.builtin.durations import parse_span, say_seconds


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
