"""Tools as Ollama and Qwen expect them. Only the Ollama client converts (FMT-5)."""

import logging
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from langchain_core.tools import BaseTool

from voice_gateway.tools.traits import lc_name, qualified_name, schema_of

log = logging.getLogger(__name__)

Schema = Mapping[str, Any]

_TYPES: dict[type, str] = {
    bool: "boolean",
    int: "integer",
    float: "number",
    str: "string",
    list: "array",
    dict: "object",
}
_LONG_ENOUGH = 100  # characters for whatever a model fills in: such a limit is not worth its tokens
_DEEPEST = 6  # a schema that goes on below this refers to itself, or no small model could fill it


def to_qwen_tools(tools: Sequence[BaseTool] | None) -> list[dict[str, Any]]:
    """Definitions for the request; the tools stay as they are, and they are what runs (FMT-2, FMT-8)."""
    tools = list(tools or ())
    uses = Counter(lc_name(tool) for tool in tools)
    converted = [
        to_qwen_tool(tool, qualified_name(tool) if uses[lc_name(tool)] > 1 else lc_name(tool))
        for tool in tools
    ]
    log.debug("🔧 Converted %d tools from LangChain to Qwen format", len(converted))
    return converted


def to_qwen_tool(tool: BaseTool, name: str | None = None) -> dict[str, Any]:
    return {
        "type": "function",
        "function": {
            "name": name or lc_name(tool),
            "description": tool.description,
            # Flat, because Ollama's client lets nothing else through: `Optional[int]` would arrive as `{}`.
            "parameters": flat_object(schema_of(tool)),
        },
    }


def flat_object(schema: Schema) -> dict[str, Any]:
    """The parameters of a tool: `type: object` with flat properties, whatever its schema looks like."""
    whole = _merged(_resolved(schema, schema, 0), schema, 0)
    properties = whole.get("properties")
    properties = properties if isinstance(properties, Mapping) else {}
    flat: dict[str, Any] = {
        "type": "object",
        "properties": {str(name): flat_property(part, schema) for name, part in properties.items()},
    }
    named = [name for name in _required(whole) if name in properties]
    return {**flat, "required": named} if named else flat


def flat_property(part: Any, root: Schema, depth: int = 0) -> dict[str, Any]:
    """Type, items, enum and description; what else the schema demands is said in the description."""
    part = _merged(_resolved(part, root, depth), root, depth)
    kinds = _kinds(part)
    flat: dict[str, Any] = {}
    if kinds:
        flat["type"] = kinds[0] if len(kinds) == 1 else kinds
    if "array" in kinds and isinstance(part.get("items"), Mapping):
        flat["items"] = flat_property(part["items"], root, depth + 1)
    if description := _described(part, root, depth):
        flat["description"] = description
    if values := _values(part):
        flat["enum"] = values
    return flat


def _resolved(source: Any, root: Schema, depth: int) -> dict[str, Any]:
    """The schema with its reference followed; only references into the same document are."""
    part: dict[str, Any] = dict(source) if isinstance(source, Mapping) else {}
    for _ in range(_DEEPEST - depth):
        reference = part.pop("$ref", None)
        if not isinstance(reference, str):
            return part
        target: Any = root
        for step in reference.removeprefix("#").strip("/").split("/"):
            key = step.replace("~1", "/").replace("~0", "~")
            target = target.get(key, {}) if isinstance(target, Mapping) else {}
        part = {**(target if isinstance(target, Mapping) else {}), **part}
    part.pop("$ref", None)
    return part


def _merged(part: dict[str, Any], root: Schema, depth: int) -> dict[str, Any]:
    """`allOf` joined into one; of `anyOf` and `oneOf` what a call may contain, without null."""
    if depth >= _DEEPEST:
        return part
    for key in ("allOf", "anyOf", "oneOf"):
        choices = part.pop(key, None)
        if not isinstance(choices, list | tuple):
            continue
        open_ones = [_merged(_resolved(choice, root, depth + 1), root, depth + 1) for choice in choices]
        open_ones = [choice for choice in open_ones if _kinds(choice) != ["null"]]
        part = _joined(part, open_ones, every=key == "allOf")
    return part


def _joined(part: dict[str, Any], choices: list[dict[str, Any]], *, every: bool) -> dict[str, Any]:
    if len(choices) == 1:
        return {**choices[0], **part, **_both_objects([part, choices[0]], every=True)}
    kinds = list(dict.fromkeys(kind for choice in choices for kind in _kinds(choice)))
    values = [value for choice in choices for value in _values(choice)]
    joined = {key: value for choice in reversed(choices) for key, value in choice.items()} if every else {}
    joined |= part
    if kinds and "type" not in part:
        joined["type"] = kinds
    if values and all(_values(choice) for choice in choices):
        joined["enum"] = values
    return joined | _both_objects([part, *choices], every=every)


def _both_objects(parts: list[dict[str, Any]], *, every: bool) -> dict[str, Any]:
    """Properties of all parts together; required is what each way of filling it requires."""
    properties: dict[str, Any] = {}
    for part in parts:
        if isinstance(part.get("properties"), Mapping):
            properties |= {
                name: value for name, value in part["properties"].items() if name not in properties
            }
    if not properties:
        return {}
    own, *others = [_required(part) for part in parts]
    if every:
        shared = [name for each in others for name in each]
    else:
        shared = [name for name in others[0] if all(name in each for each in others)] if others else []
    return {"properties": properties, "required": list(dict.fromkeys([*own, *shared]))}


def _required(part: Schema) -> list[str]:
    names = part.get("required")
    return [name for name in names if isinstance(name, str)] if isinstance(names, list | tuple) else []


def _kinds(part: Schema) -> list[str]:
    kind = part.get("type")
    kinds = [kind] if isinstance(kind, str) else list(kind) if isinstance(kind, list | tuple) else []
    if not kinds:
        kinds = list(dict.fromkeys(_TYPES.get(type(value), "null") for value in _raw_values(part)))
    if not kinds and isinstance(part.get("properties"), Mapping):
        kinds = ["object"]
    plain = [kind for kind in kinds if isinstance(kind, str) and kind != "null"]
    return plain or (["null"] if kinds else [])


def _raw_values(part: Schema) -> list[Any]:
    if "const" in part:
        return [part["const"]]
    values = part.get("enum")
    return list(values) if isinstance(values, list | tuple) else []


def _values(part: Schema) -> list[Any]:
    return [value for value in _raw_values(part) if value is not None]


def _described(part: Schema, root: Schema, depth: int) -> str:
    description = part.get("description") or part.get("title") or ""
    description = description.strip() if isinstance(description, str) else ""
    notes = [note for note in _limits(part) if note.casefold() not in description.casefold()]
    if isinstance(part.get("properties"), Mapping) and depth < _DEEPEST:
        notes.append(_keys(part, root, depth))
    if not notes:
        return description
    return f"{description} ({'; '.join(notes)})".strip()


def _limits(part: Schema) -> list[str]:
    """What Ollama's client strips from the schema, in words."""
    notes = [_range(part, "minimum", "maximum", "")]
    if not _is_ordinary(part.get("minLength"), part.get("maxLength")):
        notes.append(_range(part, "minLength", "maxLength", " characters"))
    notes.append(_range(part, "minItems", "maxItems", " items"))
    words = {
        "exclusiveMinimum": "more than {}",
        "exclusiveMaximum": "less than {}",
        "multipleOf": "a multiple of {}",
        "pattern": "must match {}",
        "format": "format {}",
    }
    notes += [text.format(part[key]) for key, text in words.items() if _is_limit(part.get(key))]
    if part.get("default") not in (None, "", [], {}):
        notes.append(f"default {_shown(part['default'])}")
    examples = part.get("examples")
    if isinstance(examples, list | tuple) and examples:
        notes.append("for example " + ", ".join(_shown(value) for value in examples[:3]))
    return [note for note in notes if note]


def _is_ordinary(low: Any, high: Any) -> bool:
    """One to a hundred characters or more: no call needs to be told."""
    return low in (None, 0, 1) and isinstance(high, int) and high >= _LONG_ENOUGH


def _is_limit(value: Any) -> bool:
    """An older JSON Schema says `exclusiveMinimum: true`, which is not a limit but a mark on another."""
    return value not in (None, "") and not isinstance(value, bool)


def _range(part: Schema, low_key: str, high_key: str, unit: str) -> str:
    low, high = part.get(low_key), part.get(high_key)
    if low is not None and high is not None:
        return f"{low} to {high}{unit}"
    if low is not None:
        return f"at least {low}{unit}"
    return f"at most {high}{unit}" if high is not None else ""


def _shown(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _keys(part: Schema, root: Schema, depth: int) -> str:
    required = _required(part)
    keys = []
    for name, inner in part["properties"].items():
        flat = flat_property(inner, root, depth + 1)
        kind = flat.get("type", "any")
        kind = " or ".join(kind) if isinstance(kind, list) else kind
        values = f" of {', '.join(map(_shown, flat['enum']))}" if "enum" in flat else ""
        keys.append(f"{name}: {kind}{values}{'' if name in required else ', optional'}")
    return "keys " + "; ".join(keys)
