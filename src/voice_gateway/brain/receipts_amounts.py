"""Numbers in a text: plain ones and percentages, lengths of time, times of day."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from voice_gateway.brain.receipts_words import Word

_SECONDS = {"second": 1, "sec": 1, "minute": 60, "min": 60, "hour": 3600, "hr": 3600, "h": 3600, "day": 86400}
_DAY = 24 * 60
_SPOKEN = re.compile(r"(\d{1,2}) minutes? (past|to|after) (\d{1,2})$")  # "16 minutes past 10"
_HALF_DAY = 12 * 60
_UNITS = {"%": "%", "percent": "%", "degrees": "°", "degree": "°", "celsius": "°", "c": "°", "f": "°"}
_UNITS |= {unit: unit for unit in "km euros euro dollars watts watt lux mm meters metres".split()}
_LEVELS = {"half": 50.0, "halfway": 50.0, "maximum": 100.0, "max": 100.0, "minimum": 0.0}


@dataclass(frozen=True, slots=True)
class Clock:
    minute: int  # of the day
    certain: bool  # morning or afternoon is known

    def fits(self, other: "Clock") -> bool:
        apart = abs(self.minute - other.minute) % (_DAY if self.certain and other.certain else _HALF_DAY)
        return min(apart, _HALF_DAY - apart if not (self.certain and other.certain) else _DAY - apart) <= 1


@dataclass(slots=True)
class Amounts:
    numbers: set[float] = field(default_factory=set)
    spans: list[float] = field(default_factory=list)  # seconds
    clocks: list[Clock] = field(default_factory=list)
    units: dict[float, set[str]] = field(default_factory=dict)  # of the numbers, where one was said

    def __bool__(self) -> bool:
        return bool(self.numbers or self.spans or self.clocks)

    def add(self, other: "Amounts") -> None:
        self.numbers |= other.numbers
        self.spans += other.spans
        self.clocks += other.clocks
        for number, units in other.units.items():
            self.units[number] = self.units.get(number, set()) | units

    def missing(self, known: "Amounts") -> bool:
        """Whether one of these is not among the known ones."""
        if any(not _near(number, known.numbers) and not _hour(number, known) for number in self.numbers):
            return True
        if any(units.isdisjoint(known.units.get(number, units)) for number, units in self.units.items()):
            return True
        spans = {*known.spans, *known.numbers, sum(set(known.spans))}  # the same length may be told twice
        if any(span not in spans for span in self.spans) and sum(self.spans) not in spans:
            return True
        return any(not any(clock.fits(other) for other in known.clocks) for clock in self.clocks)


def _near(number: float, known: set[float]) -> bool:
    """Said as measured, rounded, or as a share of one ("0.3" is 30 percent)."""
    return any(
        number == other or abs(number - other) < (1 if other != int(other) else 0.5) or number == other * 100
        for other in known
    )


def _hour(number: float, known: Amounts) -> bool:
    """ "At six" is a time of day where one is known."""
    return any(Clock(int(number) * 60 % _DAY, certain=False).fits(clock) for clock in known.clocks)


def amounts_in(words: Sequence[Word]) -> Amounts:
    found = Amounts()
    texts = [word.text for word in words]
    place = 0
    ended = -2  # where the last length of time ended: "1 hour and 30 minutes" is one
    while place < len(texts):
        used = _clock(texts, place, found)
        if not used and (used := _span(texts, place, found)):
            if place == ended or (place == ended + 1 and texts[ended] == "and"):
                found.spans[-2:] = [sum(found.spans[-2:])]
            ended = place + used
        place += used or _number(texts, place, found)
    return found


def _number(texts: list[str], place: int, found: Amounts) -> int:
    word = texts[place]
    if re.fullmatch(r"\d{1,9}(?:\.\d{1,6})?", word):
        before = texts[max(0, place - 2) : place]
        minus = before[-1:] == ["minus"] or (before[-1:] == ["-"] and not before[0].isdigit())
        number = -float(word) if minus else float(word)
        found.numbers.add(number)
        following = next((text for text in texts[place + 1 : place + 3] if text != "°"), "")
        if following in _UNITS:
            found.units.setdefault(number, set()).add(_UNITS[following])
    elif word in _LEVELS and texts[place - 1 : place] in (["than"], ["nearly"], ["almost"]):
        pass  # "a bit less than half": the number itself is said elsewhere, or nobody knows it
    elif word in _LEVELS and texts[place + 1 : place + 2] not in (["an"], ["a"], ["past"], ["hour"]):
        found.numbers.add(_LEVELS[word])
    return 1


def _span(texts: list[str], place: int, found: Amounts) -> int:
    """ "10 minutes", "half an hour", "an hour": in seconds."""
    word = texts[place]
    following = texts[place + 1 : place + 3]
    if word == "half" and following == ["an", "hour"]:
        found.spans.append(1800)
        return 3
    if word == "-":
        return 0
    more = following[:1] in (["more"], ["whole"], ["full"])  # "4 more minutes"
    unit = next(iter(following[more:]), "").rstrip("s")
    if word in {"an", "a", "one", "1"} and unit in {"hour", "minute", "second"}:
        half = texts[place + 2 : place + 5] == ["and", "a", "half"]  # "an hour and a half"
        found.spans.append(_SECONDS[unit] * (1.5 if half else 1))
        return 5 if half else 2 + more
    if unit in _SECONDS and re.fullmatch(r"\d{1,6}(?:\.\d+)?", word):
        found.spans.append(float(word) * _SECONDS[unit])
        return 2 + more
    return 0


def _clock(texts: list[str], place: int, found: Amounts) -> int:
    """ "7:30 pm", "7 pm", "7 o clock", "half past seven", "quarter to eight"."""
    word = texts[place]
    following = texts[place + 1 : place + 3]
    if word in {"half", "quarter"} and len(following) == 2 and following[0] in {"past", "to", "after"}:
        if re.fullmatch(r"\d{1,2}", following[1]):
            minute = {"half": 30, "quarter": 15}[word] * (-1 if following[0] == "to" else 1)
            found.clocks.append(Clock((int(following[1]) * 60 + minute) % _DAY, certain=False))
            return 3
        return 0
    spoken = _SPOKEN.match(" ".join(texts[place : place + 4]))
    if spoken:
        minute = int(spoken[1]) * (-1 if spoken[2] == "to" else 1)
        found.clocks.append(Clock((int(spoken[3]) * 60 + minute) % _DAY, certain=False))
        return 4
    match = re.fullmatch(r"(\d{1,2})(?::(\d{2})(?::\d{2}(?:\.\d+)?)?)?", word)
    if match is None or int(match[1]) > 24 or int(match[2] or 0) > 59:
        return 0
    half = _half_of_day(following)
    if match[2] is None and half is None and not _oclock(following):
        return 0
    hour = int(match[1])
    if half is not None:
        hour = hour % 12 + (12 if half == "pm" else 0)
    certain = half is not None or hour > 12 or hour == 0 or match[1].startswith("0")
    found.clocks.append(Clock((hour * 60 + int(match[2] or 0)) % _DAY, certain=certain))
    return 2 if half is not None or _oclock(following) else 1


def _half_of_day(following: list[str]) -> str | None:
    first = following[0] if following else ""
    if first in {"am", "pm"}:
        return first
    return None


def _oclock(following: list[str]) -> bool:
    return bool(following) and following[0] in {"oclock", "o"}
