"""Times of day as people say them: "7 pm", "half past seven", "tomorrow at 9"."""

import re
from datetime import UTC, date, datetime, time, timedelta, tzinfo

from home_names.numbers import NUMBER_WORDS
from voice_gateway.tools.builtin.calendar_days import say_day, take_day
from voice_gateway.tools.builtin.durations import MAX_TEXT

_NUMBERS = {word: str(value) for word, value in NUMBER_WORDS.items()}
_EARLY, _DARK = {"am", "morning"}, {"night", "tonight"}
_SMALL = frozenset("the in on this".split())
_NAMED = {"noon": 12, "midday": 12, "midnight": 24}
_HALF_DAY = re.compile(r"\b(am|pm|morning|afternoon|evening|night|tonight)\b")
_CLOCK = re.compile(r"(\d{1,2})(?:[:.h ](\d{2}))?")
_RELATIVE = re.compile(r"(half|quarter|\d{1,2}(?: minutes)?) (past|to) (\d{1,2})")
# Where only a part of the day is said, or only the day.
_USUAL = {"morning": "9", "afternoon": "3", "evening": "7", "night": "8", "tonight": "8"}
_WAKING = range(4, 12)  # hours at which people are woken: without am or pm they mean the morning
_BY_DAY = range(7, 12)  # of another day: "tomorrow at 8" is in the morning, "tomorrow at 3" is not


def parse_moment(
    spoken: str, now: datetime, zone: tzinfo, *, waking: bool = False, day_alone: bool = False
) -> datetime | None:
    """The next such moment after `now`, in UTC; None when it cannot be read. A past date stays past.

    `waking`: without am or pm a morning hour is meant. `day_alone`: "tomorrow" and "friday evening" will do.
    """
    if len(spoken) > MAX_TEXT:
        return None
    if (exact := _iso(spoken.strip(), zone)) is not None:
        return exact
    here = now.astimezone(zone)
    text, day = take_day(_plain(spoken), here.date())
    half = _HALF_DAY.search(text)
    text = " ".join(word for word in _HALF_DAY.sub("", text).split() if word not in _SMALL)
    part = half[1] if half else None
    if not text and day_alone and (part or day):
        part = part or "morning"
        text = _USUAL.get(part, "")
    clock = _clock(text)
    if clock is None:
        return None
    hours = _hours(clock[0], part)
    if len(hours) > 1 and part is None:
        hours = _likely(hours, waking=waking, other_day=day is not None and day != here.date())
    # "At 7" is the next 7 o'clock of either half of the day.
    days = [here.date(), here.date() + timedelta(days=1)] if day is None else [day]
    moments = [_on(each, hour, clock[1], zone) for each in days for hour in hours]
    return next((moment for moment in moments if moment > now), moments[-1] if moments else None)


def time_of_day(spoken: str) -> tuple[list[int], int] | None:
    """The hours that can be meant, in order (24 is midnight), and the minute; None when it cannot be read."""
    text = _plain(spoken) if len(spoken) <= MAX_TEXT else ""
    half = _HALF_DAY.search(text)
    clock = _clock(" ".join(word for word in _HALF_DAY.sub("", text).split() if word not in _SMALL))
    return None if clock is None else (_hours(clock[0], half[1] if half else None), clock[1])


def unclear_hour(spoken: str) -> str:
    """The hour of a wake-up time that may be by day or by night: "2", "12"; "" when it is clear."""
    text, _day = take_day(_plain(spoken), date(2000, 1, 1))
    clock = None if _HALF_DAY.search(text) else _clock(text)
    if clock is None or not clock[0].isdecimal() or clock[0].startswith("0"):
        return ""
    return clock[0] if int(clock[0]) in (12, 1, 2, 3) else ""


def _likely(hours: list[int], *, waking: bool, other_day: bool) -> list[int]:
    """Of both halves of the day the one that people mean, where they do not say it."""
    if waking and hours[0] in _WAKING:
        return hours[:1]
    if other_day:
        return hours[:1] if hours[0] in _BY_DAY else [hour for hour in hours if hour >= 12][:1]
    return hours


def say_moment(due: datetime, now: datetime, zone: tzinfo) -> str:
    """As a person would say it: "6:30 tomorrow morning", "noon", "8 on Friday evening"."""
    there, today = due.astimezone(zone), now.astimezone(zone).date()
    days = (there.date() - today).days
    if (there.hour, there.minute) == (0, 0):
        return f"midnight {say_day(there.date() - timedelta(days=1), today)}".replace("today", "tonight")
    clock = say_clock(there)
    if clock == "noon" or there.hour < 4:
        return clock if not days else f"{clock} {say_day(there.date(), today)}"
    part = "morning" if there.hour < 12 else "afternoon" if there.hour < 18 else "evening"
    part = "night" if there.hour >= 22 else part
    clock = clock.removesuffix(" AM").removesuffix(" PM")
    if days in (0, 1):
        when = "tonight" if part == "night" and not days else f"{'tomorrow' if days else 'this'} {part}"
        return f"{clock} {when}"
    day, comma, rest = say_day(there.date(), today).partition(",")
    return f"{clock} {day} {part}{comma}{rest}"


def say_clock(there: datetime) -> str:
    """ "6:30 AM", "7 PM", "noon"."""
    if (there.hour, there.minute) == (12, 0):
        return "noon"
    minutes = f":{there.minute:02}" if there.minute else ""
    return f"{there.hour % 12 or 12}{minutes} {'AM' if there.hour < 12 else 'PM'}"


def _plain(spoken: str) -> str:
    text = (
        spoken.lower()
        .replace("a.m.", "am")
        .replace("p.m.", "pm")
        .replace("o'clock", "")
        .replace("o’clock", "")
    )
    words = re.sub(r"[,?!-]", " ", text).split()
    kept = [_NUMBERS.get(word, word) for word in words if word not in {"at", "for", "by", "around", "oclock"}]
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


def _hours(spoken_hour: str, half: str | None) -> list[int]:
    """The hours of the day that can be meant, in order; none when there is no such hour. 24 is midnight."""
    if spoken_hour in _NAMED:
        return [_NAMED[spoken_hour]]
    hour = int(spoken_hour)
    if half is None:
        # "07:30" and "19:30" are of the 24 hour clock; "7:30" may be either.
        return [
            each
            for each in ([hour] if spoken_hour.startswith("0") or hour > 12 else [hour, hour + 12])
            if each <= 24
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
