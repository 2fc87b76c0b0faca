"""Tells of all timers and routines whenever one of them changes, whoever changed it."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from voice_gateway.errors import ToolUnavailable
from voice_gateway.events import EventBus, Planned
from voice_gateway.file_watch import LOOK_SECONDS, Listen, look_again
from voice_gateway.routines.store import RoutineStore
from voice_gateway.tools.builtin.timers import KeptTimers, Timer
from voice_gateway.tools.builtin.timers.wording import called

Plans = Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class KeptPlans:
    """One store; its methods block, and are called in a thread."""

    kind: str
    stamp: Callable[[], object]  # changes with every change
    read: Callable[[], Plans]
    listen: Listen


class PlansTold:
    def __init__(self, watch: EventBus, *stores: KeptPlans) -> None:
        self._watch = watch
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
            return  # its own clock says so
        self._stamps[store.kind] = stamp
        if self._told.get(store.kind) != plans:
            self._told[store.kind] = plans
            self._watch.publish(Planned(store.kind, plans))


def kept_timers(store: KeptTimers, zone: Any) -> KeptPlans:
    def read() -> Plans:
        return {str(timer.id): _timer(timer, zone) for timer in sorted(store.all(), key=lambda one: one.due)}

    return KeptPlans("timer", store.stamp, read, store.listen)


def kept_routines(store: RoutineStore, zone: Any) -> KeptPlans:
    def read() -> Plans:
        listed = [routine.to_json(zone) for routine in store.all()]
        soonest = sorted(listed, key=lambda one: (one["next"] is None, one["next"] or ""))
        return {str(one["id"]): one for one in soonest}

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
