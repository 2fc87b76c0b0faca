"""What the phrases of one "when" say together."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta

from home_names import calendar_words
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
from voice_gateway.routines.model import WEEKDAYS
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
    next_day: date | None = None  # meant where the time of the day itself has passed
    nth: str = ""  # of a month: "1MO", "-1FR"
    yearly: bool = False
    more_clocks: list[str] = field(default_factory=list)  # "at 8 am and 8 pm"
    left_out: tuple[int, ...] = ()  # weekdays
    while_seconds: Span | None = None

    @property
    def is_moment(self) -> bool:
        """Not only hours or days of the week: it can start something by itself."""
        return bool(self.clock or self.day or self.sun or self.often or self.month_day or self.nth)


def gathered(found: Sequence[tuple[str, Found]], now: datetime, place: Place) -> SaidWhen:
    when = SaidWhen()
    today = now.astimezone(place.zone).date()
    for kind, given in found:
        _GATHER[kind](when, given, today)
        when.part = given.get("part") or when.part
    if when.left_out and when.every is not None:
        all_days = when.every or range(7)
        when.every = tuple(day for day in all_days if day not in when.left_out)
        if not when.every:
            raise ValueError("No day is left then.")
    elif when.left_out:
        raise ValueError(WHEN_EXACTLY)
    return when


def _take_sun(when: SaidWhen, given: Found, _today: date) -> None:
    name = words.SUN_NAMES.get(given["sun"], given["sun"])
    if side := given.get("bare_side"):
        when.side.append((side, name))
        return
    seconds = read_seconds(given["ahead"]) if "ahead" in given else 0.0
    when.sun = name, round(-seconds if given.get("side") == "before" else seconds)


def _take_days(when: SaidWhen, given: Found, _today: date) -> None:
    first, last = (calendar_words.WEEKDAYS.index(given[key]) for key in ("first", "last"))
    when.every = tuple((first + day) % 7 for day in range((last - first) % 7 + 1))


_NTH = {"last": -1}


def _take_yearly(when: SaidWhen, _given: Found, _today: date) -> None:
    when.yearly = True


def _take_monthly(when: SaidWhen, given: Found, _today: date) -> None:
    if "nth" in given:
        count = _NTH.get(given["nth"]) or calendar_words.ORDINALS[given["nth"]]
        when.nth = f"{count}{WEEKDAYS[calendar_words.WEEKDAYS.index(given['weekday'])]}"
        return
    when.month_day = -1 if given["date"] in ("last day", "end") else date_number(given["date"])


_AMOUNTS = {"other": 2, "second": 2, "third": 3, "couple of": 2}


def _take_often(when: SaidWhen, given: Found, _today: date) -> None:
    if "unit" not in given:
        when.often = ({"hourly": "hour", "weekly": "week"}.get(given.get("word", "")) or given["per"], 1)
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


def _take_turn(when: SaidWhen, given: Found, _today: date) -> None:
    """ "Every other Monday"."""
    when.often = ("week", _AMOUNTS[given["amount"]])
    when.every = (calendar_words.WEEKDAYS.index(given["weekday"]),)


def _take_every(when: SaidWhen, given: Found, _today: date) -> None:
    days = (0, 1, 2, 3, 4) if "week" in given else _weekdays(given.get("what", ""))
    when.every = tuple(sorted({*(when.every or ()), *days}))
    if given.get("word") == "nightly":
        when.part = "night"


def _weekdays(what: str) -> tuple[int, ...]:
    if "week" in what.replace("weekday", "") or "end" in what.split():
        return 5, 6
    if "weekday" in what or "work" in what:
        return 0, 1, 2, 3, 4
    return tuple(number for number, name in enumerate(calendar_words.WEEKDAYS) if name in what)


def _take_except(when: SaidWhen, given: Found, _today: date) -> None:
    when.left_out = (*when.left_out, *_weekdays(given["what"]))


def _take_day(when: SaidWhen, given: Found, today: date) -> None:
    day = given["day"].removeprefix("the ")
    when.day = today + timedelta(days={"tomorrow": 1, "day after tomorrow": 2}.get(day, 0))
    if day == "tonight" or day.startswith("this "):
        when.part = day.removeprefix("this ")


def _take_from(when: SaidWhen, given: Found, today: date) -> None:
    """ "A week from Sunday"."""
    amount = int(given["amount"]) if given["amount"].isdecimal() else 1
    if "weekday" in given:
        days = (calendar_words.WEEKDAYS.index(given["weekday"]) - today.weekday()) % 7
    else:
        days = 1 if given["day"] == "tomorrow" else 0
    when.day = today + timedelta(days=min(days + amount * (7 if given["unit"] == "week" else 1), 99_999))


def _take_date(when: SaidWhen, given: Found, today: date) -> None:
    if "iso" in given:
        when.day = checked_date(*map(int, given["iso"].split()))
        return
    year = int(given.get("year", 0))
    if "feast" in given:
        month, number = words.FEASTS[given["feast"]]
    else:
        number = date_number(given["date"])
        if "month" not in given:
            when.day = next_month_day(number, today - timedelta(days=1))
            when.next_day = next_month_day(number, today)
            return
        month = calendar_words.MONTHS.index(given["month"]) + 1
    when.day = checked_date(year or today.year, month, number)
    if not year and when.day <= today:
        when.next_day = checked_date(today.year + 1, month, number)
        when.day = when.next_day if when.day < today else when.day
    if when.day < today:
        raise ValueError("That day is over.")


def _take_weekday(when: SaidWhen, given: Found, today: date) -> None:
    number = calendar_words.WEEKDAYS.index(given["weekday"])
    if "date" in given:
        when.day = next_month_day(date_number(given["date"]), today - timedelta(days=1))
        if when.day.weekday() != number:
            raise ValueError(f"{when.day.day} {when.day:%B} is a {when.day:%A}. Which day do you mean?")
        return
    days = (number - today.weekday()) % 7 or (7 if "next" in given else 0)
    when.day = today + timedelta(days=days + (7 if "week" in given and days <= 6 - today.weekday() else 0))
    when.next_day = when.day + timedelta(days=7)


def _take_far(_when: SaidWhen, given: Found, _today: date) -> None:
    far = given["far"]
    raise ValueError(f"On which day {'at ' if far.startswith('the') else ''}{far}, and at what time?")


def _take_span(when: SaidWhen, given: Found, _today: date) -> None:
    when.span = read_span(given.get("span") or given["later"])


def _take_while(when: SaidWhen, given: Found, _today: date) -> None:
    when.while_seconds = read_span(given["span"])


def _take_side(when: SaidWhen, given: Found, _today: date) -> None:
    when.side.append((given["side"], given["clock"]))


def _take_until(when: SaidWhen, given: Found, _today: date) -> None:
    when.until = given


def _take_clock(when: SaidWhen, given: Found, _today: date) -> None:
    clock = given.get("clock") or given["sure"]
    if when.clock:
        when.more_clocks.append(clock)
    else:
        when.clock = clock


def _take_part(when: SaidWhen, given: Found, _today: date) -> None:
    when.part = given.get("part") or "night"


def _take_vague(when: SaidWhen, _given: Found, _today: date) -> None:
    when.vague = True


def _take_between(when: SaidWhen, given: Found, _today: date) -> None:
    when.between = given["from"], given["to"]


_GATHER: Mapping[str, Callable[[SaidWhen, Found, date], None]] = {
    "sun": _take_sun, "between": _take_between, "days": _take_days, "monthly": _take_monthly,
    "yearly": _take_yearly, "often": _take_often, "every": _take_every, "turn": _take_turn,
    "except": _take_except, "from": _take_from, "day": _take_day, "date": _take_date,
    "weekday": _take_weekday, "week": _take_far, "in": _take_span, "for": _take_while, "after": _take_side,
    "until": _take_until, "clock": _take_clock, "part": _take_part, "vague": _take_vague,
}  # fmt: skip
