"""Run one tool call, or several, and say what became of each. Nothing escapes but cancellation."""

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from time import perf_counter
from typing import TYPE_CHECKING, Any

from voice_gateway.errors import ErrorKind, ToolError, ToolTimeout, UnknownTool
from voice_gateway.progress import OnProgress, listener
from voice_gateway.tools.limit import Expired, Pace
from voice_gateway.tools.manager import ToolManager
from voice_gateway.tools.masking import mask, mask_result, shorten
from voice_gateway.tools.outside import brings_words, quoted, quoted_error
from voice_gateway.tools.plain_text import plain_text
from voice_gateway.tools.results import Result, capped, cause_of, describe
from voice_gateway.tools.runner import GRACE_SECONDS, DaemonThreads, Runner, ToolRaised, run_here
from voice_gateway.tools.schema import is_flat
from voice_gateway.tools.waiting import WAIT_SECONDS, tell_later, waited_for
from voice_gateway.turn import Gate, OutcomeStatus, ToolCall, ToolOutcome, ToolTraits, encodable, new_id
from voice_gateway.verdict import ALLOWED, Decision, Verdict

if TYPE_CHECKING:
    from voice_gateway.tools.call_plan.plan import CallPlan

log = logging.getLogger(__name__)

NO_TRAITS = ToolTraits()
HEAVY_NODES = 20_000  # about a tenth of a second of checking
HEAVY_TEXT = 1_000_000
_CONTAINERS = (dict, list, tuple)
# In a result: with this argument, which is the user's yes, it would be done.
NEEDS_YES, CONFIRMED = "needsYes", "confirmed"


class Execution:
    """One call on its way through the executor."""

    __slots__ = ("args", "call_id", "name", "raw", "started", "traits")

    def __init__(self, given: Any) -> None:
        self.started = perf_counter()
        # A message's own tool calls are dicts, or worse.
        call = given if isinstance(given, ToolCall) else _as_call(given)
        self.raw = call.args
        self.call_id = call.id if isinstance(call.id, str) and call.id else new_id()
        self.name = call.name if isinstance(call.name, str) else str(call.name)
        self.args: dict[str, Any] = call.args if isinstance(call.args, dict) else {}
        self.traits = NO_TRAITS


def _as_call(given: Any) -> ToolCall:
    known = given if isinstance(given, Mapping) else {}
    return ToolCall(known.get("id") or "", known.get("name") or "", known.get("args"))


class ToolExecutor:
    """Exactly one outcome per call, always."""

    def __init__(
        self,
        tools: ToolManager,
        *,
        timeout_seconds: float = 30.0,
        hard_timeout_seconds: float = 300.0,
        max_parallel: int = 8,
        result_cap: int = 8000,
        slow_seconds: float = 1.0,
        grace_seconds: float = GRACE_SECONDS,
        wait_seconds: float = WAIT_SECONDS,  # after which whoever asked is told what a call waits for
        gate: Gate | None = None,
    ) -> None:
        self.tools = tools
        self._timeout_seconds = timeout_seconds
        self._hard_timeout_seconds = hard_timeout_seconds
        self._max_parallel = max_parallel
        self._result_cap = result_cap
        self._slow_seconds = slow_seconds
        self._wait_seconds = wait_seconds
        self._gate = gate
        self._runner = Runner(grace_seconds)
        # Room for several messages' worth of blocking calls, hung ones included.
        self._threads = DaemonThreads(4 * max_parallel)
        self._plans: dict[int, CallPlan] = {}
        self._plans_version = -1

    async def execute(
        self, call: ToolCall, *, gate: Gate | None = None, timeout_seconds: float | None = None
    ) -> ToolOutcome:
        execution = Execution(call)
        try:
            result = await self._run(execution, gate, timeout_seconds)
        except asyncio.CancelledError as error:
            if _is_cancelled():
                raise
            return self._failed(execution, error)  # somebody raised it, but nobody cancelled us
        except ToolRaised as raised:
            return await self._with_yes(execution, self._failed(execution, raised.error, by_tool=True), gate)
        except Exception as error:  # a gate is foreign code, and we have bugs of our own
            return self._failed(execution, error)
        if isinstance(result, Verdict):
            return self._refused(execution, result)
        return self._succeeded(execution, result)

    async def _with_yes(self, execution: Execution, failed: ToolOutcome, gate: Gate | None) -> ToolOutcome:
        """A server that we trust may want the user's yes: the gate asks for it, if this door may be asked."""
        wanted = failed.facts.get(NEEDS_YES) is True and CONFIRMED not in execution.args
        if gate is None or not wanted or execution.traits.stranger:
            return failed
        call = ToolCall(execution.call_id, execution.name, {**execution.args, CONFIRMED: True})
        again = await self.execute(call, gate=gate)
        return failed if again.verdict.decision is Decision.REFUSED else again

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
        self, execution: Execution, gate: Gate | None, timeout_seconds: float | None
    ) -> Result | Verdict:
        raw = execution.raw
        plan = self._plan(execution.name)
        execution.traits = plan.traits
        if heavy(raw):  # checking a huge value takes long: not in the event loop
            args, ready = await asyncio.to_thread(plan.prepare, raw)
        else:
            args, ready = plan.prepare(raw)
        execution.args = args
        if (gate is not None or self._gate is not None) and (refusal := self._refusal(execution, gate)):
            return refusal
        limit = timeout_seconds or plan.traits.timeout_seconds or self._timeout_seconds
        pace = self._pace(execution, timeout_seconds) if plan.is_mcp else None
        moved = None if pace is None else pace.has_moved
        waits = tell_later(args, plan.traits, self._wait_seconds, unless=moved)
        try:
            if pace is not None and (work := plan.start_here(args, ready)) is not None:
                value = await run_here(limit, work, pace)
            else:
                value = await self._runner.run(
                    execution.name, limit, plan.start, execution.call_id, args, ready, pace=pace
                )
        except Expired as expired:
            raise ToolTimeout(timeout_text(plan, expired)) from None
        finally:
            if waits is not None:
                waits.cancel()
        return await asyncio.to_thread(plan.finish, value) if heavy(value) else plan.finish(value)

    def _pace(self, execution: Execution, timeout_seconds: float | None) -> Pace:
        """A limit that was given with the call stays; the others move on with its progress."""
        told = listener()
        return Pace(timeout_seconds or self._hard_timeout_seconds, told and _named(told, execution))

    def _refusal(self, execution: Execution, gate: Gate | None) -> Verdict | None:
        call = ToolCall(execution.call_id, execution.name, execution.args)
        for asked in (self._gate, gate):
            if asked is None:
                continue
            verdict = asked(call, execution.traits)
            if verdict.decision is not Decision.ALLOWED:
                return verdict
        return None

    def _plan(self, name: str) -> "CallPlan":
        tool = self.tools.find(name)
        if tool is None:
            tool = self.tools.find(name.strip())
        if tool is None:
            raise UnknownTool(unknown_tool(name, self.tools))
        if self._plans_version != self.tools.version:
            offered = {id(known) for known in self.tools.all()}
            self._plans = {key: plan for key, plan in self._plans.items() if key in offered}
            self._plans_version = self.tools.version
        plan = self._plans.get(id(tool))
        if plan is None:
            # Brings LangChain, which a tool has loaded by now.
            from voice_gateway.tools.call_plan.plan import CallPlan

            plan = self._plans[id(tool)] = CallPlan(tool, self._threads)
        return plan

    def _succeeded(self, execution: Execution, result: Result) -> ToolOutcome:
        seconds = perf_counter() - execution.started
        text = result.text
        if log.isEnabledFor(logging.INFO):
            log.info("tool finished", extra=_facts(execution, seconds, text))
        if seconds > self._slow_seconds:
            self._warn_of_slow(execution, seconds)
        outside, for_model = brings_words(execution.traits, result.structured), capped(text, self._result_cap)
        return ToolOutcome(
            execution.call_id,
            execution.name,
            text,
            True,
            seconds,
            execution.args,
            None,
            result.structured,
            execution.traits.read_only,
            quoted(for_model) if outside else for_model,
            outside=outside,
            artifacts=result.artifacts,
        )

    def _failed(self, execution: Execution, error: BaseException, *, by_tool: bool = False) -> ToolOutcome:
        seconds = perf_counter() - execution.started
        kind, message = describe(error, execution.name, execution.traits.server)
        text = encodable(plain_text(f"Error: {message}")[0])
        structured = getattr(error, "structured", None)
        # What we say ourselves of a call that never reached its tool is none.
        outside = by_tool and brings_words(execution.traits, structured)
        expected = isinstance(error, ToolError)
        log.log(
            logging.WARNING if expected else logging.ERROR,
            "unknown tool" if kind is ErrorKind.UNKNOWN_TOOL else "tool failed",
            exc_info=error if by_tool or not expected else None,
            extra={**_facts(execution, seconds, text), "error": kind, "cause": cause_of(error)},
        )
        if seconds > self._slow_seconds:
            self._warn_of_slow(execution, seconds)
        for_model = capped(text, self._result_cap)
        for_model = quoted_error(for_model) if outside else for_model
        return _not_done(
            execution, seconds, text, for_model, error=kind, structured=structured, outside=outside
        )

    def _refused(self, execution: Execution, verdict: Verdict) -> ToolOutcome:
        """A decision, not a fault: the gate has said why."""
        seconds = perf_counter() - execution.started
        text = f"Error: {verdict.spoken or verdict.reason}"
        log.info(
            "tool was not permitted", extra={**_facts(execution, seconds, text), "error": ErrorKind.FAILED}
        )
        facts, reason = {"outcome": OutcomeStatus.NOT_PERMITTED.value}, f"Error: {verdict.reason}"
        return _not_done(
            execution, seconds, text, reason, error=ErrorKind.FAILED, structured=facts, verdict=verdict
        )

    def _warn_of_slow(self, execution: Execution, seconds: float) -> None:
        log.warning("tool is slow", extra={"tool": execution.name, "seconds": round(seconds, 3)})


def _not_done(
    execution: Execution,
    seconds: float,
    text: str,
    for_model: str,
    *,
    error: ErrorKind,
    structured: Any,
    outside: bool = False,
    verdict: Verdict = ALLOWED,
) -> ToolOutcome:
    return ToolOutcome(
        call_id=execution.call_id,
        name=execution.name,
        text=text,
        ok=False,
        seconds=seconds,
        args=execution.args,
        error=error,
        structured=structured,
        read_only=execution.traits.read_only,
        for_model=for_model,
        outside=outside,
        verdict=verdict,
    )


def _is_cancelled() -> bool:
    task = asyncio.current_task()
    return task is None or task.cancelling() > 0


def _named(told: OnProgress, execution: Execution) -> OnProgress:
    return lambda progress: told(replace(progress, what=waited_for(execution.args, execution.traits)))


def timeout_text(plan: "CallPlan", expired: Expired) -> str:
    end = "was given up, though it may still be running" if plan.blocking else "was cancelled"
    title = "" if plan.traits.stranger else plan.traits.title  # a stranger's could say anything
    missed = "made no progress for" if expired.stalled else "did not finish within"
    text = f"{title or plan.tool.name.replace('_', ' ')} {missed} {expired.seconds:g} s and {end}."
    return f"{text} It may still happen: check before trying again." if plan.traits.side_effects else text


def unknown_tool(name: str, tools: ToolManager) -> str:
    """The name, and a hint with the nearest known names."""
    from rapidfuzz import fuzz, process, utils

    shown = shorten(name, 100)
    known = [tools.offered_name(tool) for tool in tools.all()]
    near = process.extract(
        shown, known, scorer=fuzz.WRatio, processor=utils.default_process, limit=5, score_cutoff=70
    )
    hint = f". Did you mean {', '.join(match for match, _, _ in near)}?" if near else ""
    return f'Unknown tool "{shown}"{hint}'


def heavy(value: Any) -> bool:
    """Whether a value is so large that reading it would hold up the event loop."""
    if isinstance(value, str):
        return len(value) > HEAVY_TEXT
    if type(value) is dict and is_flat(value):
        return len(value) > HEAVY_NODES
    if type(value) is tuple and len(value) == 2 and type(value[0]) is str:  # with the link's artifact
        if len(value[0]) > HEAVY_TEXT:
            return True
        if type(value[1]) is dict and "structured" in value[1]:
            value = value[1]["structured"]
    left = HEAVY_NODES
    waiting = [value] if isinstance(value, _CONTAINERS) else []
    while waiting:
        inner = waiting.pop()
        left -= len(inner)
        if left < 0:
            return True
        values = inner.values() if isinstance(inner, dict) else inner
        waiting.extend([one for one in values if isinstance(one, _CONTAINERS)])
    return False


def _facts(execution: Execution, seconds: float, text: str) -> dict[str, Any]:
    return {
        "tool": execution.name,
        "arguments": mask(execution.args),
        "seconds": round(seconds, 6),
        "result": mask_result(text, execution.args),
    }
