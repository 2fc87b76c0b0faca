"""Energy by device and day, from the meters' own counts, which a small SQLite file keeps.

A meter counts by itself, so two readings of one day tell exactly what came between them, however far apart.
What comes between readings of different days cannot be divided: it is kept apart.
"""

import logging
import re
import sqlite3
import time
from collections.abc import Callable, Iterable
from dataclasses import astuple, dataclass
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any, Final, TypeVar

from home_names import wording
from home_names.phrases import capital, listed
from zwave_mcp import sentences
from zwave_mcp.devices import CC, Device
from zwave_mcp.home import Value, is_number
from zwave_mcp.results import Result, result
from zwave_mcp.view import View, Viewer, resolve_device

log = logging.getLogger(__name__)
T = TypeVar("T")

KEPT_DAYS: Final = 400
# Readings so close on both sides of midnight: what came between belongs to the new day, near enough.
_NEAR_SECONDS: Final = 3600.0
_BUSY_SECONDS: Final = 0.2  # another server writes for less than a millisecond
_TABLE: Final = """create table if not exists meter_days (
  meter text, day text, kwh real, since real, until real, whole integer, apart real, reset integer,
  total real, primary key (meter, day)) without rowid"""
_ELECTRIC, _PRODUCED = 1, 2
_MOST_NAMED: Final = 5
_LITTLE: Final = 0.005  # kilowatt hours that are not worth saying
_SOON_SECONDS: Final = 600.0
_WEEKDAYS: Final = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")


@dataclass(frozen=True, slots=True)
class MeterReading:
    meter: str
    kwh: float
    at: float  # seconds since 1970


@dataclass(frozen=True, slots=True)
class Day:
    """What one meter counted on one day."""

    kwh: float
    since: float
    until: float
    whole: bool  # counted from midnight on
    apart: float  # came before `since`, on this day or an earlier one
    reset: bool  # the meter began anew, so the amount is a minimum


class MeterDays:
    """`file` None: kept in memory. A file that cannot be used is logged once, and stops nothing."""

    def __init__(self, file: Path | None = None) -> None:
        self._file = file
        self._base: sqlite3.Connection | None = None
        self._warned = False

    def add(self, readings: Iterable[MeterReading]) -> None:
        """Keep the readings; what cannot be kept now is in the next reading."""

        def keep(base: sqlite3.Connection) -> None:
            with base:
                base.execute("begin immediate")
                for reading in readings:
                    _add(base, reading)

        self._try(keep, None)

    def on(self, day: date, meters: Iterable[str]) -> dict[str, Day]:
        query = "select meter, kwh, since, until, whole, apart, reset from meter_days where day = ?"
        rows: list[Any] = self._try(lambda base: base.execute(query, (day.isoformat(),)).fetchall(), [])
        days = {meter: Day(*row) for meter, *row in rows}
        return {meter: days[meter] for meter in meters if meter in days}

    def first_day(self) -> float | None:
        """When counting began."""
        query = "select min(since) from meter_days"
        return self._try(lambda base: base.execute(query).fetchone(), (None,))[0]

    def close(self) -> None:
        if self._base is not None:
            self._base.close()
            self._base = None

    def _try(self, work: Callable[[sqlite3.Connection], T], default: T) -> T:
        try:
            if self._base is None:
                self._base = _opened(self._file)
            return work(self._base)
        except (sqlite3.Error, OSError) as error:
            if not self._warned:
                log.warning("energy is not kept", extra={"file": str(self._file), "error": str(error)})
            self._warned = True
            return default


def _opened(file: Path | None) -> sqlite3.Connection:
    if file is not None:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        file.touch(mode=0o600, exist_ok=True)
    base = sqlite3.connect(
        file or ":memory:", timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False
    )
    try:
        base.executescript(f"pragma synchronous = off;{_TABLE}")
        oldest = (date.today() - timedelta(days=KEPT_DAYS)).isoformat()
        base.execute("delete from meter_days where day < ?", (oldest,))
    except BaseException:
        base.close()
        raise
    return base


def _add(base: sqlite3.Connection, reading: MeterReading) -> None:
    query = """select day, total, kwh, since, until, whole, apart, reset from meter_days
        where meter = ? order by day desc limit 1"""
    last, day = base.execute(query, (reading.meter,)).fetchone(), _date(reading.at).isoformat()
    if last is None:
        now = Day(0.0, reading.at, reading.at, False, 0.0, False)
    else:
        (known, total), before = last[:2], Day(*last[2:])
        if reading.at <= before.until:
            return
        now = _counted(before, reading, total, same_day=known == day)
    row = (reading.meter, day, *astuple(now), reading.kwh)
    base.execute("insert or replace into meter_days values (?, ?, ?, ?, ?, ?, ?, ?, ?)", row)


def _counted(before: Day, now: MeterReading, total: float, *, same_day: bool) -> Day:
    reset = now.kwh < total
    used = now.kwh if reset else now.kwh - total
    if same_day:
        return Day(before.kwh + used, before.since, now.at, before.whole, before.apart, before.reset or reset)
    if now.at - before.until <= _NEAR_SECONDS or used == 0:  # nothing was missed in between
        return Day(used, midnight(_date(now.at)), now.at, True, 0.0, reset)
    return Day(0.0, now.at, now.at, False, used, reset)


def _date(at: float) -> date:
    return datetime.fromtimestamp(at).date()


def midnight(day: date) -> float:
    return datetime(day.year, day.month, day.day).timestamp()


class Energy:
    def __init__(self, viewer: Viewer, days: MeterDays, clock: Callable[[], float] = time.time) -> None:
        self._viewer = viewer
        self._days = days
        self._clock = clock
        self._seen: dict[str, tuple[float, float | None]] = {}
        viewer.on_view(self._note)

    def _note(self, view: View) -> None:
        """Keep what the meters have newly reported."""
        fresh: list[MeterReading] = []
        for device in view.devices:
            for value in () if device.node.dead else meters(device):
                meter, seen = meter_of(value), (value.value, value.updated)
                if self._seen.get(meter) != seen:
                    self._seen[meter] = seen
                    fresh.append(MeterReading(meter, float(value.value), value.updated or self._clock()))
        if fresh:
            self._days.add(fresh)

    async def used(self, asked: str = "", day: str = "today") -> Result:
        requested: dict[str, Any] = {"day": day}
        when = day_of(day, self._today())
        if when is None:
            sentence = f"{wording.quoted(day)} is no day; say today, yesterday, a weekday or 2026-11-16."
            return result(sentence, "invalid", requested=requested)
        view = await self._viewer.now()
        if not asked:
            return self._all(view, when, requested)
        device = resolve_device(view, asked, lambda item: bool(meters(item)))
        return self._one(device, when, requested)

    def _one(self, device: Device, day: date, requested: dict[str, Any]) -> Result:
        counting = meters(device)
        if not counting:
            return result(_no_meter(device), "unsupported", device, requested)
        rows = self._days.on(day, [meter_of(item) for item in counting])
        if not rows:
            sentence = f"Nothing was measured of {wording.the(device)} {self._spoken(day)}{self._begun()}."
            nothing: dict[str, Any] = {"energy": [], "day": day.isoformat()}
            return result(sentence, "unconfirmed", device, requested, more=nothing)
        entry = _entry(device, list(rows.values()))
        amount = f"{'at least ' if entry['reset'] else ''}{_kwh(entry['kwh'])}"
        sentence = f"{capital(wording.the(device))} used {amount} {self._spoken(day)}{self._but(entry, day)}."
        more = {"energy": [entry], "day": day.isoformat()}
        return result(sentence, "confirmed", device, requested, more=more)

    def _all(self, view: View, day: date, requested: dict[str, Any]) -> Result:
        having = [(device, values) for device in view.devices if (values := meters(device))]
        if not having:
            return result("Nothing here counts energy.", "unsupported", requested=requested)
        by_meter = self._days.on(day, [meter_of(item) for _, values in having for item in values])
        names = sentences.distinct_names(view.devices)
        entries: list[dict[str, Any]] = []
        missing: list[Device] = []
        for device, values in having:
            rows = [by_meter[meter_of(item)] for item in values if meter_of(item) in by_meter]
            if rows:
                entries.append(_entry(device, rows))
            else:
                missing.append(device)
        entries.sort(key=lambda item: -item["kwh"])
        total = round(sum(item["kwh"] for item in entries), 3)
        more: dict[str, Any] = {
            "energy": entries,
            "total": total,
            "day": day.isoformat(),
            "notMeasured": [device.name for device in missing],
        }
        if not entries:
            sentence = f"Nothing was measured {self._spoken(day)}{self._begun()}."
            return result(sentence, "unconfirmed", requested=requested, more=more)
        called = [(names[item["nodeId"], item["endpoint"]], item) for item in entries]
        amounts = [f"{name} {_number(item['kwh'])}" for name, item in called]
        each = sentences.counted(amounts, _MOST_NAMED)
        parts = [f"{capital(self._spoken(day))} {_kwh(total)}: {each}"]
        if not_whole := [name for name, item in called if not item["whole"]]:
            parts.append(f"not counted from midnight on: {listed(not_whole[:_MOST_NAMED])}")
        if missing:
            silent = [names[item.place] for item in missing][:_MOST_NAMED]
            parts.append(f"not measured: {listed(silent)}")
        return result("; ".join(parts) + ".", "confirmed", requested=requested, more=more)

    def _begun(self) -> str:
        first = self._days.first_day()
        if first is None:
            return "; its meter has told nothing yet"
        at = datetime.fromtimestamp(first)
        return f"; counting began on {at.day} {at:%B} at {at:%H:%M}"

    def _today(self) -> date:
        return datetime.fromtimestamp(self._clock()).date()

    def _spoken(self, day: date) -> str:
        back = (self._today() - day).days
        return {0: "today", 1: "yesterday"}.get(back, f"on {day:%A} {day.day} {day:%B}")

    def _but(self, entry: dict[str, Any], day: date) -> str:
        """What restricts the amount."""
        parts = []
        if not entry["whole"]:
            parts.append(f"counted from {datetime.fromtimestamp(entry['since']):%H:%M} on")
        if entry["apart"] > _LITTLE:
            parts.append(f"{_kwh(entry['apart'])} more came before that, and on which day is not known")
        if entry["reset"]:
            parts.append("its meter was set back meanwhile")
        if entry["until"] < min(midnight(day + timedelta(days=1)), self._clock()) - _SOON_SECONDS:
            parts.append(f"its meter last told at {datetime.fromtimestamp(entry['until']):%H:%M}")
        return "".join(f"; {item}" for item in parts)


def counts_energy(value: Value) -> bool:
    """Whether it is consumed electricity in kilowatt hours: a meter's key holds type, scale and rate."""
    key = value.id.property_key
    if value.id.property != "value" or not isinstance(key, int) or not is_number(value.value):
        return False
    return key & 0xFF == _ELECTRIC and (key >> 8) & 0xFF == 0 and key >> 16 != _PRODUCED


def meters(device: Device) -> list[Value]:
    return [item for item in device.values if item.id.command_class == CC.METER and counts_energy(item)]


def meter_of(value: Value) -> str:
    return f"{value.id.node_id}-{value.id.endpoint}-{value.id.property_key}"


def day_of(text: str, today: date) -> date | None:
    """ "today", "yesterday", "Monday" (the last one), "2026-11-16"; None for a day that is still to come."""
    word = text.strip().casefold().removeprefix("on ").removeprefix("last ")
    if word in ("today", "yesterday"):
        return today - timedelta(days=word == "yesterday")
    if word in _WEEKDAYS:
        return today - timedelta(days=(today.weekday() - _WEEKDAYS.index(word)) % 7 or 7)
    if not re.fullmatch(r"\d{4}-\d{2}-\d{2}", word):
        return None
    try:
        day = date.fromisoformat(word)
    except ValueError:
        return None
    return day if day <= today else None


def _entry(device: Device, rows: list[Day]) -> dict[str, Any]:
    return {
        "device": device.name,
        "room": device.room,
        "nodeId": device.node.id,
        "endpoint": device.endpoint,
        "kwh": round(sum(row.kwh for row in rows), 3),
        "since": max(row.since for row in rows),
        "until": min(row.until for row in rows),
        "whole": all(row.whole for row in rows),
        "apart": round(sum(row.apart for row in rows), 3),
        "reset": any(row.reset for row in rows),
    }


def _no_meter(device: Device) -> str:
    metered = [value for value in device.values if value.id.command_class == CC.METER]
    name = capital(wording.the(device))
    if not metered:
        return f"{name} does not measure energy."
    if any(is_number(value.value) for value in metered):
        return f"{name} only tells its power; how much it uses is not counted."
    return f"{name} has not told yet what it uses."


def _kwh(amount: float) -> str:
    return f"{_number(amount)} kilowatt hours"


def _number(amount: float) -> str:
    return f"{amount:.2f}".rstrip("0").rstrip(".") if amount >= _LITTLE or amount == 0 else "less than 0.01"
