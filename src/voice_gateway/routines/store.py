"""Routines in a file: each change is on the disk before it is confirmed, and several processes share it."""

import json
import sqlite3
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol, TypeVar

from voice_gateway.errors import ToolUnavailable
from voice_gateway.problems import ROUTINES_LOST
from voice_gateway.routines.model import Event, Routine, from_record, to_record
from voice_gateway.sqlite_file import BUSY_SECONDS, Damage, Schema, SqliteFile, UnreadableRow

T = TypeVar("T")

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
_NAMES = ("id", "body", "is_event", "next", "paused", "claimed", "claimed_by")
_COLUMNS = ", ".join(_NAMES)


@dataclass(frozen=True, slots=True)
class Planned:
    """As much of a routine as is needed to wait for it."""

    id: int
    next: datetime | None
    is_event: bool
    paused: bool
    claimed: bool = False


class TooMany(ToolUnavailable):
    """There are as many routines as may be."""


class RoutineStore(Protocol):
    """Every method is one step that is durable when it returns. ToolUnavailable: it was not done.

    A run is claimed, carried out and finished. What is claimed and not finished belongs to a gateway that
    died in the middle: nobody knows how much of it was done.
    """

    def add(self, routine: Routine, limit: int) -> Routine: ...

    def all(self) -> list[Routine]: ...

    def planned(self) -> list[Planned]:
        """Cheaper than all of them."""
        ...

    def events(self) -> list[Routine]:
        """Those that something starts, not the clock."""
        ...

    def stamp(self) -> object:
        """Changes with every change, and costs next to nothing."""
        ...

    def replace(self, routines: Iterable[Routine]) -> list[Routine]:
        """Those that are still there."""
        ...

    def remove(self, ids: Iterable[int]) -> list[Routine]: ...

    def claim(self, wanted: Sequence[tuple[int, datetime | None]], who: str, now: datetime) -> list[Routine]:
        """Those that are the caller's to run: not paused, claimed by nobody, and still due at that moment."""
        ...

    def unfinished(self, who: str) -> list[Routine]:
        """Claimed by others."""
        ...

    def listen(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Told after every change made here by people, in the thread that made it. Returns how to stop."""
        ...

    def finish(self, routines: Sequence[Routine], gone: Sequence[int], who: str | None) -> None:
        """As they are from now on, and those that are over; None: whoever claimed them."""
        ...


class SqliteRoutines:
    """Call it through a thread: every method waits for the disk."""

    def __init__(self, path: Path, *, on_damage: Callable[[Damage], None] = lambda _damage: None) -> None:
        self.path = path
        self._listeners: list[Callable[[], None]] = []
        self._file = SqliteFile(path, Schema("routines", _NAMES, (_TABLE,), _fits), on_damage=on_damage)

    def add(self, routine: Routine, limit: int) -> Routine:
        def work(connection: sqlite3.Connection) -> Routine:
            [(count,)] = connection.execute("SELECT count(*) FROM routines")
            if count >= limit:
                raise TooMany(f"There are {count} routines already, and no more are kept. Cancel some first.")
            [(number,)] = connection.execute(
                "INSERT INTO routines (body, is_event, next, paused) VALUES (?, ?, ?, ?) RETURNING id",
                (_body(routine), isinstance(routine.trigger, Event), _stamp(routine.next), routine.paused),
            ).fetchall()
            return replace(routine, id=number)

        return self._changed(work)

    def all(self) -> list[Routine]:
        return self._do(lambda connection: _select(connection, ""), write=False)

    def planned(self) -> list[Planned]:
        select = "SELECT id, next, is_event, paused, claimed IS NOT NULL FROM routines"

        def work(connection: sqlite3.Connection) -> list[Planned]:
            rows = connection.execute(select).fetchall()
            return [Planned(row[0], _moment(row[1]), *map(bool, row[2:])) for row in rows]

        return self._do(work, write=False)

    def events(self) -> list[Routine]:
        where = "WHERE is_event AND NOT paused"
        return self._do(lambda connection: _select(connection, where), write=False)

    def stamp(self) -> object:
        try:
            found = self.path.stat()
        except OSError:
            return None
        return found.st_ino, found.st_mtime_ns, found.st_size

    def replace(self, routines: Iterable[Routine]) -> list[Routine]:
        wanted = list(routines)

        def work(connection: sqlite3.Connection) -> list[Routine]:
            return [one for one in wanted if _update(connection, one)]

        return self._changed(work)

    def remove(self, ids: Iterable[int]) -> list[Routine]:
        wanted = list(ids)

        def work(connection: sqlite3.Connection) -> list[Routine]:
            delete = f"DELETE FROM routines WHERE id = ? RETURNING {_COLUMNS}"
            return [_routine(row) for one in wanted for row in connection.execute(delete, (one,)).fetchall()]

        return self._changed(work)

    def claim(self, wanted: Sequence[tuple[int, datetime | None]], who: str, now: datetime) -> list[Routine]:
        # A time is stored to the microsecond, and rounding may differ.
        update = (
            "UPDATE routines SET claimed = ?, claimed_by = ? WHERE id = ? AND claimed IS NULL AND NOT paused "
            f"AND (?4 IS NULL OR abs(next - ?4) < 0.001) RETURNING {_COLUMNS}"
        )

        def work(connection: sqlite3.Connection) -> list[Routine]:
            rows = [
                row
                for number, due in wanted
                for row in connection.execute(update, (now.timestamp(), who, number, _stamp(due))).fetchall()
            ]
            return [_routine(row) for row in rows]

        return self._do(work)

    def unfinished(self, who: str) -> list[Routine]:
        where = "WHERE claimed IS NOT NULL AND claimed_by IS NOT ?"
        return self._do(lambda connection: _select(connection, where, who), write=False)

    def finish(self, routines: Sequence[Routine], gone: Sequence[int], who: str | None) -> None:
        ours = "" if who is None else " AND claimed_by = ?"
        more = () if who is None else (who,)

        def work(connection: sqlite3.Connection) -> None:
            for routine in routines:
                # What was paused or moved meanwhile stays so.
                connection.execute(
                    "UPDATE routines SET body = ?, next = ?, claimed = NULL, claimed_by = NULL "
                    f"WHERE id = ? AND claimed IS NOT NULL{ours}",
                    (_body(routine), _stamp(routine.next), routine.id, *more),
                )
            for number in gone:
                delete = f"DELETE FROM routines WHERE id = ? AND claimed IS NOT NULL{ours}"
                connection.execute(delete, (number, *more))

        self._do(work)

    def listen(self, listener: Callable[[], None]) -> Callable[[], None]:
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def _changed(self, work: Callable[[sqlite3.Connection], T]) -> T:
        result = self._do(work)
        for listener in list(self._listeners):
            listener()
        return result

    def _do(self, work: Callable[[sqlite3.Connection], T], *, write: bool = True) -> T:
        try:
            return self._file.run(work, write=write, busy_seconds=BUSY_SECONDS)
        except (sqlite3.Error, OSError) as error:
            raise ToolUnavailable(ROUTINES_LOST) from error


def _select(connection: sqlite3.Connection, where: str, *args: Any) -> list[Routine]:
    order = "ORDER BY next IS NULL OR paused, next, id"
    rows = connection.execute(f"SELECT {_COLUMNS} FROM routines {where} {order}", args).fetchall()
    return [_routine(row) for row in rows]


def _update(connection: sqlite3.Connection, routine: Routine) -> bool:
    update = "UPDATE routines SET body = ?, is_event = ?, next = ?, paused = ? WHERE id = ?"
    is_event = isinstance(routine.trigger, Event)
    values = (_body(routine), is_event, _stamp(routine.next), routine.paused, routine.id)
    return connection.execute(update, values).rowcount == 1


def _routine(row: tuple[Any, ...]) -> Routine:
    number, body, _is_event, due, paused, _claimed, _by = row
    try:
        return replace(from_record(json.loads(body)), id=int(number), next=_moment(due), paused=bool(paused))
    except (ValueError, TypeError, KeyError, AttributeError, OverflowError, OSError) as error:
        raise UnreadableRow(f"not a routine: {error}") from error


def _fits(row: tuple[Any, ...]) -> bool:
    try:
        _routine(row)
    except UnreadableRow:
        return False
    return True


def _body(routine: Routine) -> str:
    return json.dumps(to_record(routine))


def _stamp(moment: datetime | None) -> float | None:
    return None if moment is None else moment.timestamp()


def _moment(stamp: float | None) -> datetime | None:
    return None if stamp is None else datetime.fromtimestamp(stamp, UTC)
