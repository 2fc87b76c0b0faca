"""Keeps how much each meter counted on each day, in a small SQLite file that outlives the server.

A meter counts by itself, so two readings of one day tell exactly what came between them, however far apart.
What comes between readings of different days cannot be divided: it is kept apart.
"""

import logging
import sqlite3
from collections.abc import Iterable
from contextlib import closing
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Final

log = logging.getLogger(__name__)

KEPT_DAYS: Final = 400
# Readings so close on both sides of midnight: what came between belongs to the new day, near enough.
_NEAR_SECONDS: Final = 3600.0
_BUSY_SECONDS: Final = 0.2  # another server writes for less than a millisecond
_TABLES: Final = """
create table if not exists last (meter text primary key, kwh real not null, at real not null);
create table if not exists days (
  meter text, day text, kwh real not null, since real not null, until real not null,
  whole integer not null, apart real not null, reset integer not null, primary key (meter, day)
) without rowid;
"""


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
    """`file` None: kept in memory alone."""

    def __init__(self, file: Path | None = None) -> None:
        self._file = file
        self._base: sqlite3.Connection | None = None
        self._warned = False

    def add(self, readings: Iterable[MeterReading]) -> None:
        """Keep the readings. Never raises: what cannot be kept now is in the next reading."""
        try:
            base = self._open()
            with base:
                base.execute("begin immediate")
                for reading in readings:
                    _add(base, reading)
        except (sqlite3.Error, OSError) as error:
            self._complain(error)

    def on(self, day: date, meters: Iterable[str]) -> dict[str, Day]:
        wanted = list(meters)
        try:
            rows = self._open().execute(
                "select meter, kwh, since, until, whole, apart, reset from days where day = ?",
                (day.isoformat(),),
            )
            days = {row[0]: Day(row[1], row[2], row[3], bool(row[4]), row[5], bool(row[6])) for row in rows}
        except (sqlite3.Error, OSError) as error:
            self._complain(error)
            return {}
        return {meter: days[meter] for meter in wanted if meter in days}

    def first_day(self) -> float | None:
        """When counting began."""
        try:
            (first,) = self._open().execute("select min(since) from days").fetchone()
        except (sqlite3.Error, OSError) as error:
            self._complain(error)
            return None
        return float(first) if first is not None else None

    def close(self) -> None:
        if self._base is not None:
            self._base.close()
            self._base = None

    def _open(self) -> sqlite3.Connection:
        if self._base is None:
            if self._file is not None:
                self._file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                self._file.touch(mode=0o600, exist_ok=True)
            base = sqlite3.connect(
                self._file or ":memory:", timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False
            )
            try:
                base.executescript(f"pragma synchronous = off;{_TABLES}")
                oldest = (date.today() - timedelta(days=KEPT_DAYS)).isoformat()
                base.execute("delete from days where day < ?", (oldest,))
            except BaseException:
                base.close()
                raise
            self._base = base
        return self._base

    def _complain(self, error: Exception) -> None:
        if not self._warned:
            log.warning("energy is not kept", extra={"file": str(self._file), "error": str(error)})
        self._warned = True


def _add(base: sqlite3.Connection, reading: MeterReading) -> None:
    before = _last(base, reading.meter)
    if before is not None and reading.at <= before.at:
        return
    today = _day(reading.at)
    row = _row(base, reading.meter, today)
    if before is None:
        now = row or Day(0.0, reading.at, reading.at, False, 0.0, False)
    else:
        now = _counted(row, before, reading)
    _keep(base, reading.meter, today, now)
    base.execute("insert or replace into last values (?, ?, ?)", (reading.meter, reading.kwh, reading.at))


def _last(base: sqlite3.Connection, meter: str) -> MeterReading | None:
    with closing(base.execute("select kwh, at from last where meter = ?", (meter,))) as cursor:
        row = cursor.fetchone()
    return MeterReading(meter, *row) if row is not None else None


def _keep(base: sqlite3.Connection, meter: str, day: date, row: Day) -> None:
    base.execute(
        "insert or replace into days values (?, ?, ?, ?, ?, ?, ?, ?)",
        (meter, day.isoformat(), row.kwh, row.since, row.until, row.whole, row.apart, row.reset),
    )


def _row(base: sqlite3.Connection, meter: str, day: date) -> Day | None:
    row = base.execute(
        "select kwh, since, until, whole, apart, reset from days where meter = ? and day = ?",
        (meter, day.isoformat()),
    ).fetchone()
    return Day(row[0], row[1], row[2], bool(row[3]), row[4], bool(row[5])) if row else None


def _counted(row: Day | None, before: MeterReading, now: MeterReading) -> Day:
    reset = now.kwh < before.kwh
    used = now.kwh if reset else now.kwh - before.kwh
    if row is not None and _day(before.at) == _day(now.at):
        return Day(row.kwh + used, row.since, now.at, row.whole, row.apart, row.reset or reset)
    near = now.at - before.at <= _NEAR_SECONDS
    if near or used == 0:  # nothing came between, so nothing was missed
        return Day(used, midnight(_day(now.at)), now.at, True, 0.0, reset)
    return Day(0.0, now.at, now.at, False, used, reset)


def _day(at: float) -> date:
    return datetime.fromtimestamp(at).date()


def midnight(day: date) -> float:
    return datetime(day.year, day.month, day.day).timestamp()
