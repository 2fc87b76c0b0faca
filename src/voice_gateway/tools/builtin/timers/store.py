"""Timers in a file, so that they survive a restart and several processes can share them."""

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
from voice_gateway.problems.sentences import TIMERS_LOST
from voice_gateway.sqlite_file import BUSY_SECONDS, Damage, Schema, SqliteFile, UnreadableRow, file_id

FRESH_SECONDS = 5.0  # whoever lets timers ring reads twice a second; what others have read may be long over
OLD_SECONDS = 2.0  # some file systems know no shorter time
MAX_TIMERS = 100  # nobody keeps more in mind; a model in a loop must not fill the disk

T = TypeVar("T")


class Kind(StrEnum):
    """What people call it: each is listed and cancelled by its own name."""

    TIMER = "timer"  # runs for a while
    ALARM = "alarm"  # rings at a time of day
    REMINDER = "reminder"  # says something


def kind_of(message: str, *, at_clock_time: bool) -> Kind:
    """Where nobody has said it."""
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
  rang REAL
)
"""
# Numbers begin anywhere: a new file in the place of one that was lost must not give them again.
_NUMBERS = """
INSERT INTO sqlite_sequence (name, seq) SELECT 'timers', abs(random() % 1000000000)
WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'timers')
"""
_KIND = "ALTER TABLE timers ADD COLUMN kind TEXT"  # empty in what an older gateway has set
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
        """Set for a time of day, not for a while: nobody says such a time with its microseconds."""
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

    A timer stays until somebody removes it: it was cancelled, or it was heard. What was set or read here
    outlives the file: it is put into the next one, whoever begins that.
    """

    def __init__(
        self,
        path: Path,
        *,
        on_damage: Callable[[Damage], None] = lambda _damage: None,
        fresh_seconds: float = FRESH_SECONDS,
    ) -> None:
        self.path = path
        self._fresh_seconds = fresh_seconds
        self._known: list[Timer] = []  # as they were read last, and those set here since
        self._known_at = 0.0
        self._file_id: int | None = None  # of the file in which they were
        self._seen: object = None  # what the file was like when it was read, where that will do
        self._changes = ChangeListeners()
        self.listen = self._changes.listen
        schema = Schema("timers", _NAMES, (_TABLE, _NUMBERS, _KIND), _is_timer)
        self._file = SqliteFile(path, schema, on_damage=on_damage, spare=self._spare)

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
        self._known = [*self._known, timer]
        self._changes.tell()
        return timer

    def move(self, timer: Timer, due: datetime, seconds: float) -> Timer | None:
        """The same for another time; None when it has just ended.

        It gets a new number, so that whoever lets the old one ring falls silent.
        """
        row = (timer.name, timer.message, seconds, due.timestamp(), timer.kind.value)

        def work(connection: sqlite3.Connection) -> Timer | None:
            gone = connection.execute("DELETE FROM timers WHERE id = ?", (timer.id,)).rowcount
            return _inserted(connection, row) if gone else None

        moved = self._do(work)
        self._known = [*(one for one in self._known if one.id != timer.id), *([moved] if moved else [])]
        self._changes.tell()
        return moved

    def all(self, *, busy_seconds: float = BUSY_SECONDS) -> list[Timer]:
        """Those that ring first, then the waiting ones, the next to ring first."""
        file_id, found = self._do(_read, write=False, busy_seconds=busy_seconds)
        if self._file_id not in (None, file_id):
            file_id, found = self._do(self._put_back, busy_seconds=busy_seconds)
        self._file_id, self._known, self._known_at = file_id, found, time.monotonic()
        return list(found)

    def latest(self, *, busy_seconds: float = BUSY_SECONDS) -> list[Timer]:
        """The same, for who looks again and again: a file that is as it was is not read anew."""
        seen = identity(self.path), identity(Path(f"{self.path}-wal"))
        if seen == self._seen:
            self._known_at = time.monotonic()
            return list(self._known)
        found = self.all(busy_seconds=busy_seconds)
        # Two changes within a tick of the clock have the same time: of a young one nobody can tell.
        self._seen = seen if seen[0] is not None and _is_old(*seen) else None
        return found

    def _spare(self) -> Sequence[tuple[Any, ...]]:
        is_fresh = time.monotonic() - self._known_at < self._fresh_seconds
        return [_row(timer) for timer in self._known] if is_fresh else []

    def _put_back(self, connection: sqlite3.Connection) -> tuple[int, list[Timer]]:
        insert = f"INSERT OR IGNORE INTO timers ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?)"
        connection.executemany(insert, self._spare())
        return _read(connection)

    def remove(self, ids: Iterable[int], *, busy_seconds: float = BUSY_SECONDS) -> list[Timer]:
        """Cancelled, or heard. What another process has removed meanwhile is not returned."""
        delete, wanted = f"DELETE FROM timers WHERE id = ? RETURNING {_COLUMNS}", list(ids)

        def work(connection: sqlite3.Connection) -> list[Timer]:
            gone = [_timer(row) for one in wanted for row in connection.execute(delete, (one,)).fetchall()]
            if any(one in wanted for (one,) in connection.execute("SELECT id FROM timers")):
                raise UnreadableRow("a timer is there and cannot be found")  # it would ring for ever
            return gone

        gone = self._do(work, busy_seconds=busy_seconds)
        self._known = [timer for timer in self._known if timer.id not in wanted]
        self._changes.tell()
        return gone

    def start_ringing(
        self, timers: Sequence[Timer], now: datetime, *, busy_seconds: float = BUSY_SECONDS
    ) -> set[int]:
        """The ids of those that are the caller's to ring: still there, and as he saw them."""
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
    """Not if the clock was set back, either."""
    return all(file is None or time.time() - file[1] / 1e9 > OLD_SECONDS for file in files)


def _read(connection: sqlite3.Connection) -> tuple[int, list[Timer]]:
    """With the file's own number."""
    select = f"SELECT {_COLUMNS} FROM timers ORDER BY rang IS NULL, due, id"
    timers = [_timer(row) for row in connection.execute(select).fetchall()]
    return file_id(connection), timers


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
        known = Kind(kind) if kind else kind_of(message, at_clock_time=moment.microsecond == 0)
        timer = Timer(int(number), name, message, float(seconds), moment, started, known)
    except (TypeError, ValueError, OverflowError, OSError) as error:
        raise UnreadableRow(f"not a timer: {error}") from error
    if not isinstance(name, str) or not isinstance(message, str):
        raise UnreadableRow("not a timer: its name is no text")
    return timer


def _is_timer(row: tuple[Any, ...]) -> bool:
    try:
        _timer(row)
    except UnreadableRow:
        return False
    return True


def _row(timer: Timer) -> tuple[Any, ...]:
    rang = timer.rang.timestamp() if timer.rang else None
    return timer.id, timer.name, timer.message, timer.seconds, timer.due.timestamp(), rang, timer.kind.value
