"""`get_current_datetime`, and the times of all built-in tools: values are read here, words by `Times`."""

import re
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from itertools import pairwise
from typing import Any, Final

from langchain_core.tools import BaseTool

from home_names.numbers import to_digits
from voice_gateway.errors import BadArguments
from voice_gateway.tools.builtin.zones import local_zone, resolve_zone
from voice_gateway.tools.gateway_tool import declared_tool, parameters
from voice_gateway.turn import ToolTraits

MAX_TEXT: Final = 100  # longer than any time that people say; keeps an error message short
SIZES: Final = {"week": 604800, "day": 86400, "hour": 3600, "minute": 60, "second": 1}
_LENGTH = re.compile(r"(\d+(?:\.\d+)?) ?(week|day|hour|minute|second)s?")
_CLOCK = re.compile(r"(\d{1,3}):(\d{2}):(\d{2})")


class Times:
    """Reads "90", "1 hour 30 minutes", "1:30:00" and ISO times. None: it is none of these.

    A subclass may read words, too, and raises `BadArguments` where a person must say it otherwise.
    """

    def length(self, text: str) -> float | None:
        """In seconds."""
        text = " ".join(to_digits(text.lower().split()))
        if re.fullmatch(r"\d{1,9}(?:\.\d+)?", text):
            return float(text)
        if clock := _CLOCK.fullmatch(text):
            hours, minutes, seconds = map(int, clock.groups())
            return hours * 3600 + minutes * 60 + seconds
        parts = _LENGTH.findall(text)
        whole = " ".join(part[0] for part in _LENGTH.finditer(text)) == re.sub(r",| and ", " ", text)
        return sum(float(number) * SIZES[unit] for number, unit in parts) if parts and whole else None

    def moment(self, text: str, now: datetime, kind: str = "") -> datetime | None:
        """In UTC. `kind` is alarm or reminder, where that decides which hour is meant."""
        try:
            moment = datetime.fromisoformat(text.strip()) if "T" in text or ":" in text[10:] else None
        except ValueError:
            return None
        zone = local_zone()[0]
        return moment and (moment if moment.tzinfo else moment.replace(tzinfo=zone)).astimezone(UTC)

    def day(self, text: str, today: date) -> date | None:
        try:
            return date.fromisoformat(text.strip())
        except ValueError:
            return None

    def offset(self, text: str, here: datetime) -> datetime | None:
        """A moment before or after `here`, in its zone."""
        moment = Times.moment(self, text, here)
        return moment and moment.astimezone(here.tzinfo)


# --- how they are said


def say_seconds(seconds: float) -> str:
    """A length of time as a phrase: "1 hour 30 minutes"."""
    left = max(0, round(seconds))
    counts = [(left % more // size, unit) for (_, more), (unit, size) in pairwise(SIZES.items())]
    counts[0] = (left // SIZES["day"], "day")  # weeks are told in days
    return " ".join(f"{n} {unit}{'' if n == 1 else 's'}" for n, unit in counts if n) or "0 seconds"


def say_clock(there: datetime) -> str:
    """ "6:30 AM", "7 PM", "noon"."""
    if (there.hour, there.minute) == (12, 0):
        return "noon"
    minutes = f":{there.minute:02}" if there.minute else ""
    return f"{there.hour % 12 or 12}{minutes} {'AM' if there.hour < 12 else 'PM'}"


def say_day(day: date, today: date) -> str:
    """ "today", "tomorrow", "on Friday", "on Friday, 20 November", with the year where it is another one."""
    days = (day - today).days
    if days in (0, 1):
        return ("today", "tomorrow")[days]
    if 1 < days < 7:
        return f"on {day:%A}"
    year = f" {day.year}" if day.year != today.year else ""
    return f"on {day:%A}, {day.day} {day:%B}{year}"


def say_moment(due: datetime, now: datetime) -> str:
    """As a person would say it: "6:30 tomorrow morning", "noon", "8 on Friday evening"."""
    zone = local_zone()[0]
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


DESCRIPTION = (
    "REQUIRED for time and date: you MUST call this whenever the user asks about the time, date, weekday "
    "or year, here or elsewhere. DO NOT use for timers or history.\n"
    'Good: "what time is it", "what day is it in 3 days". Bad: "set a timer".'
)
PARAMETERS = parameters(
    timezone='City or zone, for example "Tokyo" or "UTC+2"; here if left out',
    offset='From now, for example "+3 days" or "next friday"; now if left out',
)


def datetime_tool(now: Callable[[], datetime], times: Times) -> BaseTool:
    """`now` gives the system's clock as an aware datetime."""

    async def get_current_datetime(
        timezone: str | None = None, offset: str | None = None
    ) -> tuple[str, dict[str, Any]]:
        zone, place = resolve_zone(timezone)
        here = moment = now().astimezone(zone)
        if (offset or "").strip().lower() not in ("", "now", "0", "none", "right now"):
            shifted = times.offset(str(offset), here)
            if shifted is None:
                raise BadArguments(
                    f'I cannot read the offset "{str(offset).strip()[:60]}". '
                    'Use a form such as "+3 days", "-2 hours", "tomorrow" or "next friday".'
                )
            moment = shifted
        return _sentence(moment, here, place), {"structured": _facts(moment)}

    return declared_tool(
        "get_current_datetime",
        DESCRIPTION,
        PARAMETERS,
        get_current_datetime,
        ToolTraits(
            title="Date and time",
            summary="The time and the date, here or elsewhere, now or some days away.",
            read_only=True,
            idempotent=True,
        ),
    )


def _sentence(moment: datetime, now: datetime, place: str) -> str:
    verb = "is" if moment == now else "was" if moment < now else "will be"
    clock = f"{moment:%I:%M %p}".lstrip("0")
    # A zone's own name is said as it is; a place gets an "in", and its offset behind it.
    where = place if place == "local time" else f"in {place}"
    zone = place if place.startswith(("UTC", "GMT")) else f"{where} (UTC{moment.isoformat()[-6:]})"
    return f"It {verb} {moment:%A}, {moment.day} {moment:%B} {moment.year}, {clock} {zone}."


def _facts(moment: datetime) -> dict[str, Any]:
    return {
        "iso": moment.isoformat(timespec="seconds"),
        "date": moment.date().isoformat(),
        "weekday": f"{moment:%A}",
        "time": f"{moment:%H:%M}",
        "timezone": getattr(moment.tzinfo, "key", None) or moment.tzname() or "local",
        "utc_offset": moment.isoformat()[-6:],
    }
