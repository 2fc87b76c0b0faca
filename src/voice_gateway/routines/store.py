"""Where routines are kept: a SQLite file that processes share, or the Redis that gateways share."""

import json
import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple, TypeVar

from voice_gateway.errors import ToolUnavailable
from voice_gateway.problems import ROUTINES_LOST
from voice_gateway.routines.model import Event, Routine, from_record, to_record
from voice_gateway.shared.lease import FileLease, Lease
from voice_gateway.shared.rows import FileRows, RedisRows, Rows, RowStore, RowTable, SharedRedis
from voice_gateway.sqlite_file import Damage

T = TypeVar("T")

log = logging.getLogger(__name__)

_TABLE = """
CREATE TABLE IF NOT EXISTS routines (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  body TEXT NOT NULL,
  is_event INTEGER NOT NULL,
  next REAL,
  paused INTEGER NOT NULL DEFAULT 0,
  claimed REAL,
  claimed_by TEXT
)
"""
_LAST = "ALTER TABLE routines ADD COLUMN last TEXT"


class Row(NamedTuple):
    """One routine as it is written. `last` is apart from `body`, which only people change."""

    body: str
    is_event: bool
    next: float | None
    paused: bool
    claimed_by: str | None
    last: str | None


@dataclass(frozen=True, slots=True)
class Finished:
    routine: Routine  # as it was claimed, with its result
    following: datetime | None = None  # when it comes next
    gone: bool = False  # it does not come again


class TooMany(ToolUnavailable):
    """There are as many routines as may be."""


class RoutineStore(RowStore[Row, Routine]):
    """A run is claimed, carried out and finished. A run that is claimed and not finished belongs to a gateway
    that died in the middle: how much of it was done is not known."""

    def __init__(self, rows: RowTable[Row]) -> None:
        super().__init__(rows, _routine)

    # --- for people

    def all(self) -> list[Routine]:
        """The next one first, those without a time last."""

        def place(routine: Routine) -> tuple[bool, float, int]:
            return routine.next is None or routine.paused, _seconds(routine.next) or 0, routine.id

        return sorted(self.read(), key=place)

    def add(self, routines: Sequence[Routine], limit: int) -> list[Routine]:
        """All of them with their numbers, or none."""

        def work(rows: Rows[Row]) -> list[Routine]:
            if rows.count + len(routines) > limit:
                raise TooMany(f"There are {rows.count} routines already, so I kept none. Cancel some first.")
            return [replace(routine, id=rows.add(_row(routine))) for routine in routines]

        return self.changed(work)

    def replace(self, routines: Iterable[Routine]) -> list[Routine]:
        """Those that are still there."""
        wanted = list(routines)

        def work(rows: Rows[Row]) -> list[Routine]:
            there = [routine for routine in wanted if routine.id in rows]
            for routine in there:
                rows[routine.id] = _row(routine)._replace(claimed_by=rows[routine.id].claimed_by)
            return there

        return self.changed(work, [routine.id for routine in wanted])

    # --- for the runner

    def plan(self, moments: Mapping[int, datetime | None]) -> None:
        """When routines are due whose event has happened and must last; None: it has not lasted.
        A routine that runs or is paused is left alone."""

        def work(rows: Rows[Row]) -> None:
            for number, row in rows.items():
                if row.is_event and not row.paused and not row.claimed_by:
                    rows[number] = row._replace(next=_seconds(moments[number]))

        self.rows.change(work, moments)

    def claim(self, wanted: Sequence[tuple[int, datetime | None]], who: str) -> list[Routine]:
        """Those that are the caller's to run: not paused, not claimed by another, and still due then (None:
        an event has started it). A claim whose answer was lost may be repeated."""

        def work(rows: Rows[Row]) -> list[Routine]:
            ours = {}
            for number, due in wanted:
                row = rows.get(number)
                if row is None or row.paused or row.claimed_by not in (None, who):
                    continue
                if due is None or _same(row.next, due):
                    ours[number] = rows[number] = row._replace(claimed_by=who)
            return self.parsed(ours)

        return self.rows.change(work, [number for number, _ in wanted], as_holder=True)

    def unfinished(self, who: str) -> list[Routine]:
        """Claimed by others."""
        rows = self.rows.read().items()
        return self.parsed({number: row for number, row in rows if row.claimed_by not in (None, who)})

    def finish(self, over: Sequence[Finished], who: str | None) -> None:
        """Ends the claims of `who`, or of any gateway. What people changed meanwhile stays."""

        def work(rows: Rows[Row]) -> None:
            for run in over:
                number, row = run.routine.id, rows.get(run.routine.id)
                if row is None or row.claimed_by is None or who not in (None, row.claimed_by):
                    continue
                untouched = _same(row.next, run.routine.next)
                if run.gone and untouched:
                    del rows[number]
                else:
                    following = _seconds(run.following) if untouched else row.next
                    last = _last(run.routine) or row.last
                    rows[number] = row._replace(next=following, last=last, claimed_by=None)

        self.rows.change(work, [run.routine.id for run in over])


def kept_in(
    shared: SharedRedis | None, folder: Path, *, on_damage: Callable[[Damage], None] = lambda _damage: None
) -> tuple[RoutineStore, Lease]:
    """In the shared Redis if there is one, else in a file in this folder."""
    if shared is not None:
        return RoutineStore(RedisRows(shared, "routines", Row, ROUTINES_LOST)), shared.lease
    file, migrations = folder / "routines.sqlite3", (_TABLE, _LAST)
    rows = FileRows(file, "routines", Row, migrations, ROUTINES_LOST, on_damage=on_damage)
    return RoutineStore(rows), FileLease(folder / "routines.lease")


# --- rows


def _row(routine: Routine) -> Row:
    body, is_event = json.dumps(to_record(replace(routine, last=None))), isinstance(routine.trigger, Event)
    return Row(body, is_event, _seconds(routine.next), routine.paused, None, _last(routine))


def _last(routine: Routine) -> str | None:
    return json.dumps(to_record(routine)["last"]) if routine.last else None


def _routine(number: int, row: Row) -> Routine:
    facts = json.loads(row.body)
    if row.last:
        facts["last"] = json.loads(row.last)
    due = None if row.next is None else datetime.fromtimestamp(row.next, UTC)
    return replace(from_record(facts), id=number, next=due, paused=bool(row.paused))


def _seconds(moment: datetime | None) -> float | None:
    return None if moment is None else moment.timestamp()


def _same(seconds: float | None, moment: datetime | None) -> bool:
    """A time is kept to the microsecond, and rounding may differ."""
    if seconds is None or moment is None:
        return seconds is None and moment is None
    return abs(seconds - moment.timestamp()) < 0.001
