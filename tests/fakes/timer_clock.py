"""A clock that stands still until a test moves it."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from voice_gateway.errors import ToolUnavailable
from voice_gateway.shared.lease import FileLease
from voice_gateway.tools.builtin.timers import Timer, TimerClock, TimerStore


class StoppedClock:
    """`now` for the tools; `now`, `monotonic` and `wait` for a TimerClock."""

    def __init__(self, start: datetime = datetime(2026, 11, 15, 14, 0, 0, 250_000, tzinfo=UTC)) -> None:
        self.time = start
        self.shift = timedelta()  # by which the clock was set
        self.pause = 0.0  # how long the timer clock wants to sleep
        self._alarm = asyncio.Event()
        self._idle = asyncio.Event()

    def now(self) -> datetime:
        return self.time + self.shift

    def monotonic(self) -> float:
        return self.time.timestamp()

    async def wait(self, event: asyncio.Event, seconds: float) -> None:
        for _ in range(3):  # let what was just started or cancelled take its first step
            await asyncio.sleep(0)
        self._alarm, self.pause = event, seconds
        self._idle.set()
        await event.wait()
        self._idle.clear()

    async def settled(self) -> None:
        """Until the timer clock has done what there was to do, and sleeps."""
        async with asyncio.timeout(30):
            while self._alarm.is_set() or not self._idle.is_set():
                # Awake: it may wait for a thread, which a spinning loop would only hold up.
                await (asyncio.sleep(0) if self._idle.is_set() else self._idle.wait())

    def wake(self) -> None:
        self._alarm.set()

    async def advance(self, seconds: float) -> None:
        """Let time pass, waking the timer clock whenever it wanted to be woken."""
        end = self.time + timedelta(seconds=seconds)
        await self.settled()
        while self.time < end:
            self.time = min(end, self.time + timedelta(seconds=self.pause))
            self.wake()
            await self.settled()


class House:
    """One gateway's clock, with a bell that rings until it is stopped."""

    def __init__(self, path: Path, clock: StoppedClock) -> None:
        self.rings: list[str] = []
        self.silenced: list[str] = []
        self.missed: list[str] = []
        self.troubles: list[ToolUnavailable | None] = []
        self.told = asyncio.Event()
        self.told.set()
        self._own = StoppedClock()
        self._clock = clock
        self.lease = FileLease(path.with_suffix(".lease"))
        self.timers = TimerClock(
            TimerStore(path, now=clock.now, passed=clock.monotonic),
            self.lease,
            now=clock.now,
            monotonic=clock.monotonic,
            wait=self._own.wait,
            on_state=self.troubles.append,
        )

    @asynccontextmanager
    async def running(self) -> AsyncIterator["House"]:
        task = asyncio.create_task(self.timers.run(self._ring, self._miss))
        try:
            await self.look()
            yield self
        finally:
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task

    async def look(self) -> None:
        """Once more."""
        await self._own.settled()
        self._own.wake()
        await self._own.settled()

    async def later(self, seconds: float) -> None:
        self._clock.time += timedelta(seconds=seconds)
        await self.look()

    async def _ring(self, timer: Timer) -> None:
        self.rings.append(timer.name)
        try:
            await asyncio.Event().wait()
        finally:
            self.silenced.append(timer.name)

    async def _miss(self, timers: Sequence[Timer]) -> None:
        await self.told.wait()
        self.missed += [timer.name for timer in timers]
