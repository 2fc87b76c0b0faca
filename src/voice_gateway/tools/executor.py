"""Run one tool call, or several, and say what became of each. Nothing escapes but cancellation."""

import asyncio
import logging
import types
from collections.abc import Awaitable, Callable, Coroutine, Generator, Sequence
from time import perf_counter
from typing import TYPE_CHECKING, Any

from voice_gateway.errors import ToolError, ToolTimeout, UnknownTool
from voice_gateway.tools.failures import describe
from voice_gateway.tools.manager import ToolManager
from voice_gateway.tools.masking import mask, shorten
from voice_gateway.tools.results import Result, capped, encodable
from voice_gateway.tools.schema import heavy
from voice_gateway.tools.threads import DaemonThreads
from voice_gateway.turn import Gate, ToolCall, ToolOutcome, ToolTraits, new_id

if TYPE_CHECKING:
    from voice_gateway.tools.plan import CallPlan

log = logging.getLogger(__name__)

# A cancelled tool gets this long to clean up (an MCP server is told in this time) before it is abandoned.
GRACE_SECONDS = 0.5
EXPIRED = ToolTimeout("the limit is over")  # a mark, never shown


class ToolRaised(Exception):
    """Carries what a tool raised, so that its CancelledError is not taken for ours."""

    def __init__(self, error: BaseException) -> None:
        super().__init__(repr(error))
        self.error = error


class Execution:
    """One call on its way through the executor."""

    __slots__ = ("abandoned", "args", "call_id", "name", "plan", "started")

    def __init__(self, call: ToolCall) -> None:
        self.started = perf_counter()
        self.call_id = call.id if isinstance(call.id, str) and call.id else new_id()
        self.name = call.name if isinstance(call.name, str) else str(call.name)
        self.args: dict[str, Any] = call.args if isinstance(call.args, dict) else {}
        self.plan: CallPlan | None = None
        self.abandoned = False


class ToolExecutor:
    """Exactly one outcome per call, always."""

    def __init__(
        self,
        tools: ToolManager,
        *,
        timeout_seconds: float = 30.0,
        max_parallel: int = 8,
        result_cap: int = 8000,
        slow_seconds: float = 1.0,
        gate: Gate | None = None,
    ) -> None:
        self.tools = tools
        self._timeout_seconds = timeout_seconds
        self._max_parallel = max_parallel
        self._result_cap = result_cap
        self._slow_seconds = slow_seconds
        self._gate = gate
        # Room for several messages' worth of blocking calls, hung ones included.
        self._threads = DaemonThreads(4 * max_parallel)
        self._plans: dict[int, CallPlan] = {}
        self._plans_version = -1
        self._abandoned: set[asyncio.Task[None]] = set()

    async def execute(
        self, call: ToolCall, *, gate: Gate | None = None, timeout_seconds: float | None = None
    ) -> ToolOutcome:
        execution = Execution(call)
        try:
            result = await self._run(execution, call.args, gate, timeout_seconds)
        except asyncio.CancelledError:
            raise
        except ToolRaised as raised:
            return self._failed(execution, raised.error, by_tool=True)
        except BaseException as error:  # a gate is foreign code, and we have bugs of our own
            return self._failed(execution, error)
        return self._succeeded(execution, result)

    async def execute_all(
        self,
        calls: Sequence[ToolCall],
        *,
        gate: Gate | None = None,
        on_outcome: Callable[[ToolOutcome], None] | None = None,
    ) -> list[ToolOutcome]:
        """Run independent calls at the same time, up to the cap; outcomes in the order of the calls.

        `on_outcome` gets each as soon as it is there: who is cancelled knows then what was done.
        """
        outcomes: dict[int, ToolOutcome] = {}
        waiting = iter(enumerate(calls))

        async def work() -> None:
            for place, call in waiting:
                outcomes[place] = await self.execute(call, gate=gate)
                if on_outcome is not None:
                    on_outcome(outcomes[place])

        if len(calls) == 1:
            await work()
            return [outcomes[0]]

        async with asyncio.TaskGroup() as group:
            for _ in range(min(self._max_parallel, len(calls))):
                group.create_task(work())
        return [outcomes[place] for place in range(len(calls))]

    async def _run(
        self, execution: Execution, raw: Any, gate: Gate | None, timeout_seconds: float | None
    ) -> Result:
        plan = execution.plan = self._plan(execution.name)
        if heavy(raw):  # checking a huge value takes long: not in the event loop
            args, ready = await asyncio.to_thread(plan.prepare, raw)
        else:
            args, ready = plan.prepare(raw)
        execution.args = args
        for asked in (self._gate, gate):
            if asked is not None and (
                reason := asked(ToolCall(execution.call_id, execution.name, args), plan.traits)
            ):
                raise ToolError(reason, structured={"outcome": "not_permitted"})
        limit = timeout_seconds or plan.traits.timeout_seconds or self._timeout_seconds
        value = await self._limited(execution, plan, ready, limit)
        return await asyncio.to_thread(plan.finish, value) if heavy(value) else plan.finish(value)

    def _plan(self, name: str) -> "CallPlan":
        tool = self.tools.find(name) or self.tools.find(name.strip())
        if tool is None:
            raise UnknownTool(unknown_tool(name, self.tools))
        if self._plans_version != self.tools.version:
            offered = {id(known) for known in self.tools.all()}
            self._plans = {key: plan for key, plan in self._plans.items() if key in offered}
            self._plans_version = self.tools.version
        plan = self._plans.get(id(tool))
        if plan is None:
            from voice_gateway.tools.plan import CallPlan  # brings LangChain, which a tool has loaded by now

            plan = self._plans[id(tool)] = CallPlan(tool, self._threads)
        return plan

    async def _limited(
        self, execution: Execution, plan: "CallPlan", ready: dict[str, Any], limit: float
    ) -> Any:
        """The tool's raw result within the limit, whatever the tool does with its cancellation.

        It runs in a task of its own: what it does to its task or its context stays there, and one that
        swallows its cancellation can be left behind. A task and a timer cost half of `asyncio.wait`.
        """
        loop = asyncio.get_running_loop()
        done: asyncio.Future[tuple[Any, BaseException | None]] = loop.create_future()
        task = loop.create_task(_report(execution, plan, ready, done))
        timer = loop.call_later(limit, _expire, done)
        try:
            value, error = await done
        except asyncio.CancelledError:
            await self._stop(task, execution)
            raise
        finally:
            timer.cancel()
        if error is EXPIRED:
            await self._stop(task, execution)
            raise ToolTimeout(timeout_text(plan, limit))
        if error is not None:
            raise ToolRaised(error)
        return value

    async def _stop(self, task: asyncio.Task[None], execution: Execution) -> None:
        task.cancel()
        try:
            await asyncio.wait((task,), timeout=GRACE_SECONDS)
        finally:
            if not task.done():
                log.warning(
                    "a tool ignores its cancellation and was left behind", extra={"tool": execution.name}
                )
                execution.abandoned = True
                self._abandoned.add(task)
                task.add_done_callback(self._abandoned.discard)

    def _succeeded(self, execution: Execution, result: Result) -> ToolOutcome:
        seconds = perf_counter() - execution.started
        text = result.text
        if log.isEnabledFor(logging.INFO):
            log.info("tool finished", extra=_facts(execution, seconds, text))
        if seconds > self._slow_seconds:
            self._warn_of_slow(execution, seconds)
        return ToolOutcome(
            execution.call_id,
            execution.name,
            text,
            True,
            seconds,
            execution.args,
            None,
            result.structured,
            execution.plan is not None and execution.plan.traits.read_only,
            capped(text, self._result_cap),
        )

    def _failed(self, execution: Execution, error: BaseException, *, by_tool: bool = False) -> ToolOutcome:
        seconds = perf_counter() - execution.started
        traits = execution.plan.traits if execution.plan else ToolTraits()
        kind, message = describe(error, execution.name, traits.source)
        text = encodable(f"Error: {message}")
        expected = isinstance(error, ToolError)
        log.log(
            logging.WARNING if expected else logging.ERROR,
            "unknown tool" if kind == "unknown_tool" else "tool failed",
            exc_info=error if by_tool or not expected else None,
            extra={**_facts(execution, seconds, text), "error": kind},
        )
        if seconds > self._slow_seconds:
            self._warn_of_slow(execution, seconds)
        return ToolOutcome(
            call_id=execution.call_id,
            name=execution.name,
            text=text,
            ok=False,
            seconds=seconds,
            args=execution.args,
            error=kind,
            structured=getattr(error, "structured", None),
            read_only=traits.read_only,
            for_model=capped(text, self._result_cap),
        )

    def _warn_of_slow(self, execution: Execution, seconds: float) -> None:
        log.warning("tool is slow", extra={"tool": execution.name, "seconds": round(seconds, 3)})


async def _report(
    execution: Execution,
    plan: "CallPlan",
    ready: dict[str, Any],
    done: "asyncio.Future[tuple[Any, BaseException | None]]",
) -> None:
    """Run the tool and report how it ended; SystemExit and the like must not reach the event loop."""
    value, error = None, None
    try:
        work = plan.start(execution.call_id, execution.args, ready)
        value = await _steered(work if isinstance(work, Coroutine) else _as_coroutine(work), execution)
    except BaseException as raised:
        error = raised
    if not done.done():
        done.set_result((value, error))


async def _as_coroutine(work: Awaitable[Any]) -> Any:
    return await work


@types.coroutine
def _steered(work: Coroutine[Any, Any, Any], execution: Execution) -> Generator[Any, Any, Any]:
    """Like `await work`, but once the tool is abandoned a cancellation ends the waiting, not the tool.

    So a tool that swallows every cancellation cannot hold up the end of the program either.
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
                if execution.abandoned:
                    raise
                awaited = work.throw(error)
            else:
                awaited = work.send(None)
    except StopIteration as end:
        return end.value


def _expire(done: "asyncio.Future[tuple[Any, BaseException | None]]") -> None:
    if not done.done():
        done.set_result((None, EXPIRED))


def timeout_text(plan: "CallPlan", limit: float) -> str:
    end = "was given up, though it may still be running" if plan.blocking else "was cancelled"
    text = f"{plan.tool.name} did not finish within {limit:g} s and {end}."
    return f"{text} It may still happen: check before trying again." if plan.traits.side_effects else text


def unknown_tool(name: str, tools: ToolManager) -> str:
    """The name, and a hint with the nearest known names."""
    from rapidfuzz import fuzz, process, utils

    shown = shorten(name, 100)
    known = [tools.offered_name(tool) for tool in tools.all()]
    near = process.extract(
        shown, known, scorer=fuzz.WRatio, processor=utils.default_process, limit=5, score_cutoff=60
    )
    hint = f". Did you mean {', '.join(match for match, _, _ in near)}?" if near else ""
    return f'Unknown tool "{shown}"{hint}'


def _facts(execution: Execution, seconds: float, text: str) -> dict[str, Any]:
    return {
        "tool": execution.name,
        "arguments": mask(execution.args),
        "seconds": round(seconds, 6),
        "result": shorten(text),
    }
