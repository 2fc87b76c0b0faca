"""Small readings: clock times, lengths and dates, as a "when" has them."""

import re
from datetime import date, datetime, time, timedelta

from home_names import calendar_words
from voice_gateway.brain.local.command.when.sentences import WHEN_EXACTLY
from voice_gateway.tools.builtin.clock_times import time_of_day
from voice_gateway.tools.builtin.durations import Span, parse_span


def hours_between(start: str, end: str) -> tuple[int, int]:
    """Minutes of the day. "Between 8 and 10 pm" is one half of the day, "between 8 and 6" both."""
    ends, minute_end = read_clock(end)
    starts, minute_start = read_clock(start)
    first, last = starts[0] * 60 + minute_start, ends[0] * 60 + minute_end
    if last <= first and len(ends) > 1:
        last = ends[1] * 60 + minute_end
    if (
        len(ends) == 1
        and len(starts) > 1
        and starts[1] * 60 + minute_start < last
        and re.search("[ap]m", end)
    ):
        first = starts[1] * 60 + minute_start
    return first, last


_EXACT = re.compile(r" (?:oclock|sharp|on the dot|exactly|precisely|hours)\b")


def read_clock(said: str, part: str = "") -> tuple[list[int], int]:
    text = re.sub(r"\b(\d{1,2}) ?([0-5]\d)\b(?!:)", r"\1:\2", _EXACT.sub("", said))
    text = re.sub(r"(?<=\d) (?:oh|o|0) ?(\d)\b", r":0\1", text)
    text = re.sub(r"(\d)([ap]m)\b", r"\1 \2", re.sub(r"^an? ", "", text))
    text = re.sub(r"\bhalf (?=\d)", "half past ", text)
    text = re.sub(r"\b(past|after|to|before) (midnight|noon)\b", _named_hour, text)
    text = re.sub(r"\b(\d{1,9})(?: minutes?)? (after|before) (\d{1,9})\b", _past_or_to, text)
    half = "" if re.search(r"\b(?:[ap]m|morning|afternoon|evening|night|tonight)\b", text) else part
    found = time_of_day(f"{text} {half}".strip() if half != "noon" else text)
    if found is None or not found[0] or (found[1] and found[0] == [24]):
        level = " If you mean the brightness, say percent." if said.isdecimal() and int(said) <= 100 else ""
        written = said.replace("oclock", "o'clock")
        raise ValueError(f"There is no such time as {written}.{level}")
    return found


def _past_or_to(found: re.Match[str]) -> str:
    return f"{found[1]} {'past' if found[2] == 'after' else 'to'} {found[3]}"


def _named_hour(found: re.Match[str]) -> str:
    """ "Quarter past midnight" is "quarter past 12 at night"."""
    past = found[1] in ("past", "after")
    half = ("night" if past else "pm") if found[2] == "midnight" else "pm" if past else "am"
    return f"{found[1]} 12 {half}"


def read_span(text: str) -> Span:
    span = parse_span(re.sub(r"\ba few\b", "3", text))
    if span is None:
        raise ValueError(WHEN_EXACTLY)
    return span


def read_seconds(text: str) -> float:
    return read_span(text).total_seconds or 0.0


def date_number(text: str) -> int:
    tens, _, ordinal = text.rpartition(" ")
    if ordinal in calendar_words.ORDINALS:
        return int(tens or 0) + calendar_words.ORDINALS[ordinal]
    return int(re.sub(r"\D", "", text))


def checked_date(year: int, month: int, day: int) -> date:
    try:
        return date(year, month, day)
    except ValueError:
        raise ValueError(
            f"There is no such day as {day} {calendar_words.MONTHS[(month - 1) % 12].title()}."
        ) from None


def next_month_day(number: int, today: date) -> date:
    if not 1 <= number <= 31:
        raise ValueError(f"No month has a day {number}.")
    first = today.replace(day=1)
    for _ in range(12):
        try:
            day = first.replace(day=number)
        except ValueError:
            day = today
        if day > today:
            return day
        first = (first + timedelta(days=32)).replace(day=1)
    raise ValueError(f"No month has a day {number}.")


def shifted(day: date, span: Span) -> date:
    from dateutil.relativedelta import relativedelta

    shifted: date = day + relativedelta(months=span.months) + timedelta(days=span.days)
    return shifted


def wall_time(day: date, hour: int, minute: int) -> datetime:
    """24 is the midnight behind the day."""
    return datetime.combine(day + timedelta(days=hour // 24), time(hour % 24, minute))
