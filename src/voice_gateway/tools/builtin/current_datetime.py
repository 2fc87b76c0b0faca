"""The tool `get_current_datetime`: what time and day it is, here or elsewhere, now or some time from now."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

from langchain_core.tools import BaseTool

from voice_gateway.errors import BadArguments
from voice_gateway.tools.builtin.times import Times
from voice_gateway.tools.builtin.zones import resolve_zone
from voice_gateway.tools.gateway_tool import declared_tool, parameters
from voice_gateway.turn import ToolTraits

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
