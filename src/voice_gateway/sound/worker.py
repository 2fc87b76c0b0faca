"""A thread for one engine whose native code blocks."""

import asyncio
import contextlib
import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

LAST_JOB_SECONDS = 3.0  # longer than any segment takes; a hung engine must not hold up the end


class Worker:
    """Runs jobs one after the other in a daemon thread.

    Not `asyncio.to_thread`: the end of the program would wait for an engine that hangs. A job whose caller
    was cancelled still runs to its end if it has begun, because native code cannot be stopped.
    """

    def __init__(self, title: str) -> None:
        self._title = title
        self._jobs: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None

    async def run(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        done: Future[T] = Future()

        def job() -> None:
            if not done.set_running_or_notify_cancel():
                return
            try:
                result = work(*args, **kwargs)
            except BaseException as error:
                done.set_exception(error)
            else:
                done.set_result(result)

        self._jobs.put(job)
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, name=self._title, daemon=True)
            self._thread.start()
        return await asyncio.wrap_future(done)

    def close(self) -> None:
        """Ends the thread behind the jobs it has; a later `run` starts another."""
        if self._thread is not None:
            self._jobs.put(None)
            self._thread = None

    async def end(self, limit_seconds: float = LAST_JOB_SECONDS) -> None:
        """Close, and wait a little for what still runs: native code should not outlive its own libraries."""
        if self._thread is not None:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(limit_seconds):
                    await self.run(lambda: None)
        self.close()

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            job()


async def in_thread(title: str, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """One job in a thread of its own, for a sound card that may hang."""
    worker = Worker(title)
    try:
        return await worker.run(work, *args, **kwargs)
    finally:
        worker.close()
