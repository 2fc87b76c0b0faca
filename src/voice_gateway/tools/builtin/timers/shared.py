"""Timers in the Redis that gateways share; the gateway that holds the lease lets them ring."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import NamedTuple

from voice_gateway.errors import ToolUnavailable
from voice_gateway.file_watch import ChangeListeners
from voice_gateway.problems import TIMERS_LOST
from voice_gateway.shared.rows import RedisRows, Rows, SharedRedis
from voice_gateway.tools.builtin.timers.store import MAX_TIMERS, Kind, Timer, kind_of


class Row(NamedTuple):
    """One timer as it is written; times in seconds since 1970."""

    name: str
    message: str
    seconds: float
    due: float
    rang: float | None
    kind: str


class SharedTimers:
    """The same as `TimerStore`. ToolUnavailable: the Redis does not answer, and nothing was done."""

    def __init__(self, shared: SharedRedis) -> None:
        self._rows = RedisRows(shared, "timers", Row._make, TIMERS_LOST)
        self._changes = ChangeListeners()
        self.listen, self.stamp = self._changes.listen, self._rows.stamp
        self._latest: tuple[object, list[Timer]] = (object(), [])

    def add(
        self, *, due: datetime, now: datetime, name: str = "", message: str = "", kind: Kind | None = None
    ) -> Timer:
        kind = kind or kind_of(message, at_clock_time=due.microsecond == 0)
        row = Row(name, message, (due - now).total_seconds(), due.timestamp(), None, kind.value)

        def work(rows: Rows[Row]) -> int:
            if rows.count >= MAX_TIMERS:
                raise ToolUnavailable(f"There are {rows.count} timers already. Cancel some first.")
            return rows.add(row)

        number = self._rows.change(work)
        self._changes.tell()
        return _timer(number, row)

    def move(self, timer: Timer, due: datetime, seconds: float) -> Timer | None:
        """Under a new number, so that a gateway that rings the old one stops; None: it has just ended."""
        row = Row(timer.name, timer.message, seconds, due.timestamp(), None, timer.kind.value)
        number = self._rows.change(
            lambda rows: rows.add(row) if rows.pop(timer.id, None) is not None else None, [timer.id]
        )
        self._changes.tell()
        return None if number is None else _timer(number, row)

    def all(self, *, busy_seconds: float = 0.0) -> list[Timer]:
        """Those that ring first, then the next to ring."""
        timers = [_timer(number, row) for number, row in self._rows.read().items()]
        return sorted(timers, key=lambda timer: (timer.rang is None, timer.due, timer.id))

    def latest(self, *, busy_seconds: float = 0.0) -> list[Timer]:
        """The same, read only after a change."""
        stamp = self.stamp()
        if stamp is None or stamp != self._latest[0]:
            self._latest = (stamp, self.all())
        return list(self._latest[1])

    def remove(self, ids: Iterable[int], *, busy_seconds: float = 0.0) -> list[Timer]:
        """Those that were still there."""
        gone = self._rows.change(
            lambda rows: [_timer(number, rows.pop(number)) for number in list(rows)], list(ids)
        )
        self._changes.tell()
        return gone

    def start_ringing(self, timers: Sequence[Timer], now: datetime, *, busy_seconds: float = 0.0) -> set[int]:
        """The numbers of those that this gateway rings: it holds the lease, and they are unchanged."""
        wanted = {timer.id: timer for timer in timers}

        def work(rows: Rows[Row]) -> set[int]:
            ours = {number for number, row in rows.items() if _timer(number, row).rang == wanted[number].rang}
            for number in ours:
                rows[number] = rows[number]._replace(rang=now.timestamp())
            return ours

        return self._rows.change(work, wanted, as_holder=True)


def _timer(number: int, row: Row) -> Timer:
    rang = None if row.rang is None else datetime.fromtimestamp(row.rang, UTC)
    due = datetime.fromtimestamp(row.due, UTC)
    return Timer(number, row.name, row.message, row.seconds, due, rang, Kind(row.kind))
