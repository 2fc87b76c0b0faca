"""Time zones by the names people use: IANA names, cities, countries, "UTC+2"."""

import difflib
import functools
import os
import re
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from importlib import resources
from pathlib import Path
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from voice_gateway.errors import BadArguments

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
