"""Times in what was said: whether words are one, and where they stand beside the rest."""

import re
from datetime import UTC, datetime
from typing import NamedTuple

from home_names.calendar_words import MONTHS, WEEKDAYS
from voice_gateway.brain.local.command.when import repeated
from voice_gateway.tools.builtin.clock_times import parse_moment
from voice_gateway.tools.builtin.durations import parse_span

_LATER = re.compile(r"\b(?:in|later|for|from|at|ago)\b")
_SOME_DAY = datetime(2000, 1, 1, tzinfo=UTC)
# "6 30" and "1030" are what is written for "six thirty" and "ten thirty".
_TOGETHER = re.compile(r"\b(\d{1,2}) ?([0-5]\d)\b(?!:)(?! (?:minutes?|seconds?|hours?|days?)\b)")
_DAYS = "|".join((*WEEKDAYS, *MONTHS))
# How a time begins that stands beside other words: a number alone is none.
_BEGINS = re.compile(
    rf"^(?:at|by|around|on|this|next|tomorrow|today|tonight|(?:the )?day after tomorrow|noon|midday|midnight|"
    rf"(?:the )?(?:{_DAYS})|the \d|in the (?:morning|afternoon|evening)|"
    r"\d{1,2}(?::\d\d)?(?: \d\d)? ?(?:am|pm|oclock)|(?:half|quarter|\d{1,2}) (?:past|to) \d|\d{1,2}:\d\d)\b"
)
_OPEN = re.compile(r"\b(?:at|by|around|on|this|the|in|for)$")


def is_duration(text: str) -> bool:
    """A length alone: what begins later is no length of time."""
    return not _LATER.search(text) and parse_span(text) is not None


def is_clock(text: str, *, day_alone: bool = False) -> bool:
    return parse_moment(text, _SOME_DAY, UTC, day_alone=day_alone) is not None


def as_clock(text: str) -> str:
    """ "6 30" is 6:30."""
    return _TOGETHER.sub(r"\1:\2", text).replace(" oclock", "").strip()


class When(NamedTuple):
    """Either a length of time or a moment, as their tools read them; of what repeats the days, too."""

    duration: str = ""
    at: str = ""
    repeats: str = ""

    def __bool__(self) -> bool:
        return bool(self.duration or self.at or self.repeats)

    def and_then(self, other: "When") -> "When | None":
        """ "Tomorrow" and "at 8" are one time; two lengths are none."""
        if not self or not other:
            return self or other
        if self.repeats or other.repeats:
            fit = not (self.duration or other.duration or (self.at and other.at))
            days = f"{self.repeats} {other.repeats}".strip()
            return When(at=self.at or other.at, repeats=days) if fit else None
        both = f"{self.at} {other.at}"
        return When(at=both) if self.at and other.at and is_clock(both, day_alone=True) else None


NEVER = When()


def read_when(text: str) -> When:
    """The whole text as a time; nothing when it is none."""
    text = text.strip()
    if again := repeated(text):
        return When(at=as_clock(again.clock), repeats=again.days)
    span = re.fullmatch(r"(?:in|for) (.+?)(?: from now)?|(.+?) from now", text)
    length = (span[1] or span[2]) if span else ""
    if length and is_duration(length):
        return When(duration=length)
    clock = as_clock(text)
    if _BEGINS.match(clock) and not _OPEN.search(clock) and is_clock(clock, day_alone=True):
        return When(at=re.sub(r"^(?:at|on|by|for) ", "", clock))
    return NEVER


def take_front(text: str) -> tuple[When, str]:
    """The longest time that the text begins with, and what is behind it."""
    words = text.split()
    for size in range(len(words), 0, -1):
        if when := read_when(" ".join(words[:size])):
            return when, " ".join(words[size:])
    return NEVER, text


def take_back(text: str) -> tuple[When, str]:
    """The longest time that the text ends with, and what is before it."""
    words = text.split()
    for start in range(len(words)):
        if when := read_when(" ".join(words[start:])):
            return when, " ".join(words[:start])
    return NEVER, text
