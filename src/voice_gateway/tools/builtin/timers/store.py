"""Timers in a file or in a shared Redis, so that they survive a restart and several processes share them."""

import functools
import logging
import time
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple, TypeVar

from voice_gateway.errors import ToolUnavailable
from voice_gateway.problems import TIMERS_LOST
from voice_gateway.shared.rows import FileRows, RedisRows, Rows, RowStore, RowTable, SharedRedis
from voice_gateway.sqlite_file import Damage

MAX_TIMERS = 100  # a model in a loop must not fill the disk
BUSY_SECONDS = 0.5  # a locked file must not delay timers that are in memory
SET_SECONDS = 0.5  # a clock that differs by more was set

log = logging.getLogger(__name__)

T = TypeVar("T")


def time_passed() -> float:
    """Seconds of a clock that is never set, including those in which the machine slept."""
    return time.clock_gettime(getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC))


@functools.cache
def _boot() -> str:
    """Names this run of the machine: `time_passed` begins anew with each."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except OSError:
        return uuid.uuid4().hex


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


# Numbers begin anywhere: a new file in the place of one that was lost must not give them again.
_MIGRATIONS = (
    """
CREATE TABLE IF NOT EXISTS timers (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL,
  message TEXT NOT NULL,
  seconds REAL NOT NULL,
  due REAL NOT NULL,
  rang REAL,
  kind TEXT NOT NULL
)
""",
    """
INSERT INTO sqlite_sequence (name, seq) SELECT 'timers', abs(random() % 1000000000)
WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'timers')
""",
    "ALTER TABLE timers ADD COLUMN clock REAL",
    "ALTER TABLE timers ADD COLUMN boot TEXT",
    "ALTER TABLE timers ADD COLUMN left REAL",
)


class Row(NamedTuple):
    """One timer as it is written; times in seconds since 1970."""

    name: str
    message: str
    seconds: float
    due: float
    rang: float | None
    kind: str
    clock: float | None = None  # how far the clock was ahead of `time_passed` when it was set
    boot: str | None = None
    left: float | None = None  # seconds, of a timer that is paused


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
    left: float | None = None  # seconds that it has left while it is paused; `due` is far away

    @property
    def at_clock_time(self) -> bool:
        """Set for a time of day, which has no microseconds, and not for a duration."""
        return self.due.microsecond == 0

    def rings_at(self, zone: tzinfo | None) -> str | None:
        """The moment it is due, in ISO form; None while it is paused."""
        return None if self.left is not None else self.due.astimezone(zone).isoformat(timespec="seconds")

    def remaining_seconds(self, now: datetime) -> int:
        return max(0, round((self.due - now).total_seconds() if self.left is None else self.left))


class TimerStore(RowStore[Row, Timer]):
    """No clock needs to run.

    A timer stays until it is removed, because it was cancelled or heard. One that was set for a duration ends
    when so much time has passed: when the clock is set, its `due` moves along.
    """

    def __init__(
        self,
        kept: Path | SharedRedis,
        *,
        on_damage: Callable[[Damage], None] = lambda _damage: None,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        passed: Callable[[], float] = time_passed,
    ) -> None:
        self._now, self._passed = now, passed
        rows: RowTable[Row] = (
            FileRows(
                kept,
                "timers",
                Row,
                _MIGRATIONS,
                TIMERS_LOST,
                busy_seconds=BUSY_SECONDS,
                on_damage=on_damage,
            )
            if isinstance(kept, Path)
            else RedisRows(kept, "timers", Row, TIMERS_LOST)
        )
        super().__init__(rows, self._timer)

    def stamp(self) -> object:
        """Differs after each change of a timer, and after the clock was set."""
        return super().stamp(), round(self._clock() / SET_SECONDS)

    def add(
        self, *, due: datetime, now: datetime, name: str = "", message: str = "", kind: Kind | None = None
    ) -> Timer:
        kind = kind or kind_of(message, at_clock_time=due.microsecond == 0)
        row = self._row(due, (due - now).total_seconds(), name, message, kind)

        def work(rows: Rows[Row]) -> int:
            if rows.count >= MAX_TIMERS:
                raise ToolUnavailable(f"There are {rows.count} timers already. Cancel some first.")
            return rows.add(row)

        return self._timer(self.changed(work), row)

    def move(self, timer: Timer, due: datetime, seconds: float, left: float | None = None) -> Timer | None:
        """The same timer for another time, or paused with so many seconds left; None when it has just ended.

        It gets a new number, so that a gateway that rings the old one stops.
        """
        row = self._row(due, seconds, timer.name, timer.message, timer.kind)._replace(left=left)

        def work(rows: Rows[Row]) -> int | None:
            return rows.add(row) if rows.pop(timer.id, None) is not None else None

        number = self.changed(work, [timer.id])
        return None if number is None else self._timer(number, row)

    def all(self) -> list[Timer]:
        """Ringing timers first, then the waiting ones, the next to ring first."""
        return sorted(self.read(), key=lambda timer: (timer.rang is None, timer.due, timer.id))

    def start_ringing(self, timers: Sequence[Timer], now: datetime) -> set[int]:
        """Mark timers as ringing; returns the ids of those that are still there and unchanged, if this
        gateway holds the lease."""
        seen = {timer.id: timer.rang for timer in timers}

        def work(rows: Rows[Row]) -> set[int]:
            ours = {number for number, row in rows.items() if _moment(row.rang) == seen[number]}
            for number in ours:
                rows[number] = rows[number]._replace(rang=now.timestamp())
            return ours

        return self.rows.change(work, seen, as_holder=True)

    def _clock(self) -> float:
        return self._now().timestamp() - self._passed()

    def _row(self, due: datetime, seconds: float, name: str, message: str, kind: Kind) -> Row:
        return Row(name, message, seconds, due.timestamp(), None, kind.value, self._clock(), _boot())

    def _timer(self, number: int, row: Row) -> Timer:
        due = datetime.fromtimestamp(row.due, UTC)
        if due.microsecond and row.clock is not None and row.boot == _boot():
            shift = self._clock() - row.clock
            if abs(shift) > SET_SECONDS:
                due += timedelta(seconds=shift)
                due = due.replace(microsecond=due.microsecond or 1)  # it stays a duration
        texts, seconds = (str(row.name), str(row.message)), float(row.seconds)
        return Timer(int(number), *texts, seconds, due, _moment(row.rang), Kind(row.kind), left=row.left)


def _moment(seconds: float | None) -> datetime | None:
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC)
