"""Where routines are kept: in a file that processes share, each change on the disk before it is confirmed."""

import json
import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol

from voice_gateway.errors import ToolUnavailable
from voice_gateway.problems.sentences import ROUTINES_LOST
from voice_gateway.routines.model import Event, Routine, from_record, to_record
from voice_gateway.sqlite_file import ChangeCounter, Damage, Schema, SharedTable, UnreadableRow
from voice_gateway.tools.builtin.timers import RingLease

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
_LAST = "ALTER TABLE routines ADD COLUMN last TEXT"  # apart from what people made
_NAMES = ("id", "body", "is_event", "next", "paused", "claimed", "claimed_by", "last")
_COLUMNS = ", ".join(_NAMES)


@dataclass(frozen=True, slots=True)
class PlannedRun:
    """As much of a routine as is needed to wait for it."""

    id: int
    next: datetime | None
    is_event: bool
    paused: bool
    claimed: bool = False


@dataclass(frozen=True, slots=True)
class Finished:
    """A run is over."""

    routine: Routine  # as it was claimed, with what became of it
    following: datetime | None = None  # when it comes next
    gone: bool = False  # it does not come again


class TooMany(ToolUnavailable):
    """There are as many routines as may be."""


class RoutineStore(Protocol):
    """Every method is one step that is durable when it returns. ToolUnavailable: it was not done.

    A run is claimed, carried out and finished. What is claimed and not finished belongs to a gateway that
    died in the middle: nobody knows how much of it was done.
    """

    def add(self, routines: Sequence[Routine], limit: int) -> list[Routine]:
        """All of them with their numbers, or none."""
        ...

    def all(self) -> list[Routine]: ...

    def planned(self) -> list[PlannedRun]:
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

    def plan(self, moments: Mapping[int, datetime | None]) -> None:
        """When those come that something starts and that is so for a while now; None: it is not so any more.
        What runs or is paused is left alone."""
        ...

    def remove(self, ids: Iterable[int]) -> list[Routine]: ...

    def claim(self, wanted: Sequence[tuple[int, datetime | None]], who: str, now: datetime) -> list[Routine]:
        """Those that are the caller's to run: not paused, claimed by nobody else, and still due at that
        moment. What is the caller's already, because the answer to its claim was lost, is given again."""
        ...

    def unfinished(self, who: str) -> list[Routine]:
        """Claimed by others."""
        ...

    def listen(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Told after every change made here by people, in the thread that made it. Returns how to stop."""
        ...

    def finish(self, over: Sequence[Finished], who: str | None) -> None:
        """What was changed by people meanwhile stays as they have it. None: whoever claimed them."""
        ...


def too_many(count: int) -> str:
    return f"There are {count} routines already, and no more are kept. Cancel some first."


def body_of(routine: Routine) -> str:
    return json.dumps(to_record(replace(routine, last=None)))


def last_of(routine: Routine) -> str | None:
    return json.dumps(to_record(routine)["last"]) if routine.last else None


def read_row(number: int, body: str, due: float | None, paused: bool, last: str | None) -> Routine:
    try:
        facts = json.loads(body)
        if last:
            facts["last"] = json.loads(last)
        return replace(from_record(facts), id=number, next=moment_of(due), paused=paused)
    except (ValueError, TypeError, KeyError, AttributeError, OverflowError, OSError) as error:
        raise UnreadableRow(f"not a routine: {error}") from error


class Lease(Protocol):
    """Who of several gateways starts routines. ToolUnavailable: nobody can tell at the moment."""

    def renew(self, *, loud: bool) -> bool: ...

    def held(self) -> bool: ...

    def release(self) -> None: ...


def kept_in(
    setting: str, folder: Path, *, on_damage: Callable[[Damage], None] = lambda _damage: None
) -> tuple[RoutineStore, Lease]:
    """Where the conversations are, if gateways share that (`brain.store`); else in a file."""
    if setting.startswith(("redis://", "rediss://", "unix://")):
        from voice_gateway.routines.redis_store import RedisLease, RedisRoutines, connected

        redis = connected(setting)
        return RedisRoutines(redis), RedisLease(redis)
    store = SqliteRoutines(folder / "routines.sqlite3", on_damage=on_damage)
    return store, RingLease(folder / "routines.lease")


class SqliteRoutines:
    """Call it through a thread: every method waits for the disk."""

    def __init__(self, path: Path, *, on_damage: Callable[[Damage], None] = lambda _damage: None) -> None:
        schema = Schema("routines", _NAMES, (_TABLE, _LAST), _fits)
        self._table = SharedTable(path, schema, ROUTINES_LOST, on_damage=on_damage)
        self._changes = ChangeCounter(path)
        self.path, self.listen = path, self._table.listen

    def add(self, routines: Sequence[Routine], limit: int) -> list[Routine]:
        insert = (
            "INSERT INTO routines (body, is_event, next, paused, last) VALUES (?, ?, ?, ?, ?) RETURNING id"
        )

        def work(connection: sqlite3.Connection) -> list[Routine]:
            [(count,)] = connection.execute("SELECT count(*) FROM routines")
            if count + len(routines) > limit:
                raise TooMany(too_many(count))
            return [
                replace(one, id=connection.execute(insert, _values(one)).fetchall()[0][0]) for one in routines
            ]

        return self._table.change(work)

    def all(self) -> list[Routine]:
        return self._table.run(lambda connection: _select(connection, ""), write=False)

    def planned(self) -> list[PlannedRun]:
        select = "SELECT id, next, is_event, paused, claimed IS NOT NULL FROM routines"

        def work(connection: sqlite3.Connection) -> list[PlannedRun]:
            rows = connection.execute(select).fetchall()
            return [PlannedRun(row[0], moment_of(row[1]), *map(bool, row[2:])) for row in rows]

        return self._table.run(work, write=False)

    def events(self) -> list[Routine]:
        where = "WHERE is_event AND NOT paused"
        return self._table.run(lambda connection: _select(connection, where), write=False)

    def stamp(self) -> object:
        return self._changes.read()

    def replace(self, routines: Iterable[Routine]) -> list[Routine]:
        wanted = list(routines)

        def work(connection: sqlite3.Connection) -> list[Routine]:
            return [one for one in wanted if _update(connection, one)]

        return self._table.change(work)

    def plan(self, moments: Mapping[int, datetime | None]) -> None:
        update = "UPDATE routines SET next = ? WHERE id = ? AND is_event AND NOT paused AND claimed IS NULL"
        rows = [(stamp_of(moment), number) for number, moment in moments.items()]
        self._table.run(lambda connection: connection.executemany(update, rows))

    def remove(self, ids: Iterable[int]) -> list[Routine]:
        wanted = list(ids)

        def work(connection: sqlite3.Connection) -> list[Routine]:
            delete = f"DELETE FROM routines WHERE id = ? RETURNING {_COLUMNS}"
            return [_routine(row) for one in wanted for row in connection.execute(delete, (one,)).fetchall()]

        return self._table.change(work)

    def claim(self, wanted: Sequence[tuple[int, datetime | None]], who: str, now: datetime) -> list[Routine]:
        # A time is stored to the microsecond, and rounding may differ.
        update = (
            "UPDATE routines SET claimed = ?1, claimed_by = ?2 WHERE id = ?3 AND NOT paused AND "
            "(claimed IS NULL OR claimed_by = ?2) AND (?4 IS NULL OR abs(next - ?4) < 0.001) "
            f"RETURNING {_COLUMNS}"
        )

        def work(connection: sqlite3.Connection) -> list[Routine]:
            rows = [
                row
                for number, due in wanted
                for row in connection.execute(
                    update, (now.timestamp(), who, number, stamp_of(due))
                ).fetchall()
            ]
            return [_routine(row) for row in rows]

        return self._table.run(work)

    def unfinished(self, who: str) -> list[Routine]:
        where = "WHERE claimed IS NOT NULL AND claimed_by IS NOT ?"
        return self._table.run(lambda connection: _select(connection, where, who), write=False)

    def finish(self, over: Sequence[Finished], who: str | None) -> None:
        ours = "id = ?2 AND claimed IS NOT NULL AND (?3 IS NULL OR claimed_by = ?3)"
        as_it_was = "(next IS ?1 OR abs(next - ?1) < 0.001)"

        def work(connection: sqlite3.Connection) -> None:
            for one in over:
                values = (stamp_of(one.routine.next), one.routine.id, who)
                if one.gone:
                    connection.execute(f"DELETE FROM routines WHERE {ours} AND {as_it_was}", values)
                connection.execute(
                    f"UPDATE routines SET next = CASE WHEN {as_it_was} THEN ?4 ELSE next END, "
                    f"last = coalesce(?5, last), claimed = NULL, claimed_by = NULL WHERE {ours}",
                    (*values, stamp_of(one.following), last_of(one.routine)),
                )

        self._table.run(work)


def _select(connection: sqlite3.Connection, where: str, *args: Any) -> list[Routine]:
    order = "ORDER BY next IS NULL OR paused, next, id"
    rows = connection.execute(f"SELECT {_COLUMNS} FROM routines {where} {order}", args).fetchall()
    return [_routine(row) for row in rows]


def _update(connection: sqlite3.Connection, routine: Routine) -> bool:
    update = "UPDATE routines SET body = ?, is_event = ?, next = ?, paused = ?, last = ? WHERE id = ?"
    return connection.execute(update, (*_values(routine), routine.id)).rowcount == 1


def _values(routine: Routine) -> tuple[str, bool, float | None, bool, str | None]:
    is_event = isinstance(routine.trigger, Event)
    return body_of(routine), is_event, stamp_of(routine.next), routine.paused, last_of(routine)


def _routine(row: tuple[Any, ...]) -> Routine:
    number, body, _is_event, due, paused, _claimed, _by, last = row
    return read_row(int(number), body, due, bool(paused), last)


def _fits(row: tuple[Any, ...]) -> bool:
    try:
        _routine(row)
    except UnreadableRow:
        return False
    return True


def stamp_of(moment: datetime | None) -> float | None:
    return None if moment is None else moment.timestamp()


def moment_of(stamp: float | None) -> datetime | None:
    return None if stamp is None else datetime.fromtimestamp(stamp, UTC)
