"""The tool `get_current_datetime`: what time and day it is, here or elsewhere, now or some time from now."""

import re
from calendar import monthrange
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Any

from langchain_core.tools import BaseTool

from home_names.calendar_words import WEEKDAYS
from voice_gateway.errors import BadArguments
from voice_gateway.tools.builtin.durations import MAX_TEXT, NOTHING, Span, parse_span
from voice_gateway.tools.builtin.zones import resolve_zone
from voice_gateway.tools.gateway_tool import declared_tool
from voice_gateway.turn import ToolTraits

DESCRIPTION = (
    "REQUIRED for time and date: you MUST call this whenever the user asks about the time, date, weekday "
    "or year, here or elsewhere. DO NOT use for timers or history.\n"
    'Good: "what time is it", "what day is it in 3 days". Bad: "set a timer".'
)

PARAMETERS: dict[str, Any] = {
    "type": "object",
    "properties": {
        "timezone": {
            "type": "string",
            "description": 'City or zone, for example "Tokyo" or "UTC+2"; here if left out',
        },
        "offset": {
            "type": "string",
            "description": 'From now, for example "+3 days" or "next friday"; now if left out',
        },
    },
}

_DAYS = {
    "today": 0,
    "tonight": 0,
    "tomorrow": 1,
    "yesterday": -1,
    "day after tomorrow": 2,
    "day before yesterday": -2,
}
_STEPS = {f"{which} {unit}": f"1 {unit}" for which in ("next", "last") for unit in ("week", "month", "year")}


@dataclass(frozen=True, slots=True)
class Offset:
    """How far from now, and how to say it."""

    phrase: str
    span: Span = NOTHING
    weekday: int | None = None
    sign: int = 1


def datetime_tool(now: Callable[[], datetime]) -> BaseTool:
    """`now` gives the system's clock as an aware datetime."""

    async def get_current_datetime(
        timezone: str | None = None, offset: str | None = None
    ) -> tuple[str, dict[str, Any]]:
        zone, place = resolve_zone(timezone)
        here = now().astimezone(zone)
        wanted = parse_offset(offset or "")
        moment = shift(here, wanted, zone) if wanted else here
        return _sentence(moment, place, wanted), {"structured": _facts(moment)}

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


def parse_offset(text: str) -> Offset | None:
    """None is now. Anything that cannot be read is refused."""
    spoken = " ".join(text[: MAX_TEXT + 1].lower().split()).strip(" .?!")
    named = re.sub(r"^(?:on|the|this coming|this|coming)\s+", "", spoken)
    if named in {"", "now", "0", "none", "right now"}:
        return None
    if named in _DAYS:
        return Offset(named.capitalize(), Span(days=_DAYS[named]))
    which, _, day = named.rpartition(" ")
    if day in WEEKDAYS and which in {"", "next", "last"}:
        prefix = "Last" if which == "last" else "Next"
        return Offset(
            f"{prefix} {day.capitalize()}", weekday=WEEKDAYS.index(day), sign=-1 if which == "last" else 1
        )
    back = named.startswith(("-", "−", "minus ", "last ")) or named.endswith((" ago", " earlier", " before"))
    length = re.sub(
        r"^(?:[+\-−]|minus |plus |in )\s*|(?<!\s)\s+(?:ago|earlier|before|from now|later)$", "", named
    )
    span = parse_span(_STEPS.get(named, length))
    if span is None:
        raise BadArguments(
            f'I cannot read the offset "{text.strip()[:60]}". '
            'Use a form such as "+3 days", "-2 hours", "tomorrow" or "next friday".'
        )
    phrase = named if named in _STEPS else f"{length} ago" if back else f"in {length}"
    return Offset(phrase[0].upper() + phrase[1:], span, sign=-1 if back else 1)


def shift(moment: datetime, offset: Offset, zone: tzinfo) -> datetime:
    """Days and months move the wall clock; hours are absolute, so a change of daylight saving is counted."""
    try:
        wall = moment.replace(tzinfo=None)
        if offset.weekday is not None:
            ahead = (offset.weekday - wall.weekday()) * offset.sign % 7 or 7
            wall += timedelta(days=ahead * offset.sign)
        wall = _add_months(wall, offset.sign * offset.span.months)
        wall += timedelta(days=offset.sign * offset.span.days)
        # Through UTC, so that a wall time which the clocks skip becomes the one they show.
        absolute = moment if wall == moment.replace(tzinfo=None) else wall.replace(tzinfo=zone)
        return (absolute.astimezone(UTC) + timedelta(seconds=offset.sign * offset.span.seconds)).astimezone(
            zone
        )
    except (OverflowError, ValueError) as error:
        raise BadArguments("That is too far from now for the calendar.") from error


def _add_months(wall: datetime, months: int) -> datetime:
    if not months:
        return wall
    years, month = divmod(wall.month - 1 + months, 12)
    year = wall.year + years
    if not 1 <= year <= 9999:
        raise OverflowError
    return wall.replace(year=year, month=month + 1, day=min(wall.day, monthrange(year, month + 1)[1]))


def _sentence(moment: datetime, place: str, offset: Offset | None) -> str:
    date = f"{moment:%A}, {moment.day} {moment:%B} {moment.year}"
    clock = f"{moment:%I:%M %p}".lstrip("0")
    # A zone's own name is said as it is; a place gets an "in", and its offset behind it.
    zone = place if place.startswith(("UTC", "GMT")) else f"{_where(place)} ({_offset_name(moment)})"
    if offset is None or (offset.span == NOTHING and offset.weekday is None):
        return f"It is {date}, {clock} {zone}."
    backwards = offset.sign < 0 or offset.span.days < 0
    start = f"{offset.phrase} it {'was' if backwards else 'will be'} {date}"
    if offset.span.seconds:
        return f"{start}, {clock} {zone}."
    return f"{start}." if place == "local time" else f"{start} {_where(place)}."


def _where(place: str) -> str:
    return place if place in {"local time", "UTC", "GMT"} else f"in {place}"


def _offset_name(moment: datetime) -> str:
    shown = moment.isoformat()[-6:]
    return "UTC" if shown == "+00:00" else f"UTC{shown}"


def _facts(moment: datetime) -> dict[str, Any]:
    zone = getattr(moment.tzinfo, "key", None) or moment.tzname() or "local"
    return {
        "iso": moment.isoformat(timespec="seconds"),
        "date": moment.date().isoformat(),
        "weekday": f"{moment:%A}",
        "time": f"{moment:%H:%M}",
        "timezone": zone,
        "utc_offset": moment.isoformat()[-6:],
    }
