"""The timers of a gateway: kept, rung by whoever can ring, and told of when they were missed."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from datetime import tzinfo

from voice_gateway.app.published_timers import KeptPlans, kept_timers
from voice_gateway.config import data_folder
from voice_gateway.errors import ToolUnavailable
from voice_gateway.events import EventBus, Notice, State
from voice_gateway.problems import TIMERS_LOST
from voice_gateway.reports import damaged_file
from voice_gateway.shared.rows import SharedRedis
from voice_gateway.tools.builtin import system_clock
from voice_gateway.tools.builtin.timers import KeptTimers, Lease, RingLease, Timer, TimerClock, TimerStore
from voice_gateway.tools.builtin.timers.wording import called, rung


class Timers:
    def __init__(self, watch: EventBus, shared: SharedRedis | None = None) -> None:
        self._watch = watch
        # Each is awaited while a timer rings, and cancelled when it is stopped.
        self.ringers: list[Callable[[str], Awaitable[None]]] = []
        self.store, lease = _kept_in(shared, watch)
        self.clock = TimerClock(
            self.store,
            lease,
            now=system_clock,
            loud=lambda: bool(self.ringers) and watch.state("speaker") is not State.DEGRADED,
            on_state=self._report,
        )

    async def run(self) -> None:
        await self.clock.run(self._ring, self._tell_missed)

    def kept(self, zone: tzinfo | None) -> KeptPlans:
        return kept_timers(self.store, zone)

    async def _ring(self, timer: Timer) -> None:
        text = rung(timer)
        self._watch.publish(Notice(text))
        await asyncio.gather(*(ringer(text) for ringer in self.ringers))

    def _tell_missed(self, timers: Sequence[Timer]) -> None:
        names = ", ".join(called(timer) for timer in timers)
        self._watch.publish(Notice(f"While I was off, this ran out: {names}.", aloud=True))

    def _report(self, error: ToolUnavailable | None) -> None:
        if error is not None:
            self._watch.report("timers", State.DEGRADED, TIMERS_LOST, f"check the disk: {error.__cause__}")
        elif self._watch.state("timers") is State.DEGRADED:
            self._watch.report("timers", State.OK, "Timers work again.")


def _kept_in(shared: SharedRedis | None, watch: EventBus) -> tuple[KeptTimers, Lease]:
    """In the Redis that gateways share, with the lease that also runs routines; else in files."""
    if shared is not None:
        from voice_gateway.tools.builtin.timers.shared import SharedTimers

        return SharedTimers(shared), shared.lease
    file, damaged = data_folder() / "timers.sqlite3", damaged_file(watch, "timers", "timers")
    return TimerStore(file, on_damage=damaged), RingLease(data_folder() / "timers.lease")
