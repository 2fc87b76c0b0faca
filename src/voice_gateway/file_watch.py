"""Read a kept file again whenever it changes, in this process or in another."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

from voice_gateway.backoff import wait_at_most

LOOK_SECONDS = 2.0  # how long a change by another process may go unnoticed

# Registers a callback for changes in this process, which may come from any thread; returns how to unregister.
Listen = Callable[[Callable[[], None]], Callable[[], None]]


class ChangeListeners:
    """Callbacks for every change made here, called in the thread that made it."""

    def __init__(self) -> None:
        self._listeners: list[Callable[[], None]] = []

    def listen(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Returns a function that unregisters the listener."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def tell(self) -> None:
        for listener in list(self._listeners):
            listener()


async def look_again(
    listens: Sequence[Listen], look: Callable[[], Awaitable[None]], look_seconds: float = LOOK_SECONDS
) -> None:
    """Call `look` at once, after each change, and every `look_seconds`, until cancelled."""
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
    """Inode, time and size of the file, which differ after a change; None if there is no file."""
    try:
        status = file.stat()
    except OSError:
        return None
    return status.st_ino, status.st_mtime_ns, status.st_size
