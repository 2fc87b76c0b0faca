"""Energy by device and day, from the meters' own counts, which a small SQLite file keeps.

A meter counts by itself, so two readings of one day tell exactly what came between them, however far apart.
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
from zwave_mcp.database import opened
from zwave_mcp.devices import CC, Device, View, Viewer
from zwave_mcp.home import Value, is_number
from zwave_mcp.results import Result, place, resolve_device, result

log = logging.getLogger(__name__)
T = TypeVar("T")

KEPT_DAYS: Final = 400
# Readings so close on both sides of midnight: what came between belongs to the new day, near enough.
_NEAR_SECONDS: Final = 3600.0
_BUSY_SECONDS: Final = 0.2  # another server writes for less than a millisecond
_TABLE: Final = """create table if not exists energy (
  meter text, day text, kwh real, since real, until real, total real, primary key (meter, day))"""
_ELECTRIC, _PRODUCED = 1, 2
_MOST_NAMED: Final = 5
_LITTLE: Final = 0.005  # kilowatt hours that are not worth saying
_WEEKDAYS: Final = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")


MeterReading = tuple[str, float, float]  # meter, kilowatt hours, seconds since 1970


@dataclass(frozen=True, slots=True)
class Day:
    """What one meter counted on one day; `total` is its last reading."""

    kwh: float
    since: float
    until: float
    total: float


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
                    _add(base, *reading)

        self._try(keep, None)

    def on(self, day: date, meters: Iterable[str]) -> dict[str, Day]:
        query = "select meter, kwh, since, until, total from energy where day = ?"
        rows: list[Any] = self._try(lambda base: base.execute(query, (day.isoformat(),)).fetchall(), [])
        wanted = set(meters)
        return {meter: Day(*row) for meter, *row in rows if meter in wanted}

    def close(self) -> None:
        if self._base is not None:
            self._base.close()
            self._base = None

    def _try(self, work: Callable[[sqlite3.Connection], T], default: T) -> T:
        try:
            if self._base is None:
                self._base = opened(self._file, _TABLE, _BUSY_SECONDS)
                oldest = (date.today() - timedelta(days=KEPT_DAYS)).isoformat()
                self._base.execute("delete from energy where day < ?", (oldest,))
            return work(self._base)
        except (sqlite3.Error, OSError) as error:
            if not self._warned:
                log.warning("energy is not kept", extra={"file": str(self._file), "error": str(error)})
            self._warned = True
            return default


def _add(base: sqlite3.Connection, meter: str, kwh: float, at: float) -> None:
    query = "select day, kwh, since, until, total from energy where meter = ? order by day desc limit 1"
    last = base.execute(query, (meter,)).fetchone()
    day = datetime.fromtimestamp(at).date()
    now = Day(0.0, at, at, kwh)
    if last is not None:
        before = Day(*last[1:])
        if at <= before.until:
            return
        # A meter that began anew has counted at least what it shows.
        used = kwh - before.total if kwh >= before.total else kwh
        if last[0] == day.isoformat():
            now = Day(before.kwh + used, before.since, at, kwh)
        elif at - before.until <= _NEAR_SECONDS or used == 0:  # nothing was missed in between
            now = Day(used, midnight(day), at, kwh)
    row = (meter, day.isoformat(), *astuple(now))
    base.execute("insert or replace into energy values (?, ?, ?, ?, ?, ?)", row)


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
        for device in view.fresh:
            for value in () if device.node.dead else meters(device):
                meter, seen = _meter_of(value), (value.value, value.updated)
                if self._seen.get(meter) != seen:
                    self._seen[meter] = seen
                    fresh.append((meter, float(value.value), value.updated or self._clock()))
        if fresh:
            self._days.add(fresh)

    async def used(self, asked: str = "", day: str = "today") -> Result:
        """What one device, or every metered one, used on a day."""
        today = datetime.fromtimestamp(self._clock()).date()
        when = day_of(day, today)
        if when is None:
            sentence = f"{wording.quoted(day)} is no day; say today, yesterday, a weekday or 2026-11-16."
            return result(sentence, "invalid")
        view = await self._viewer.now()
        single = resolve_device(view, asked, lambda hit: bool(meters(hit))) if asked else None
        counts = [
            (device, [_meter_of(item) for item in meters(device)])
            for device in ([single] if single else view.devices)
            if meters(device)
        ]
        if not counts:
            return result(
                _no_meter(single) if single else "Nothing here counts energy.", "unsupported", single
            )
        known = self._days.on(when, [meter for _, every in counts for meter in every])
        days = [(device, [known[meter] for meter in of if meter in known]) for device, of in counts]
        entries = [_entry(device, rows, when) for device, rows in days if rows]
        entries.sort(key=lambda item: -item["kwh"])
        missing = [device for device, rows in days if not rows]
        spoken = {0: "today", 1: "yesterday"}.get((today - when).days, f"on {when:%A} {when.day} {when:%B}")
        total = round(sum(item["kwh"] for item in entries), 3)
        more: dict[str, Any] = {"energy": entries, "day": when.isoformat()}
        if single is None:
            more |= {"total": total, "notMeasured": [device.name for device in missing]}
        if not entries:
            of = f" of {wording.the(single)}" if single else ""
            return result(f"Nothing was measured{of} {spoken}.", "unconfirmed", single, more=more)
        if single is not None:
            sentence = f"{capital(wording.the(single))} used {_kwh(total)} {spoken}{_begun(entries[0])}."
            return result(sentence, "confirmed", single, more=more)
        names = sentences.distinct_names(view.devices)
        amounts = [
            f"{names[item['nodeId'], item['endpoint']]} {_number(item['kwh'])}{_begun(item)}"
            for item in entries
        ]
        sentence = f"{capital(spoken)} {_kwh(total)}: {sentences.counted(amounts, _MOST_NAMED)}"
        silent = [names[item.place] for item in missing][:_MOST_NAMED]
        sentence += f"; not measured: {listed(silent)}" if silent else ""
        return result(f"{sentence}.", "confirmed", more=more)


def meters(device: Device) -> list[Value]:
    return [item for item in device.values if item.id.command_class == CC.METER and counts_energy(item)]


def counts_energy(value: Value) -> bool:
    """Whether it is consumed electricity in kilowatt hours: a meter's key holds type, scale and rate."""
    key = value.id.property_key
    if value.id.property != "value" or not isinstance(key, int) or not is_number(value.value):
        return False
    return key & 0xFF == _ELECTRIC and (key >> 8) & 0xFF == 0 and key >> 16 != _PRODUCED


def _meter_of(value: Value) -> str:
    return f"{value.id.node_id}-{value.id.endpoint}-{value.id.property_key}"


def day_of(text: str, today: date) -> date | None:
    """ "today", "yesterday", "Monday" (the last one), "2026-11-16"; None for a day that is still to come."""
    word = text.strip().casefold().removeprefix("on ").removeprefix("last ")
    if word in ("today", "yesterday"):
        return today - timedelta(days=word == "yesterday")
    if word in _WEEKDAYS:
        return today - timedelta(days=(today.weekday() - _WEEKDAYS.index(word)) % 7 or 7)
    try:
        day = date.fromisoformat(word) if re.fullmatch(r"\d{4}-\d{2}-\d{2}", word) else None
    except ValueError:
        return None
    return day if day is not None and day <= today else None


def _entry(device: Device, rows: list[Day], day: date) -> dict[str, Any]:
    since, until = max(row.since for row in rows), min(row.until for row in rows)
    kwh = round(sum(row.kwh for row in rows), 3)
    counted = {"kwh": kwh, "since": since, "until": until, "whole": since <= midnight(day)}
    return {"device": device.name, **place(device), **counted}


def _begun(entry: dict[str, Any]) -> str:
    clock = datetime.fromtimestamp(entry["since"])
    return "" if entry["whole"] else f", counted from {clock:%H:%M} on"


def _no_meter(device: Device) -> str:
    metered = any(value.id.command_class == CC.METER and is_number(value.value) for value in device.values)
    only = " only tells its power; how much it uses is not counted." if metered else " does not count energy."
    return f"{capital(wording.the(device))}{only}"


def _kwh(amount: float) -> str:
    return f"{_number(amount)} kilowatt hours"


def _number(amount: float) -> str:
    return f"{amount:.2f}".rstrip("0").rstrip(".") if amount >= _LITTLE or amount == 0 else "less than 0.01"
