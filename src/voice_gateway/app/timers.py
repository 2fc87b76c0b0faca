"""The timers of a gateway, and the publication of all timers and routines whenever one of them changes."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Sequence
from datetime import tzinfo
from typing import Any

from voice_gateway.backoff import LOOK_SECONDS, look_again
from voice_gateway.config import data_folder
from voice_gateway.errors import ToolUnavailable
from voice_gateway.events import EventBus, Notice, Planned, State
from voice_gateway.problems import TIMERS_LOST
from voice_gateway.reports import damaged_file
from voice_gateway.routines.store import RoutineStore
from voice_gateway.shared.lease import FileLease, Lease
from voice_gateway.shared.rows import SharedRedis
from voice_gateway.tools.builtin import system_clock
from voice_gateway.tools.builtin.timers import Timer, TimerClock, TimerStore
from voice_gateway.tools.builtin.timers.wording import called, rung


async def publish_plans(
    events: EventBus, timers: TimerStore, routines: RoutineStore, zone: tzinfo | None
) -> None:
    """Publishes all timers and all routines, at the start and after each change, until cancelled."""
    published: dict[str, dict[str, Any]] = {}

    def timer_plans() -> list[dict[str, Any]]:
        return [_timer(timer, zone) for timer in sorted(timers.all(), key=lambda timer: timer.due)]

    def routine_plans() -> list[dict[str, Any]]:
        listed = [routine.to_json(zone) for routine in routines.all()]
        return sorted(listed, key=lambda plan: (plan["next"] is None, plan["next"] or ""))

    async def look() -> None:
        for kind, read in (("timer", timer_plans), ("routine", routine_plans)):
            with contextlib.suppress(ToolUnavailable):  # the timers' own clock reports it
                plans = {str(plan["id"]): plan for plan in await asyncio.to_thread(read)}
                if published.get(kind) != plans:
                    published[kind] = plans
                    events.publish(Planned(kind, plans))

    await look_again([timers.listen, routines.listen], look, LOOK_SECONDS)


def _timer(timer: Timer, zone: Any) -> dict[str, Any]:
    return {
        "id": timer.id,
        "kind": timer.kind.value,
        "text": called(timer),
        "name": timer.name,
        "message": timer.message,
        "due": timer.rings_at(zone),
        "rings": timer.rang is not None,
        "paused": timer.left is not None,
    }


class Timers:
    def __init__(self, events: EventBus, shared: SharedRedis | None = None) -> None:
        self._events = events
        # Each is awaited while a timer rings, and cancelled when it is stopped.
        self.ringers: list[Callable[[str], Awaitable[None]]] = []
        lease: Lease
        if shared is not None:  # the Redis that gateways share; its lease also runs routines
            self.store, lease = TimerStore(shared), shared.lease
        else:
            damaged = damaged_file(events, "timers", "timers")
            self.store = TimerStore(data_folder() / "timers.sqlite3", on_damage=damaged)
            lease = FileLease(data_folder() / "timers.lease")
        self.clock = TimerClock(self.store, lease, now=system_clock, on_state=self._report)

    async def run(self) -> None:
        await self.clock.run(self._ring, self._tell_missed)

    def speakers(self) -> int:
        """Loudspeakers that work."""
        return len(self.ringers) if self._events.state("speaker") is not State.DEGRADED else 0

    async def _ring(self, timer: Timer) -> None:
        text = rung(timer)
        self._events.publish(Notice(text))
        await asyncio.gather(*(ringer(text) for ringer in self.ringers))

    async def _tell_missed(self, timers: Sequence[Timer]) -> None:
        names = ", ".join(map(called, timers))
        self._events.publish(Notice(f"While I was off, this ran out: {names}.", aloud=True))

    def _report(self, error: ToolUnavailable | None) -> None:
        if error is not None:
            self._events.report("timers", State.DEGRADED, TIMERS_LOST, f"check the disk: {error.__cause__}")
        elif self._events.state("timers") is State.DEGRADED:
            self._events.report("timers", State.OK, "Timers work again.")
