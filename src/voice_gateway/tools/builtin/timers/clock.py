"""Rings timers when they are due."""

import asyncio
import contextlib
import logging
import re
from collections.abc import Awaitable, Callable, Collection, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeVar

from voice_gateway.backoff import wait_at_most
from voice_gateway.errors import ToolUnavailable
from voice_gateway.shared.lease import Lease
from voice_gateway.tools.builtin.timers.store import Kind, Timer, TimerStore, time_passed

log = logging.getLogger(__name__)

RING_SECONDS = 60.0  # how long a timer rings unless it is stopped
# How long a change by another process (a new timer, or its death) may go unnoticed. A timer lasts a second at
# least, so none that is set elsewhere rings late.
LOOK_SECONDS = 0.5
_BLINK_SECONDS = 0.01  # rounding may wake us a moment early; that must not become a busy loop
_STOP = re.compile(
    r"^(?:(?:ok|okay|please|hey|alright|thanks|thank you)[\s,]*)*"
    r"(?:stop|stop it|stop that|stop ringing|be quiet|quiet|silence|"
    r"(?:stop|turn off|switch off|silence) (?:the|my|that) (?:timer|alarm|noise|ringing)|"
    r"enough|that's enough|shut up|dismiss|turn it off|cancel|got it|i'm up|okay|ok|thanks|thank you)"
    r"(?:[\s,]*(?:please|now|thanks|thank you))*\W*$",
    re.IGNORECASE,
)

Ring = Callable[[Timer], Awaitable[None]]
Missed = Callable[[Sequence[Timer]], Awaitable[None]]
Wait = Callable[[asyncio.Event, float], Awaitable[None]]
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class _Ringing:
    timer: Timer
    task: asyncio.Task[None]
    until: float  # monotonic: the ring of a timer must not be cut off or go on when the clock is set


class TimerClock:
    """Rings the timers. Of several gateways with one store, the holder of the lease rings.

    A timer that was read once rings from memory, also if the file cannot be read any more.
    """

    def __init__(
        self,
        store: TimerStore,
        lease: Lease,
        *,
        now: Callable[[], datetime],
        monotonic: Callable[[], float] = time_passed,
        wait: Wait = wait_at_most,
        on_state: Callable[[ToolUnavailable | None], None] = lambda _error: None,
    ) -> None:
        """`on_state` gets what is wrong with the file, or None."""
        self._store, self._lease = store, lease
        self._now, self._monotonic, self._wait = now, monotonic, wait
        self._on_state = on_state
        self._known: list[Timer] = []
        self._stamp: object = object()  # of the file when it was read last
        self._ringing: dict[int, _Ringing] = {}
        self._announcing: set[int] = set()  # missed, and being announced
        self._stopped: set[int] = set()  # to be removed from the file, as soon as it can be written
        self._runs, self._well = False, True
        # Its own thread: the shared threads may be waiting for another file.
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="timers")

    def will_ring(self) -> bool:
        """Whether any gateway, this or another, is running to ring timers."""
        return self._runs or self._lease.held()

    async def answer(self, text: str) -> str | None:
        """Stop the ringing timers if `text` means that, here or in another gateway; otherwise None."""
        if not _STOP.match(text.strip()):
            return None
        ringing = [each.timer for each in self._ringing.values()]
        with contextlib.suppress(ToolUnavailable):
            if not ringing and await self._in_thread(self._lease.held):
                ringing = [timer for timer in await self._in_thread(self._store.all) if timer.rang]
        if not ringing:
            return None
        await self._stop([timer.id for timer in ringing])
        kinds = {timer.kind for timer in ringing}
        what = kinds.pop() if len(kinds) == 1 else Kind.TIMER
        return f"Okay, the {what}s are off." if len(ringing) > 1 else f"Okay, the {what} is off."

    async def run(self, ring: Ring, missed: Missed) -> None:
        """Ring timers until cancelled.

        `ring` is called when a timer is due, and cancelled when it is stopped or has rung for a minute; it
        may also return at once. `missed` gets the timers that were not heard in time.
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

    async def _look(self, tasks: asyncio.TaskGroup, ring: Ring, missed: Missed) -> None:
        """Start due timers and stop those that are over."""
        try:
            if not await self._in_thread(self._lease.renew):
                self._silence(set(self._ringing))  # the holder of the lease goes on ringing
                self._known, self._stamp = [], object()
                return
            await self._read()
        except ToolUnavailable as error:  # what is known rings all the same
            self._report(error)
        over = {number for number, ringing in self._ringing.items() if ringing.until <= self._monotonic()}
        await self._stop(over)
        due = [timer for timer in self._known if self._is_new(timer) and self._left_seconds(timer) <= 0]
        now = self._now()
        # One that rang already belongs to a gateway that is gone.
        late = [timer for timer in due if (now - (timer.rang or timer.due)).total_seconds() >= RING_SECONDS]
        for timer in await self._marked([timer for timer in due if timer not in late]):
            log.info("timer rings", extra={"timer": timer.id})
            task = tasks.create_task(_call(ring, timer), name=f"timer {timer.id}")
            self._ringing[timer.id] = _Ringing(timer, task, self._monotonic() + RING_SECONDS)
        if late:
            log.info("timers were missed", extra={"count": len(late)})
            self._announcing |= {timer.id for timer in late}
            tasks.create_task(self._announce(missed, late), name="missed timers")

    def _unmarked(self) -> list[Timer]:
        """Those that ring here, and the file does not know it."""
        return [timer for timer in self._known if timer.id in self._ringing and timer.rang is None]

    async def _read(self) -> None:
        """Take over the file's timers if they have changed; silence removed ones."""
        stamp = await self._in_thread(self._store.stamp)
        if stamp != self._stamp:
            self._known = await self._in_thread(self._store.all)
            self._stamp = stamp
            self._silence(self._ringing.keys() - {timer.id for timer in self._known})
        if not self._stopped and not self._unmarked():  # else it can be read, but not written
            self._report(None)

    def _left_seconds(self, timer: Timer) -> float:
        return (timer.due - self._now()).total_seconds()

    def _is_new(self, timer: Timer) -> bool:
        return timer.id not in self._ringing.keys() | self._announcing | self._stopped

    async def _marked(self, timers: list[Timer]) -> list[Timer]:
        """Mark timers as ringing in the file; returns those this gateway rings, or all if writing fails."""
        wanted = self._unmarked() + timers
        if not wanted:
            return []
        try:
            ours = await self._in_thread(self._store.start_ringing, wanted, self._now())
        except ToolUnavailable as error:
            self._report(error)
            return timers
        return [timer for timer in timers if timer.id in ours]

    async def _stop(self, ids: Collection[int]) -> None:
        """Silence timers at once and remove them from the file, later if it cannot be written now."""
        self._stopped |= set(ids)
        self._silence(self._stopped)
        if not self._stopped:
            return
        gone = set(self._stopped)
        try:
            await self._in_thread(self._store.remove, sorted(gone))
        except ToolUnavailable as error:
            self._report(error)
            return
        self._stopped -= gone
        self._known = [timer for timer in self._known if timer.id not in gone]

    def _report(self, error: ToolUnavailable | None) -> None:
        if error is not None and self._well:  # once, not at every look
            log.warning("the file of timers cannot be used", extra={"cause": repr(error.__cause__)})
        self._well = error is None
        self._on_state(error)

    async def _in_thread(self, work: Callable[..., T], *args: Any) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._thread, work, *args)

    def _silence(self, ids: set[int]) -> None:
        for number in ids & self._ringing.keys():
            self._ringing.pop(number).task.cancel()

    async def _announce(self, missed: Missed, timers: Sequence[Timer]) -> None:
        await _call(missed, timers)
        await self._stop([timer.id for timer in timers])
        self._announcing -= {timer.id for timer in timers}

    def _pause(self) -> float:
        moment = self._monotonic()
        waiting = [self._left_seconds(timer) for timer in self._known if self._is_new(timer)]
        ringing = [ringing.until - moment for ringing in self._ringing.values()]
        return min(LOOK_SECONDS, max(_BLINK_SECONDS, min(waiting + ringing, default=LOOK_SECONDS)))


async def _call(listener: Callable[[Any], Awaitable[None]], what: Any) -> None:
    """Call a listener; its failure is logged and does not stop the other timers."""
    try:
        await listener(what)
    except Exception:
        log.exception("a timer could not be announced")
