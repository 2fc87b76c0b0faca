"""Tools as Ollama and Qwen expect them. Only the Ollama client converts (FMT-5)."""

import logging
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from langchain_core.tools import BaseTool

from voice_gateway.tools.schema import kind_of, properties_of, required_of, resolve
from voice_gateway.tools.traits import lc_name, qualified_name, schema_of

log = logging.getLogger(__name__)

Schema = Mapping[str, Any]

_TYPES = {
    bool: "boolean", int: "integer", float: "number", str: "string", list: "array", dict: "object",
}  # fmt: skip
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
    whole = _whole(schema, schema, _DEEPEST)
    properties = {str(name): flat_property(part, schema) for name, part in properties_of(whole).items()}
    flat: dict[str, Any] = {"type": "object", "properties": properties}
    needed = [name for name in required_of(whole) if name in properties]
    return {**flat, "required": needed} if needed else flat


def flat_property(part: Any, root: Schema, left: int = _DEEPEST) -> dict[str, Any]:
    """Type, items, enum and description; what else the schema demands is said in the description."""
    whole = _whole(part, root, left)
    kinds, values, flat = _kinds(whole), _values(whole), dict[str, Any]()
    if kinds:
        flat["type"] = kinds[0] if len(kinds) == 1 else kinds
    if "array" in kinds and isinstance(whole.get("items"), Mapping) and left:
        flat["items"] = flat_property(whole["items"], root, left - 1)
    if described := _described(whole, root):
        flat["description"] = described
    return {**flat, "enum": values} if values else flat


def _whole(part: Any, root: Schema, left: int) -> dict[str, Any]:
    """The schema with its reference followed, and its alternatives joined into one form without null."""
    own = dict(resolve(part, root))
    if isinstance(part, Mapping):
        own |= {key: value for key, value in part.items() if key != "$ref"}
    for key in ("allOf", "anyOf", "oneOf"):
        choices = own.pop(key, None) if left else None
        if isinstance(choices, list | tuple):
            forms = [_whole(choice, root, left - 1) for choice in choices]
            forms = [form for form in forms if _kinds(form) != ["null"]]
            own = _joined(own, forms, every=key == "allOf" or len(forms) == 1)
    return own


def _joined(own: dict[str, Any], forms: list[dict[str, Any]], *, every: bool) -> dict[str, Any]:
    joined = {key: value for form in reversed(forms) for key, value in form.items()} if every else {}
    joined |= own
    if not every and forms:
        kinds = list(dict.fromkeys(kind for form in forms for kind in _kinds(form)))
        joined |= {"type": kinds} if kinds and "type" not in own else {}
        if all(map(_values, forms)):
            joined["enum"] = [value for form in forms for value in _values(form)]
    properties: dict[str, Any] = {}
    for form in (own, *forms):
        properties = {**properties_of(form), **properties}
    if not properties:
        return joined
    needed = [name for form in forms for name in required_of(form)]
    if not every:  # what each way of filling it requires
        needed = [name for name in needed if all(name in required_of(form) for form in forms)]
    return joined | {"properties": properties, "required": list(dict.fromkeys([*required_of(own), *needed]))}


def _kinds(part: Schema) -> list[str]:
    kind = part.get("type")
    kinds = [kind] if isinstance(kind, str) else list(kind) if isinstance(kind, list | tuple) else []
    if not kinds:
        kinds = list(dict.fromkeys(_TYPES.get(type(value), "null") for value in _listed(part)))
    if not kinds and properties_of(part):
        kinds = ["object"]
    return [kind for kind in kinds if isinstance(kind, str) and kind != "null"] or ["null"] * bool(kinds)


def _listed(part: Schema) -> list[Any]:
    values = [part["const"]] if "const" in part else part.get("enum")
    return list(values) if isinstance(values, list | tuple) else []


def _values(part: Schema) -> list[Any]:
    return [value for value in _listed(part) if value is not None]


def _described(part: Schema, root: Schema) -> str:
    given = part.get("description") or part.get("title")
    description = given.strip() if isinstance(given, str) else ""
    notes = [note for note in _limits(part) if note.casefold() not in description.casefold()]
    if properties_of(part):
        notes.append(_keys(part, root))
    return f"{description} ({'; '.join(notes)})".strip() if notes else description


def _limits(part: Schema) -> list[str]:
    """What Ollama's client strips from the schema and a model can use, in words."""
    low, high = part.get("minimum"), part.get("maximum")
    limit = f"{low} to {high}" if low is not None else f"at most {high}"
    notes = [limit if high is not None else f"at least {low}"] if (low, high) != (None, None) else []
    notes += [f"{key} {part[key]}" for key in ("pattern", "format") if part.get(key)]
    if part.get("default") not in (None, "", [], {}):
        notes.append(f"default {_shown(part['default'])}")
    examples = part.get("examples")
    if isinstance(examples, list | tuple) and examples:
        notes.append("for example " + ", ".join(map(_shown, examples[:3])))
    return notes


def _shown(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _keys(part: Schema, root: Schema) -> str:
    required = required_of(part)
    keys = (
        f"{name}: {kind_of(inner, root)}{'' if name in required else ', optional'}"
        for name, inner in properties_of(part).items()
    )
    return "keys " + "; ".join(keys)
