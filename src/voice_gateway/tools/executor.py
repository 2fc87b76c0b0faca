"""Run one tool call, or several, and report what became of each. Only cancellation is raised.

The file follows a call from top to bottom: find the tool, fit the arguments, ask for permission, run with a
deadline that progress moves, make the outcome.
"""

import asyncio
import contextvars
import logging
import threading
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import replace
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING, Any

from home_names.phrases import with_article
from voice_gateway import progress
from voice_gateway.errors import ErrorKind, ToolError, ToolTimeout, ToolUnavailable, UnknownTool
from voice_gateway.progress import OnProgress, Progress
from voice_gateway.tools.manager import ToolManager
from voice_gateway.tools.masking import NUMBER, keeps_words, mask, mask_result, shorten
from voice_gateway.tools.permission.untrusted import brings_words, quoted, quoted_error
from voice_gateway.tools.results import Result, capped, cause_of, describe, plain_text
from voice_gateway.turn import (
    Decision,
    Gate,
    OutcomeStatus,
    ToolCall,
    ToolOutcome,
    ToolTraits,
    Verdict,
    encodable,
    new_id,
)

if TYPE_CHECKING:
    from langchain_core.messages import ToolMessage
    from langchain_core.tools import BaseTool

    from voice_gateway.tools.messages import Calls, Node
    from voice_gateway.tools.prepared import PreparedTool

log = logging.getLogger(__name__)

# A cancelled tool gets this long to clean up, a notification to its MCP server included.
GRACE_SECONDS = 0.5
SLOW_SECONDS = 1.0  # a longer call is logged as slow (EXE-10)
WAIT_SECONDS = 3.0  # after which `heard_by` learns what a call waits for
REPORT_EVERY_SECONDS = 0.25  # of progress, at most; a flood of it moves the deadline and nothing else
# A tool whose earlier calls never came back gets no more threads, so that it leaves some for the others.
MOST_HUNG_PER_TOOL = 4
EMPTY = frozenset({"null", "{}", "[]", '""'})  # of an act: an answer that says nothing
NO_TOOL = "I have no tool for that."
LONGEST_NAME = 60  # characters of a device's name
# A trusted server's result says: with this argument, which is the user's yes, the call would be done.
NEEDS_YES, CONFIRMED = "needsYes", "confirmed"

OnWait = Callable[[str], None]
# A context variable, because LangChain's tools stand between a turn and the calls that are made inside it.
_on_wait: ContextVar[OnWait | None] = ContextVar("on_wait", default=None)


@contextmanager
def heard_by(on_wait: OnWait) -> Iterator[None]:
    """Report once what each slow call that is made inside waits for."""
    token = _on_wait.set(on_wait)
    try:
        yield
    finally:
        _on_wait.reset(token)


class ToolRaised(Exception):
    """Carries what a tool raised, so that its CancelledError is not taken for ours."""

    def __init__(self, error: BaseException) -> None:
        super().__init__(type(error).__name__)
        self.error = error


class Execution:
    """One call on its way through the executor."""

    def __init__(self, call: Any) -> None:
        self.started = perf_counter()
        if not isinstance(call, ToolCall):  # a model's message may carry a dict, or something that is no call
            known = call if isinstance(call, Mapping) else {}
            call = ToolCall(known.get("id") or "", known.get("name") or "", known.get("args"))
        self.raw = call.args
        self.call_id = call.id if isinstance(call.id, str) and call.id else new_id()
        self.name = call.name if isinstance(call.name, str) else str(call.name)
        self.args: dict[str, Any] = call.args if isinstance(call.args, dict) else {}
        self.ready: dict[str, Any] = {}  # the arguments as the tool's function takes them
        self.traits = ToolTraits()
        self.reached = False  # the tool itself raised what ended the call

    def _words(self, text: str, cause: BaseException | None) -> dict[str, Any]:
        """Result, cause and arguments for the log; above debug not of a call whose arguments hold words."""
        debug = log.isEnabledFor(logging.DEBUG)
        if not debug and any(not isinstance(value, NUMBER) for value in self.args.values()):
            return {}
        because = cause_of(cause) if cause is not None else None
        words: dict[str, Any] = {"result": mask_result(text, self.args)}
        words |= {"cause": because} if because is not None else {}
        return words | ({"arguments": mask(self.args)} if debug else {})

    def ended(
        self, level: int, message: str, text: str, *, cause: BaseException | None = None, **facts: Any
    ) -> ToolOutcome:
        """The outcome, after one line in the log (EXE-2, EXE-4, EXE-9, EXE-10)."""
        seconds, error = perf_counter() - self.started, facts.get("error")
        if seconds > SLOW_SECONDS:
            log.warning("tool is slow", extra={"tool": self.name, "seconds": round(seconds, 3)})
        if log.isEnabledFor(level):
            logged = {"tool": self.name, "seconds": round(seconds, 6)}
            logged |= {"error": error} if error is not None else {}
            private = keeps_words(self.name)
            logged |= {} if private else self._words(text, cause)
            expected = cause is None or (isinstance(cause, ToolError) and not self.reached)
            log.log(level, message, exc_info=None if expected or private else cause, extra=logged)
        believed = self.traits.trusted or self.traits.home
        return ToolOutcome(
            self.call_id,
            self.name,
            text,
            error is None,
            seconds,
            self.args,
            read_only=self.traits.read_only,
            believed=believed,
            **facts,
        )


class ToolExecutor:
    """Exactly one outcome per call, always."""

    def __init__(
        self,
        tools: "ToolManager | Iterable[BaseTool | Callable[..., Any]]",
        *,
        timeout_seconds: float = 30.0,
        hard_timeout_seconds: float = 300.0,
        max_parallel: int = 8,
        result_cap: int = 8000,
        gate: Gate | None = None,
        quotes: bool = False,
    ) -> None:
        """`gate` may refuse calls; `quotes` marks text from outside as data for a model."""
        self.tools = tools if isinstance(tools, ToolManager) else ToolManager(tools)
        self._timeout_seconds = timeout_seconds
        self._hard_timeout_seconds = hard_timeout_seconds
        self._max_parallel = max_parallel
        self._result_cap = result_cap
        self._gate, self._quotes = gate, quotes
        # Room for several messages' worth of blocking calls, hung ones included.
        self._threads = DaemonThreads(4 * max_parallel)
        self._prepared: dict[str, PreparedTool] = {}
        self._version = -1

    async def execute(
        self, call: ToolCall, *, gate: Gate | None = None, timeout_seconds: float | None = None
    ) -> ToolOutcome:
        """Run one call (EXE-1). `gate` may refuse it; `timeout_seconds` beats every other limit."""
        execution = Execution(call)
        try:
            tool = self._find(execution)
            execution.args, execution.ready = tool.fit(execution.raw)
            for asked in (self._gate, gate):
                if asked is not None:
                    call = ToolCall(execution.call_id, execution.name, execution.args)
                    verdict = asked(call, execution.traits)
                    if verdict.decision is not Decision.ALLOWED:
                        return self._refused(execution, verdict)
            value = await self._run(tool, execution, timeout_seconds)
            return self._succeeded(execution, tool.read(value))
        except asyncio.CancelledError as error:
            task = asyncio.current_task()
            if task is None or task.cancelling():
                raise
            return self._failed(execution, error)  # a gate raised it; the caller was not cancelled
        except ToolRaised as raised:
            execution.reached = True
            return await self._with_yes(execution, self._failed(execution, raised.error), gate)
        except Exception as error:  # a gate is foreign code, and the executor may have bugs
            return self._failed(execution, error)

    async def execute_all(
        self,
        calls: Sequence[ToolCall],
        *,
        gate: Gate | None = None,
        on_outcome: Callable[[ToolOutcome], None] | None = None,
    ) -> list[ToolOutcome]:
        """Run independent calls at the same time, up to the cap; outcomes in the order of the calls.

        `on_outcome` gets each at once, so that a caller that is cancelled knows what was done.
        """
        outcomes: dict[int, ToolOutcome] = {}
        waiting = iter(enumerate(calls))

        async def work() -> None:
            for place, call in waiting:
                outcomes[place] = await self.execute(call, gate=gate)
                if on_outcome is not None:
                    on_outcome(outcomes[place])

        async with asyncio.TaskGroup() as group:
            for _ in range(min(self._max_parallel, len(calls))):
                group.create_task(work())
        return [outcomes[place] for place in range(len(calls))]

    # --- for LangChain

    async def run(self, calls: "Calls") -> "list[ToolMessage]":
        """Run the calls of a model's message: exactly one message for each, in order."""
        from voice_gateway.tools.messages import to_message

        return [to_message(outcome) for outcome in await self.outcomes(calls)]

    async def outcomes(self, calls: "Calls") -> list[ToolOutcome]:
        """Run the calls of a model's message: status, facts and seconds of each, in order."""
        from voice_gateway.tools.messages import calls_of

        return await self.execute_all(calls_of(calls))

    def as_node(self) -> "Node":
        """A LangGraph node in place of `ToolNode`."""
        from voice_gateway.tools.messages import node_of

        return node_of(self)

    # --- find (EXE-3)

    def _find(self, execution: Execution) -> "PreparedTool":
        name = execution.name
        if self._version != self.tools.version:
            self._prepared, self._version = {}, self.tools.version
        prepared = self._prepared.get(name)
        if prepared is None:
            tool = self.tools.find(name) or self.tools.find(name.strip())
            if tool is None:
                raise UnknownTool(unknown_tool(name, self.tools), spoken=NO_TOOL)
            # Brings LangChain, which a tool has loaded by now.
            from voice_gateway.tools.prepared import PreparedTool

            prepared = self._prepared[name] = PreparedTool(tool)
        execution.traits = prepared.traits
        return prepared

    async def _with_yes(self, execution: Execution, failed: ToolOutcome, gate: Gate | None) -> ToolOutcome:
        """Call a trusted server's tool again as confirmed, if it asks for the user's yes: the gate asks."""
        wanted = failed.facts.get(NEEDS_YES) is True and CONFIRMED not in execution.args
        if gate is None or not wanted or not execution.traits.trusted:
            return failed
        call = ToolCall(execution.call_id, execution.name, {**execution.args, CONFIRMED: True})
        again = await self.execute(call, gate=gate)
        return failed if again.verdict.decision is Decision.REFUSED else again

    # --- run (EXE-5, EXE-6)

    async def _run(self, tool: "PreparedTool", execution: Execution, timeout_seconds: float | None) -> Any:
        limit = timeout_seconds or tool.traits.timeout_seconds or self._timeout_seconds
        hard = timeout_seconds or max(self._hard_timeout_seconds, limit)
        start = tool.call(execution.call_id, execution.args, execution.ready)
        deadline = Deadline(limit, hard, execution)
        on_progress: OnProgress | None = deadline.moved
        if tool.blocking:  # its thread must not report progress into the event loop
            start, on_progress = partial(self._threads.run, tool.tool.name, start), None
        try:
            if tool.cancellation_safe:
                return await _run_here(start, deadline)
            return await self._run_in_task(execution.name, start, deadline, on_progress)
        except TimeoutError:
            raise ToolTimeout(timeout_text(tool, deadline)) from None

    async def _run_in_task(
        self,
        name: str,
        start: Callable[[], Awaitable[Any]],
        deadline: "Deadline",
        on_progress: OnProgress | None,
    ) -> Any:
        """Run foreign code in a task of its own: what it does to its task or its context stays there."""

        loop = asyncio.get_running_loop()
        ended: asyncio.Future[tuple[Any, BaseException | None]] = loop.create_future()

        async def report() -> None:
            """Run the tool and report how it ended. SystemExit must not reach the event loop."""
            progress.on_progress.set(on_progress)
            value, raised = None, None
            try:
                value = await start()
            except BaseException as error:
                raised = error
            if not ended.done():
                ended.set_result((value, raised))

        task = loop.create_task(report())
        try:
            await asyncio.sleep(0)  # a tool that never waits is done after this, and needs no timer
            if not ended.done():
                async with deadline:
                    await ended
        except (asyncio.CancelledError, TimeoutError):
            await self._stop(task, name)
            raise
        value, error = ended.result()
        if error is not None:
            raise ToolRaised(error)
        return value

    async def _stop(self, task: "asyncio.Task[Any]", name: str) -> None:
        task.cancel()
        try:
            await asyncio.wait((task,), timeout=GRACE_SECONDS)
        finally:
            if not task.done():
                log.warning("a tool ignores its cancellation and was left behind", extra={"tool": name})
                asyncio._unregister_task(task)  # the end of the program does not wait for it
                task._log_destroy_pending = False  # type: ignore[attr-defined]

    # --- outcome (EXE-1, EXE-4, EXE-9, EXE-10)

    def _succeeded(self, execution: Execution, result: Result) -> ToolOutcome:
        traits = execution.traits
        foreign = traits.words_from_outside or traits.source != "builtin"
        outside = foreign and brings_words(traits, result.structured)
        empty = not result.text or (not traits.read_only and foreign and result.text in EMPTY)
        text = f"No answer from {title_of(traits, execution.name)}." if empty else result.text
        failed, for_model = result.tells_failure(acts=not traits.read_only), capped(text, self._result_cap)
        return execution.ended(
            logging.INFO,
            "tool finished",
            text,
            error=ErrorKind.FAILED if failed else None,
            structured=result.structured,
            doubtful=failed or empty,
            for_model=quoted(for_model) if outside and self._quotes else for_model,
            outside=outside,
            artifacts=result.artifacts,
        )

    def _failed(self, execution: Execution, error: BaseException) -> ToolOutcome:
        kind, message = describe(error, execution.name, execution.traits.server)
        text = encodable(plain_text(f"Error: {message}")[0])
        structured = getattr(error, "structured", None)
        # A call that never reached its tool brings no words but ours.
        outside = execution.reached and brings_words(execution.traits, structured)
        for_model = capped(text, self._result_cap)
        return execution.ended(
            logging.WARNING if isinstance(error, ToolError) else logging.ERROR,
            "unknown tool" if kind is ErrorKind.UNKNOWN_TOOL else "tool failed",
            text,
            cause=error,
            error=kind,
            structured=structured,
            for_model=quoted_error(for_model) if outside and self._quotes else for_model,
            outside=outside,
            spoken=error.spoken if isinstance(error, ToolError) and error.spoken != str(error) else "",
        )

    def _refused(self, execution: Execution, verdict: Verdict) -> ToolOutcome:
        """The outcome of a call that a gate did not allow."""
        return execution.ended(
            logging.INFO,
            "tool was not permitted",
            f"Error: {verdict.spoken or verdict.reason}",
            error=ErrorKind.FAILED,
            structured={"outcome": OutcomeStatus.NOT_PERMITTED.value}
            | ({"allow": verdict.allow} if verdict.allow else {}),
            for_model=f"Error: {verdict.reason}",
            verdict=verdict,
        )


async def _run_here(start: Callable[[], Awaitable[Any]], deadline: "Deadline") -> Any:
    """Run a call of ours in the caller's task, which saves two rounds of the event loop."""
    token = progress.on_progress.set(deadline.moved)
    try:
        async with deadline:
            try:
                return await start()
            except Exception as error:
                raise ToolRaised(error) from error
    finally:
        progress.on_progress.reset(token)


class Deadline:
    """Ends a call `seconds` after its start or its last progress, and `hard_seconds` after its start."""

    def __init__(self, seconds: float, hard_seconds: float, execution: Execution) -> None:
        self.seconds, self._hard_seconds = seconds, hard_seconds
        self.stalled = False  # there was progress, and then none until the deadline
        self._execution = execution
        self._on_progress, self._on_wait = progress.on_progress.get(), _on_wait.get()
        self._loop = asyncio.get_running_loop()
        self._started = self._loop.time()
        self._timeout: asyncio.Timeout | None = None
        self._notice: asyncio.TimerHandle | None = None
        self._reported = 0.0
        self._finished = False

    async def __aenter__(self) -> None:
        self._timeout = asyncio.timeout_at(self._started + self.seconds)
        await self._timeout.__aenter__()
        if (on_wait := self._on_wait) is not None:
            self._notice = self._loop.call_later(WAIT_SECONDS, lambda: on_wait(self._what()))

    async def __aexit__(self, *error: Any) -> None:
        timeout, self._timeout = self._timeout, None
        if self._notice is not None:
            self._notice.cancel()
        if timeout is not None:
            await timeout.__aexit__(*error)

    def moved(self, report: Progress) -> None:
        """Move the deadline, and pass the progress on at most four times a second."""
        now, hard = self._loop.time(), self._started + self._hard_seconds
        if self._timeout is not None and not self._timeout.expired():
            self.stalled = now + self.seconds < hard
            self._timeout.reschedule(min(now + self.seconds, hard))
            if not self.stalled:
                self.seconds = self._hard_seconds
        if self._notice is not None:
            self._notice.cancel()
        finished = report.share == 1.0
        due = now - self._reported >= REPORT_EVERY_SECONDS or (finished and not self._finished)
        if self._on_progress is not None and due:
            self._reported, self._finished = now, finished
            self._on_progress(replace(report, what=self._what()))

    def _what(self) -> str:
        return waited_for(self._execution.args, self._execution.traits)


def timeout_text(tool: "PreparedTool", deadline: Deadline) -> str:
    """Which tool ran into which limit, and whether its effect may still happen."""
    end = "was given up, though it may still be running" if tool.blocking else "was cancelled"
    missed = "made no progress for" if deadline.stalled else "did not finish within"
    text = f"{title_of(tool.traits, tool.tool.name)} {missed} {deadline.seconds:g} s and {end}."
    return text if tool.traits.read_only else f"{text} It may still happen: check before trying again."


def title_of(traits: ToolTraits, name: str) -> str:
    """For people. An untrusted title could say anything."""
    return (traits.title if traits.trusted else "") or name.replace("_", " ")


def unknown_tool(name: str, tools: ToolManager) -> str:
    """The name, and a hint with the nearest known names (EXE-3)."""
    from rapidfuzz import fuzz, process, utils

    shown = shorten(name, 100)
    known = [tools.offered_name(tool) for tool in tools.all()]
    near = process.extract(
        shown, known, scorer=fuzz.WRatio, processor=utils.default_process, limit=5, score_cutoff=70
    )
    hint = f". Did you mean {', '.join(match for match, _, _ in near)}?" if near else ""
    return f'Unknown tool "{shown}"{hint}'


def waited_for(args: Mapping[str, Any], traits: ToolTraits) -> str:
    """What a slow call waits for: "the Space Heater", "the web search", "the sonos server"."""
    for parameter, scene in (("deviceName", ""), ("sceneName", "the scene ")):
        name = args.get(parameter)
        if isinstance(name, str) and name.strip() and traits.trusted:
            name = shorten(" ".join(name.split()), LONGEST_NAME)
            return f"{scene}{name}" if scene else with_article(name)
    if traits.source != "builtin":
        return f"the {traits.source} server"
    return f"the {traits.title[:1].lower()}{traits.title[1:]}" if traits.title else "an answer"


class DaemonThreads:
    """One daemon thread per call of a blocking tool, up to a limit; more calls are refused, never queued.

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
