"""What the phrases of one "when" say together."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta

from home_words import when_words as words
from voice_gateway.brain.local.command.when.moments import (
    checked_date,
    date_number,
    next_month_day,
    read_seconds,
    read_span,
)
from voice_gateway.brain.local.command.when.phrases import Found
from voice_gateway.brain.local.command.when.sentences import WHEN_EXACTLY
from voice_gateway.routines.schedule import Place
from voice_gateway.tools.builtin.durations import Span


@dataclass
class SaidWhen:
    """What the phrases of one "when" say together."""

    clock: str = ""
    part: str = ""
    day: date | None = None
    every: tuple[int, ...] | None = None  # weekdays; none of them: every day
    often: tuple[str, int] | None = None  # the unit and how many of them
    month_day: int | None = None  # -1 is the last
    span: Span | None = None
    sun: tuple[str, int] | None = None
    between: tuple[str, str] | None = None
    side: list[tuple[str, str]] = field(default_factory=list)  # "after", "before": a clock time or the sun
    until: Found | None = None
    vague: bool = False
    while_seconds: Span | None = None


def gathered(found: Sequence[tuple[str, Found]], now: datetime, place: Place) -> SaidWhen:
    when = SaidWhen()
    today = now.astimezone(place.zone).date()
    for kind, given in found:
        _GATHER[kind](when, given, today)
        when.part = given.get("part") or when.part
    return when


def _take_sun(when: SaidWhen, given: Found, _today: date) -> None:
    name = words.SUN_NAMES.get(given["sun"], given["sun"])
    if side := given.get("bare_side"):
        when.side.append((side, name))
        return
    seconds = read_seconds(given["ahead"]) if "ahead" in given else 0.0
    when.sun = name, round(-seconds if given.get("side") == "before" else seconds)


def _take_days(when: SaidWhen, given: Found, _today: date) -> None:
    first, last = (words.WEEKDAY_NAMES.index(given[key]) for key in ("first", "last"))
    when.every = tuple((first + day) % 7 for day in range((last - first) % 7 + 1))


def _take_monthly(when: SaidWhen, given: Found, _today: date) -> None:
    when.month_day = -1 if given["date"] == "last day" else date_number(given["date"])


_AMOUNTS = {"other": 2, "second": 2, "third": 3, "couple of": 2}


def _take_often(when: SaidWhen, given: Found, _today: date) -> None:
    if "word" in given:
        when.often = ("hour", 1)
        return
    unit, amount = given["unit"].removesuffix("s"), given.get("amount", "1")
    unit = {"sec": "second", "min": "minute", "hr": "hour"}.get(unit, unit)
    if amount.startswith(("half", "quarter")):
        if unit != "hour":
            raise ValueError(WHEN_EXACTLY)
        when.often = ("minute", 30 if amount.startswith("half") else 15)
    elif unit == "day" and amount == "1":
        when.every = when.every or ()
    else:
        when.often = (unit, _AMOUNTS.get(amount) or int(amount))


def _take_every(when: SaidWhen, given: Found, _today: date) -> None:
    what = given.get("what", "")
    if "week" in what.replace("weekday", "") or "end" in what.split():
        days: tuple[int, ...] = (5, 6)
    elif "weekday" in what or "work" in what:
        days = (0, 1, 2, 3, 4)
    else:
        days = tuple(number for number, name in enumerate(words.WEEKDAY_NAMES) if name in what)
    when.every = tuple(sorted({*(when.every or ()), *days}))
    if given.get("word") == "nightly":
        when.part = "night"


def _take_day(when: SaidWhen, given: Found, today: date) -> None:
    day = given["day"].removeprefix("the ")
    when.day = today + timedelta(days={"tomorrow": 1, "day after tomorrow": 2}.get(day, 0))
    if day == "tonight" or day.startswith("this "):
        when.part = day.removeprefix("this ")


def _take_date(when: SaidWhen, given: Found, today: date) -> None:
    if "iso" in given:
        when.day = checked_date(*map(int, given["iso"].split()))
        return
    number, year = date_number(given["date"]), int(given.get("year", 0))
    if "month" not in given:
        when.day = next_month_day(number, today)
        return
    month = words.MONTH_NAMES.index(given["month"]) + 1
    when.day = checked_date(year or today.year, month, number)
    if when.day < today and not year:
        when.day = checked_date(today.year + 1, month, number)
    if when.day < today:
        raise ValueError("That day is over.")


def _take_weekday(when: SaidWhen, given: Found, today: date) -> None:
    number = words.WEEKDAY_NAMES.index(given["weekday"])
    days = (number - today.weekday()) % 7
    when.day = today + timedelta(days=days + (7 if "week" in given and days <= 6 - today.weekday() else 0))


def _take_far(_when: SaidWhen, given: Found, _today: date) -> None:
    raise ValueError(f"On which day {given['far']}, and at what time?")


def _take_span(when: SaidWhen, given: Found, _today: date) -> None:
    when.span = read_span(given.get("span") or given["later"])


def _take_while(when: SaidWhen, given: Found, _today: date) -> None:
    when.while_seconds = read_span(given["span"])


def _take_side(when: SaidWhen, given: Found, _today: date) -> None:
    when.side.append((given["side"], given["clock"]))


def _take_until(when: SaidWhen, given: Found, _today: date) -> None:
    when.until = given


def _take_clock(when: SaidWhen, given: Found, _today: date) -> None:
    if when.clock:
        raise ValueError("I heard two times. Which one do you mean?")
    when.clock = given.get("clock") or given["sure"]


def _take_part(when: SaidWhen, given: Found, _today: date) -> None:
    when.part = given.get("part") or "night"


def _take_vague(when: SaidWhen, _given: Found, _today: date) -> None:
    when.vague = True


def _take_between(when: SaidWhen, given: Found, _today: date) -> None:
    when.between = given["from"], given["to"]


_GATHER: Mapping[str, Callable[[SaidWhen, Found, date], None]] = {
    "sun": _take_sun, "between": _take_between, "days": _take_days, "monthly": _take_monthly,
    "often": _take_often, "every": _take_every, "day": _take_day, "date": _take_date,
    "weekday": _take_weekday, "week": _take_far,
    "in": _take_span, "for": _take_while, "after": _take_side, "until": _take_until, "clock": _take_clock,
    "part": _take_part, "vague": _take_vague,
}  # fmt: skip
