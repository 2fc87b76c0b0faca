"""Let foreign code run for so long and no longer, whatever it does with its cancellation."""

import asyncio
import logging
import types
from collections.abc import Awaitable, Callable, Coroutine, Generator
from typing import Any

log = logging.getLogger(__name__)

# A cancelled tool gets this long to clean up (an MCP server is told in this time) before it is left behind.
GRACE_SECONDS = 0.5

Ending = tuple[Any, BaseException | None]  # what it returned, or what it raised


class Expired(Exception):
    """The limit is over. Not TimeoutError, which a tool may raise itself."""


class ToolRaised(Exception):
    """Carries what a tool raised, so that its CancelledError is not taken for ours."""

    def __init__(self, error: BaseException) -> None:
        super().__init__(type(error).__name__)
        self.error = error


_EXPIRED = Expired()


class Runner:
    """Each call runs in a task of its own: what it does to its task or its context stays there."""

    def __init__(self) -> None:
        self._left_behind: set[asyncio.Task[None]] = set()

    async def run(
        self, name: str, limit: float, start: Callable[..., Awaitable[Any]], *arguments: Any
    ) -> Any:
        """What `start(*arguments)` gives when awaited; raises Expired or ToolRaised."""
        loop = asyncio.get_running_loop()
        done: asyncio.Future[Ending] = loop.create_future()
        task = loop.create_task(self._report(done, start, arguments))
        timer: asyncio.TimerHandle | None = None
        try:
            await _one_round()  # a tool that never waits is done after this, and needs no timer
            if not done.done():
                timer = loop.call_later(limit, _expire, done)
            value, error = await done
        except asyncio.CancelledError:
            await self._stop(task, name)
            raise
        finally:
            if timer is not None:
                timer.cancel()
        if error is _EXPIRED:
            await self._stop(task, name)
            raise Expired
        if error is not None:
            raise ToolRaised(error)
        return value

    async def _report(
        self, done: asyncio.Future[Ending], start: Callable[..., Awaitable[Any]], arguments: tuple[Any, ...]
    ) -> None:
        """Run the tool and say how it ended. SystemExit and the like must not reach the event loop."""
        value, error = None, None
        try:
            work = start(*arguments)
            if not isinstance(work, types.CoroutineType):
                work = _as_coroutine(work)
            value = await _steered(work, self._left_behind)
        except BaseException as raised:
            error = raised
        if not done.done():
            done.set_result((value, error))

    async def _stop(self, task: asyncio.Task[None], name: str) -> None:
        task.cancel()
        try:
            await asyncio.wait((task,), timeout=GRACE_SECONDS)
        finally:
            if not task.done():
                log.warning("a tool ignores its cancellation and was left behind", extra={"tool": name})
                self._left_behind.add(task)
                task.add_done_callback(self._left_behind.discard)


def _expire(done: asyncio.Future[Ending]) -> None:
    if not done.done():
        done.set_result((None, _EXPIRED))


@types.coroutine
def _one_round() -> Generator[None, None, None]:
    """Let everything run once that is ready now; `asyncio.sleep(0)` without its detours."""
    yield


async def _as_coroutine(work: Awaitable[Any]) -> Any:
    return await work


@types.coroutine
def _steered(
    work: Coroutine[Any, Any, Any], left_behind: set[asyncio.Task[None]]
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
                if asyncio.current_task() in left_behind:
                    raise
                awaited = work.throw(error)
            else:
                awaited = work.send(None)
    except StopIteration as end:
        return end.value


async def run_here(limit: float, work: Coroutine[Any, Any, Any]) -> Any:
    """What `work` gives, without a task of its own: two task switches fewer. Raises as `Runner.run` does.

    Only for code of ours that awaits nothing but futures and ends at once when one of them is cancelled.
    """
    clock = _Clock(limit)
    try:
        return await _clocked(work, clock)
    except asyncio.CancelledError as error:
        task = asyncio.current_task()
        if task is None or task.cancelling():
            raise
        if clock.expired:
            raise Expired from None
        raise ToolRaised(error) from error
    except Exception as error:
        raise ToolRaised(error) from error
    finally:
        clock.stop()


class _Clock:
    """When the time is over, cancels the future that is awaited: who cancels the task can still be told."""

    __slots__ = ("_limit", "_timer", "awaited", "expired")

    def __init__(self, limit: float) -> None:
        self._limit = limit
        self._timer: asyncio.Handle | None = None
        self.awaited: asyncio.Future[Any] | None = None
        self.expired = False

    def start(self) -> None:
        self._timer = asyncio.get_running_loop().call_later(self._limit, self._expire)

    def stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()

    def _expire(self) -> None:
        if self.awaited is not None and self.awaited.cancel():
            self.expired = True
        else:  # a result is there already, and counts; but if the work goes on to wait, its time is over
            self._timer = asyncio.get_running_loop().call_soon(self._expire)


@types.coroutine
def _clocked(work: Coroutine[Any, Any, Any], clock: _Clock) -> Generator[Any, Any, Any]:
    """Like `await work`. The clock starts after the first step: a request is on its way by then."""
    try:
        clock.awaited = work.send(None)
        clock.start()
        while True:
            try:
                yield clock.awaited
            except GeneratorExit:
                work.close()
                raise
            except BaseException as error:
                clock.awaited = work.throw(error)
            else:
                clock.awaited = work.send(None)
    except StopIteration as end:
        return end.value
