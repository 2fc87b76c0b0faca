"""Helpers for long tasks: wait for an event with a limit, back off after failures, notice a stop."""

import asyncio
import contextlib


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
    """The same as an object: `next` returns a wait, `reset` follows a success."""

    def __init__(self, first_seconds: float, longest_seconds: float) -> None:
        self._first, self._longest = first_seconds, longest_seconds
        self._failures = 1

    @property
    def seconds(self) -> float:
        return backoff_seconds(self._failures, first=self._first, longest=self._longest)

    def next(self) -> float:
        seconds = self.seconds
        self._failures += 1
        return seconds

    def reset(self) -> None:
        self._failures = 1


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
