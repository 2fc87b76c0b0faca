"""A call in the wrong place: a reply whose whole text is a call of an offered tool becomes a call."""

import json
import re
from collections.abc import Collection
from typing import Any

from voice_gateway.turn import ToolCall, new_id

# Small models write calls in whatever form their training showed them. Only a text that is nothing but a call
# counts: prose that mentions one is an answer (or rubbish), and acting on it would be guessing.
_FENCE = re.compile(r"^(`{1,3})(?:json|tool_call|tool_code|xml|text)?(?!`)(.*)\1$", re.DOTALL)
_WRAPPER = r"tool_calls?|tools?|functions?|function_calls?|tool_use|invoke|call"
_NAMED_TAG = re.compile(r"^<function=([^<>\s]+)>(.*?)(?:</function>)?$", re.DOTALL)
_TAG = re.compile(rf"^<\|?({_WRAPPER})\|?>(.*?)(?:</\|?\1\|?>|<\|/\1\|>)?$", re.DOTALL)
_BLOCKS = re.compile(rf"(?=<\|?(?:{_WRAPPER})\|?>|<function=)")
_MARKED = re.compile(r"^\[?(?:TOOL_CALLS?|tool_calls?)\]?\s*(?::\s*)?(?=[\[{])")
# Seen from a real model: {"type":"function","function":{"get_current_datetime"}}, which is no JSON at all.
_NAME_ONLY = re.compile(r'^\{[^{}]*"function"\s*:\s*\{\s*"([^"{}]+)"\s*\}\s*\}$')

_NAME_KEYS = ("name", "function", "tool", "tool_name", "function_name", "action")
_ARGUMENT_KEYS = ("arguments", "parameters", "args", "input", "params", "action_input")
_OTHER_KEYS = {"id", "type", "index", "tool_call_id", "call_id"}
_LISTS = frozenset({"tool_calls", "tool_call", "function_call"})
_LONGEST = 50_000  # characters; no call is longer, and nothing here should chew on more


def text_tool_calls(text: str, offered: Collection[str]) -> list[ToolCall]:
    """The calls that `text` consists of, or none when it is anything else, however slightly."""
    text = text.strip()
    if not text or len(text) > _LONGEST:
        return []
    blocks = _BLOCKS.split(text) if text.startswith("<") else [text]  # tagged calls may follow each other
    made = [_calls_in(block.strip(), offered) for block in blocks if block.strip()]
    return [call for calls in made for call in calls] if all(made) else []


def _calls_in(text: str, offered: Collection[str]) -> list[ToolCall]:
    if named := _NAMED_TAG.match(text):
        value: Any = {"name": named[1], "arguments": named[2]}
    else:
        inner = _unwrapped(text)
        value = _loads(inner)
        if value is None and (only := _NAME_ONLY.match(inner)):
            value = {"name": only[1]}
    if isinstance(value, dict) and len(value) == 1 and _LISTS.issuperset(value):
        [value] = value.values()
    calls = [_one_call(item, offered) for item in (value if isinstance(value, list) else [value])]
    return [call for call in calls if call] if all(calls) else []


def _unwrapped(text: str) -> str:
    """Without fences and tags around it."""
    for _ in range(4):  # a fence in a tag in a fence is the most anybody has seen
        shorter = _MARKED.sub("", text)
        if match := _FENCE.match(shorter) or _TAG.match(shorter):
            shorter = match[2].strip()
        if shorter == text:
            break
        text = shorter
    return text


def _one_call(value: Any, offered: Collection[str]) -> ToolCall | None:
    if not isinstance(value, dict):
        return None
    if isinstance(inner := value.get("function"), dict) and not set(value) - {"function"} - _OTHER_KEYS:
        value = inner
    name_key = next((key for key in _NAME_KEYS if isinstance(value.get(key), str)), None)
    if name_key is None or value[name_key] not in offered:
        return None
    argument_key = next((key for key in _ARGUMENT_KEYS if key in value), None)
    # Anything besides name and arguments (a description, say) makes it an echo of the tool's definition.
    if set(value) - {name_key, argument_key} - _OTHER_KEYS:
        return None
    arguments = value[argument_key] if argument_key else {}
    if arguments is None or arguments == "" or str(arguments).isspace():
        arguments = {}
    elif isinstance(arguments, str):
        arguments = _loads(arguments)
    if not isinstance(arguments, dict):
        return None
    if arguments.get("type") == "object" and isinstance(arguments.get("properties"), dict):
        return None  # a schema
    return ToolCall(new_id(), value[name_key], arguments)


def _loads(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None
