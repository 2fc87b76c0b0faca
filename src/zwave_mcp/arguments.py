"""Arguments against a tool's schema, with complaints that can be spoken."""

import math
from collections.abc import Mapping
from typing import Any, Final

from zwave_mcp.home import is_number
from zwave_mcp.schemas import Schema

_NEEDED: Final = {
    "string": "a text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
}


def complaint(schema: Schema, arguments: Mapping[str, Any]) -> str | None:
    """What is wrong, in one sentence; None when nothing is."""
    properties: Schema = schema["properties"]
    for key in arguments:
        if key not in properties:
            known = ", ".join(properties) or "none"
            return f'There is no parameter "{str(key)[:40]}"; known are: {known}.'
    missing = [key for key in schema.get("required", ()) if key not in arguments]
    if missing:
        return f"Missing: {', '.join(missing)}."
    complaints = (_about(key, properties[key], value) for key, value in arguments.items())
    return next((text for text in complaints if text), None)


def _about(key: str, rule: Schema, value: Any) -> str | None:
    kind = rule["type"]
    if not _is(kind, value):
        return f"{key} must be {_NEEDED[kind]}."
    if "enum" in rule and value not in rule["enum"]:
        return f"{key} must be one of: {', '.join(rule['enum'])}."
    if kind == "string":
        return _about_text(key, rule, value)
    if kind in ("integer", "number"):
        return _about_number(key, rule, value)
    return None


def _about_text(key: str, rule: Schema, value: str) -> str | None:
    if rule.get("minLength", 0) and not value.strip():
        return f"{key} must not be empty."
    if len(value) > rule.get("maxLength", math.inf):
        return f"{key} must have at most {rule['maxLength']} characters."
    return None


def _about_number(key: str, rule: Schema, value: float) -> str | None:
    low, high = rule.get("minimum", -math.inf), rule.get("maximum", math.inf)
    if low <= value <= high:
        return None
    return (
        f"{key} must be between {low} and {high}." if high != math.inf else f"{key} must be at least {low}."
    )


def _is(kind: str, value: Any) -> bool:
    if kind == "string":
        return isinstance(value, str)
    if kind == "boolean":
        return isinstance(value, bool)
    return is_number(value) and (
        kind == "number" or float(value).is_integer()
    )  # JSON knows one sort of number: 40.0 is whole
