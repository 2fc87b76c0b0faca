"""Fit one value to its schema where the meaning is plain: "50" for a number, "ON" for `on`. Pure."""

import json
import math
import re
from collections.abc import Callable, Mapping
from typing import Any

from voice_gateway.tools.call_plan.schema import JsonSchema, properties_of, variants

_YES_NO = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}
_INTEGER = re.compile(r"[+-]?[0-9]{1,40}")
_NUMBER = re.compile(r"[+-]?([0-9]{1,40}(\.[0-9]{0,40})?|\.[0-9]{1,40})([eE][+-]?[0-9]{1,3})?")

_PERCENT = re.compile(r"\s{0,3}(%|percent)$", re.IGNORECASE)  # "30%" for a number of percent

NOTHING = object()  # "not that kind of JSON", because None is a value

# Fits the members of an object, given its schema, the whole schema, and how many levels may follow.
FitObject = Callable[[dict[str, Any], JsonSchema, JsonSchema, int], dict[str, Any]]


def fit(value: Any, schema: Any, root: JsonSchema, left: int, fit_object: FitObject) -> Any:
    """The value as the schema wants it, or as it was: only what the schema forbids is changed."""
    if left == 0:
        return value
    forms = variants(schema, root)
    choices = _choices(forms)
    if choices:
        return _choice(value, choices)
    types = _types(forms)
    if types and not any(_is_type(value, name) for name in types):
        value = _retype(value, types)
    if isinstance(value, dict):
        shapes = [form for form in forms if properties_of(form)]
        return fit_object(value, shapes[0], root, left - 1) if len(shapes) == 1 else value
    if isinstance(value, list):
        items = [form["items"] for form in forms if isinstance(form.get("items"), Mapping)]
        if len(items) == 1:
            return [fit(item, items[0], root, left - 1, fit_object) for item in value]
    return value


def accepts(value: Any, schema: Any, root: JsonSchema) -> bool:
    """By type and choices alone."""
    forms = variants(schema, root)
    choices = _choices(forms)
    if choices:
        return value in choices
    types = _types(forms)
    return not types or any(_is_type(value, name) for name in types)


def from_json(text: str, kinds: tuple[type, ...]) -> Any:
    """What a text says in JSON, if it is of one of these types; else NOTHING."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return NOTHING
    return found if isinstance(found, kinds) else NOTHING


def _choices(forms: list[JsonSchema]) -> list[Any]:
    """The values allowed, if every form lists its own; else none."""
    found: list[Any] = []
    for form in forms:
        if isinstance(form.get("enum"), list):
            found += form["enum"]
        elif "const" in form:
            found.append(form["const"])
        elif form.get("type") == "null":
            found.append(None)
        else:
            return []
    return found


def _choice(value: Any, choices: list[Any]) -> Any:
    if value in choices or not isinstance(value, str | int | float):
        return value
    said = str(value).strip().casefold()
    alike = [choice for choice in choices if str(choice).casefold() == said]
    return alike[0] if len(alike) == 1 else value


def _types(forms: list[JsonSchema]) -> set[str]:
    """The JSON types allowed; empty when anything goes."""
    found: set[str] = set()
    for form in forms:
        kind = form.get("type")
        if isinstance(kind, str):
            found.add(kind)
        elif isinstance(kind, list):
            found.update(name for name in kind if isinstance(name, str))
        else:
            return set()
    return found


_PYTHON_TYPES: Mapping[str, tuple[type, ...]] = {
    "string": (str,),
    "boolean": (bool,),
    "integer": (int,),
    "number": (int, float),
    "object": (dict,),
    "array": (list,),
    "null": (type(None),),
}


def _is_type(value: Any, name: str) -> bool:
    if isinstance(value, bool):
        return name == "boolean" or name not in _PYTHON_TYPES
    if name == "integer" and isinstance(value, float):
        return value.is_integer()
    return isinstance(value, _PYTHON_TYPES.get(name, (object,)))


def _retype(value: Any, types: set[str]) -> Any:
    """Another type for a value whose type the schema forbids, where there is only one meaning."""
    if isinstance(value, str):
        return _from_text(value, types)
    if "boolean" in types and value in (0, 1):
        return bool(value)
    if "string" in types and value is not None:
        try:
            return json.dumps(value, ensure_ascii=False)
        except (TypeError, ValueError, RecursionError):
            return value
    return value


def _from_text(text: str, types: set[str]) -> Any:
    said = text.strip()
    if "number" in types or "integer" in types:
        number = _number(_PERCENT.sub("", said), whole="number" not in types)
        if number is not None:
            return number
    if "boolean" in types and said.casefold() in _YES_NO:
        return _YES_NO[said.casefold()]
    if "null" in types and said.casefold() in ("null", "none", ""):
        return None
    wanted = tuple(kind for name, kind in (("object", dict), ("array", list)) if name in types)
    found = from_json(text, wanted) if wanted else NOTHING
    return text if found is NOTHING else found


def _number(text: str, *, whole: bool) -> int | float | None:
    if _INTEGER.fullmatch(text):
        return int(text)
    if not _NUMBER.fullmatch(text):
        return None
    number = float(text)
    if not math.isfinite(number):
        return None
    if not whole:
        return number
    return int(number) if number.is_integer() else None
