"""Let foreign code run for so long and no longer: in a task of its own, or in a daemon thread."""

import asyncio
import contextvars
import logging
import threading
import types
from collections import Counter
from collections.abc import Awaitable, Callable, Coroutine, Generator
from typing import Any

from voice_gateway.errors import ToolUnavailable
from voice_gateway.progress import OnProgress, Progress, reset_listener, set_listener

log = logging.getLogger(__name__)

# A cancelled tool gets this long to clean up (an MCP server is told in this time) before it is left behind.
GRACE_SECONDS = 0.5
# A tool whose earlier calls never came back gets no more threads, so that it leaves some for the others.
MOST_HUNG_PER_TOOL = 4

Ending = tuple[Any, BaseException | None]  # what it returned, or what it raised


class Expired(Exception):
    """The limit is over. Not TimeoutError, which a tool may raise itself."""

    def __init__(self, seconds: float, *, stalled: bool = False) -> None:
        """`stalled`: it has reported progress before, and then no more for so long."""
        super().__init__(f"{seconds:g} s")
        self.seconds = seconds
        self.stalled = stalled


class ToolRaised(Exception):
    """Carries what a tool raised, so that its CancelledError is not taken for ours."""

    def __init__(self, error: BaseException) -> None:
        super().__init__(type(error).__name__)
        self.error = error


TELL_EVERY_SECONDS = 0.25  # of progress, at most; a flood of it moves the limit and nothing else


class Pace:
    """Moves the limit of one call on with each progress, up to a hard one, and tells of it."""

    __slots__ = ("_finished", "_told", "hard_seconds", "last", "now", "tell")

    def __init__(self, hard_seconds: float, tell: OnProgress | None = None) -> None:
        self.hard_seconds = hard_seconds
        self.tell = tell
        self.last: float | None = None  # when it moved
        self.now = asyncio.get_running_loop().time
        self._told = 0.0
        self._finished = False

    def has_moved(self) -> bool:
        return self.last is not None

    def moved(self, progress: Progress) -> None:
        self.last = now = self.now()
        if self.tell is None:
            return
        finished = progress.share == 1.0
        if now - self._told >= TELL_EVERY_SECONDS or (finished and not self._finished):
            self._told, self._finished = now, finished
            self.tell(progress)


class _Limit:
    """Ends a call when its time is over. Whether it moved is asked only then: a report costs nothing."""

    __slots__ = ("_done", "_handle", "_loop", "_pace", "_seconds", "_started")

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        done: "asyncio.Future[Ending]",
        seconds: float,
        pace: Pace | None,
    ) -> None:
        self._loop, self._done, self._seconds, self._pace = loop, done, seconds, pace
        self._started = started = loop.time()
        self._handle = loop.call_at(started + seconds, self._over)

    def cancel(self) -> None:
        self._handle.cancel()

    def _over(self) -> None:
        if self._done.done():
            return
        last = self._pace.last if self._pace is not None else None
        if self._pace is None or last is None:
            self._done.set_result((None, Expired(self._seconds)))
            return
        hard = max(self._pace.hard_seconds, self._seconds)
        until, now = min(last + self._seconds, self._started + hard), self._loop.time()
        if until > now:
            self._handle = self._loop.call_at(until, self._over)
        elif now >= self._started + hard:
            self._done.set_result((None, Expired(hard)))
        else:
            self._done.set_result((None, Expired(self._seconds, stalled=True)))


class Runner:
    """Each call runs in a task of its own: what it does to its task or its context stays there."""

    def __init__(self, grace_seconds: float = GRACE_SECONDS) -> None:
        self._grace_seconds = grace_seconds
        self._abandoned: set[asyncio.Task[None]] = set()

    async def run(
        self,
        name: str,
        limit: float,
        start: Callable[..., Awaitable[Any]],
        *arguments: Any,
        pace: Pace | None = None,
    ) -> Any:
        """What `start(*arguments)` gives when awaited; raises Expired or ToolRaised."""
        loop = asyncio.get_running_loop()
        done: asyncio.Future[Ending] = loop.create_future()
        if pace is None:
            task = loop.create_task(self._run_and_report(done, start, arguments))
        else:
            before = set_listener(pace.moved)
            task = loop.create_task(self._run_and_report(done, start, arguments))  # which keeps it
            reset_listener(before)
        timer: _Limit | None = None
        try:
            await _one_round()  # a tool that never waits is done after this, and needs no timer
            if not done.done():
                timer = _Limit(loop, done, limit, pace)
            value, error = await done
        except asyncio.CancelledError:
            await self._stop(task, name)
            raise
        finally:
            if timer is not None:
                timer.cancel()
        if isinstance(error, Expired):
            await self._stop(task, name)
            raise error
        if error is not None:
            raise ToolRaised(error)
        return value

    async def _run_and_report(
        self, done: asyncio.Future[Ending], start: Callable[..., Awaitable[Any]], arguments: tuple[Any, ...]
    ) -> None:
        """Run the tool and say how it ended. SystemExit and the like must not reach the event loop."""
        value, error = None, None
        try:
            work = start(*arguments)
            if not isinstance(work, types.CoroutineType):
                work = _as_coroutine(work)
            value = await _unless_abandoned(work, self._abandoned)
        except BaseException as raised:
            error = raised
        if not done.done():
            done.set_result((value, error))

    async def _stop(self, task: asyncio.Task[None], name: str) -> None:
        task.cancel()
        try:
            await asyncio.wait((task,), timeout=self._grace_seconds)
        finally:
            if not task.done():
                log.warning("a tool ignores its cancellation and was left behind", extra={"tool": name})
                self._abandoned.add(task)
                task.add_done_callback(self._abandoned.discard)


@types.coroutine
def _one_round() -> Generator[None, None, None]:
    """Let everything run once that is ready now; `asyncio.sleep(0)` without its detours."""
    yield


async def _as_coroutine(work: Awaitable[Any]) -> Any:
    return await work


@types.coroutine
def _unless_abandoned(
    work: Coroutine[Any, Any, Any], abandoned: set[asyncio.Task[None]]
) -> Generator[Any, Any, Any]:
    """Like `await work`, but a task that was left behind can be cancelled without asking the tool.

    So a tool that swallows every cancellation does not hold up the end of the program either.
    """
    try:
        awaited = work.send(None)
        while True:
            try:
                yield awaited
            except GeneratorExit:
                work.close()
                raise
            except BaseException as error:
                if asyncio.current_task() in abandoned:
                    raise
                awaited = work.throw(error)
            else:
                awaited = work.send(None)
    except StopIteration as end:
        return end.value


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
