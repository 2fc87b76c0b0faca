"""Lets timers ring when their time has come."""

import asyncio
import functools
import inspect
import logging
import re
import time
from collections.abc import Awaitable, Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeVar

from voice_gateway.backoff import wait_at_most
from voice_gateway.errors import ToolUnavailable
from voice_gateway.tools.builtin.timers.lease import Lease
from voice_gateway.tools.builtin.timers.store import KeptTimers, Kind, Timer

log = logging.getLogger(__name__)

RING_SECONDS = 60.0  # how long a timer rings when nobody says stop
# How long a change by another process may go unnoticed, a timer that it set or that it died. A file has no
# better way to tell than to be looked at; a timer lasts a second at least, so none that is set elsewhere
# rings late.
LOOK_SECONDS = 0.5
BUSY_SECONDS = 0.5  # a file that somebody holds for longer must not delay what is in memory
_BLINK_SECONDS = 0.01  # rounding may wake us a moment early; that must not become a busy loop
_STOP = re.compile(
    r"^(?:(?:ok|okay|please|hey|alright|thanks|thank you)[\s,]*)*"
    r"(?:stop|stop it|stop that|stop ringing|be quiet|quiet|silence|"
    r"(?:stop|turn off|switch off|silence) (?:the|my|that) (?:timer|alarm|noise|ringing)|"
    r"enough|that's enough|shut up|dismiss|turn it off|cancel|got it|i'm up|okay|ok|thanks|thank you)"
    r"(?:[\s,]*(?:please|now|thanks|thank you))*\W*$",
    re.IGNORECASE,
)

Ring = Callable[[Timer], Awaitable[None] | None]
Missed = Callable[[Sequence[Timer]], Awaitable[None] | None]
Wait = Callable[[asyncio.Event, float], Awaitable[None]]
T = TypeVar("T")


def time_passed() -> float:
    """Seconds that no clock that is set changes, those in which the machine slept included."""
    return time.clock_gettime(getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC))


@dataclass(frozen=True, slots=True)
class _Ringing:
    timer: Timer
    task: asyncio.Task[None]
    until: float  # monotonic: the ring of a timer must not be cut off or go on when the clock is set


class TimerClock:
    """Owns the ringing of this process. Several gateways may share one store: the holder of the lease rings.

    It rings from memory: a timer that was read once rings in time, whatever becomes of the file.
    """

    def __init__(
        self,
        store: KeptTimers,
        lease: Lease,
        *,
        now: Callable[[], datetime],
        monotonic: Callable[[], float] = time_passed,
        wait: Wait = wait_at_most,
        loud: Callable[[], bool] = lambda: False,
        on_state: Callable[[ToolUnavailable | None], None] = lambda _error: None,
    ) -> None:
        """`loud`: there is a loudspeaker. `on_state` gets what is wrong with the file, or None."""
        self._store, self._lease = store, lease
        self._now, self._monotonic, self._wait = now, monotonic, wait
        self._loud, self._on_state = loud, on_state
        self._known: list[Timer] = []
        self._moments: dict[int, float] = {}  # monotonic: when each that was set for a while is due
        self._ringing: dict[int, _Ringing] = {}
        self._unmarked: list[Timer] = []  # ring from memory: the file does not know it yet
        self._telling: set[int] = set()  # missed, and being told
        self._heard: set[int] = set()  # to be removed from the file, as soon as it can be written
        self._runs = False
        self._well = True
        # Of its own: the threads that all share may be waiting for another file.
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="timers")

    @property
    def ringing(self) -> list[Timer]:
        return [ringing.timer for ringing in self._ringing.values()]

    def will_ring(self) -> bool:
        """Whether there is a gateway that lets timers ring, this one or another."""
        return self._runs or self._lease.held()

    async def answer(self, text: str) -> str | None:
        """While a timer rings, here or in another gateway, "stop" means the timer, whatever else it may mean;
        None: it does not."""
        if not _STOP.match(text.strip()) or not (ringing := await self._all_ringing()):
            return None
        await self._hear([timer.id for timer in ringing])
        kinds = {timer.kind for timer in ringing}
        what = kinds.pop() if len(kinds) == 1 else Kind.TIMER
        return f"Okay, the {what}s are off." if len(ringing) > 1 else f"Okay, the {what} is off."

    async def _all_ringing(self) -> list[Timer]:
        try:
            if self._ringing or not await self._in_thread(self._lease.held):
                return self.ringing
            return [timer for timer in await self._in_thread(self._store.all) if timer.rang]
        except ToolUnavailable:
            return []

    async def run(self, ring: Ring, missed: Missed | None = None) -> None:
        """Until cancelled. `ring` is called when a timer is due, and cancelled when it is stopped or has
        rung for a minute; it may also return at once. `missed` gets those that nobody heard in their time.
        """
        changed, loop = asyncio.Event(), asyncio.get_running_loop()

        def wake() -> None:
            loop.call_soon_threadsafe(changed.set)

        stop_listening = self._store.listen(wake)
        self._runs = True
        try:
            async with asyncio.TaskGroup() as tasks:
                while True:
                    changed.clear()
                    await self._look(tasks, ring, missed)
                    await self._wait(changed, self._pause())
        finally:
            self._runs = False
            stop_listening()
            self._ringing.clear()
            self._lease.release()

    async def _look(self, tasks: asyncio.TaskGroup, ring: Ring, missed: Missed | None) -> None:
        """Start and stop what has to."""
        found = await self._in_thread(self._renewed, self._loud())
        if found is None:
            self._fall_silent(set(self._ringing))  # whoever has the lease goes on with what rings
            self._known = []
            return
        self._take(found)
        over = {one for one, ringing in self._ringing.items() if ringing.until <= self._monotonic()}
        await self._hear(over)
        due = [timer for timer in self._known if self._is_new(timer) and self._left_seconds(timer) <= 0]
        late = [timer for timer in due if self._unheard_seconds(timer) >= RING_SECONDS]
        for timer in await self._marked([timer for timer in due if timer not in late]):
            log.info("timer rings", extra={"timer": timer.id})
            task = tasks.create_task(_call(ring, timer), name=f"timer {timer.id}")
            self._ringing[timer.id] = _Ringing(timer, task, self._monotonic() + RING_SECONDS)
        if late:
            log.info("timers were missed", extra={"count": len(late)})
            self._telling |= {timer.id for timer in late}
            tasks.create_task(self._tell(missed, late), name="missed timers")

    def _renewed(self, loud: bool) -> list[Timer] | ToolUnavailable | None:
        """In one go, as it is done twice a second. None: another gateway rings."""
        try:
            if not self._lease.renew(loud=loud):
                return None
            return self._store.latest(busy_seconds=BUSY_SECONDS)
        except ToolUnavailable as error:
            return error

    def _take(self, found: list[Timer] | ToolUnavailable) -> None:
        """What was removed elsewhere falls silent. A file that cannot be read leaves what is in memory."""
        if isinstance(found, ToolUnavailable):
            self._report(found)
            return
        self._known = found
        if not self._heard and not self._unmarked:  # else it can be read, but not written
            self._report(None)
        known = {timer.id for timer in self._known}
        self._moments = {one: moment for one, moment in self._moments.items() if one in known}
        self._fall_silent(self._ringing.keys() - known)

    def _left_seconds(self, timer: Timer) -> float:
        """A time of day is what the clock shows. A duration is time that has passed since we first saw it,
        however the clock is set, and none is longer than when it was set."""
        by_clock = (timer.due - self._now()).total_seconds()
        if timer.at_clock_time:
            return by_clock
        left = min(by_clock, timer.seconds)
        return self._moments.setdefault(timer.id, self._monotonic() + left) - self._monotonic()

    def _is_new(self, timer: Timer) -> bool:
        return timer.id not in self._ringing.keys() | self._telling | self._heard

    def _unheard_seconds(self, timer: Timer) -> float:
        """What began to ring and was not heard to its end belongs to a gateway that is gone."""
        if timer.rang is None:
            return -self._left_seconds(timer)
        return (self._now() - timer.rang).total_seconds()

    async def _marked(self, timers: list[Timer]) -> list[Timer]:
        """Those that are ours to ring, which is written down first; where nothing can be written, all."""
        self._unmarked = [timer for timer in self._unmarked if timer.id in self._ringing]
        wanted = self._unmarked + timers
        if not wanted:
            return []
        try:
            start = functools.partial(self._store.start_ringing, busy_seconds=BUSY_SECONDS)
            ours = await self._in_thread(start, wanted, self._now())
        except ToolUnavailable as error:
            self._report(error)
            self._unmarked = wanted
            return timers
        self._unmarked = []
        return [timer for timer in timers if timer.id in ours]

    async def _hear(self, ids: Iterable[int]) -> None:
        """Stopped, told, or rung to the end: silent at once, and gone from the file now or later."""
        self._heard |= set(ids)
        self._fall_silent(self._heard)
        if not self._heard:
            return
        gone = set(self._heard)
        try:
            await self._in_thread(self._store.remove, sorted(gone), busy_seconds=BUSY_SECONDS)
        except ToolUnavailable as error:
            self._report(error)
            return
        self._heard -= gone
        self._known = [timer for timer in self._known if timer.id not in gone]

    def _report(self, error: ToolUnavailable | None) -> None:
        if error is not None and self._well:  # once, not at every look
            log.warning("the file of timers cannot be used", extra={"cause": repr(error.__cause__)})
        self._well = error is None
        self._on_state(error)

    async def _in_thread(self, work: Callable[..., T], *args: Any, **more: Any) -> T:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._thread, functools.partial(work, *args, **more))

    def _fall_silent(self, ids: set[int]) -> None:
        for one in ids & self._ringing.keys():
            self._ringing.pop(one).task.cancel()

    async def _tell(self, missed: Missed | None, timers: Sequence[Timer]) -> None:
        if missed is not None:
            await _call(missed, timers)
        await self._hear([timer.id for timer in timers])
        self._telling -= {timer.id for timer in timers}

    def _pause(self) -> float:
        moment = self._monotonic()
        waiting = [self._left_seconds(timer) for timer in self._known if self._is_new(timer)]
        ringing = [ringing.until - moment for ringing in self._ringing.values()]
        return min(LOOK_SECONDS, max(_BLINK_SECONDS, min(waiting + ringing, default=LOOK_SECONDS)))


async def _call(listener: Callable[[Any], Awaitable[None] | None], what: Any) -> None:
    """A door that fails must not stop the other timers."""
    try:
        result = listener(what)
        if inspect.isawaitable(result):
            await result
    except Exception:
        log.exception("a timer could not be told")
