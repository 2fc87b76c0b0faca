"""Times of day as people say them: "7 pm", "half past seven", "tomorrow at 9"."""

import re
from datetime import UTC, date, datetime, time, timedelta, tzinfo

from home_words.numbers import NUMBER_WORDS
from voice_gateway.tools.builtin.durations import MAX_TEXT

WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_NUMBERS = {word: str(value) for word, value in NUMBER_WORDS.items()}
_EARLY, _DARK = {"am", "morning"}, {"night", "tonight"}
_NAMED = {"noon": 12, "midday": 12, "midnight": 24}
_HALF_DAY = re.compile(r"\b(am|pm|morning|afternoon|evening|night|tonight)\b")
_CLOCK = re.compile(r"(\d{1,2})(?:[:.h ](\d{2}))?")
_RELATIVE = re.compile(r"(half|quarter|\d{1,2}(?: minutes)?) (past|to) (\d{1,2})")


def parse_moment(spoken: str, now: datetime, zone: tzinfo) -> datetime | None:
    """The next such moment after `now`, in UTC; None when it cannot be read. A past date stays past."""
    if len(spoken) > MAX_TEXT:
        return None
    if (exact := _iso(spoken.strip(), zone)) is not None:
        return exact
    here = now.astimezone(zone)
    text, day = _take_day(_plain(spoken), here.date())
    half = _HALF_DAY.search(text)
    clock = _clock(" ".join(_HALF_DAY.sub("", text).split()))
    if clock is None:
        return None
    hours = _hours(clock[0], half[1] if half else None)
    # "At 7" is the next 7 o'clock of either half of the day.
    days = [here.date(), here.date() + timedelta(days=1)] if day is None else [day]
    moments = [_on(one, hour, clock[1], zone) for one in days for hour in hours]
    return next((moment for moment in moments if moment > now), moments[-1] if moments else None)


def _plain(spoken: str) -> str:
    text = (
        spoken.lower()
        .replace("a.m.", "am")
        .replace("p.m.", "pm")
        .replace("o'clock", "")
        .replace("o’clock", "")
    )
    words = re.sub(r"[,?!-]", " ", text).split()
    kept = [
        _NUMBERS.get(word, word)
        for word in words
        if word not in {"at", "the", "in", "on", "for", "this", "by"}
    ]
    joined = re.sub(r"(\d)(am|pm)\b", r"\1 \2", " ".join(kept)).strip(" .")
    return re.sub(r"\b(20|30|40|50) ([1-9])\b", lambda pair: str(int(pair[1]) + int(pair[2])), joined)


def _iso(text: str, zone: tzinfo) -> datetime | None:
    if not re.match(r"\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}", text):
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return (moment if moment.tzinfo else moment.replace(tzinfo=zone)).astimezone(UTC)


def _take_day(text: str, today: date) -> tuple[str, date | None]:
    for word, days in (("day after tomorrow", 2), ("tomorrow", 1), ("today", 0), ("tonight", 0)):
        if re.search(rf"\b{word}\b", text):
            rest = re.sub(rf"\b{word}\b", "tonight" if word == "tonight" else "", text)
            return " ".join(rest.split()), today + timedelta(days=days)
    for number, name in enumerate(WEEKDAYS):
        if re.search(rf"\b(?:next )?{name}\b", text):
            ahead = (number - today.weekday()) % 7 or 7
            return " ".join(re.sub(rf"\b(?:next )?{name}\b", "", text).split()), today + timedelta(days=ahead)
    return text, None


def _clock(text: str) -> tuple[str, int] | None:
    """The hour as it was said, and the minute."""
    if text in {"noon", "midday", "midnight"}:
        return text, 0
    if relative := _RELATIVE.fullmatch(text):
        part, side, hour = relative.groups()
        minutes = {"half": 30, "quarter": 15}.get(part) or int(part.split()[0])
        if minutes > 59 or not minutes:
            return None
        return (hour, minutes) if side == "past" else (str((int(hour) - 1) % 12 or 12), 60 - minutes)
    if (match := _CLOCK.fullmatch(text)) and int(match[2] or 0) < 60:
        return match[1], int(match[2] or 0)
    return None


def _hours(said: str, half: str | None) -> list[int]:
    """The hours of the day that can be meant, in order; none when there is no such hour. 24 is midnight."""
    if said in _NAMED:
        return [_NAMED[said]]
    hour = int(said)
    if half is None:
        # "07:30" and "19:30" are of the 24 hour clock; "7:30" may be either.
        return [
            one for one in ([hour] if said.startswith("0") or hour > 12 else [hour, hour + 12]) if one <= 24
        ]
    if hour > 12:
        return [hour] if half not in _EARLY and hour < 24 else []
    if half in _EARLY:
        return [hour % 12]
    if half in _DARK and (hour < 5 or hour == 12):
        return [hour % 12, hour % 12 + 24]  # "3 at night" lies behind midnight
    return [hour % 12 + 12]


def _on(day: date, hour: int, minute: int, zone: tzinfo) -> datetime:
    """Through UTC, so that a time which the clocks skip becomes the one they show."""
    wall = datetime.combine(day + timedelta(days=hour // 24), time(hour % 24, minute), zone)
    return wall.astimezone(UTC)
