"""A call plan: what is needed to check and run one tool, worked out once instead of at every call."""

import logging
from collections.abc import Awaitable, Coroutine, Mapping
from typing import Any

from langchain_core.messages import ToolMessage
from langchain_core.tools import BaseTool

from voice_gateway.errors import BadArguments, ToolError
from voice_gateway.tools.call_plan.arguments import as_object, repair, too_deep
from voice_gateway.tools.call_plan.calling import (
    TAKEN_BY_LANGCHAIN,
    can_be_called_directly,
    is_blocking,
    model_of,
    observed,
    other_names,
)
from voice_gateway.tools.call_plan.check import Problem, compile_check
from voice_gateway.tools.call_plan.fitting import Fit, Misfit, as_reached, fit_for_model, fit_for_schema
from voice_gateway.tools.call_plan.schema import properties_of, takes_other_names
from voice_gateway.tools.call_plan.signature import refusal
from voice_gateway.tools.masking import mask
from voice_gateway.tools.results import Result, read
from voice_gateway.tools.threads import DaemonThreads
from voice_gateway.tools.traits import schema_of, traits

log = logging.getLogger(__name__)


class CallPlan:
    """How to check the arguments of one tool, and how to run it."""

    def __init__(self, tool: BaseTool, threads: DaemonThreads) -> None:
        self.tool = tool
        self.traits = traits(tool)
        self._threads = threads
        self._schema = schema_of(tool)
        self._model = model_of(tool)
        self._names = frozenset(properties_of(self._schema)) | other_names(self._model)
        self._any_name = self._takes_any_name()
        self._is_mcp = self.traits.source != "builtin"
        self._call_directly = can_be_called_directly(tool, self._names, self._model)
        self.blocking = is_blocking(tool)
        self._with_artifact = getattr(tool, "response_format", "content") == "content_and_artifact"
        self._fit: Fit = (
            fit_for_model(self._model) if self._model is not None else fit_for_schema(self._schema, tool.name)
        )
        self._check_output = (
            compile_check(self.traits.output_schema, tool.name)
            if self.traits.output_schema is not None
            else None
        )

    # --- arguments ---

    def prepare(self, raw: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        """(the arguments as they reach the tool, the same as its function takes them), or BadArguments."""
        args = raw if type(raw) is dict else self._as_object(raw)
        if too_deep(args):
            raise self._refused("the arguments are nested too deeply")
        if args.keys() <= self._names:
            try:
                ready = self._fit(args)
                return as_reached(args, ready), ready
            except Misfit:
                pass  # then perhaps after repair
        return self._repaired(args)

    def _as_object(self, raw: Any) -> dict[str, Any]:
        try:
            return as_object(raw)
        except BadArguments as error:
            raise self._refused(str(error)) from None

    def _refused(self, why: str) -> BadArguments:
        return BadArguments(refusal(self.tool.name, self._schema, {}, [Problem("", why)], ()))

    def _repaired(self, given: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        name = self.traits.original_name or self.tool.name
        repaired = repair(as_object(given), self._schema, name, by_rule=self._is_mcp)
        args = repaired.args
        unknown = [] if self._any_name else [extra for extra in args if extra not in self._names]
        problems: list[Problem] = []
        try:
            # Without the unknown ones, which are refused below: the schema would say the same once more.
            ready = self._fit({name: value for name, value in args.items() if name not in unknown})
        except Misfit as misfit:
            problems = misfit.problems
        if problems or unknown:
            raise BadArguments(refusal(self.tool.name, self._schema, args, problems, unknown))
        if repaired.renamed:
            log.info(_sentence(given, args, repaired.renamed), extra={"tool": self.tool.name})
        if repaired.dropped:
            log.info("arguments left out", extra={"tool": self.tool.name, "parameters": repaired.dropped})
        return as_reached(args, ready), ready

    def _takes_any_name(self) -> bool:
        if self._model is not None:
            return self._model.model_config.get("extra") == "allow"
        return takes_other_names(self._schema)

    # --- running ---

    def start(self, call_id: str, args: dict[str, Any], ready: dict[str, Any]) -> Awaitable[Any]:
        """Begin the call; what is awaited is the tool's raw result, for `finish`."""
        tool = self.tool
        if self._is_called_directly(args):
            if self.blocking:
                return self._threads.run(tool.name, lambda: tool.func(**ready))  # type: ignore[attr-defined]
            return tool.coroutine(**ready)  # type: ignore[attr-defined, no-any-return]
        request = {"type": "tool_call", "id": call_id, "name": tool.name, "args": dict(args)}
        if self.blocking:
            return self._threads.run(tool.name, lambda: tool.invoke(request))
        return tool.ainvoke(request)

    def start_here(self, args: dict[str, Any], ready: dict[str, Any]) -> Coroutine[Any, Any, Any] | None:
        """The call for `run_here`, where all of it is code of ours; LangChain's own way may run anybody's."""
        if not self.traits.cancellation_safe or not self._is_called_directly(args):
            return None
        return self.tool.coroutine(**ready)  # type: ignore[attr-defined, no-any-return]

    def _is_called_directly(self, args: dict[str, Any]) -> bool:
        return self._call_directly and (not observed(self.tool) or not TAKEN_BY_LANGCHAIN.isdisjoint(args))

    def finish(self, raw: Any) -> Result:
        """The result as text, checked against the tool's own output schema."""
        artifact = None
        if isinstance(raw, ToolMessage):
            raw, artifact = _from_message(raw)
        elif self._with_artifact and isinstance(raw, tuple) and len(raw) == 2:
            raw, artifact = raw
        result = read(raw, artifact)
        if self._check_output is not None and (problems := self._check_output(result.structured)):
            where = "; ".join(
                f"{problem.where} {problem.why or 'is missing'}".strip() for problem in problems
            )
            raise ToolError(
                f"{self.tool.name} ran, but its result does not fit its own output schema: {where}"
            )
        return result


def _from_message(message: ToolMessage) -> tuple[Any, Any]:
    if message.status == "error":
        raise ToolError(read(message.content).text)
    # LangChain writes None as "null".
    return (None if message.content == "null" else message.content), message.artifact


def _sentence(given: Mapping[str, Any], args: Mapping[str, Any], renamed: Mapping[str, str]) -> str:
    """`{device_name: "Switch One"} → {deviceName: "Switch One"}` (NORM-6)"""
    before = ", ".join(
        f'{old}: "{mask({old: given.get(old, args[new])})[old]}"' for old, new in renamed.items()
    )
    after = ", ".join(f'{new}: "{mask({new: args[new]})[new]}"' for new in renamed.values())
    return f"{{{before}}} → {{{after}}}"
