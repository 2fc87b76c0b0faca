"""Helpers for long tasks: wait for an event or a change, back off after failures, notice a stop."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path


async def wait_at_most(event: asyncio.Event, seconds: float | None) -> None:
    """Wait for the event, at most so long; None waits for ever."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await event.wait()


# --- after failures


def backoff_seconds(failures: int, *, first: float, longest: float) -> float:
    """0 without failures, then `first`, doubled with each failure, up to `longest`."""
    return min(first * 2.0 ** min(failures - 1, 30), longest) if failures else 0.0


class Backoff:
    """Waits that double from `first_seconds` up to `longest_seconds`; `reset` follows a success."""

    def __init__(self, first_seconds: float, longest_seconds: float) -> None:
        self._first, self._longest = first_seconds, longest_seconds
        self.seconds = first_seconds

    def next(self) -> float:
        seconds, self.seconds = self.seconds, min(2 * self.seconds, self._longest)
        return seconds

    def reset(self) -> None:
        self.seconds = self._first


# --- its own stop
#
# `asyncio.wait_for` on Python 3.11 loses a cancellation that arrives together with its result, and both the
# MQTT and the Redis library use it. A loop around them has to check whether it was cancelled.


def is_stopping() -> bool:
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


def end_when_stopping() -> None:
    if is_stopping():
        raise asyncio.CancelledError


# --- changes of a kept file, in this process or in another

LOOK_SECONDS = 2.0  # how long a change by another process may go unnoticed

# Registers a callback for changes in this process, which may come from any thread; returns how to unregister.
Listen = Callable[[Callable[[], None]], Callable[[], None]]


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
