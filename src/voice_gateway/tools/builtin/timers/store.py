"""Timers in a file, so that they survive a restart and several processes can share them."""

import contextlib
import sqlite3
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Any, Protocol, TypeVar

from voice_gateway.errors import ToolUnavailable
from voice_gateway.file_watch import ChangeListeners, Listen, identity
from voice_gateway.problems import TIMERS_LOST
from voice_gateway.sqlite_file import BUSY_SECONDS, Damage, SqliteFile, UnreadableRow

OLD_SECONDS = 2.0  # some file systems know no shorter time
MAX_TIMERS = 100  # a model in a loop must not fill the disk

T = TypeVar("T")


class Kind(StrEnum):
    """What people call it; each is listed and cancelled by its own name."""

    TIMER = "timer"  # runs for a while
    ALARM = "alarm"  # rings at a time of day
    REMINDER = "reminder"  # says something


def kind_of(message: str, *, at_clock_time: bool) -> Kind:
    """The kind, where it was not said."""
    if message:
        return Kind.REMINDER
    return Kind.ALARM if at_clock_time else Kind.TIMER


_TABLE = """
CREATE TABLE IF NOT EXISTS timers (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL,
  message TEXT NOT NULL,
  seconds REAL NOT NULL,
  due REAL NOT NULL,
  rang REAL,
  kind TEXT NOT NULL
)
"""
# Numbers begin anywhere: a new file in the place of one that was lost must not give them again.
_NUMBERS = """
INSERT INTO sqlite_sequence (name, seq) SELECT 'timers', abs(random() % 1000000000)
WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'timers')
"""
_NAMES = ("id", "name", "message", "seconds", "due", "rang", "kind")
_COLUMNS = ", ".join(_NAMES)


@dataclass(frozen=True, slots=True)
class Timer:
    """A timer, an alarm or a reminder. It waits until `due`, and rings from `rang` on until it is heard."""

    id: int
    name: str
    message: str
    seconds: float  # from when it was set until due
    due: datetime
    rang: datetime | None = None
    kind: Kind = Kind.TIMER
    again: str = ""  # "every weekday at 7 AM": kept as a routine, and `due` is its next time

    @property
    def at_clock_time(self) -> bool:
        """Set for a time of day, which has no microseconds, and not for a duration."""
        return self.due.microsecond == 0

    def remaining_seconds(self, now: datetime) -> int:
        return max(0, round((self.due - now).total_seconds()))


class KeptTimers(Protocol):
    """What a `TimerStore` and the timers in a shared Redis have in common. Every method blocks."""

    @property
    def listen(self) -> Listen: ...

    def stamp(self) -> object:
        """Changes with every change."""
        ...

    def add(
        self, *, due: datetime, now: datetime, name: str = "", message: str = "", kind: Kind | None = None
    ) -> Timer: ...

    def move(self, timer: Timer, due: datetime, seconds: float) -> Timer | None: ...

    def all(self) -> list[Timer]: ...

    def latest(self, *, busy_seconds: float = BUSY_SECONDS) -> list[Timer]: ...

    def remove(self, ids: Iterable[int], *, busy_seconds: float = BUSY_SECONDS) -> list[Timer]: ...

    def start_ringing(
        self, timers: Sequence[Timer], now: datetime, *, busy_seconds: float = BUSY_SECONDS
    ) -> set[int]: ...


class TimerStore:
    """Every method is one short transaction; call it through `asyncio.to_thread`. No clock needs to run.

    A timer stays until it is removed, because it was cancelled or heard.
    """

    def __init__(self, path: Path, *, on_damage: Callable[[Damage], None] = lambda _damage: None) -> None:
        self.path = path
        self._seen: object = None  # the state of the file when it was read last
        self._latest: list[Timer] = []
        self._changes = ChangeListeners()
        self.listen = self._changes.listen
        self._file = SqliteFile(path, (_TABLE, _NUMBERS), on_damage=on_damage)

    def stamp(self) -> object:
        return identity(self.path)

    def add(
        self, *, due: datetime, now: datetime, name: str = "", message: str = "", kind: Kind | None = None
    ) -> Timer:
        kind = kind or kind_of(message, at_clock_time=due.microsecond == 0)
        row = (name, message, (due - now).total_seconds(), due.timestamp(), kind.value)

        def work(connection: sqlite3.Connection) -> Timer:
            [(count,)] = connection.execute("SELECT count(*) FROM timers")
            if count >= MAX_TIMERS:
                raise ToolUnavailable(f"There are {count} timers already. Cancel some first.")
            return _inserted(connection, row)

        timer = self._do(work)
        self._changes.tell()
        return timer

    def move(self, timer: Timer, due: datetime, seconds: float) -> Timer | None:
        """The same timer for another time; None when it has just ended.

        It gets a new number, so that a gateway that lets the old one ring falls silent.
        """
        row = (timer.name, timer.message, seconds, due.timestamp(), timer.kind.value)

        def work(connection: sqlite3.Connection) -> Timer | None:
            gone = connection.execute("DELETE FROM timers WHERE id = ?", (timer.id,)).rowcount
            return _inserted(connection, row) if gone else None

        moved = self._do(work)
        self._changes.tell()
        return moved

    def all(self, *, busy_seconds: float = BUSY_SECONDS) -> list[Timer]:
        """Ringing timers first, then the waiting ones, the next to ring first."""
        return self._do(_read, write=False, busy_seconds=busy_seconds)

    def latest(self, *, busy_seconds: float = BUSY_SECONDS) -> list[Timer]:
        """The same, for a reader that looks again and again: an unchanged file is not read."""
        seen = identity(self.path), identity(Path(f"{self.path}-wal"))
        if seen != self._seen:
            self._latest = self.all(busy_seconds=busy_seconds)
            # Two changes within a tick of the clock have the same time: a young file is read again.
            self._seen = seen if seen[0] is not None and _is_old(*seen) else None
        return list(self._latest)

    def remove(self, ids: Iterable[int], *, busy_seconds: float = BUSY_SECONDS) -> list[Timer]:
        """Remove cancelled or heard timers; those that another process has removed are not returned."""
        delete, wanted = f"DELETE FROM timers WHERE id = ? RETURNING {_COLUMNS}", list(ids)

        def work(connection: sqlite3.Connection) -> list[Timer]:
            gone = [_timer(row) for number in wanted for row in connection.execute(delete, (number,))]
            if any(number in wanted for (number,) in connection.execute("SELECT id FROM timers")):
                raise UnreadableRow("a timer is there and cannot be found")  # it would ring for ever
            return gone

        gone = self._do(work, busy_seconds=busy_seconds)
        self._changes.tell()
        return gone

    def start_ringing(
        self, timers: Sequence[Timer], now: datetime, *, busy_seconds: float = BUSY_SECONDS
    ) -> set[int]:
        """Mark timers as ringing; returns the ids of those that are still there and unchanged."""
        # A time is stored to the microsecond, and rounding may differ.
        update = "UPDATE timers SET rang = ?1 WHERE id = ?2 AND (rang IS ?3 OR abs(rang - ?3) < 0.001)"

        def work(connection: sqlite3.Connection) -> set[int]:
            ours = set()
            for timer in timers:
                seen = timer.rang.timestamp() if timer.rang else None
                if connection.execute(update, (now.timestamp(), timer.id, seen)).rowcount == 1:
                    ours.add(timer.id)
            return ours

        return self._do(work, busy_seconds=busy_seconds)

    def _do(
        self,
        work: Callable[[sqlite3.Connection], T],
        *,
        write: bool = True,
        busy_seconds: float = BUSY_SECONDS,
    ) -> T:
        try:
            return self._file.run(work, write=write, busy_seconds=busy_seconds)
        except (sqlite3.Error, OSError) as error:
            raise ToolUnavailable(TIMERS_LOST) from error


def _is_old(*files: tuple[int, int, int] | None) -> bool:
    return all(file is None or time.time() - file[1] / 1e9 > OLD_SECONDS for file in files)


def _read(connection: sqlite3.Connection) -> list[Timer]:
    select = f"SELECT {_COLUMNS} FROM timers ORDER BY rang IS NULL, due, id"
    timers = []
    for row in connection.execute(select).fetchall():
        with contextlib.suppress(UnreadableRow):  # a row that makes no sense costs only itself
            timers.append(_timer(row))
    return timers


def _inserted(connection: sqlite3.Connection, row: tuple[Any, ...]) -> Timer:
    insert = (
        f"INSERT INTO timers (name, message, seconds, due, kind) VALUES (?, ?, ?, ?, ?) RETURNING {_COLUMNS}"
    )
    [made] = connection.execute(insert, row).fetchall()
    return _timer(made)


def _timer(row: tuple[Any, ...]) -> Timer:
    number, name, message, seconds, due, rang, kind = row
    try:
        started = datetime.fromtimestamp(rang, UTC) if rang is not None else None
        moment = datetime.fromtimestamp(due, UTC)
        timer = Timer(int(number), name, message, float(seconds), moment, started, Kind(kind))
    except (TypeError, ValueError, OverflowError, OSError) as error:
        raise UnreadableRow(f"not a timer: {error}") from error
    if not isinstance(name, str) or not isinstance(message, str):
        raise UnreadableRow("not a timer: its name is no text")
    return timer
