"""Counts wrong PINs for the whole gateway and through restarts; after a few, no PIN counts for a while."""

import asyncio
import json
import logging
import sqlite3
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from pathlib import Path

from voice_gateway.backoff import wait_at_most
from voice_gateway.conversation.store import MemoryStore, SqliteStore, Store
from voice_gateway.events import EventBus, State
from voice_gateway.problems import PIN_LOCKED
from voice_gateway.tools.builtin.times import say_seconds

log = logging.getLogger(__name__)

MOST_WRONG = 5
FIRST_LOCK_SECONDS = 60.0  # doubled by every further wrong PIN …
LONGEST_LOCK_SECONDS = 3600.0  # … up to this
KEY, KEPT_SECONDS = "wrong PINs", 10 * 365 * 86_400.0


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

    def judged(self, now: float, *, right: bool) -> tuple[PinVerdict, "Attempts"]:
        """While locked a PIN counts for nothing. A clock that was set back does not make a lock longer."""
        if left := self.seconds_left(now):
            return PinVerdict.LOCKED, replace(self, locked_until=now + left)
        if right:
            return PinVerdict.RIGHT, Attempts()
        if self.wrong + 1 < MOST_WRONG:
            return PinVerdict.WRONG, Attempts(self.wrong + 1)
        seconds = min(max(FIRST_LOCK_SECONDS, 2 * self.locked_seconds), LONGEST_LOCK_SECONDS)
        return PinVerdict.WRONG, Attempts(self.wrong + 1, now + seconds, seconds)


UNKNOWN = Attempts(MOST_WRONG - 1)  # where a count was lost: the next wrong PIN locks


class PinLock:
    """Without a file it counts in memory. All processes of one user count in the same file."""

    def __init__(self, file: Path | None, events: EventBus, now: Callable[[], float] = time.time) -> None:
        self._store: Store = MemoryStore(now)
        if file is not None:
            self._store = SqliteStore(file, now, on_damage=lambda _damage: self._lose())
        self._none = Attempts()  # the count of a store that has none
        self._events = events
        self._now = now
        self._changed = asyncio.Event()

    async def judge(self, *, right: bool) -> tuple[PinVerdict, Attempts]:
        """Counts this PIN."""
        while True:
            text, before = await self._read()
            verdict, after = before.judged(self._now(), right=right)
            if await self._write(text, after):
                break
        if verdict is not PinVerdict.RIGHT:
            log.warning("wrong PIN, or a PIN while it is locked", extra={"wrong": after.wrong})
        self.report(after)
        self._changed.set()
        return verdict, after

    async def seconds_left(self) -> float:
        """How long no PIN counts; 0 if one does."""
        return (await self._read())[1].seconds_left(self._now())

    async def run(self) -> None:
        """Reports a lock at the start, and its end, until cancelled."""
        while True:
            self._changed.clear()
            _, attempts = await self._read()
            self.report(attempts)
            await wait_at_most(self._changed, attempts.seconds_left(self._now()) or None)

    def report(self, attempts: Attempts) -> None:
        if attempts.seconds_left(self._now()):
            sentence = PIN_LOCKED.format(wrong=attempts.wrong, time=say_seconds(attempts.locked_seconds))
            self._events.report("pin", State.DEGRADED, sentence)
        elif self._events.state("pin") is State.DEGRADED:
            self._events.report("pin", State.OK, "The PIN can be used again.")

    def _lose(self, error: Exception | None = None) -> None:
        """A count that is lost was not nothing; without a file it holds as long as this process."""
        self._none = UNKNOWN
        if error is not None:
            log.error("the count of wrong PINs cannot be kept", extra={"reason": repr(error)})
            self._store = MemoryStore(self._now)

    async def _read(self) -> tuple[str | None, Attempts]:
        try:
            text = await self._store.get(KEY)
        except (sqlite3.Error, OSError) as error:
            self._lose(error)
            text = None
        try:
            return text, self._none if text is None else Attempts(**json.loads(text))
        except (ValueError, TypeError) as error:
            log.error("the count of wrong PINs cannot be read", extra={"reason": repr(error)})
            return text, UNKNOWN

    async def _write(self, text: str | None, attempts: Attempts) -> bool:
        """False where another process has counted meanwhile."""
        written = json.dumps(asdict(attempts))
        try:
            return await self._store.exchange(KEY, text, written, expiry_seconds=KEPT_SECONDS)
        except (sqlite3.Error, OSError) as error:
            self._lose(error)
            return await self._store.exchange(KEY, None, written, expiry_seconds=KEPT_SECONDS)
