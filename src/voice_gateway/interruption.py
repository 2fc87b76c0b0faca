"""How a turn is interrupted: between its calls, never in one."""

import asyncio
import contextlib
from collections.abc import Awaitable, Iterator
from typing import TypeVar

T = TypeVar("T")


class Interruption:
    """Ends what a model is saying when somebody interrupts it: between its calls, never in one.

    `now` may be called at any time; what is not interruptible goes on.
    """

    def __init__(self) -> None:
        self._wanted = False
        self._calling = 0
        self._limit: asyncio.Timeout | None = None

    @property
    def wanted(self) -> bool:
        return self._wanted

    def now(self) -> None:
        """Calls that are under way come to their end first."""
        self._wanted = True
        self._cut()

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
