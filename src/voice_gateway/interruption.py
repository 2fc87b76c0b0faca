"""Ends what a model is saying when somebody interrupts it: between its calls, never in one."""

import asyncio
import contextlib
from collections.abc import Awaitable, Iterator
from contextvars import ContextVar
from typing import TypeVar

from voice_gateway.turn import ToolOutcome

T = TypeVar("T")


class Interruption:
    """What may interrupt one turn. `now` may be called at any time; what is not interruptible goes on."""

    def __init__(self) -> None:
        self._wanted = False
        self._calling = 0
        self._limit: asyncio.Timeout | None = None
        self.outcomes: list[ToolOutcome] = []  # of the calls that were made meanwhile

    def now(self) -> None:
        """Calls that are under way come to their end first."""
        self._wanted = True
        self._cut()

    @contextlib.contextmanager
    def of_turn(self) -> Iterator[None]:
        """Whatever is asked for inside belongs to this turn."""
        token = _of_turn.set(self)
        try:
            yield
        finally:
            _of_turn.reset(token)

    async def cutting(self, work: Awaitable[T]) -> T | None:
        """What the work gives; None when it was interrupted."""
        try:
            async with asyncio.timeout(None) as self._limit:
                self._cut()
                return await work
        except TimeoutError:
            if self._limit is None or not self._limit.expired():
                raise
            return None
        finally:
            self._limit = None

    @contextlib.contextmanager
    def calls(self) -> Iterator[None]:
        """Not to be torn."""
        self._calling += 1
        self._reschedule(None)
        try:
            yield
        finally:
            self._calling -= 1
            self._cut()

    def _cut(self) -> None:
        if self._wanted and not self._calling:
            self._reschedule(asyncio.get_running_loop().time())

    def _reschedule(self, when: float | None) -> None:
        if self._limit is not None:
            with contextlib.suppress(RuntimeError):  # it has just run out
                self._limit.reschedule(when)


_of_turn: ContextVar[Interruption | None] = ContextVar("interruption", default=None)


def interruption_of_turn() -> Interruption | None:
    return _of_turn.get()


def outcomes_of_turn() -> list[ToolOutcome]:
    """Of the calls that were made in this turn so far."""
    interruption = _of_turn.get()
    return [] if interruption is None else interruption.outcomes
