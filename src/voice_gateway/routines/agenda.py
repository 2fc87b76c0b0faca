"""Which planned run comes next, and in how many seconds: by the clock, or as a length of time passes."""

from collections.abc import Callable, Container, Iterator, Sequence
from datetime import datetime

from voice_gateway.routines.store import PlannedRun

AHEAD_SECONDS = 0.2  # so early a run is claimed: the disk may be slow, and the run shall not be late for it


class Agenda:
    def __init__(self, now: Callable[[], datetime], monotonic: Callable[[], float]) -> None:
        self._now, self._monotonic = now, monotonic
        self._by_clock: list[PlannedRun] = []  # the next first
        self._for_a_while: list[PlannedRun] = []
        self._moments: dict[tuple[int, datetime | None], float] = {}  # monotonic: of what was set for a while

    def clear(self) -> None:
        self._by_clock, self._for_a_while = [], []

    def plan(self, planned: Sequence[PlannedRun]) -> None:
        """These, and no others."""
        waiting = [one for one in planned if one.next is not None and not one.paused]
        passing = [one for one in waiting if one.next and one.next.microsecond]
        self._moments = {(one.id, one.next): self._moment(one) for one in passing}
        self._for_a_while = sorted(passing, key=self._moment)
        self._by_clock = sorted((one for one in waiting if one.next and not one.next.microsecond), key=_next)

    def first(self, running: Container[int]) -> Iterator[tuple[PlannedRun, float]]:
        """Those that are due, and the next ones, each with the seconds that are left; of ten thousand the
        others are not looked at."""
        for waiting in (self._for_a_while, self._by_clock):
            for planned in waiting:
                if planned.id in running:
                    continue
                left = self.left_seconds(planned)
                yield planned, left
                if left > AHEAD_SECONDS:
                    break

    def left_seconds(self, planned: PlannedRun) -> float:
        """A time of day is what the clock shows; a duration, which has microseconds, passes."""
        assert planned.next is not None
        if planned.next.microsecond == 0:
            return (planned.next - self._now()).total_seconds()
        return self._moment(planned) - self._monotonic()

    def _moment(self, planned: PlannedRun) -> float:
        """By the clock that only goes on; kept from when it was seen first."""
        assert planned.next is not None
        known = self._moments.get((planned.id, planned.next))
        return (
            known if known is not None else self._monotonic() + (planned.next - self._now()).total_seconds()
        )


def _next(planned: PlannedRun) -> datetime:
    assert planned.next is not None
    return planned.next
