"""Times of day, read as people say them."""

from datetime import datetime
from zoneinfo import ZoneInfo

from hypothesis import given
from hypothesis import strategies as st

from voice_gateway.tools.builtin.clock_times import parse_moment

BERLIN = ZoneInfo("Europe/Berlin")
SUNDAY_3_PM = datetime(2026, 11, 15, 15, 0, tzinfo=BERLIN)


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
