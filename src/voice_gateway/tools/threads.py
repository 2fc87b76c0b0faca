"""Blocking code in daemon threads: a call can be given up, and the end of the program waits for none."""

import asyncio
import contextvars
import threading
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from voice_gateway.errors import ToolUnavailable

# A tool whose earlier calls never came back gets no more threads, so that it leaves some for the others.
MOST_HUNG_PER_TOOL = 4


class DaemonThreads:
    """One thread per call of a blocking tool, up to a limit; more calls are refused, never queued.

    Not `asyncio.to_thread`: its pool is shared with DNS lookups, and the end of the program waits for it.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._running = 0
        self._hung: Counter[str] = Counter()  # calls that were given up and still run, by tool

    async def run(self, name: str, work: Callable[[], Any]) -> Any:
        """What `work` returns or raises. A cancelled call goes on in its thread, and counts as hung."""
        if self._hung[name] >= MOST_HUNG_PER_TOOL:
            hung = self._hung[name]
            raise ToolUnavailable(f"{name} is unavailable: {hung} earlier calls of it still hang.")
        if self._running >= self._limit:
            raise ToolUnavailable(f"{name} is busy: all {self._limit} threads for blocking tools are taken.")
        loop, context = asyncio.get_running_loop(), contextvars.copy_context()
        done: asyncio.Future[tuple[Any, BaseException | None]] = loop.create_future()

        def end(value: Any, error: BaseException | None) -> None:
            self._running -= 1
            if done.cancelled():
                self._hung[name] -= 1
            else:
                done.set_result((value, error))

        def job() -> None:
            value, error = None, None
            try:
                value = context.run(work)
            except BaseException as raised:
                error = raised
            with suppress(RuntimeError):  # the loop is closed: the program has ended
                loop.call_soon_threadsafe(end, value, error)

        threading.Thread(target=job, name=f"tool {name}", daemon=True).start()
        self._running += 1
        try:
            value, error = await done
        except asyncio.CancelledError:
            self._hung[name] += done.cancelled()  # otherwise it ended in the same moment
            raise
        if error is not None:
            raise error
        return value
