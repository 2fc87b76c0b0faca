"""A call plan: what is needed to check and run one tool, worked out once instead of at every call."""

import contextlib
import logging
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from typing import Any

from langchain_core.messages import ToolMessage
from langchain_core.tools import BaseTool, Tool
from pydantic import BaseModel, ValidationError

from voice_gateway.errors import BadArguments, ToolError
from voice_gateway.tools.call_plan.arguments import as_object, repair, too_deep
from voice_gateway.tools.call_plan.check import SchemaProblem, compile_check, refusal
from voice_gateway.tools.call_plan.direct import (
    TAKEN_BY_LANGCHAIN,
    can_be_called_directly,
    is_blocking,
    needs_whole_call,
    observed,
)
from voice_gateway.tools.gateway_tool import GatewayTool, typed
from voice_gateway.tools.masking import mask
from voice_gateway.tools.results import Result, read
from voice_gateway.tools.runner import DaemonThreads
from voice_gateway.tools.schema import JsonSchema, properties_of, takes_other_names
from voice_gateway.tools.traits import schema_of, traits

log = logging.getLogger(__name__)


class CallPlan:
    """How to check the arguments of one tool, and how to run it."""

    def __init__(self, tool: BaseTool, threads: DaemonThreads) -> None:
        self.tool = tool
        self.traits = traits(tool)
        self._threads = threads
        self._schema = schema_of(tool)
        self._model = _model_of(tool)
        self._names = frozenset(properties_of(self._schema)) | _other_names(self._model)
        self._any_name = (
            takes_other_names(self._schema)
            if self._model is None
            else self._model.model_config.get("extra") == "allow"
        )
        self.is_mcp = self.traits.server != "builtin"
        # Its function is called without LangChain, unless somebody listens there.
        self.direct = can_be_called_directly(tool, self._names, self._model)
        self._cancellation_safe = isinstance(tool, GatewayTool) and tool.cancellation_safe
        self._needs_whole_call = needs_whole_call(tool, self._names, self._model)
        self.blocking = is_blocking(tool)
        self._with_artifact = tool.response_format == "content_and_artifact"
        self._fit = (
            _fit_for_schema(self._schema, tool.name) if self._model is None else _fit_for_model(self._model)
        )
        output = self.traits.output_schema
        self._check_output = None if output is None else compile_check(output, tool.name)

    # --- arguments ---

    def prepare(self, raw: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        """(the arguments as they reach the tool, the same as its function takes them), or BadArguments."""
        args = raw if type(raw) is dict else self._as_object(raw)
        if too_deep(args):
            raise self._refused("the arguments are nested too deeply")
        if args.keys() <= self._names:
            try:
                ready = self._fit(args)
                return _as_reached(args, ready), ready
            except _Misfit:
                pass  # then perhaps after repair
        return self._repaired(args)

    def as_sent(self, raw: Any) -> dict[str, Any]:
        """What the function takes; nothing is repaired that the schema accepts as it is."""
        if type(raw) is dict and not too_deep(raw) and (self._any_name or raw.keys() <= self._names):
            with contextlib.suppress(_Misfit):
                return self._fit(raw)
        return self.prepare(raw)[1]

    def _as_object(self, raw: Any) -> dict[str, Any]:
        try:
            return as_object(raw)
        except BadArguments as error:
            raise self._refused(str(error)) from None

    def _refused(self, why: str) -> BadArguments:
        return BadArguments(refusal(self.tool.name, self._schema, {}, [SchemaProblem("", why)], ()))

    def _repaired(self, given: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        name = self.traits.original_name or self.tool.name
        repaired = repair(as_object(given), self._schema, name, by_rule=self.is_mcp)
        args = repaired.args
        unknown = [] if self._any_name else [extra for extra in args if extra not in self._names]
        problems: list[SchemaProblem] = []
        try:
            # Without the unknown ones, which are refused below: the schema would say the same once more.
            ready = self._fit({name: value for name, value in args.items() if name not in unknown})
        except _Misfit as misfit:
            problems = misfit.problems
        if problems or unknown:
            raise BadArguments(refusal(self.tool.name, self._schema, args, problems, unknown))
        if repaired.renamed:
            log.info(_sentence(given, args, repaired.renamed), extra={"tool": self.tool.name})
        if repaired.dropped:
            log.info("arguments left out", extra={"tool": self.tool.name, "parameters": repaired.dropped})
        return _as_reached(args, ready), ready

    # --- running ---

    def start(self, call_id: str, args: dict[str, Any], ready: dict[str, Any]) -> Awaitable[Any]:
        """Begin the call; what is awaited is the tool's raw result, for `finish`."""
        tool = self.tool
        if self._is_called_directly(args):
            if self.blocking:
                return self._threads.run(tool.name, lambda: tool.func(**ready))  # type: ignore[attr-defined]
            return tool.coroutine(**ready)  # type: ignore[attr-defined, no-any-return]
        given = dict(args)
        if (
            self._needs_whole_call or given.get("type") == "tool_call"
        ):  # which LangChain would take for a call
            given = {"type": "tool_call", "id": call_id, "name": tool.name, "args": given}
        tool = typed(tool)
        if self.blocking:  # its `ainvoke` would do the same, in threads that the end of the program waits for
            return self._threads.run(tool.name, lambda: tool.invoke(given))
        return tool.ainvoke(given)

    def start_here(self, args: dict[str, Any], ready: dict[str, Any]) -> Coroutine[Any, Any, Any] | None:
        """The call for `run_here`, where all of it is code of ours; LangChain's own way may run anybody's."""
        if not self._cancellation_safe or not self._is_called_directly(args):
            return None
        return self.tool.coroutine(**ready)  # type: ignore[attr-defined, no-any-return]

    def _is_called_directly(self, args: dict[str, Any]) -> bool:
        return self.direct and (not observed(self.tool) or not TAKEN_BY_LANGCHAIN.isdisjoint(args))

    def finish(self, raw: Any) -> Result:
        """The result as text, checked against the tool's own output schema."""
        artifact = None
        if isinstance(raw, ToolMessage):
            raw, artifact = _from_message(raw)
        elif self._with_artifact and isinstance(raw, tuple) and len(raw) == 2:
            raw, artifact = raw
        result = read(raw, artifact)
        if self._check_output is not None and (problems := self._check_output(result.structured)):
            found = "; ".join(f"{one.where} {one.why or 'is missing'}".strip() for one in problems)
            raise ToolError(
                f"{self.tool.name} ran, but its result does not fit its own output schema: {found}"
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


# arguments as the tool's schema, or its pydantic model, wants them

_Fit = Callable[[dict[str, Any]], dict[str, Any]]  # raises _Misfit


class _Misfit(Exception):
    """The arguments do not fit, yet."""

    def __init__(self, problems: list[SchemaProblem]) -> None:
        super().__init__(f"{len(problems)} problems")
        self.problems = problems


def _fit_for_schema(schema: JsonSchema, owner: str) -> _Fit:
    check = compile_check(schema, owner)

    def fit_schema(args: dict[str, Any]) -> dict[str, Any]:
        if problems := check(args):
            raise _Misfit(problems)
        return args

    return fit_schema


def _fit_for_model(model: type[BaseModel]) -> _Fit:
    # LangChain passes every field, defaults included; `args` and `kwargs` stand for a function's own
    # variadic parameters and are passed only when given.
    always = tuple(name for name in model.model_fields if name not in ("args", "kwargs"))
    variadic = tuple(name for name in ("args", "kwargs") if name in model.model_fields)
    plain = not variadic and model.model_config.get("extra") != "allow"

    def fit_model(args: dict[str, Any]) -> dict[str, Any]:
        try:
            made = model.model_validate(args)
        except ValidationError as error:
            raise _Misfit(_problems(error)) from None
        if plain:
            return made.__dict__
        ready = {name: getattr(made, name) for name in always}
        ready.update({name: getattr(made, name) for name in variadic if name in made.model_fields_set})
        if made.model_extra:
            ready.update(made.model_extra)
        return ready

    return fit_model


_SCALARS = (str, int, float, bool)


def _as_reached(args: dict[str, Any], ready: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments with the plain values that pydantic made of them: 50 where "50" was given."""
    if args is ready:
        return args
    for name, value in args.items():
        made = ready.get(name)
        if made is not value and type(made) in _SCALARS and (type(made) is not type(value) or made != value):
            args = {**args, name: made}
    return args


def _problems(error: ValidationError) -> list[SchemaProblem]:
    found = []
    for one in error.errors(include_url=False, include_input=False, include_context=False)[:8]:
        where = ".".join(str(step) for step in one["loc"])
        message = one["msg"]
        why = "" if one["type"] == "missing" else f"is wrong: {message[:1].lower()}{message[1:200]}"
        found.append(SchemaProblem(where, why))
    return found


def _model_of(tool: BaseTool) -> type[BaseModel] | None:
    """The pydantic model of the parameters a caller gives; None where the schema is a server's own."""
    own = getattr(tool, "args_schema", None)
    if isinstance(own, dict) or (own is None and isinstance(tool, Tool)):
        return None
    made = tool.tool_call_schema
    if not (isinstance(made, type) and issubclass(made, BaseModel)):
        return None
    # The tool's own model, so that its validators run; LangChain's subset only where something is injected.
    if (
        isinstance(own, type)
        and issubclass(own, BaseModel)
        and own.model_fields.keys() == made.model_fields.keys()
    ):
        return own
    return made


def _other_names(model: type[BaseModel] | None) -> frozenset[str]:
    """Names that are accepted beside those of the schema: aliases, or the fields behind them."""
    if model is None:
        return frozenset()
    names = {field.alias for field in model.model_fields.values() if field.alias}
    if model.model_config.get("populate_by_name") or model.model_config.get("validate_by_name"):
        names |= model.model_fields.keys()
    return frozenset(names)
