"""What a long task's loop needs: a wait for news, longer waits after failures, a look at its own stop."""

import asyncio
import contextlib


async def wait_at_most(event: asyncio.Event, seconds: float | None) -> None:
    """Until it happens, or so long; None: however long it takes."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await event.wait()


# --- after failures


def backoff_seconds(failures: int, *, first: float, longest: float) -> float:
    """Nothing before the first failure, then `first`, doubled with each further one, up to `longest`."""
    return min(first * 2.0 ** min(failures - 1, 30), longest) if failures else 0.0


class Backoff:
    """The same for a loop that only waits: `next` gives a wait, `reset` begins anew after a success."""

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
# For loops around a library that may forget a cancellation. `asyncio.wait_for` on Python 3.11 loses one that
# comes together with the answer it waits for, and both the MQTT and the Redis library wait like that. A loop
# that does not look would outlive its stop.


def is_stopping() -> bool:
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


def end_when_stopping() -> None:
    if is_stopping():
        raise asyncio.CancelledError
