"""Counts wrong PINs for the whole gateway and through restarts; after a few, no PIN counts for a while."""

import asyncio
import contextlib
import fcntl
import json
import logging
import math
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from pathlib import Path
from threading import Lock

from voice_gateway.backoff import wait_at_most
from voice_gateway.events import EventBus, State
from voice_gateway.private_files import private_file
from voice_gateway.problems import ADVICE, PIN_LOCKED

log = logging.getLogger(__name__)

MOST_WRONG = 5
FIRST_LOCK_SECONDS = 60.0  # doubled by every further wrong PIN …
LONGEST_LOCK_SECONDS = 3600.0  # … up to this


class PinVerdict(StrEnum):
    RIGHT = "right"
    WRONG = "wrong"
    LOCKED = "locked"  # right or wrong is not said


@dataclass(frozen=True, slots=True)
class Attempts:
    """Wrong PINs since the last right one."""

    wrong: int = 0
    locked_until: float = 0.0  # wall-clock time, because it outlives the process
    locked_seconds: float = 0.0

    @property
    def is_locked(self) -> bool:
        """A lock was set, whether or not it has run out."""
        return self.locked_seconds > 0

    def seconds_left(self, now: float) -> float:
        return min(max(0.0, self.locked_until - now), self.locked_seconds)

    def at(self, now: float) -> "Attempts":
        """The same by a clock that may have been set back, which does not make a lock longer."""
        return replace(self, locked_until=min(self.locked_until, now + self.locked_seconds))

    def one_more(self, now: float) -> "Attempts":
        if self.wrong + 1 < MOST_WRONG:
            return Attempts(self.wrong + 1)
        seconds = min(max(FIRST_LOCK_SECONDS, 2 * self.locked_seconds), LONGEST_LOCK_SECONDS)
        return Attempts(self.wrong + 1, now + seconds, seconds)


UNKNOWN = Attempts(MOST_WRONG - 1)  # for a file that cannot be read: the next wrong PIN locks


class PinLock:
    """Without a file it counts in memory. All processes of one user count in the same file."""

    def __init__(self, file: Path | None, events: EventBus, now: Callable[[], float] = time.time) -> None:
        self._file = file
        self._events = events
        self._now = now
        self._in_memory: Attempts | None = None if file else Attempts()  # also what no file could keep
        self._one_at_a_time = Lock()
        self._changed = asyncio.Event()

    async def judge(self, *, right: bool) -> tuple[PinVerdict, Attempts]:
        """Counts this PIN. While locked it counts for nothing, right or wrong."""
        verdict, attempts = await asyncio.to_thread(self._judge, right)
        self.report(attempts)
        self._changed.set()
        return verdict, attempts

    async def seconds_left(self) -> float:
        """How long no PIN counts; 0 if one does."""
        return (await asyncio.to_thread(self._read)).seconds_left(self._now())

    async def run(self) -> None:
        """Reports a lock at the start, and its end, until cancelled."""
        while True:
            self._changed.clear()
            attempts = await asyncio.to_thread(self._read)
            self.report(attempts)
            await wait_at_most(self._changed, attempts.seconds_left(self._now()) or None)

    def report(self, attempts: Attempts) -> None:
        if attempts.seconds_left(self._now()):
            sentence = PIN_LOCKED.format(wrong=attempts.wrong, time=in_words(attempts.locked_seconds))
            self._events.report("pin", State.DEGRADED, sentence, ADVICE[PIN_LOCKED])
        elif self._events.state("pin") is State.DEGRADED:
            self._events.report("pin", State.OK, "The PIN can be used again.")

    def _judge(self, right: bool) -> tuple[PinVerdict, Attempts]:
        with self._one_at_a_time, self._file_locked():
            now = self._now()
            before = self._read().at(now)
            if before.seconds_left(now):
                verdict, after = PinVerdict.LOCKED, before
            elif right:
                verdict, after = PinVerdict.RIGHT, Attempts()
            else:
                verdict, after = PinVerdict.WRONG, before.one_more(now)
            self._write(after)
        if verdict is not PinVerdict.RIGHT:
            log.warning("wrong PIN, or a PIN while it is locked", extra={"wrong": after.wrong})
        return verdict, after

    @contextlib.contextmanager
    def _file_locked(self) -> Iterator[None]:
        with contextlib.ExitStack() as opened:
            with contextlib.suppress(OSError):  # without a folder there is no file to share
                if self._file is not None:
                    lock = opened.enter_context(private_file(self._file.with_suffix(".lock")).open())
                    fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    def _read(self) -> Attempts:
        if self._in_memory is not None or self._file is None:
            return self._in_memory or Attempts()
        try:
            return _attempts(**json.loads(self._file.read_text()))
        except FileNotFoundError:
            return Attempts()
        except (OSError, ValueError, TypeError, OverflowError, RecursionError) as error:
            log.error("the count of wrong PINs cannot be read", extra={"reason": repr(error)})
            return UNKNOWN

    def _write(self, attempts: Attempts) -> None:
        """Replaces the file as a whole. A count that cannot be written holds as long as this process."""
        if self._file is None:
            self._in_memory = attempts
            return
        fresh = self._file.with_suffix(".new")
        try:
            private_file(fresh).write_text(json.dumps(asdict(attempts)))
            fresh.replace(self._file)
            self._in_memory = None
        except OSError as error:
            log.error("the count of wrong PINs cannot be kept", extra={"reason": repr(error)})
            self._in_memory = attempts


def _attempts(wrong: int, locked_until: float, locked_seconds: float) -> Attempts:
    """The content of the file. Raises ValueError or OverflowError for what this module does not write."""
    if not (wrong >= 0 and 0 <= locked_until < math.inf and 0 <= locked_seconds <= LONGEST_LOCK_SECONDS):
        raise ValueError("out of range")
    return Attempts(int(wrong), locked_until, locked_seconds)


def in_words(seconds: float) -> str:
    """ "60 seconds", "2 minutes", "1 hour": rounded up."""
    for unit, size in (("hour", 3600), ("minute", 60)):
        if seconds >= 2 * size or (unit == "hour" and seconds >= size):
            count = -(-int(seconds) // size)
            return f"{count} {unit}{'s' if count > 1 else ''}"
    whole = max(1, -(-int(seconds * 1000) // 1000))
    return f"{whole} second{'s' if whole > 1 else ''}"
