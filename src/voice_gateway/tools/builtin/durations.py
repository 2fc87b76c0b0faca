"""Lengths of time as people say them: "ten minutes", "1 h 30", "an hour and a half"."""

import re
from dataclasses import dataclass

from home_names.numbers import NUMBER_WORDS

_SECONDS = {"second": 1, "minute": 60, "hour": 3600}
_DAYS = {"day": 1, "week": 7}
_MONTHS = {"month": 1, "year": 12}
_SHORT = {
    **dict.fromkeys(("s", "sec", "secs"), "second"),
    **dict.fromkeys(("m", "min", "mins"), "minute"),
    **dict.fromkeys(("h", "hr", "hrs"), "hour"),
    "d": "day",
    "w": "week",
    "wk": "week",
    "yr": "year",
}
_NEXT_SMALLER = {"year": "month", "week": "day", "day": "hour", "hour": "minute", "minute": "second"}

_NUMBERS = {**NUMBER_WORDS, "couple": 2, "dozen": 12}
_FRACTIONS = {"half": 0.5, "quarter": 0.25, "quarters": 0.25}
_FILLERS = frozenset("and of in for from now later time the about exactly plus another".split())

MAX_TEXT = 100  # longer than any length of time that people say; keeps an error message short


@dataclass(frozen=True, slots=True)
class Span:
    """A length of time: months and days follow the calendar, seconds follow the clock."""

    months: int = 0
    days: int = 0
    seconds: float = 0.0

    @property
    def total_seconds(self) -> float | None:
        """None where the calendar decides how long it is."""
        return None if self.months else self.days * 86400 + self.seconds


NOTHING = Span()


def parse_span(text: str) -> Span | None:
    """The span that `text` names, or None. A sign or "ago" is the caller's business."""
    if len(text) > MAX_TEXT:
        return None
    spoken = re.sub(r"[-–](?=[a-z])", " ", text.lower())  # "twenty-five", "10-minute"
    if clock := re.fullmatch(r"\s*(\d{1,3}):(\d{2}):(\d{2})\s*", spoken):
        hours, minutes, seconds = (int(part) for part in clock.groups())
        return Span(seconds=hours * 3600 + minutes * 60 + seconds)
    words = re.findall(r"\d+(?:[.,]\d+)?|[a-z]+|[^\s\w]|\w", spoken)
    reading = _Reading()
    if not all(reading.take(word) for word in words if word not in {",", "."}):
        return None
    return reading.finish()


class _Reading:
    """Words come in one by one; amounts wait for their unit."""

    def __init__(self) -> None:
        self.parts: list[tuple[float, str]] = []
        self.amount: float | None = None
        self.article = False  # the waiting amount is only an "a"
        self.and_said = False
        self.fraction = False  # the waiting amount is less than one unit

    def take(self, word: str) -> bool:
        """False when the word has no place in a length of time."""
        unit = _unit(word)
        if unit:
            if self.amount is None:
                return False
            self._push(self.amount, unit)
        elif word in _FRACTIONS:
            self._take_fraction(_FRACTIONS[word])
        elif word in {"a", "an"}:
            if self.amount is None:
                self.amount, self.article = 1.0, True
        elif (number := _number(word)) is not None:
            return self._take_number(number)
        elif word == "hundred" and self.amount is not None:
            self.amount, self.article = self.amount * 100, False
        elif word not in _FILLERS:
            return False
        self.and_said = word == "and" or (self.and_said and word in {"a", "an"})
        return True

    def _take_number(self, number: float) -> bool:
        waiting = None if self.article else self.amount
        if waiting is not None and not _joins(waiting, number):
            return False  # "five seven minutes"
        self.amount, self.article, self.and_said = (waiting or 0.0) + number, False, False
        return True

    def _take_fraction(self, fraction: float) -> None:
        if self.amount is None or self.article:
            self.amount = fraction
        elif self.and_said:  # "two and a half hours"
            self.amount += fraction
        else:  # "three quarters of an hour"
            self.amount *= fraction
        self.article, self.fraction = False, self.amount < 1

    def _push(self, amount: float, unit: str) -> None:
        self.parts.append((amount, unit))
        self.amount, self.article, self.fraction = None, False, False

    def finish(self) -> Span | None:
        if self.amount is not None:
            if not self.parts or self.article:
                return None
            last = self.parts[-1][1]
            # "an hour and a half" is half of that unit; "1 h 30" goes on with the next smaller one.
            unit = last if self.fraction else _NEXT_SMALLER.get(last)
            if unit is None:
                return None
            self._push(self.amount, unit)
        return _sum(self.parts) if self.parts else None


def _unit(word: str) -> str | None:
    word = _SHORT.get(word, word)
    for name in (word, word.removesuffix("s")):
        if name in _SECONDS or name in _DAYS or name in _MONTHS:
            return name
    return None


def _number(word: str) -> float | None:
    if word[0].isdecimal() and word.isascii():
        return float(word.replace(",", ".")) if len(word) <= 12 else None
    return float(_NUMBERS[word]) if word in _NUMBERS else None


def _joins(waiting: float, number: float) -> bool:
    """Whether a number goes on with the one before: "twenty" "five", "hundred" "twenty"."""
    return waiting >= 20 and number > 0 and number < (10 if waiting < 100 else 100) and waiting % 10 == 0


def _sum(parts: list[tuple[float, str]]) -> Span | None:
    months, days, seconds = 0.0, 0.0, 0.0
    for amount, unit in parts:
        months += amount * _MONTHS.get(unit, 0)
        days += amount * _DAYS.get(unit, 0)
        seconds += amount * _SECONDS.get(unit, 0)
    if months % 1:
        return None  # half a month has no definite length
    whole_days = int(days)
    return Span(months=int(months), days=whole_days, seconds=seconds + (days - whole_days) * 86400)


def say_seconds(seconds: float) -> str:
    """A length of time as a phrase: "1 hour 30 minutes"."""
    left, parts = max(0, round(seconds)), []
    for name, size in (("day", 86400), ("hour", 3600), ("minute", 60), ("second", 1)):
        count, left = divmod(left, size)
        if count:
            parts.append(f"{count} {name}{'' if count == 1 else 's'}")
    return " ".join(parts) or "0 seconds"
