"""Looking again at what is kept whenever it changes, by this process or by another one."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

from voice_gateway.backoff import wait_at_most

LOOK_SECONDS = 2.0  # how long a change by another process may go unnoticed

# Takes who is to be called after each change of this process, from any thread; gives how to end that.
Listen = Callable[[Callable[[], None]], Callable[[], None]]


class ChangeListeners:
    """Who is told after every change made here, in the thread that made it."""

    def __init__(self) -> None:
        self._listeners: list[Callable[[], None]] = []

    def listen(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Returns how to stop listening."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def tell(self) -> None:
        for listener in list(self._listeners):
            listener()


async def look_again(
    listens: Sequence[Listen], look: Callable[[], Awaitable[None]], look_seconds: float = LOOK_SECONDS
) -> None:
    """Until cancelled: at once, after each change, and now and again."""
    changed, loop = asyncio.Event(), asyncio.get_running_loop()

    def wake() -> None:
        loop.call_soon_threadsafe(changed.set)

    with contextlib.ExitStack() as listening:
        for listen in listens:
            listening.callback(listen(wake))
        while True:
            changed.clear()
            await look()
            await wait_at_most(changed, look_seconds)


def identity(file: Path) -> tuple[int, int, int] | None:
    """Another one after each change; None where there is no file."""
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns, found.st_size
