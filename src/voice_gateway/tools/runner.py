"""Let foreign code run for so long and no longer: in a task of its own, or in a daemon thread."""

import asyncio
import contextvars
import logging
import threading
import types
from collections import Counter
from collections.abc import Awaitable, Callable, Coroutine, Generator
from functools import partial
from typing import Any

from voice_gateway.errors import ToolUnavailable
from voice_gateway.progress import reset_listener, set_listener
from voice_gateway.tools.limit import Expired, Limit, Pace

log = logging.getLogger(__name__)

# A cancelled tool gets this long to clean up (an MCP server is told in this time) before it is left behind.
GRACE_SECONDS = 0.5
# A tool whose earlier calls never came back gets no more threads, so that it leaves some for the others.
MOST_HUNG_PER_TOOL = 4

Ending = tuple[Any, BaseException | None]  # what it returned, or what it raised


class ToolRaised(Exception):
    """Carries what a tool raised, so that its CancelledError is not taken for ours."""

    def __init__(self, error: BaseException) -> None:
        super().__init__(type(error).__name__)
        self.error = error


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
        timer: Limit | None = None
        try:
            await _one_round()  # a tool that never waits is done after this, and needs no timer
            if not done.done():
                timer = Limit(limit, pace, partial(_expire, done))
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


def _expire(done: asyncio.Future[Ending], expired: Expired) -> None:
    if not done.done():
        done.set_result((None, expired))


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


async def run_here(limit: float, work: Coroutine[Any, Any, Any], pace: Pace) -> Any:
    """What `work` gives, in the task of whoever calls: two rounds of the loop fewer. Raises as `Runner.run`.

    Only for code of ours that awaits nothing but futures of its own, and ends at once when one is cancelled.
    """
    task, waits = asyncio.current_task(), _Waits()
    before = task.cancelling() if task is not None else 0  # who tidies up after a cancellation may call, too
    try:
        return await _in_time(work, waits, limit, pace)
    except asyncio.CancelledError as error:
        if task is None or task.cancelling() > before:
            raise
        raise waits.expired or ToolRaised(error) from None
    except Exception as error:
        raise ToolRaised(error) from error
    finally:
        waits.over()


class _Waits:
    """What a call that runs here waits for. At its limit that is cancelled, and not the caller's task."""

    __slots__ = ("_is_over", "awaited", "expired", "limit")

    def __init__(self) -> None:
        self.awaited: asyncio.Future[Any] | None = None
        self.limit: Limit | None = None
        self.expired: Expired | None = None
        self._is_over = False

    def expire(self, expired: Expired) -> None:
        if self._is_over:
            return
        if self.awaited is not None and self.awaited.cancel():
            self.expired = expired
        else:  # a result is there already, and counts; but if the work goes on to wait, its time is over
            asyncio.get_running_loop().call_soon(self.expire, expired)

    def over(self) -> None:
        self._is_over = True
        if self.limit is not None:
            self.limit.cancel()


@types.coroutine
def _in_time(
    work: Coroutine[Any, Any, Any], waits: _Waits, limit: float, pace: Pace
) -> Generator[Any, Any, Any]:
    """Like `await work`. Its time begins after the first step: a request is on its way by then."""
    try:
        waits.awaited = _heard(pace, work.send, None)
        waits.limit = Limit(limit, pace, waits.expire)
        while True:
            try:
                yield waits.awaited
            except GeneratorExit:
                work.close()
                raise
            except BaseException as error:
                waits.awaited = _heard(pace, work.throw, error)
            else:
                waits.awaited = _heard(pace, work.send, None)
    except StopIteration as end:
        return end.value


def _heard(pace: Pace, step: Callable[[Any], Any], given: Any) -> Any:
    """One step of the work: whom it tells of its progress is known in there, and not to its caller."""
    before = set_listener(pace.moved)
    try:
        return step(given)
    finally:
        reset_listener(before)


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
