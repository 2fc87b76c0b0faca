"""How long a call may take: so many seconds from its start, or from its last progress."""

import asyncio
from collections.abc import Callable

from voice_gateway.progress import OnProgress, Progress

TELL_EVERY_SECONDS = 0.25  # of progress, at most; a flood of it moves the limit and nothing else


class Expired(Exception):
    """The limit is over. Not TimeoutError, which a tool may raise itself."""

    def __init__(self, seconds: float, *, stalled: bool = False) -> None:
        """`stalled`: it has reported progress before, and then no more for so long."""
        super().__init__(f"{seconds:g} s")
        self.seconds = seconds
        self.stalled = stalled


class Pace:
    """Moves the limit of one call on with each progress, up to a hard one, and tells of it."""

    __slots__ = ("_finished", "_told", "hard_seconds", "last", "now", "tell")

    def __init__(self, hard_seconds: float, tell: OnProgress | None = None) -> None:
        self.hard_seconds = hard_seconds
        self.tell = tell
        self.last: float | None = None  # when it moved
        self.now = asyncio.get_running_loop().time
        self._told = 0.0
        self._finished = False

    def has_moved(self) -> bool:
        return self.last is not None

    def moved(self, progress: Progress) -> None:
        self.last = now = self.now()
        if self.tell is None:
            return
        finished = progress.share == 1.0
        if now - self._told >= TELL_EVERY_SECONDS or (finished and not self._finished):
            self._told, self._finished = now, finished
            self.tell(progress)


class Limit:
    """Ends a call when its time is over. Whether it moved is asked only then: a report costs nothing."""

    __slots__ = ("_end", "_handle", "_loop", "_pace", "_seconds", "_started")

    def __init__(self, seconds: float, pace: Pace | None, end: Callable[[Expired], None]) -> None:
        self._loop = loop = asyncio.get_running_loop()
        self._seconds, self._pace, self._end = seconds, pace, end
        self._started = started = loop.time()
        self._handle = loop.call_at(started + seconds, self._over)

    def cancel(self) -> None:
        self._handle.cancel()

    def _over(self) -> None:
        last = self._pace.last if self._pace is not None else None
        if self._pace is None or last is None:
            self._end(Expired(self._seconds))
            return
        hard = max(self._pace.hard_seconds, self._seconds)
        until, now = min(last + self._seconds, self._started + hard), self._loop.time()
        if until > now:
            self._handle = self._loop.call_at(until, self._over)
        elif now >= self._started + hard:
            self._end(Expired(hard))
        else:
            self._end(Expired(self._seconds, stalled=True))
