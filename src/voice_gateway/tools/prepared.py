"""A prepared tool: what the executor needs to check and run one tool, worked out once per tool."""

import inspect
import json
import logging
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from langchain_core.globals import get_debug
from langchain_core.messages import ToolMessage
from langchain_core.runnables.config import var_child_runnable_config
from langchain_core.tools import BaseTool, StructuredTool, Tool
from langchain_core.tracers.context import _configure_hooks, _tracing_v2_is_enabled
from pydantic import BaseModel, ValidationError
from typing_extensions import TypeIs

from voice_gateway.errors import BadArguments, ToolError
from voice_gateway.tools.gateway_tool import GatewayTool, typed
from voice_gateway.tools.masking import mask
from voice_gateway.tools.results import Result, read
from voice_gateway.tools.schema import (
    JsonSchema,
    SchemaProblem,
    compile_check,
    properties_of,
    refusal,
    required_of,
    takes_other_names,
    variants,
)
from voice_gateway.tools.traits import schema_of, traits

log = logging.getLogger(__name__)

# LangChain's own way of calling takes these names away, so a server's parameter of that name would vanish.
TAKEN_BY_LANGCHAIN = frozenset({"config", "runtime", "run_manager", "callbacks", "self"})
MISFIT = "Something that I need for it was missing or wrong."  # for people
_SCALARS = (str, int, float, bool)


class PreparedTool:
    """How to check the arguments of one tool, how to call it, and how to read its result."""

    def __init__(self, tool: BaseTool) -> None:
        self.tool = tool
        self.traits = traits(tool)
        self.from_server = self.traits.server != "builtin"
        self._schema = schema_of(tool)
        self._model = _model_of(tool)
        self._names = frozenset(properties_of(self._schema)) | _aliases(self._model)
        if self._model is None:
            self._any_name = takes_other_names(self._schema)
            self._check = compile_check(self._schema, tool.name)
        else:
            self._any_name = self._model.model_config.get("extra") == "allow"
            # LangChain passes every field, defaults included; `args` and `kwargs` stand for a function's own
            # variadic parameters and are passed only when given.
            self._variadic = self._model.model_fields.keys() & {"args", "kwargs"}
        output = self.traits.output_schema
        self._check_output = None if output is None else compile_check(output, tool.name)
        self.blocking = _is_blocking(tool)
        self.cancellation_safe = isinstance(tool, GatewayTool) and tool.cancellation_safe
        self.direct, self._needs_whole_call = _ways_to_call(tool, self._names, self._model)

    # --- arguments

    def fit(self, raw: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        """(the arguments as they reach the tool, the same as its function takes them), or BadArguments.

        What the schema accepts is not changed; anything else is repaired where its meaning is plain.
        """
        try:
            args = raw if type(raw) is dict else as_object(raw)
        except BadArguments as error:
            raise self._refused([SchemaProblem("", str(error))]) from None
        if args.keys() <= self._names:
            ready, problems = self._validate(args)
            if not problems:
                return _as_reached(args, ready), ready
        return self._repaired(as_object(args))

    def _repaired(self, given: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        name = self.traits.original_name or self.tool.name
        repaired = repair(given, self._schema, name, by_rule=self.from_server)
        args = repaired.args
        unknown = [] if self._any_name else [extra for extra in args if extra not in self._names]
        # The unknown ones are refused below; the schema would name them a second time.
        ready, problems = self._validate({key: value for key, value in args.items() if key not in unknown})
        if problems or unknown:
            raise self._refused(problems, unknown)
        if repaired.renamed:
            log.info(_renaming(given, args, repaired.renamed), extra={"tool": self.tool.name})
        if repaired.dropped:
            log.info("arguments left out", extra={"tool": self.tool.name, "parameters": repaired.dropped})
        return _as_reached(args, ready), ready

    def _validate(self, args: dict[str, Any]) -> tuple[dict[str, Any], list[SchemaProblem]]:
        """(the keyword arguments of the tool's function, what does not fit)."""
        if self._model is None:
            return args, self._check(args)
        try:
            made = self._model.model_validate(args)
        except ValidationError as error:
            return {}, _problems(error)
        left_out = self._variadic - made.model_fields_set
        ready = {key: value for key, value in made.__dict__.items() if key not in left_out}
        return {**ready, **(made.model_extra or {})}, []

    def _refused(self, problems: list[SchemaProblem], unknown: Sequence[str] = ()) -> BadArguments:
        text = refusal(self.tool.name, self._schema, problems, unknown)
        return BadArguments(text, spoken=MISFIT)

    # --- running

    def call(self, call_id: str, args: Mapping[str, Any], ready: dict[str, Any]) -> Callable[[], Any]:
        """The tool's own function with its arguments, or LangChain's `ainvoke` where its callbacks are
        listened to (EXE-5). Calling it blocks if the tool does, and otherwise gives a coroutine."""
        if self.direct and (not observed(self.tool) or not TAKEN_BY_LANGCHAIN.isdisjoint(args)):
            function = self.tool.func if self.blocking else self.tool.coroutine  # type: ignore[attr-defined]
            return partial(function, **ready)
        given = dict(args)
        if self._needs_whole_call or given.get("type") == "tool_call":  # LangChain would read it as a call
            given = {"type": "tool_call", "id": call_id, "name": self.tool.name, "args": given}
        tool = typed(self.tool)
        # A blocking tool's `ainvoke` uses threads that the end of the program waits for.
        return partial(tool.invoke if self.blocking else tool.ainvoke, given)

    def read(self, raw: Any) -> Result:
        """The result as text, checked against the tool's own output schema."""
        artifact = None
        if isinstance(raw, ToolMessage):
            if raw.status == "error":
                raise ToolError(read(raw.content).text)
            # LangChain writes None as "null".
            raw, artifact = (None if raw.content == "null" else raw.content), raw.artifact
        elif self.tool.response_format == "content_and_artifact" and isinstance(raw, tuple) and len(raw) == 2:
            raw, artifact = raw
        result = read(raw, artifact)
        if self._check_output is not None and (problems := self._check_output(result.structured)):
            raise ToolError(
                f"{self.tool.name} ran, but its result does not fit its own output schema: "
                + "; ".join(map(str, problems))
            )
        return result


def _as_reached(args: dict[str, Any], ready: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments with the plain values that pydantic made of them: 50 where "50" was given."""
    if args is ready:
        return args
    made = {name: ready[name] for name in args if type(ready.get(name)) in _SCALARS}
    return {**args, **made}


def _renaming(given: Mapping[str, Any], args: Mapping[str, Any], renamed: Mapping[str, str]) -> str:
    """`{device_name: "Switch One"} → {deviceName: "Switch One"}` (NORM-6)"""
    before = {old: given.get(old, args[new]) for old, new in renamed.items()}
    after = {new: args[new] for new in renamed.values()}
    shown = (", ".join(f'{key}: "{value}"' for key, value in mask(part).items()) for part in (before, after))
    return " → ".join(f"{{{part}}}" for part in shown)


def _problems(error: ValidationError) -> list[SchemaProblem]:
    problems = []
    for detail in error.errors(include_url=False, include_input=False, include_context=False)[:8]:
        message = detail["msg"]
        why = "" if detail["type"] == "missing" else f"is wrong: {message[:1].lower()}{message[1:200]}"
        problems.append(SchemaProblem(".".join(map(str, detail["loc"])), why))
    return problems


def _model_of(tool: BaseTool) -> type[BaseModel] | None:
    """The pydantic model of the parameters a caller gives; None where the schema is a server's own."""
    own = getattr(tool, "args_schema", None)
    if isinstance(own, dict) or (own is None and isinstance(tool, Tool)):
        return None
    made = tool.tool_call_schema
    if not _is_model(made):
        return None
    # The tool's own model, so that its validators run; LangChain's subset only where something is injected.
    return own if _is_model(own) and own.model_fields.keys() == made.model_fields.keys() else made


def _is_model(schema: Any) -> TypeIs[type[BaseModel]]:
    return isinstance(schema, type) and issubclass(schema, BaseModel)


def _aliases(model: type[BaseModel] | None) -> frozenset[str]:
    """Names that are accepted beside those of the schema: aliases, or the fields behind them."""
    if model is None:
        return frozenset()
    names = {field.alias for field in model.model_fields.values() if field.alias}
    if model.model_config.get("populate_by_name") or model.model_config.get("validate_by_name"):
        names |= model.model_fields.keys()
    return frozenset(names)


# --- how LangChain would call a tool


def _ways_to_call(tool: BaseTool, names: frozenset[str], model: type[BaseModel] | None) -> tuple[bool, bool]:
    """(whether the tool's own function may be called, whether `ainvoke` needs the whole call).

    The function is called only for a tool of ours or a plain StructuredTool, whose function takes nothing
    but what its schema declares: a config, injected arguments and error handlers need LangChain. The whole
    call is needed where `ainvoke(args)` would lose an artifact, a handled error or the call's id.
    """
    own_way = tool._run if type(tool)._arun is BaseTool._arun else tool._arun
    function = (tool.coroutine or tool.func) if isinstance(tool, StructuredTool | Tool) else own_way
    try:
        kinds = {name: each.kind for name, each in inspect.signature(function).parameters.items()}  # type: ignore[arg-type]
    except (TypeError, ValueError):
        kinds = {"/": inspect.Parameter.POSITIONAL_ONLY}
    variadic = (inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL)
    declared = names if model is None else model.model_fields.keys()
    undeclared = {name for name, kind in kinds.items() if kind not in variadic} - declared
    own, handled = tool.args_schema, bool(tool.handle_tool_error or tool.handle_validation_error)
    injected = _is_model(own) and own is not model
    plain = isinstance(tool, GatewayTool) or (type(tool) is StructuredTool and not handled)
    known = own is model if model is not None else isinstance(own, dict)
    positional = inspect.Parameter.POSITIONAL_ONLY in kinds.values()
    direct = plain and known and function is not None and not positional and not undeclared
    whole = tool.response_format != "content" or handled or injected or not undeclared <= TAKEN_BY_LANGCHAIN
    return direct, whole


def _is_blocking(tool: BaseTool) -> bool:
    if isinstance(tool, StructuredTool | Tool):
        return tool.coroutine is None and type(tool)._arun in (StructuredTool._arun, Tool._arun)
    return type(tool)._arun is BaseTool._arun and type(tool).ainvoke is BaseTool.ainvoke


def observed(tool: BaseTool) -> bool:
    """Whether LangChain callbacks or tracing listen to the tool; then it runs LangChain's own way."""
    config = var_child_runnable_config.get()
    if tool.callbacks or tool.verbose or get_debug() or (config is not None and config.get("callbacks")):
        return True
    return any(hook[0].get() is not None for hook in _configure_hooks) or bool(_tracing_v2_is_enabled())


# --- arguments repaired toward the tool's own schema where the meaning is plain; pure functions

# Normalisation stays, and stays here: the link (like LangChain's own adapter) passes names to a server
# exactly as they were sent, so without it a server that declares `deviceName` refuses a model's `device_name`
# (NORM-8 shows it). A name that the server's schema declares is never changed, so servers with snake_case
# names keep working.
FIXED_NAMES: Mapping[str, Mapping[str, str]] = {
    "control_zwave_device": {"device_name": "deviceName", "command": "action"},
}

# Small models put the arguments one level too deep, under one of these names.
WRAPPERS = frozenset({"input", "args", "arguments", "parameters", "params", "kwargs"})
DEEPEST = 32
_YES_NO = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}
_PERCENT = re.compile(r"\s{0,3}(%|percent)$", re.IGNORECASE)  # "30%" for a number of percent
NOTHING = object()  # "not that kind of JSON", because None is a value


@dataclass(slots=True)
class Repaired:
    args: dict[str, Any]
    renamed: dict[str, str] = field(default_factory=dict)  # as given -> as it reaches the tool
    dropped: list[str] = field(default_factory=list)


def as_object(raw: Any) -> dict[str, Any]:
    """One object of named arguments, or BadArguments. A text that holds one is read."""
    given = (
        "a text" if isinstance(raw, str) else "a list" if isinstance(raw, list | tuple) else "a bare value"
    )
    if isinstance(raw, str):
        raw = _from_json(raw, (dict, str, type(None))) if raw.strip() else None
        raw = _from_json(raw, (dict,)) if isinstance(raw, str) else raw  # some models encode twice
    if raw is None:
        return {}
    if not isinstance(raw, Mapping):
        raise BadArguments(f"the arguments must be one object of named values, not {given}")
    return {str(name): value for name, value in raw.items()}


def repair(args: Mapping[str, Any], schema: JsonSchema, tool_name: str, *, by_rule: bool) -> Repaired:
    """Toward the schema: names first, then values. What the schema accepts is not touched.

    `by_rule` is for tools of MCP servers: fixed names (NORM-3), and snake_case names that a server which
    takes any name did not declare (NORM-4).
    """
    declared = properties_of(schema)
    if len(args) == 1 and declared and not args.keys() & declared.keys() and args.keys() <= WRAPPERS:
        (inner,) = args.values()
        inner = _from_json(inner, (dict,)) if isinstance(inner, str) else inner
        args = inner if isinstance(inner, dict) else args
    repaired = _rename(args, schema, tool_name, by_rule=by_rule)
    if not takes_other_names(schema):
        # Small models add an argument that only repeats the tool's name (`type: "control_zwave_device"`).
        for name in [name for name, value in repaired.args.items() if value == tool_name]:
            if name not in declared:
                del repaired.args[name]
                repaired.dropped.append(name)
    _fit_values(repaired, schema, schema, DEEPEST)
    return repaired


# --- names: `device_name` for `deviceName`


def to_camel_case(name: str) -> str:
    """By rule (NORM-4); a name of underscores alone stays."""
    first, *rest = [part for part in name.split("_") if part] or [name]
    return first + "".join(part[:1].upper() + part[1:] for part in rest)


def _rename(args: Mapping[str, Any], schema: JsonSchema, tool_name: str, *, by_rule: bool) -> Repaired:
    declared = properties_of(schema)
    fixed = FIXED_NAMES.get(tool_name, {}) if by_rule else {}
    folded: dict[str, list[str]] = {}
    for name in declared:
        folded.setdefault(_fold(name), []).append(name)

    def target_of(name: str) -> str:
        known, alike = fixed.get(name), folded.get(_fold(name), [])
        if name in declared:
            return name
        if known is not None and (known in declared or not declared):
            return known
        if len(alike) == 1:
            return alike[0]
        return to_camel_case(name) if by_rule and "_" in name and takes_other_names(schema) else name

    repaired = Repaired({})
    for name, value in args.items():
        target = target_of(name)
        others = [repaired.args.get(target), args.get(target) if target != name else None]
        taken = not all(map(_is_nothing, others))
        if target != name and taken and not _is_nothing(value):
            target, taken = name, False  # both were given: neither is guessed away, and one will be refused
        if taken or (target in repaired.args and _is_nothing(value)):
            repaired.dropped.append(name)  # nothing beside something, for the same parameter
            continue
        if target != name:
            repaired.renamed[name] = target
        repaired.args[target] = value
    return repaired


def _is_nothing(value: Any) -> bool:
    return value is None or (isinstance(value, str) and not value.strip())


def _fold(name: str) -> str:
    return re.sub(r"[\W_]+", "", name).casefold()


# --- values: "50" for a number, "ON" for `on`


def _fit_values(repaired: Repaired, schema: JsonSchema, root: JsonSchema, left: int) -> None:
    declared, required = properties_of(schema), required_of(schema)
    for name in [name for name in repaired.args if name in declared]:
        value = repaired.args[name] = _fit(repaired.args[name], declared[name], root, left)
        optional = _is_nothing(value) and name not in required
        if optional and not _accepts(value, variants(declared[name], root)):
            del repaired.args[name]
            repaired.dropped.append(name)


def _fit(value: Any, schema: Any, root: JsonSchema, left: int) -> Any:
    """The value as the schema wants it, or as it was: only what the schema forbids is changed."""
    if left == 0:
        return value
    forms = variants(schema, root)
    if not _accepts(value, forms):
        value = next((made for made in _readings(value, forms) if _accepts(made, forms)), value)
    shapes = [form for form in forms if properties_of(form)]
    if isinstance(value, dict) and len(shapes) == 1:
        inner = _rename(value, shapes[0], "", by_rule=False)
        _fit_values(inner, shapes[0], root, left - 1)
        return inner.args
    items = [form["items"] for form in forms if isinstance(form.get("items"), Mapping)]
    if isinstance(value, list) and len(items) == 1:
        return [_fit(item, items[0], root, left - 1) for item in value]
    return value


def _accepts(value: Any, forms: list[JsonSchema]) -> bool:
    """By type and listed values alone; a broken schema accepts anything."""
    import jsonschema_rs  # 40 ms, and loaded by now

    words = ("type", "enum", "const")
    with suppress(ValueError):
        return any(
            jsonschema_rs.is_valid({word: form[word] for word in words if word in form}, value)
            for form in forms
        )
    return True


def _choices(form: JsonSchema) -> list[Any]:
    listed = form.get("enum")
    return listed if isinstance(listed, list) else [form["const"]] if "const" in form else []


def _readings(value: Any, forms: list[JsonSchema]) -> Iterator[Any]:
    """What a value could mean, the most likely first."""
    text = str(value).strip().casefold() if isinstance(value, str | int | float) else ""
    alike = [choice for form in forms for choice in _choices(form) if str(choice).casefold() == text]
    if len(alike) == 1:
        yield alike[0]
    if isinstance(value, str):
        read = _from_json(_PERCENT.sub("", text), (int, float, type(None)))
        if isinstance(read, float) and read.is_integer():
            read = int(read)
        if read is not NOTHING and read not in (math.inf, -math.inf):
            yield read
        if text in _YES_NO:
            yield _YES_NO[text]
        if text in ("none", ""):
            yield None
        if (inner := _from_json(value, (dict, list))) is not NOTHING:
            yield inner
    elif value is not None:
        if value in (0, 1):
            yield bool(value)
        with suppress(TypeError, ValueError, RecursionError):
            yield json.dumps(value, ensure_ascii=False)


def _from_json(text: str, kinds: tuple[type, ...]) -> Any:
    """What a text says in JSON, if it is of one of these types; otherwise NOTHING."""
    with suppress(ValueError, RecursionError):
        value = json.loads(text)
        return value if isinstance(value, kinds) else NOTHING
    return NOTHING
