"""`get_current_datetime`, and the times of all built-in tools: values are read here, words by `Times`."""

import difflib
import functools
import os
import re
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta, timezone, tzinfo
from importlib import resources
from itertools import pairwise
from pathlib import Path
from typing import Any, Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from langchain_core.tools import BaseTool

from home_names.numbers import to_digits
from voice_gateway.errors import BadArguments
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


# --- time zones by the names people use: IANA names, cities, countries, "UTC+2"

# Places that no zone is named after, and that people ask for.
_ALIASES = {
    "Europe/London": "uk, united kingdom, england, scotland, wales, edinburgh, manchester, bst, britain",
    "Europe/Berlin": "munich, frankfurt, hamburg, cologne, stuttgart",
    "Europe/Paris": "lyon, marseille, nice",
    "Europe/Madrid": "barcelona, seville, valencia",
    "Europe/Rome": "milan, florence, venice, naples, turin",
    "Europe/Zurich": "geneva, basel, bern",
    "Europe/Amsterdam": "the netherlands, holland, rotterdam, the hague",
    "Europe/Istanbul": "turkey, ankara",
    "Europe/Prague": "czech republic",
    "Europe/Moscow": "saint petersburg, st petersburg",
    "Asia/Shanghai": "china, beijing, shenzhen, guangzhou",
    "Asia/Kolkata": "delhi, new delhi, mumbai, bangalore, chennai, hyderabad, ist",
    "Asia/Tokyo": "osaka, kyoto, jst",
    "Asia/Seoul": "korea, south korea, busan",
    "Asia/Ho_Chi_Minh": "vietnam, hanoi",
    "Asia/Dubai": "abu dhabi, uae, emirates",
    "Asia/Riyadh": "mecca",
    "Asia/Jerusalem": "tel aviv",
    "America/New_York": "nyc, boston, miami, atlanta, philadelphia, washington dc, washington d.c., florida, "
    "new jersey, orlando, eastern, eastern standard, us eastern, et, edt",
    "America/Chicago": "texas, houston, dallas, austin, new orleans, central, us central, ct, cdt, cst",
    "America/Denver": "colorado, utah, salt lake city, mountain, us mountain, mt, mdt",
    "America/Phoenix": "arizona",
    "America/Los_Angeles": "california, san francisco, la, seattle, san diego, las vegas, silicon valley, "
    "washington state, pacific, us pacific, pt, pst, pdt",
    "America/Anchorage": "alaska",
    "Pacific/Honolulu": "hawaii",
    "America/Toronto": "montreal, ottawa, quebec",
    "America/Edmonton": "calgary",
    "America/Sao_Paulo": "rio, rio de janeiro, brasilia",
    "Australia/Sydney": "canberra",
    "Pacific/Auckland": "new zealand, wellington, christchurch",
    "Africa/Johannesburg": "cape town, pretoria",
    "UTC": "z, zulu, universal, coordinated universal",
}
_HERE = {"", "local", "here", "home", "my", "default", "none"}
_LEGACY = ("Etc/", "US/", "Canada/", "Brazil/", "Mexico/", "Chile/")  # zones that have better names
_MAX_NAME = 60  # the longest IANA name has 32 characters
_TAB_ZONES = 2  # column of zone.tab that holds the zone's name


def resolve_zone(spoken: str | None) -> tuple[tzinfo, str]:
    """The zone, and a name for it that can be said: a place, "UTC+02:00", or "local time"."""
    name = _plain(spoken or "")
    if name in _HERE:
        return local_zone()
    if len(name) > _MAX_NAME:
        raise BadArguments("The time zone is too long. Give a city or an IANA name such as Asia/Tokyo.")
    if (fixed := _fixed_offset(name)) is not None:
        return fixed
    for candidate in (name, name.split(",")[0].strip(), name.removeprefix("the "), name.rpartition(" ")[0]):
        if key := _zone_names().get(candidate):
            return ZoneInfo(key), place_of(key) if "/" in candidate else _capitals(candidate)
        if different := _one_for_each_time(_countries().get(candidate, ())):
            if len(different) == 1:
                return ZoneInfo(different[0]), _capitals(candidate)
            some = ", ".join(map(place_of, different[:4]))
            several = f"{_capitals(candidate)} has several time zones."
            raise BadArguments(f"{several} Name a city, for example {some}.")
    near = difflib.get_close_matches(name, _zone_names(), n=3, cutoff=0.7)
    keys = " or ".join(dict.fromkeys(_zone_names()[match] for match in near))
    hint = f"Did you mean {keys}?" if keys else "Give a city or an IANA name such as Asia/Tokyo."
    raise BadArguments(f'I do not know the time zone "{(spoken or "").strip()[:_MAX_NAME]}". {hint}')


def local_zone() -> tuple[tzinfo, str]:
    """The system's own zone with its daylight saving rules, so that sums across a change are right."""
    # TZ is how every program on the system is told its zone; it is not a setting of the gateway.
    key = os.environ.get("TZ", "").removeprefix(":")
    link = Path("/etc/localtime")
    if not key and link.is_symlink():
        key = str(link.readlink()).rpartition("zoneinfo/")[2]
    try:
        if key:
            return ZoneInfo(key), "local time"
        if link.is_file():
            with link.open("rb") as rules:
                return ZoneInfo.from_file(rules), "local time"
    except (ZoneInfoNotFoundError, ValueError, OSError):
        pass  # a POSIX rule in TZ, or a broken link: the offset of this moment is what is left
    return datetime.now().astimezone().tzinfo or UTC, "local time"


def place_of(key: str) -> str:
    """ "America/New_York" is said "New York"."""
    return key.rpartition("/")[2].replace("_", " ")


def _capitals(name: str) -> str:
    return name.upper() if len(name) <= 3 else " ".join(word.capitalize() for word in name.split())


def _one_for_each_time(keys: tuple[str, ...]) -> list[str]:
    """The first zone of each group that shows the same time in winter and in summer."""
    moments = [datetime(datetime.now(UTC).year, month, 1, tzinfo=UTC) for month in (1, 7)]
    groups: dict[tuple[timedelta | None, ...], str] = {}
    for key in keys:
        groups.setdefault(tuple(moment.astimezone(ZoneInfo(key)).utcoffset() for moment in moments), key)
    return list(groups.values())


def _plain(spoken: str) -> str:
    text = " ".join(spoken[: _MAX_NAME * 2].lower().replace("_", " ").split()).strip(" .?!")
    around = r"^(?:in|at|the time in)\s+|(?<!\s)\s+(?:standard time|daylight time|time zone|timezone|time)$"
    return re.sub(around, "", text)


def _fixed_offset(name: str) -> tuple[tzinfo, str] | None:
    match = re.fullmatch(r"(?:utc|gmt)?\s*([+\-−])\s*(\d{1,2})(?::?(\d{2}))?(?:\s*h(?:ours?)?)?", name)
    if not match:
        return None
    sign, hours, minutes = match[1], int(match[2]), int(match[3] or 0)
    if hours > 14 or minutes > 59 or (hours == 14 and minutes):
        raise BadArguments("An offset from UTC lies between UTC-12 and UTC+14.")
    offset = timedelta(hours=hours, minutes=minutes)
    zone = timezone(offset if sign == "+" else -offset)
    return zone, zone.tzname(None) or "UTC"


@functools.cache
def _zone_names() -> dict[str, str]:
    """Every name a zone can be called by, in lower case. The list comes with the tz database itself."""
    keys = resources.files("tzdata").joinpath("zones").read_text("utf-8").split()
    names: dict[str, str] = {}
    # Later entries win: good names over legacy, short over long, aliases over all.
    for key in sorted(keys, key=lambda key: (not key.startswith(_LEGACY), -key.count("/"))):
        if "/" in key and not key.startswith("Etc/"):
            names[key.rpartition("/")[2].replace("_", " ").lower()] = key
    names.update({alias: key for key, line in _ALIASES.items() for alias in line.split(", ")})
    names.update({key.replace("_", " ").lower(): key for key in keys})
    return names


@functools.cache
def _countries() -> dict[str, tuple[str, ...]]:
    """Country names in lower case, each with its zones."""
    folder = resources.files("tzdata.zoneinfo")
    zones: dict[str, list[str]] = {}
    for row in _rows(folder.joinpath("zone.tab").read_text("utf-8")):
        zones.setdefault(row[0], []).append(row[_TAB_ZONES])
    countries = {row[1].lower(): row[0] for row in _rows(folder.joinpath("iso3166.tab").read_text("utf-8"))}
    countries |= {"usa": "US", "us": "US", "america": "US", "united states of america": "US"}
    return {name: tuple(zones[code]) for name, code in countries.items() if code in zones}


def _rows(table: str) -> list[list[str]]:
    return [line.split("\t") for line in table.splitlines() if line and not line.startswith("#")]
