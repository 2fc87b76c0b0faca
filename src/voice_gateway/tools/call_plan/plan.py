"""A call plan: what is needed to check and run one tool, worked out once instead of at every call."""

import inspect
import logging
import sys
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from langchain_core.globals import get_debug
from langchain_core.messages import ToolMessage
from langchain_core.runnables.config import var_child_runnable_config
from langchain_core.tools import BaseTool, StructuredTool, Tool
from langchain_core.utils.env import env_var_is_set
from pydantic import BaseModel, ValidationError

from voice_gateway.errors import BadArguments, ToolError
from voice_gateway.tools.call_plan.arguments import as_object, repair, too_deep
from voice_gateway.tools.call_plan.check import SchemaProblem, compile_check, refusal
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
        self._is_mcp = self.traits.source != "builtin"
        # Its function is called without LangChain, unless somebody listens there.
        self.direct = _can_be_called_directly(tool, self._names, self._model)
        self._needs_whole_call = _needs_whole_call(tool, self._names, self._model)
        self.blocking = _is_blocking(tool)
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

    def _as_object(self, raw: Any) -> dict[str, Any]:
        try:
            return as_object(raw)
        except BadArguments as error:
            raise self._refused(str(error)) from None

    def _refused(self, why: str) -> BadArguments:
        return BadArguments(refusal(self.tool.name, self._schema, {}, [SchemaProblem("", why)], ()))

    def _repaired(self, given: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        name = self.traits.original_name or self.tool.name
        repaired = repair(as_object(given), self._schema, name, by_rule=self._is_mcp)
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
        if self.direct and (not observed(tool) or not TAKEN_BY_LANGCHAIN.isdisjoint(args)):
            if self.blocking:
                return self._threads.run(tool.name, lambda: tool.func(**ready))  # type: ignore[attr-defined]
            return tool.coroutine(**ready)  # type: ignore[attr-defined, no-any-return]
        given = dict(args)
        if (
            self._needs_whole_call or given.get("type") == "tool_call"
        ):  # which LangChain would take for a call
            given = {"type": "tool_call", "id": call_id, "name": tool.name, "args": given}
        if self.blocking:  # its `ainvoke` would do the same, in threads that the end of the program waits for
            return self._threads.run(tool.name, lambda: tool.invoke(given))
        return tool.ainvoke(given)

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


# how LangChain would call a tool, and when it may be called without it

# Names that LangChain's own way of calling takes for itself; a server's parameter of that name would vanish.
TAKEN_BY_LANGCHAIN = frozenset({"config", "runtime", "run_manager", "callbacks", "self"})


def observed(tool: BaseTool) -> bool:
    """Whether somebody listens to LangChain's callbacks; then the tool runs LangChain's own way."""
    config = var_child_runnable_config.get()
    return bool(
        tool.callbacks
        or tool.verbose
        or get_debug()
        or (config is not None and config.get("callbacks"))
        or _traced()
    )


_TRACING_ASKED_FOR = any(
    env_var_is_set(f"{prefix}_TRACING{suffix}")
    for prefix in ("LANGSMITH", "LANGCHAIN")
    for suffix in ("", "_V2")
)


def _traced() -> bool:
    context = sys.modules.get("langchain_core.tracers.context")  # not loaded: nobody can have set it
    if context is not None and (
        context.tracing_v2_callback_var.get() is not None
        or [hook for hook in context._configure_hooks if hook[0].get() is not None]
    ):
        return True
    if _langsmith_is_idle():
        return False
    from langsmith.utils import tracing_is_enabled

    return bool(tracing_is_enabled())


def _langsmith_is_idle() -> bool:
    """A quick no: its own answer takes 4 µs, and loading it only to ask takes 100 ms."""
    if _TRACING_ASKED_FOR:
        return False
    inside = sys.modules.get("langsmith._internal._context")
    try:
        return inside is None or (
            inside._TRACING_ENABLED.get() is None
            and inside._PARENT_RUN_TREE_REF.get() is None
            and inside._GLOBAL_TRACING_ENABLED is None
        )
    except AttributeError:  # another version of it: ask the long way
        return False


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


def _can_be_called_directly(tool: BaseTool, names: frozenset[str], model: type[BaseModel] | None) -> bool:
    """A plain StructuredTool whose function takes nothing but what its schema declares.

    Anything more (a config, a run manager, injected arguments, error handlers) is LangChain's business.
    """
    if type(tool) is not StructuredTool or tool.handle_tool_error or tool.handle_validation_error:
        return False
    function = tool.coroutine or tool.func
    if function is None or (model is not None and model is not tool.args_schema):
        return False
    if model is None and not isinstance(tool.args_schema, dict):
        return False
    parameters = _parameters(function)
    if parameters is None or any(one.kind is one.POSITIONAL_ONLY for one in parameters):
        return False
    return {one.name for one in parameters} <= _declared(names, model)


def _needs_whole_call(tool: BaseTool, names: frozenset[str], model: type[BaseModel] | None) -> bool:
    """Whether `ainvoke(args)` (EXE-5) would lose something: an artifact, a handled error, or the
    call's id. LangChain has these only for who gives it the whole call.
    """
    if tool.response_format != "content" or tool.handle_tool_error or tool.handle_validation_error:
        return True
    own = tool.args_schema
    if isinstance(own, type) and issubclass(own, BaseModel) and own is not model:
        return True  # something is injected
    if isinstance(tool, StructuredTool | Tool):
        function: Callable[..., Any] | None = tool.coroutine or tool.func
    else:
        function = tool._run if type(tool)._arun is BaseTool._arun else tool._arun
    parameters = _parameters(function) or ()
    return not {one.name for one in parameters} <= _declared(names, model) | TAKEN_BY_LANGCHAIN


def _declared(names: frozenset[str], model: type[BaseModel] | None) -> frozenset[str]:
    return names if model is None else frozenset(model.model_fields)


def _parameters(function: Callable[..., Any] | None) -> list[inspect.Parameter] | None:
    """Those with a name; None where nobody can tell."""
    try:
        every = inspect.signature(function).parameters.values()  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return None
    return [one for one in every if one.kind not in (one.VAR_KEYWORD, one.VAR_POSITIONAL)]


def _is_blocking(tool: BaseTool) -> bool:
    if isinstance(tool, StructuredTool | Tool):
        return tool.coroutine is None and type(tool)._arun in (StructuredTool._arun, Tool._arun)
    return (
        isinstance(tool, BaseTool)
        and type(tool)._arun is BaseTool._arun
        and type(tool).ainvoke is BaseTool.ainvoke
    )
