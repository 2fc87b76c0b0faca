"""Dates, times of day and lengths of time as they are said."""

import re

MONTHS = "January February March April May June July August September October November December".split()
DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
_SHORT = {name[:3]: name for name in (*MONTHS, *DAYS)} | {"Sept": "September"}
_MONTH = "|".join(sorted({name[:3] for name in MONTHS} | {"Sept"}, reverse=True))
_DAY = "|".join(name[:3] for name in DAYS)
# Short names are words too ("may", "sat", "sun"): only beside a number or another day they are surely names.
_NAMES = re.compile(
    rf"\b(?:(?:{_MONTH})\b\.?(?=\s\d)|(?<=\d\s)(?:{_MONTH})\b(?:\.(?=\s\d))?"
    rf"|(?:{_DAY})\b\.?(?=\s?[–-]\s?(?:{_DAY})\b|,?\s(?:\d|(?:{_MONTH})\b))|(?<=[a-z][–-])(?:{_DAY})\b)"
)
_DAY_RANGE = re.compile(rf"\b({'|'.join(DAYS)})\s?[–-]\s?(?=(?:{'|'.join(DAYS)})\b)")
_DATE = re.compile(r"\b(\d{4})-(\d{2})-(\d{2})(?:T(?=\d{2}:\d{2})|\b)")
# Before the times themselves: "09:00-17:00" looks like a time with its distance from Greenwich.
_TIME_RANGE = re.compile(
    r"(?<![\dT:.])(\d{1,2}(?::\d{2}\s?(?:[ap]m)?|\s?[ap]m))\s?[-–]\s?(?=\d{1,2}(?::\d{2}|\s?[ap]m\b))",
    re.IGNORECASE,
)
_TIME = re.compile(
    r"(?<![\d:.])([01]?\d|2[0-3]):([0-5]\d)(?::([0-5]\d)(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2})?"
    r"(?:\s?(?:([ap])(?:\.m\.|m\b)|h(?:rs?)?\b))?(?![\d:])",
    re.IGNORECASE,
)
_LENGTH = re.compile(
    r"(?<![\w.,:])(?=\d+\s?(?:d|h|m)\s?\d)"
    r"(?:(\d+)\s?d\s?)?(?:(\d+)\s?h\s?)?(?:(\d{1,2})\s?m(?:in)?\s?)?(?:(\d{1,2})\s?s(?:ec)?)?(?<!\s)(?!\w)"
)


def time_ranges(text: str) -> str:
    """To be done before dashes become pauses."""
    return _TIME_RANGE.sub(r"\1 to ", text)


def spoken_times(text: str) -> str:
    text = _NAMES.sub(lambda found: _SHORT[found[0].rstrip(".")], text)
    text = _DAY_RANGE.sub(r"\1 to ", text)
    text = _DATE.sub(_date, text)
    return _LENGTH.sub(_length, _TIME.sub(_time, text))


def _date(found: re.Match[str]) -> str:
    month, day = int(found[2]), int(found[3])
    if not 1 <= month <= 12 or not 1 <= day <= 31:
        return found[0]
    at = " at " if found[0].endswith("T") else ""
    return f"{MONTHS[month - 1]} {day}, {found[1]}{at}"


def _time(found: re.Match[str]) -> str:
    """On the clock of twelve hours; "7:30" alone stays without a half of the day, since nobody said which."""
    hour, minute = int(found[1]), int(found[2])
    half = {"a": "AM", "p": "PM", None: ""}[found[4].lower() if found[4] else None]
    if not half and (hour > 12 or hour == 0 or (len(found[1]) == 2 and found[1][0] == "0")):
        half = "PM" if hour >= 12 else "AM"
    shown = hour % 12 or 12
    if minute == 0:
        said = f"{shown} {half}" if half else f"{shown} o'clock"
    else:
        said = f"{shown} {'oh ' if minute < 10 else ''}{minute} {half}".strip()
    if found[3] and int(found[3]):
        said += f" and {int(found[3])} second{'s' if int(found[3]) > 1 else ''}"
    return said


def _length(found: re.Match[str]) -> str:
    """One number alone may be anything ("5 m"); two that belong together are a length of time."""
    names = ("day", "hour", "minute", "second")
    parts = [
        f"{int(count)} {name}{'' if int(count) == 1 else 's'}"
        for name, count in zip(names, found.groups(), strict=True)
        if count
    ]
    return " ".join(parts) if len(parts) > 1 else found[0]
