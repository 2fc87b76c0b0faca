"""Timers in a file, so that they survive a restart and several processes can share them."""

import sqlite3
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from voice_gateway.errors import ToolUnavailable
from voice_gateway.private_files import private_file
from voice_gateway.problems import TIMERS_LOST

RING_SECONDS = 60.0  # how long a timer rings when nobody says stop
MAX_TIMERS = 100  # nobody keeps more in mind; a model in a loop must not fill the disk
_BUSY_SECONDS = 2.0  # another process holds the file for microseconds

_TABLE = """
CREATE TABLE IF NOT EXISTS timers (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL,
  message TEXT NOT NULL,
  seconds REAL NOT NULL,
  due REAL NOT NULL,
  rang REAL
)
"""
_COLUMNS = "id, name, message, seconds, due, rang"


@dataclass(frozen=True, slots=True)
class Timer:
    """One timer or reminder. It waits until `due`, and then rings from `rang` on."""

    id: int
    name: str
    message: str
    seconds: float  # from when it was set until due
    due: datetime
    rang: datetime | None = None

    @property
    def ends(self) -> datetime | None:
        """When it stops ringing by itself."""
        return self.rang + timedelta(seconds=RING_SECONDS) if self.rang else None

    def remaining_seconds(self, now: datetime) -> int:
        return max(0, round((self.due - now).total_seconds()))


@dataclass(frozen=True, slots=True)
class DueTimers:
    """What has become due, and what is left."""

    timers: list[Timer]  # those that are left, ringing or waiting
    started: list[Timer] = field(default_factory=list)  # ring from now on; the caller lets them
    missed: list[Timer] = field(
        default_factory=list
    )  # would have stopped ringing by now, unheard; they are gone


class TimerStore:
    """Every method is one short transaction; call it through `asyncio.to_thread`. No clock needs to run."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()
        self._open: sqlite3.Connection | None = None
        self._listeners: list[Callable[[], None]] = []

    def add(self, *, due: datetime, now: datetime, name: str = "", message: str = "") -> Timer:
        seconds = (due - now).total_seconds()
        [(count,)] = self._do("SELECT count(*) FROM timers")
        if count >= MAX_TIMERS:
            raise ToolUnavailable(f"There are {count} timers already. Cancel some first.")
        rows = self._do(
            f"INSERT INTO timers (name, message, seconds, due) VALUES (?, ?, ?, ?) RETURNING {_COLUMNS}",
            (name, message, seconds, due.timestamp()),
        )
        self._tell()
        return _timer(rows[0])

    def all(self) -> list[Timer]:
        """Those that ring first, then the waiting ones, the next to ring first."""
        rows = self._do(f"SELECT {_COLUMNS} FROM timers ORDER BY rang IS NULL, due, id")
        return [_timer(row) for row in rows]

    def remove(self, ids: Iterable[int]) -> list[Timer]:
        """Cancel, or stop from ringing. What another process has removed meanwhile is not returned."""
        gone = [
            row
            for one in ids
            for row in self._do(f"DELETE FROM timers WHERE id = ? RETURNING {_COLUMNS}", (one,))
        ]
        self._tell()
        return [_timer(row) for row in gone]

    def take_due(self, now: datetime) -> "DueTimers":
        """Take what is due. Each timer is given to exactly one caller, whichever process asks first."""
        moment = now.timestamp()
        over = moment - RING_SECONDS
        timers = self.all()
        if all((timer.ends or timer.due) > now for timer in timers):
            return DueTimers(timers)  # the usual case writes nothing
        missed = self._do(f"DELETE FROM timers WHERE rang IS NULL AND due <= ? RETURNING {_COLUMNS}", (over,))
        started = self._do(
            f"UPDATE timers SET rang = ? WHERE rang IS NULL AND due <= ? RETURNING {_COLUMNS}",
            (moment, moment),
        )
        self._do("DELETE FROM timers WHERE rang <= ?", (over,))
        return DueTimers(
            self.all(), sorted(map(_timer, started), key=_by_due), sorted(map(_timer, missed), key=_by_due)
        )

    def listen(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Told after every change made here, in the thread that made it. Returns how to stop listening."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def close(self) -> None:
        with self._lock:
            if self._open is not None:
                self._open.close()
                self._open = None

    def _tell(self) -> None:
        for listener in list(self._listeners):
            listener()

    def _do(self, statement: str, values: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
        try:
            with self._lock:
                return self._connection().execute(statement, values).fetchall()
        except (sqlite3.Error, OSError) as error:
            raise ToolUnavailable(TIMERS_LOST) from error

    def _connection(self) -> sqlite3.Connection:
        if self._open is None:
            private_file(self.path)
            # No transaction outlives a statement, so threads can share one connection behind the lock.
            opened = sqlite3.connect(
                self.path, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False
            )
            try:
                opened.execute("PRAGMA journal_mode = WAL")  # a reader does not wait for a writer
                opened.execute(_TABLE)
            except sqlite3.Error:
                opened.close()
                raise
            self._open = opened
        return self._open


def _timer(row: tuple[Any, ...]) -> Timer:
    number, name, message, seconds, due, rang = row
    started = datetime.fromtimestamp(rang, UTC) if rang is not None else None
    return Timer(number, name, message, seconds, datetime.fromtimestamp(due, UTC), started)


def _by_due(timer: Timer) -> tuple[datetime, int]:
    return timer.due, timer.id
