"""Tools that are rarely needed: not in a small model's prefix, but behind its words when they call for one.

The prefix holds one tool, `use_tool`, through which any of them is called: it is the same bytes whatever was
said. Model servers read a call only when its tool was declared, so a bare name would not do.
"""

import json
import re
from collections.abc import Iterable, Sequence
from typing import Any, Final

from langchain_core.tools import BaseTool

from voice_gateway.errors import UnknownTool
from voice_gateway.tools.gateway_tool import declared_tool
from voice_gateway.tools.traits import schema_of, traits
from voice_gateway.turn import ToolCall, ToolTraits

USE_TOOL: Final = "use_tool"
MOST_NOTED: Final = 3  # tools for one sentence
_NOTE: Final = "[For this there is also, only by use_tool: "


async def _never_run(**_arguments: Any) -> str:
    raise UnknownTool(USE_TOOL)


def use_tool() -> BaseTool:
    """What the model sees in place of all rare tools; `unwrapped` makes the real call of it."""
    schema = {
        "type": "object",
        "properties": {
            "name": {"type": "string", "description": "For example 'ping_zwave_device'"},
            "arguments": {"type": "object", "description": "For example {deviceName: 'Lamp'}"},
        },
        "required": ["name", "arguments"],
    }
    text = (
        "REQUIRED for tools named in a [note]: call this whenever the user asks about that. "
        "DO NOT use for others.\n"
        "Good: {name: 'ping_zwave_device', arguments: {deviceName: 'Lamp'}}. Bad: {name: 'set_timer'}."
    )
    return declared_tool(USE_TOOL, text, schema, _never_run, ToolTraits(title="Another tool"))


def is_rare(tool: BaseTool) -> bool:
    """A stranger's tool stays in the list, quoted: what it says never stands beside the user's words."""
    known = traits(tool)
    return bool(known.called_for) and known.trusted


def note_for(said: str, rare: Sequence[BaseTool]) -> str:
    """Which of them the words call for, as a line before the words; empty where none is."""
    found = [(len(_hits(said, tool)), tool) for tool in rare]
    called = sorted((one for one in found if one[0]), key=lambda one: -one[0])[:MOST_NOTED]
    return f"{_NOTE}{'; '.join(_described(tool) for _, tool in called)}]" if called else ""


def unwrapped(call: ToolCall) -> ToolCall:
    """The call that is meant by one of `use_tool`."""
    if call.name != USE_TOOL or not isinstance(call.args, dict):
        return call
    name, inner = call.args.get("name"), call.args.get("arguments", {})
    if isinstance(inner, str):
        try:
            inner = json.loads(inner or "{}")
        except ValueError:
            return call
    if not isinstance(name, str) or not isinstance(inner, dict):
        return call
    return ToolCall(call.id, name.strip(), inner)


def _hits(said: str, tool: BaseTool) -> list[str]:
    words = " ".join(re.findall(r"[^\W_]+", said.casefold()))
    return [word for word in traits(tool).called_for if re.search(rf"\b{re.escape(word)}", words)]


def _described(tool: BaseTool) -> str:
    schema = schema_of(tool)
    needed = schema.get("required", [])
    listed = ", ".join(_parameter(name, rule, needed) for name, rule in schema.get("properties", {}).items())
    known = traits(tool)
    return f'"{tool.name}" with {{{listed}}}: {known.summary or known.title}'


def _parameter(name: str, rule: Any, needed: Iterable[str]) -> str:
    choices = rule.get("enum") if isinstance(rule, dict) else None
    one_of = f" ({' or '.join(map(str, choices))})" if choices else ""
    return f"{name}{'' if name in needed else '?'}{one_of}"
