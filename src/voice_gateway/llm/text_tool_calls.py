"""A call in the wrong place: a reply whose whole text is a call of an offered tool becomes a call."""

import ast
import json
import re
import warnings
from collections.abc import Collection, Iterator
from typing import Any

from voice_gateway.turn import ToolCall, new_id

# Small models write calls in whatever form their training showed them. Only a text that is nothing but a call
# counts: prose that mentions one is an answer (or rubbish), and acting on it would be guessing.
_FENCE = re.compile(r"^(`{1,3})(?:json|python|tool_call|tool_code|xml|text)?(?!`)(.*)\1$", re.DOTALL)
_WRAPPER = r"tool_calls?|tools?|functions?|function_calls?|tool_use|invoke|call"
_NAMED_TAG = re.compile(r"^<function=([^<>\s]+)>(.*?)(?:</function>)?$", re.DOTALL)
_TAG = re.compile(rf"^<\|?({_WRAPPER})\|?>(.*?)(?:</\|?\1\|?>|<\|/\1\|>)?$", re.DOTALL)
_BLOCKS = re.compile(rf"(?=<\|?(?:{_WRAPPER})\|?>|<function=)")
_MARKED = re.compile(r"^\[?(?:TOOL_CALLS?|tool_calls?)\]?\s*(?::\s*)?(?=[\[{])")
# Seen from a real model: {"type":"function","function":{"get_current_datetime"}}, which is no JSON at all.
_NAME_ONLY = re.compile(r'^\{[^{}]*"function"\s*:\s*\{\s*"([^"{}]+)"\s*\}\s*\}$')
_PYTHON_CALL = re.compile(r"^([^\s(){}\[\]\"']+)\s*\((.*)\)\s*;?$", re.DOTALL)

_NAME_KEYS = ("name", "function", "tool", "tool_name", "function_name", "action")
_ARGUMENT_KEYS = ("arguments", "parameters", "args", "input", "params", "action_input")
_OTHER_KEYS = {"id", "type", "index", "tool_call_id", "call_id"}
_LONGEST = 50_000  # characters; no call is longer, and nothing here should chew on more


def text_tool_calls(text: str, offered: Collection[str]) -> list[ToolCall]:
    """The calls that `text` consists of, or none when it is anything else, however slightly."""
    text = text.strip()
    if not text or len(text) > _LONGEST:
        return []
    calls: list[ToolCall] = []
    for block in _blocks(text):
        found = list(_calls_in(block, offered))
        if not found:
            return []
        calls += found
    return calls


def _blocks(text: str) -> list[str]:
    """Several tagged calls may follow each other."""
    if not text.startswith("<"):
        return [text]
    return [block.strip() for block in _BLOCKS.split(text) if block.strip()]


def _calls_in(text: str, offered: Collection[str]) -> Iterator[ToolCall]:
    if named := _NAMED_TAG.match(text):
        arguments = _loads(named[2] or "{}")
        if named[1] in offered and isinstance(arguments, dict):
            yield _call(named[1], arguments)
        return
    inner = _unwrapped(text)
    value = _loads(inner)
    if value is not None:
        yield from _calls_of(value, offered)
    elif (only := _NAME_ONLY.match(inner)) and only[1] in offered:
        yield _call(only[1], {})
    elif (written := _PYTHON_CALL.match(inner)) and written[1] in offered:
        arguments = _python_arguments(written[2])
        if arguments is not None:
            yield _call(written[1], arguments)


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


def _calls_of(value: Any, offered: Collection[str]) -> list[ToolCall]:
    if isinstance(value, dict) and len(value) == 1:
        only = next(iter(value))
        if only in {"tool_calls", "tool_call", "function_call"}:
            value = value[only]
    if isinstance(value, list):
        found = [_one_call(item, offered) for item in value]
        return [call for call in found if call] if all(found) else []
    call = _one_call(value, offered)
    return [call] if call else []


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
    if isinstance(arguments, str):
        arguments = _loads(arguments) if arguments.strip() else {}
    arguments = {} if arguments is None else arguments
    if not isinstance(arguments, dict) or _is_schema(arguments):
        return None
    return _call(value[name_key], arguments)


def _is_schema(arguments: dict[str, Any]) -> bool:
    return arguments.get("type") == "object" and isinstance(arguments.get("properties"), dict)


def _python_arguments(source: str) -> dict[str, Any] | None:
    """Keyword arguments, or one dict, with literal values only; None for anything else."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a model's odd escapes are not our program's
            node = ast.parse(f"f({source})", mode="eval").body
        if not isinstance(node, ast.Call) or any(item.arg is None for item in node.keywords):
            return None
        if not node.args:
            return {str(item.arg): ast.literal_eval(item.value) for item in node.keywords}
        if len(node.args) == 1 and not node.keywords:
            value = _loads(source)
            value = ast.literal_eval(node.args[0]) if value is None else value
            return value if isinstance(value, dict) else None
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        pass
    return None


def _loads(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _call(name: str, arguments: dict[str, Any]) -> ToolCall:
    return ToolCall(id=new_id(), name=name, args=arguments)
