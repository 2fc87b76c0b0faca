"""Lets timers ring when their time has come."""

import asyncio
import inspect
import logging
import re
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime, timedelta
from typing import Any

from voice_gateway.errors import ToolUnavailable
from voice_gateway.tools.builtin.timers.store import Timer, TimerStore

log = logging.getLogger(__name__)

# How long a change by another process may go unnoticed. A file has no better way to tell than to be looked
# at; a timer lasts a second at least, so none that is set elsewhere rings late.
POLL_SECONDS = 1.0
_BLINK_SECONDS = 0.01  # rounding may wake us a moment early; that must not become a busy loop
_STOP = re.compile(
    r"^(?:(?:ok|okay|please|hey|alright|thanks|thank you)[\s,]*)*"
    r"(?:stop|stop it|stop that|stop ringing|stop the (?:timer|alarm|noise|ringing)|be quiet|quiet|silence|"
    r"enough|that's enough|shut up|dismiss|turn it off|cancel|got it|i'm up|okay|ok|thanks|thank you)"
    r"(?:[\s,]*(?:please|now|thanks|thank you))*\W*$",
    re.IGNORECASE,
)

Ring = Callable[[Timer], Awaitable[None] | None]
Missed = Callable[[Sequence[Timer]], Awaitable[None] | None]
Wait = Callable[[asyncio.Event, float], Awaitable[None]]


async def wait_for(event: asyncio.Event, seconds: float) -> None:
    try:
        async with asyncio.timeout(seconds):
            await event.wait()
    except TimeoutError:
        pass


class TimerClock:
    """Owns the ringing of this process. Several may share one store: each timer rings in one of them."""

    def __init__(self, store: TimerStore, *, now: Callable[[], datetime], wait: Wait = wait_for) -> None:
        self._store, self._now, self._wait = store, now, wait
        self._ringing: dict[int, tuple[Timer, asyncio.Task[None]]] = {}
        self._well = True

    @property
    def ringing(self) -> list[Timer]:
        return [timer for timer, _ in self._ringing.values()]

    async def stop_ringing(self) -> list[Timer]:
        """Silence what rings here; returns it. This is what "stop" means while a timer rings."""
        return await asyncio.to_thread(self._store.remove, [timer.id for timer in self.ringing])

    async def answer(self, text: str) -> str | None:
        """While a timer rings, "stop" means the timer, whatever else it may mean; None: it does not."""
        if not self._ringing or not _STOP.match(text.strip()):
            return None
        stopped = await self.stop_ringing()
        return "Okay, the timers are off." if len(stopped) > 1 else "Okay, the timer is off."

    async def run(self, ring: Ring, missed: Missed | None = None) -> None:
        """Until cancelled. `ring` is called when a timer is due, and cancelled when it is stopped or has
        rung for a minute; it may also return at once. `missed` gets those that ran out while nobody ran this.
        """
        changed, loop = asyncio.Event(), asyncio.get_running_loop()

        def wake() -> None:
            loop.call_soon_threadsafe(changed.set)

        stop_listening = self._store.listen(wake)
        try:
            async with asyncio.TaskGroup() as tasks:
                while True:
                    changed.clear()
                    await self._wait(changed, await self._look(tasks, ring, missed))
        finally:
            stop_listening()
            self._ringing.clear()

    async def _look(self, tasks: asyncio.TaskGroup, ring: Ring, missed: Missed | None) -> float:
        """Start and stop what has to; returns how long nothing will happen."""
        try:
            seen = await asyncio.to_thread(self._store.take_due, self._now())
        except ToolUnavailable as error:
            if self._well:  # once, not every second
                log.warning("timers cannot be read", extra={"cause": repr(error.__cause__)})
            self._well = False
            return POLL_SECONDS
        self._well = True
        for gone in self._ringing.keys() - {timer.id for timer in seen.timers}:
            self._ringing.pop(gone)[1].cancel()
        for timer in seen.started:
            log.info("timer rings", extra={"timer": timer.id})
            self._ringing[timer.id] = timer, tasks.create_task(_call(ring, timer), name=f"timer {timer.id}")
        if seen.missed:
            log.info("timers were missed", extra={"count": len(seen.missed)})
            if missed is not None:
                tasks.create_task(_call(missed, seen.missed), name="missed timers")
        return self._pause(seen.timers)

    def _pause(self, timers: Sequence[Timer]) -> float:
        now = self._now()
        left = min(
            ((timer.ends or timer.due) - now for timer in timers), default=timedelta(seconds=POLL_SECONDS)
        )
        return min(POLL_SECONDS, max(_BLINK_SECONDS, left.total_seconds()))


async def _call(listener: Callable[[Any], Awaitable[None] | None], what: Any) -> None:
    """A door that fails must not stop the other timers."""
    try:
        result = listener(what)
        if inspect.isawaitable(result):
            await result
    except Exception:
        log.exception("a timer could not be told")
