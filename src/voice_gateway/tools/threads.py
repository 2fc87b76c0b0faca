"""Daemon threads for blocking tools: a hung one holds up neither the gateway nor its exit."""

import asyncio
import contextvars
import logging
import threading
from collections import Counter
from collections.abc import Callable
from typing import Any

from voice_gateway.errors import ToolUnavailable

log = logging.getLogger(__name__)

# A tool whose earlier calls never came back gets no more threads, so that it leaves some for the others.
MOST_HUNG_PER_TOOL = 4


class DaemonThreads:
    """One thread per running call, up to a limit; more are refused, never queued behind hung ones.

    Not `asyncio.to_thread`: its pool is shared with DNS lookups, and process exit waits for it.
    """

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.running = 0
        self.hung: Counter[str] = Counter()  # calls that were given up and still run, by tool

    async def run(self, name: str, work: Callable[[], Any]) -> Any:
        self._refuse_when_full(name)
        loop = asyncio.get_running_loop()
        done: asyncio.Future[tuple[Any, BaseException | None]] = loop.create_future()
        given_up = False

        def end(value: Any, error: BaseException | None) -> None:
            self.running -= 1
            if given_up:
                self._came_back(name)
            elif not done.done():
                done.set_result((value, error))

        def job() -> None:
            value, error = None, None
            try:
                value = context.run(work)
            except BaseException as raised:
                error = raised
            try:
                loop.call_soon_threadsafe(end, value, error)
            except RuntimeError:  # the loop is closed: nobody waits any more
                log.debug("tool ended after the program", extra={"tool": name})

        context = contextvars.copy_context()
        threading.Thread(target=job, name=f"tool {name}", daemon=True).start()
        self.running += 1
        try:
            value, error = await done
        except asyncio.CancelledError:
            if done.cancelled():  # else it ended in the same moment
                given_up = True
                self.hung[name] += 1
            raise
        if error is not None:
            raise error
        return value

    def _refuse_when_full(self, name: str) -> None:
        if self.hung[name] >= MOST_HUNG_PER_TOOL:
            raise ToolUnavailable(f"{name} is unavailable: {self.hung[name]} earlier calls of it still hang.")
        if self.running >= self.limit:
            raise ToolUnavailable(f"{name} is busy: all {self.limit} threads for blocking tools are taken.")

    def _came_back(self, name: str) -> None:
        self.hung[name] -= 1
        if not self.hung[name]:
            del self.hung[name]
        log.info("a tool that was given up has ended", extra={"tool": name})
