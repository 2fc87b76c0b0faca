"""Repair a model's arguments toward a tool's own schema where the meaning is plain. Pure functions."""

import json
import math
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from voice_gateway.errors import BadArguments
from voice_gateway.tools.schema import JsonSchema, properties_of, required_of, takes_other_names, variants

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
