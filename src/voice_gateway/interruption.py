"""Barge-in: speaking stops a turn between its calls, never in one."""

import asyncio
import contextlib
from collections.abc import Awaitable, Iterator
from typing import TypeVar

T = TypeVar("T")


class Interruption:
    """Ends a model's turn on request, between its calls and never in one. `now` may be called at any time."""

    def __init__(self) -> None:
        self._wanted = False
        self._calling = 0
        self._limit: asyncio.Timeout | None = None

    @property
    def wanted(self) -> bool:
        return self._wanted

    def now(self) -> None:
        """Interrupts, after the calls that are under way."""
        self._wanted = True
        self._cut()

    async def cutting(self, work: Awaitable[T]) -> T | None:
        """The result of the work, or None if it was interrupted."""
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
        """Marks calls that must not be interrupted."""
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
