"""How LangChain would call a tool, and when it may be called without it."""

import inspect
import sys
from collections.abc import Callable
from typing import Any

from langchain_core.globals import get_debug
from langchain_core.runnables.config import var_child_runnable_config
from langchain_core.tools import BaseTool, StructuredTool, Tool
from langchain_core.utils.env import env_var_is_set
from pydantic import BaseModel

from voice_gateway.tools.gateway_tool import GatewayTool

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


def can_be_called_directly(tool: BaseTool, names: frozenset[str], model: type[BaseModel] | None) -> bool:
    """One of ours, or a plain StructuredTool, whose function takes nothing but what its schema declares.

    Anything more (a config, a run manager, injected arguments, error handlers) is LangChain's business.
    """
    if not isinstance(tool, StructuredTool) or not (isinstance(tool, GatewayTool) or _is_plain(tool)):
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


def _is_plain(tool: StructuredTool) -> bool:
    return type(tool) is StructuredTool and not (tool.handle_tool_error or tool.handle_validation_error)


def needs_whole_call(tool: BaseTool, names: frozenset[str], model: type[BaseModel] | None) -> bool:
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


def is_blocking(tool: BaseTool) -> bool:
    if isinstance(tool, StructuredTool | Tool):
        return tool.coroutine is None and type(tool)._arun in (StructuredTool._arun, Tool._arun)
    return (
        isinstance(tool, BaseTool)
        and type(tool)._arun is BaseTool._arun
        and type(tool).ainvoke is BaseTool.ainvoke
    )
