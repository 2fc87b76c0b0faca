"""Starts routines: when they are due, or when an event happens. Each run is claimed in the store first."""

import asyncio
import functools
import logging
import uuid
from collections import defaultdict, deque
from collections.abc import Awaitable, Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Protocol, TypeVar

from voice_gateway.backoff import wait_at_most
from voice_gateway.errors import ToolUnavailable
from voice_gateway.routines.model import Event, LastRun, ResourceState, Routine
from voice_gateway.routines.schedule import NoPlace, Place, due_next, holds_at
from voice_gateway.routines.store import Finished, RoutineStore
from voice_gateway.shared.lease import Lease
from voice_gateway.tools.builtin.timers.clock import Wait
from voice_gateway.tools.builtin.timers.store import time_passed

log = logging.getLogger(__name__)

# How long a change by another process may go unnoticed. With a lease of 2 s, a gateway that died while it ran
# the routines is replaced within 3 s.
LOOK_SECONDS = 0.5
BLINK_SECONDS = 0.01  # the shortest wait: rounding may wake the loop a moment early
AT_ONCE = 32  # runs at the same time; the executor has its own limit for calls
LATE_SECONDS = 10.0  # a repeated routine that is later waits for its next time; a new leader takes 3 s
ROUNDS, ROUND_SECONDS = 20, 60.0  # a routine that starts so often in this time goes in a circle: it is paused

MISSED = "I missed this, because routines were not available: {text}."
MAY_HAVE = "I was interrupted in the middle, so this may have happened: {text}."
LOOPING = "I have paused the routine “{text}”: it started {rounds} times within a minute."

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class StateChange:
    """A resource of a server is not as it was."""

    server: str
    resource: str
    before: ResourceState
    after: ResourceState


class RoutineHost(Protocol):
    """What the runner needs of the gateway."""

    async def carry_out(self, routine: Routine) -> LastRun:
        """Never raises except cancellation."""
        ...

    def missed(self, routine: Routine) -> Awaitable[None]:
        """Asks the user about a one-time routine that is long overdue."""
        ...

    async def state_of(self, server: str, resource: str) -> ResourceState | None:
        """As soon as the home is known; None if it has no such resource."""
        ...

    def tell(self, text: str) -> None:
        """Says it aloud."""
        ...


class RoutineRunner:
    """Runs routines while this gateway holds the lease. The claim in the store decides: no run starts twice,
    even if two gateways believe that they hold it."""

    def __init__(
        self,
        store: RoutineStore,
        lease: Lease,
        place: Place,
        host: RoutineHost,
        *,
        grace_seconds: float,
        now: Callable[[], datetime],
        monotonic: Callable[[], float] = time_passed,
        wait: Wait = wait_at_most,
        on_state: Callable[[ToolUnavailable | None], None] = lambda _error: None,
    ) -> None:
        self._store, self._lease, self._place, self._host = store, lease, place, host
        self._grace_seconds = grace_seconds
        self._now, self._monotonic, self._wait = now, monotonic, wait
        self._on_state = on_state
        self._who = uuid.uuid4().hex
        self._runs = self._leads = False
        self._stamp: object = object()
        self._waiting: list[Routine] = []  # for a time
        self._ends: dict[tuple[int, datetime], float] = {}  # of durations, on the monotonic clock
        self._by_resource: dict[tuple[str, str], list[Routine]] = {}
        self._running: set[int] = set()
        self._over: list[Routine] = []  # carried out, to be written down
        self._known: dict[int, bool] = {}  # by routine: whether its state held at the last report
        self._plans: dict[int, datetime | None] = {}  # of states that must last, to be written down
        self._started: dict[int, tuple[Routine, float]] = {}  # by an event, and when
        self._rounds: dict[int, deque[float]] = defaultdict(lambda: deque(maxlen=ROUNDS))  # when it started
        self._wake = asyncio.Event()
        # A thread of its own: the shared ones may be waiting for another file.
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="routines")

    def will_run(self) -> bool:
        """Whether any gateway, this or another, is running to carry routines out."""
        return self._runs or self._lease.held()

    async def run(self) -> None:
        """Until cancelled."""
        loop = asyncio.get_running_loop()

        def wake() -> None:
            loop.call_soon_threadsafe(self._wake.set)

        stop_listening = self._store.listen(wake)
        self._runs = True
        try:
            async with asyncio.TaskGroup() as tasks:
                while True:
                    self._wake.clear()
                    try:
                        await self._look(tasks)
                        self._on_state(None)
                    except ToolUnavailable as error:  # tried again at the next look
                        self._on_state(error)
                    await self._wait(self._wake, self._pause())
        finally:
            self._runs = False
            stop_listening()
            self._lease.release()

    # --- events

    def happened(self, change: StateChange) -> None:
        """Cheap where no routine waits for that resource."""
        waiting = self._by_resource.get((change.server, change.resource), ()) if self._leads else ()
        for routine in waiting:
            trigger = routine.trigger
            assert isinstance(trigger, Event)
            if not self._turned(routine.id, trigger.becomes, change):
                continue
            holds = change.after.tells(trigger.becomes) is True
            self._wake.set()
            if holds:
                self._rounds[routine.id].append(self._monotonic())
            if trigger.seconds:  # with microseconds, as every duration
                due = self._now() + timedelta(seconds=trigger.seconds)
                self._plans[routine.id] = due.replace(microsecond=due.microsecond or 1) if holds else None
            elif holds:
                self._started[routine.id] = (routine, self._monotonic())

    def _turned(self, number: int, becomes: str, change: StateChange) -> bool:
        """Whether the state holds now and did not, or the other way round. A device that was away for a while
        is taken to have been as before."""
        before, after = change.before.tells(becomes), change.after.tells(becomes)
        before = self._known.get(number) if before is None else before
        if (known := before if after is None else after) is not None:
            self._known[number] = known
        return before is not None and after is not None and before != after

    # --- one look

    async def _look(self, tasks: asyncio.TaskGroup) -> None:
        led = self._leads
        self._leads = await self._in_thread(self._lease.renew)
        if not self._leads:
            self._by_resource, self._stamp, self._plans, self._waiting = {}, object(), {}, []
            self._miss(list(self._started))
            return
        if not led:
            await self._tell_unfinished()
        await self._start(tasks)
        await self._write_down()
        await self._read()

    async def _tell_unfinished(self) -> None:
        """Runs of a gateway that lost the lease in the middle."""
        for routine in await self._in_thread(self._store.unfinished, self._who):
            log.warning("a routine was interrupted", extra={"routine": routine.id})
            self._host.tell(MAY_HAVE.format(text=routine.text))
            last = LastRun(self._now(), ok=False, text="It was interrupted, and may have happened.")
            over = [self._finished(replace(routine, last=last))]
            await self._in_thread(self._store.finish, over, None)

    def _miss(self, numbers: Iterable[int]) -> None:
        """Routines that an event has started and that cannot be run any more."""
        for number in numbers:
            routine, _ = self._started.pop(number)
            log.warning("a routine was missed", extra={"routine": number})
            if number not in self._running:
                self._host.tell(MISSED.format(text=routine.text))

    async def _start(self, tasks: asyncio.TaskGroup) -> None:
        left = {(each.id, each.next): left for each, left in self._left_seconds() if left <= 0}
        old = self._monotonic() - LATE_SECONDS
        self._miss([number for number, (_, at) in self._started.items() if at < old])
        happened = [(number, None) for number in self._started if number not in self._running]
        wanted = [*left, *happened][: max(0, AT_ONCE - len(self._running))]
        if not wanted:
            return
        claimed = await self._in_thread(self._store.claim, wanted, self._who)
        for number, _ in wanted:
            self._started.pop(number, None)
        for routine in claimed:
            self._running.add(routine.id)
            late_seconds = -left.get((routine.id, routine.next), 0.0)
            tasks.create_task(self._carry_out(routine, late_seconds), name=f"routine {routine.id}")

    async def _write_down(self) -> None:
        """All plans and all runs that ended since the last look, in one step each."""
        plans, self._plans = self._plans, {}
        try:
            if plans:
                await self._in_thread(self._store.plan, plans)
        except ToolUnavailable:
            self._plans = plans | self._plans
            raise
        over, self._over = self._over, []
        if not over:
            return
        try:
            await self._in_thread(self._store.finish, [*map(self._finished, over)], self._who)
            if paused := [routine for routine in over if routine.paused]:
                await self._in_thread(self._store.replace, paused)
        except ToolUnavailable:
            self._over = over + self._over
            raise
        self._running -= {routine.id for routine in over}

    async def _read(self) -> None:
        stamp = await self._in_thread(self._store.stamp)
        if stamp == self._stamp:
            return
        routines = [routine for routine in await self._in_thread(self._store.all) if not routine.paused]
        await self._tell_unfinished()  # of a gateway that held the lease until a moment ago
        self._waiting = [routine for routine in routines if routine.next is not None]
        now, moment, known = self._now(), self._monotonic(), self._ends  # from when a routine was seen first
        self._ends = {
            (each.id, each.next): known.get((each.id, each.next), moment + (each.next - now).total_seconds())
            for each in self._waiting
            if each.next is not None
        }
        by_resource: dict[tuple[str, str], list[Routine]] = defaultdict(list)
        for routine in routines:
            if isinstance(routine.trigger, Event):
                by_resource[routine.trigger.server, routine.trigger.resource].append(routine)
        self._by_resource = dict(by_resource)
        there = {routine.id for routine in routines}
        self._known = {number: held for number, held in self._known.items() if number in there}
        self._stamp = stamp

    def _left_seconds(self) -> list[tuple[Routine, float]]:
        """Of all that wait for a time. A time of day is what the clock shows; a duration, which has
        microseconds, is time that passes however the clock is set."""
        now, moment = self._now(), self._monotonic()
        left = []
        for each in self._waiting:
            if each.next is not None and each.id not in self._running:
                by_clock = (each.next - now).total_seconds()
                lasts = self._ends[each.id, each.next] - moment if each.next.microsecond else by_clock
                left.append((each, lasts))
        return left

    # --- one run

    async def _carry_out(self, routine: Routine, late_seconds: float) -> None:
        try:
            outcome = await self._outcome(routine, late_seconds)
            self._over.append(outcome)  # not in one line: the list may be another one after the run
        finally:
            self._wake.set()

    async def _outcome(self, routine: Routine, late_seconds: float) -> Routine:
        """The routine after its run. A repeated one that is late waits for its next time; a one-time routine
        is carried out a little late, or asked about. An alarm may be late, too."""
        trigger = routine.trigger
        if isinstance(trigger, Event) and trigger.seconds:
            state = await self._host.state_of(trigger.server, trigger.resource)
            if state is not None and state.tells(trigger.becomes) is not True:
                return routine  # it ended while no gateway was there to see it
        elif late_seconds > (self._grace_seconds if routine.one_time or routine.rings else LATE_SECONDS):
            log.info("a routine was missed", extra={"routine": routine.id, "seconds": round(late_seconds)})
            if routine.one_time:
                await self._host.missed(routine)
            return routine
        rounds = self._rounds[routine.id]
        if len(rounds) == ROUNDS and rounds[-1] - rounds[0] < ROUND_SECONDS:
            rounds.clear()
            self._host.tell(LOOPING.format(text=routine.text, rounds=ROUNDS))
            last = LastRun(self._now(), ok=False, text="It started again and again, so it is paused.")
            return replace(routine, last=last, paused=True)
        if not await self._condition_holds(routine):
            return routine
        started, last = self._now(), await self._host.carry_out(routine)
        return replace(routine, last=replace(last, at=started))

    async def _condition_holds(self, routine: Routine) -> bool:
        condition = routine.condition
        if condition is None:
            return True
        try:
            if not holds_at(condition, self._now(), self._place):
                return False
        except NoPlace:
            return False
        if not condition.resource:
            return True
        state = await self._host.state_of(condition.server, condition.resource)
        return state is not None and (state.tells(condition.state) is True) is not condition.unless

    def _finished(self, routine: Routine) -> Finished:
        """Counted from when it was due, too: a clock that is set back does not start it again."""
        if routine.one_time:
            return Finished(routine, gone=True)
        after = max(self._now(), routine.next) if routine.next else self._now()
        try:
            following = due_next(routine, after, self._place)
        except NoPlace:
            following = None
        return Finished(routine, following, following is None and not isinstance(routine.trigger, Event))

    async def _in_thread(self, work: Callable[..., T], *args: Any) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._thread, functools.partial(work, *args))

    def _pause(self) -> float:
        if self._leads and (self._over or self._plans):
            return BLINK_SECONDS
        left = LOOK_SECONDS
        if self._leads and len(self._running) < AT_ONCE:
            left = min((seconds for _, seconds in self._left_seconds()), default=left)
        return min(LOOK_SECONDS, max(BLINK_SECONDS, left))
