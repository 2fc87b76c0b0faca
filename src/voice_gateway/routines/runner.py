"""Starts routines: when their time has come, or when something has happened."""

import asyncio
import contextlib
import functools
import logging
import uuid
from collections import defaultdict, deque
from collections.abc import Awaitable, Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Protocol, TypeVar

from voice_gateway.backoff import wait_at_most
from voice_gateway.errors import ToolUnavailable
from voice_gateway.routines.agenda import AHEAD_SECONDS, Agenda
from voice_gateway.routines.model import UPDATED, Event, Last, Routine, Shown
from voice_gateway.routines.schedule import NoPlace, Place, at_such_a_time, due_next
from voice_gateway.routines.store import Finished, Lease, PlannedRun, RoutineStore
from voice_gateway.tools.builtin.timers.clock import Wait, time_passed

log = logging.getLogger(__name__)

# How long a change by another process may go unnoticed, as with timers: with the lease's 2 s a leader that
# died is replaced within 3.
LOOK_SECONDS = 0.5
_BLINK_SECONDS = 0.01  # rounding may wake us a moment early; that must not become a busy loop
_LEAST_SECONDS = 0.001  # … where a run is claimed and must start in time
AT_ONCE = 32  # runs at the same time; the executor has its own limit for calls
LATE_SECONDS = 10.0  # a repeated one that is later waits for its next time; a new leader takes 3
ROUNDS, ROUND_SECONDS = 3, 60.0  # a routine that starts itself more often in this time is stopped
ECHO_SECONDS = 5.0  # what a device tells so soon after a routine's act is that act

MISSED = "I missed this, because routines were not available: {text}."
MAY_HAVE = "I was interrupted in the middle, so this may have happened: {text}."
LOOPING = "I have paused the routine “{text}”: it started itself {rounds} times within a minute."

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Told:
    """A resource has another state than before."""

    server: str
    resource: str
    before: Shown
    after: Shown
    device: str = ""


class Around(Protocol):
    """What a runner needs of the gateway."""

    async def carry_out(self, routine: Routine) -> Last:
        """Never raises except cancellation."""
        ...

    def missed(self, routine: Routine) -> Awaitable[None]:
        """Its time is long over: the user is asked."""
        ...

    async def state_of(self, server: str, resource: str) -> Shown | None:
        """How a device is now, as soon as the home is known; None: nobody knows."""
        ...

    def watch(self, resources: Iterable[tuple[str, str]]) -> None:
        """`happened` shall hear of these, by server and address, and of no others."""
        ...

    def tell(self, text: str) -> None:
        """Aloud."""
        ...


class RoutineRunner:
    """One of several gateways runs routines: the holder of the lease. Each run is claimed in the store first,
    so that none is made twice whoever believes to hold it."""

    def __init__(
        self,
        store: RoutineStore,
        lease: Lease,
        place: Place,
        around: Around,
        *,
        grace_seconds: float,
        now: Callable[[], datetime],
        monotonic: Callable[[], float] = time_passed,
        wait: Wait = wait_at_most,
        on_state: Callable[[ToolUnavailable | None], None] = lambda _error: None,
    ) -> None:
        self._store, self._lease, self._place, self._around = store, lease, place, around
        self._grace_seconds = grace_seconds
        self._now, self._monotonic, self._wait = now, monotonic, wait
        self._on_state = on_state
        self._who = uuid.uuid4().hex
        self._leads = False
        self._stamp: object = object()
        self._agenda = Agenda(now, monotonic)
        self._by_resource: dict[tuple[str, str], list[Routine]] = {}
        self._running: set[int] = set()  # claimed
        self._ahead: list[tuple[PlannedRun, Routine]] = []  # … and not due yet
        self._over: list[Routine] = []  # carried out, to be written down
        self._known: dict[int, bool] = {}  # by routine: whether it was so when its device told it last
        self._plans: dict[int, datetime | None] = {}  # of what must stay so, to be written down
        self._started: dict[int, tuple[Routine, float]] = {}  # by something that happened, and when
        self._touched: dict[str, float] = {}  # devices that a routine has just switched
        self._rounds: dict[int, deque[float]] = defaultdict(deque)
        self._wake = asyncio.Event()
        # Of its own: the threads that all share may be waiting for another file.
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="routines")

    async def run(self) -> None:
        """Until cancelled."""
        loop = asyncio.get_running_loop()

        def wake() -> None:
            loop.call_soon_threadsafe(self._wake.set)

        stop_listening = self._store.listen(wake)
        try:
            async with asyncio.TaskGroup() as tasks:
                while True:
                    self._wake.clear()
                    self._start_due(tasks)
                    try:
                        await self._look(tasks)
                        self._on_state(None)
                    except ToolUnavailable as error:  # at the next look again
                        self._on_state(error)
                    await self._wait(self._wake, self._pause())
        finally:
            stop_listening()
            self._give_back()
            self._lease.release()

    def _give_back(self) -> None:
        """What was claimed and is not due yet is another gateway's."""
        if self._ahead:
            with contextlib.suppress(ToolUnavailable):
                self._store.finish([Finished(one, one.next) for _, one in self._ahead], self._who)

    # --- what happens

    def happened(self, told: Told) -> None:
        """Something has changed. Cheap where no routine waits for it."""
        waiting = self._by_resource.get((told.server, told.resource), ()) if self._leads else ()
        for routine in waiting:
            trigger = routine.trigger
            assert isinstance(trigger, Event)
            if not self._turned(routine.id, trigger.becomes, told):
                continue
            now = trigger.becomes == UPDATED or told.after.is_so(trigger.becomes)
            self._wake.set()
            if now:
                self._count_round(routine, told)
            if trigger.seconds:
                self._plans[routine.id] = self._in(trigger.seconds) if now else None
            elif now:
                self._started[routine.id] = (routine, self._monotonic())

    def _turned(self, number: int, becomes: str, told: Told) -> bool:
        """Whether it is so now and was not, or the other way round. A device that was away for a while is
        taken for what it was before."""
        if becomes == UPDATED:
            return told.before != told.after
        was, now = told.before.tells(becomes), told.after.tells(becomes)
        was = self._known.get(number) if was is None else was
        if (known := was if now is None else now) is not None:
            self._known[number] = known
        return was is not None and now is not None and was != now

    def _in(self, seconds: float) -> datetime:
        """With microseconds, as every length of time that passes."""
        moment = self._now() + timedelta(seconds=seconds)
        return moment.replace(microsecond=moment.microsecond or 1)

    def _count_round(self, routine: Routine, told: Told) -> None:
        """What a device tells right after a routine has switched it may go round and round."""
        moment = self._monotonic()
        if moment - self._touched.get(told.device, -ECHO_SECONDS) > ECHO_SECONDS:
            self._rounds.pop(routine.id, None)
            return
        rounds = self._rounds[routine.id]
        while rounds and moment - rounds[0] > ROUND_SECONDS:
            rounds.popleft()
        rounds.append(moment)

    # --- one look

    async def _look(self, tasks: asyncio.TaskGroup) -> None:
        led, self._leads = (
            self._leads,
            await self._in_thread(functools.partial(self._lease.renew, loud=False)),
        )
        if not self._leads:
            self._by_resource, self._stamp = {}, object()
            self._agenda.clear()
            self._plans = {}
            self._around.watch(())
            self._miss(list(self._started))
            return
        if not led:
            await self._tell_unfinished()
        await self._write_down()
        await self._read()
        await self._start(tasks)

    async def _tell_unfinished(self) -> None:
        """Whoever claimed them has lost the lease in the middle."""
        for routine in await self._in_thread(self._store.unfinished, self._who):
            log.warning("a routine was interrupted", extra={"routine": routine.id})
            self._around.tell(MAY_HAVE.format(text=routine.text))
            last = Last(self._now(), ok=False, text="It was interrupted, and may have happened.")
            over = self._after([replace(routine, last=last)])
            await self._in_thread(self._store.finish, over, None)

    def _miss(self, ids: Iterable[int]) -> None:
        """What something has started and nobody can run any more."""
        for number in ids:
            routine, _ = self._started.pop(number)
            log.warning("a routine was missed", extra={"routine": number})
            if number not in self._running:  # else it is still at it
                self._around.tell(MISSED.format(text=routine.text))

    async def _read(self) -> None:
        stamp = await self._in_thread(self._store.stamp)
        if stamp == self._stamp:
            return
        planned = await self._in_thread(self._store.planned)
        if any(one.claimed and one.id not in self._running for one in planned):
            await self._tell_unfinished()  # of one who held the lease until a moment ago
        found: dict[tuple[str, str], list[Routine]] = defaultdict(list)
        if any(one.is_event for one in planned):
            for routine in await self._in_thread(self._store.events):
                assert isinstance(routine.trigger, Event)
                found[routine.trigger.server, routine.trigger.resource].append(routine)
        self._by_resource = dict(found)
        self._around.watch(self._by_resource)
        ids = {routine.id for waiting in found.values() for routine in waiting}
        self._known = {one: so for one, so in self._known.items() if one in ids}
        self._agenda.plan(planned)
        self._stamp = stamp

    async def _start(self, tasks: asyncio.TaskGroup) -> None:
        due = {
            (one.id, one.next): one
            for one, left in self._agenda.first(self._running)
            if left <= AHEAD_SECONDS
        }
        old = self._monotonic() - LATE_SECONDS
        self._miss([one for one, (_, at) in self._started.items() if at < old])
        happened = [(one, None) for one in self._started if one not in self._running]
        wanted = [*due, *happened][: max(0, AT_ONCE - len(self._running))]
        claimed = await self._claimed(wanted)
        for number, _ in wanted:
            self._started.pop(number, None)
        for routine in claimed:
            self._running.add(routine.id)
            if (planned := due.get((routine.id, routine.next))) is not None:
                self._ahead.append((planned, routine))
            else:
                tasks.create_task(self._carry_out(routine, 0.0), name=f"routine {routine.id}")
        self._start_due(tasks)

    def _start_due(self, tasks: asyncio.TaskGroup) -> None:
        waiting, self._ahead = self._ahead, []
        for planned, routine in waiting:
            left = self._agenda.left_seconds(planned)
            if left > 0:
                self._ahead.append((planned, routine))
            else:
                tasks.create_task(self._carry_out(routine, -left), name=f"routine {routine.id}")

    async def _claimed(self, wanted: Sequence[tuple[int, datetime | None]]) -> list[Routine]:
        if not wanted:
            return []
        return await self._in_thread(self._store.claim, wanted, self._who, self._now())

    # --- one run

    async def _carry_out(self, routine: Routine, late_seconds: float) -> None:
        try:
            outcome = await self._outcome(routine, late_seconds)
            self._over.append(outcome)  # to the list of this moment: another may have taken its place
        finally:
            self._wake.set()

    async def _outcome(self, routine: Routine, late_seconds: float) -> Routine:
        """As it is behind its run. What was missed while nobody was there is not made up for: a repeated one
        waits for its next time, a single one is done a little late, or asked about. An alarm may be late."""
        held = isinstance(routine.trigger, Event) and routine.trigger.seconds
        if held:
            if not await self._still_so(routine):
                return routine
        elif late_seconds > (self._grace_seconds if routine.one_time or routine.rings else LATE_SECONDS):
            log.info("a routine was missed", extra={"routine": routine.id, "seconds": round(late_seconds)})
            if routine.one_time:
                await self._around.missed(routine)
            return routine
        if len(self._rounds.get(routine.id, ())) > ROUNDS:
            self._rounds.pop(routine.id)
            self._around.tell(LOOPING.format(text=routine.text, rounds=ROUNDS))
            last = Last(self._now(), ok=False, text="It started itself again and again, so it is paused.")
            return replace(routine, last=last, paused=True)
        if not await self._holds(routine):
            return routine
        started, names = self._now(), [name for name, _, _ in routine.devices]
        self._touched |= dict.fromkeys(names, self._monotonic())
        last = await self._around.carry_out(routine)
        self._touched |= dict.fromkeys(names, self._monotonic())
        return replace(routine, last=replace(last, at=started))

    async def _still_so(self, routine: Routine) -> bool:
        """What happened while no gateway was there to see it."""
        trigger = routine.trigger
        assert isinstance(trigger, Event)
        shown = await self._around.state_of(trigger.server, trigger.resource)
        return shown is None or shown.is_so(trigger.becomes)

    async def _holds(self, routine: Routine) -> bool:
        condition = routine.condition
        if condition is None:
            return True
        try:
            if not at_such_a_time(condition, self._now(), self._place):
                return False
        except NoPlace:
            return False
        if not condition.resource:
            return True
        shown = await self._around.state_of(condition.server, condition.resource)
        return shown is not None and shown.is_so(condition.state) is not condition.unless

    async def _write_down(self) -> None:
        """All that came to its end since the last look, in one step."""
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
        stopped = [one for one in over if one.paused]
        try:
            await self._in_thread(self._store.finish, self._after(over), self._who)
            if stopped:
                await self._in_thread(self._store.replace, stopped)
        except ToolUnavailable:
            self._over = over + self._over
            raise
        self._running -= {one.id for one in over}

    def _after(self, routines: Iterable[Routine]) -> list[Finished]:
        """Counted from when it was due, too: a clock that is set back does not let it come again."""
        return [self._finished(routine) for routine in routines]

    def _finished(self, routine: Routine) -> Finished:
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
        ready = [self._agenda.left_seconds(planned) for planned, _ in self._ahead]
        if self._leads and len(self._running) < AT_ONCE:
            ready += [left - AHEAD_SECONDS for _, left in self._agenda.first(self._running)]
        if self._leads and (self._over or self._plans):
            return _BLINK_SECONDS
        soonest = min(ready, default=LOOK_SECONDS)
        return min(LOOK_SECONDS, max(_LEAST_SECONDS if self._ahead else _BLINK_SECONDS, soonest))
