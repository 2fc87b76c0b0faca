"""The timers of a gateway, and the publication of all timers and routines whenever one of them changes."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import tzinfo
from typing import Any

from voice_gateway.config import data_folder
from voice_gateway.errors import ToolUnavailable
from voice_gateway.events import EventBus, Notice, Planned, State
from voice_gateway.file_watch import LOOK_SECONDS, Listen, look_again
from voice_gateway.problems import TIMERS_LOST
from voice_gateway.reports import damaged_file
from voice_gateway.routines.store import RoutineStore
from voice_gateway.shared.lease import FileLease, Lease
from voice_gateway.shared.rows import SharedRedis
from voice_gateway.tools.builtin import system_clock
from voice_gateway.tools.builtin.timers import Timer, TimerClock, TimerStore
from voice_gateway.tools.builtin.timers.wording import called, rung

Plans = Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class KeptPlans:
    """One store; its methods block, and are called in a thread."""

    kind: str
    stamp: Callable[[], object]  # changes with every change
    read: Callable[[], Plans]
    listen: Listen


class PlansTold:
    def __init__(self, events: EventBus, *stores: KeptPlans) -> None:
        self._events = events
        self._stores = stores
        self._stamps: dict[str, object] = {}
        self._told: dict[str, Plans] = {}

    async def run(self) -> None:
        await look_again([store.listen for store in self._stores], self._look_at_all, LOOK_SECONDS)

    async def _look_at_all(self) -> None:
        for store in self._stores:
            await self._look(store)

    async def _look(self, store: KeptPlans) -> None:
        try:
            stamp = await asyncio.to_thread(store.stamp)
            if store.kind in self._told and stamp == self._stamps[store.kind]:
                return
            plans = await asyncio.to_thread(store.read)
        except ToolUnavailable:
            return  # the timers' own clock reports it
        self._stamps[store.kind] = stamp
        if self._told.get(store.kind) != plans:
            self._told[store.kind] = plans
            self._events.publish(Planned(store.kind, plans))


def kept_timers(store: TimerStore, zone: Any) -> KeptPlans:
    def read() -> Plans:
        return {
            str(timer.id): _timer(timer, zone) for timer in sorted(store.all(), key=lambda plan: plan.due)
        }

    return KeptPlans("timer", store.stamp, read, store.listen)


def kept_routines(store: RoutineStore, zone: Any) -> KeptPlans:
    def read() -> Plans:
        listed = [routine.to_json(zone) for routine in store.all()]
        soonest = sorted(listed, key=lambda plan: (plan["next"] is None, plan["next"] or ""))
        return {str(plan["id"]): plan for plan in soonest}

    return KeptPlans("routine", store.stamp, read, store.listen)


def _timer(timer: Timer, zone: Any) -> dict[str, Any]:
    return {
        "id": timer.id,
        "kind": timer.kind.value,
        "text": called(timer),
        "name": timer.name,
        "message": timer.message,
        "due": timer.due.astimezone(zone).isoformat(timespec="seconds"),
        "rings": timer.rang is not None,
    }


class Timers:
    def __init__(self, events: EventBus, shared: SharedRedis | None = None) -> None:
        self._events = events
        # Each is awaited while a timer rings, and cancelled when it is stopped.
        self.ringers: list[Callable[[str], Awaitable[None]]] = []
        self.store, lease = _kept_in(shared, events)
        self.clock = TimerClock(
            self.store,
            lease,
            now=system_clock,
            on_state=self._report,
        )

    async def run(self) -> None:
        await self.clock.run(self._ring, self._tell_missed)

    def speakers(self) -> int:
        """Loudspeakers that work."""
        return len(self.ringers) if self._events.state("speaker") is not State.DEGRADED else 0

    def kept(self, zone: tzinfo | None) -> KeptPlans:
        return kept_timers(self.store, zone)

    async def _ring(self, timer: Timer) -> None:
        text = rung(timer)
        self._events.publish(Notice(text))
        await asyncio.gather(*(ringer(text) for ringer in self.ringers))

    def _tell_missed(self, timers: Sequence[Timer]) -> None:
        names = ", ".join(called(timer) for timer in timers)
        self._events.publish(Notice(f"While I was off, this ran out: {names}.", aloud=True))

    def _report(self, error: ToolUnavailable | None) -> None:
        if error is not None:
            self._events.report("timers", State.DEGRADED, TIMERS_LOST, f"check the disk: {error.__cause__}")
        elif self._events.state("timers") is State.DEGRADED:
            self._events.report("timers", State.OK, "Timers work again.")


def _kept_in(shared: SharedRedis | None, events: EventBus) -> tuple[TimerStore, Lease]:
    """In the Redis that gateways share, with the lease that also runs routines; else in files."""
    if shared is not None:
        return TimerStore(shared), shared.lease
    file, damaged = data_folder() / "timers.sqlite3", damaged_file(events, "timers", "timers")
    return TimerStore(file, on_damage=damaged), FileLease(data_folder() / "timers.lease")
