"""A quick yes for the flat schemas that most tools have; anything else is left to the full check. Pure."""

import math
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

_TYPES: Mapping[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
}
_NOTES = {"title", "description", "default", "examples"}
_FLAT = _NOTES | {"type", "properties", "required", "additionalProperties", "$schema"}
_PLAIN = _NOTES | {"type", "enum", "minimum", "maximum"}


class Rule(NamedTuple):
    types: tuple[type, ...]  # exactly these: a bool is no integer here
    choices: frozenset[str] | None
    low: float
    high: float

    def fits(self, value: Any) -> bool:
        if type(value) not in self.types:
            return False
        if self.choices is not None:
            return value in self.choices
        return type(value) is str or self.low <= value <= self.high


def compile_quick(schema: Mapping[str, Any]) -> Callable[[Any], bool] | None:
    """A function that says True only for what surely fits; None when the schema is not that simple."""
    properties, required = schema.get("properties", {}), schema.get("required", [])
    if not schema.keys() <= _FLAT or not isinstance(properties, Mapping) or not _are_words(required):
        return None
    if schema.get("type", "object") != "object" or not isinstance(
        schema.get("additionalProperties", True), bool
    ):
        return None
    found = {name: _rule(form) for name, form in properties.items()}
    rules = {name: rule for name, rule in found.items() if rule is not None}
    if len(rules) != len(found):
        return None
    needed = frozenset(required)

    def fits(value: Any) -> bool:
        if type(value) is not dict or not needed <= value.keys() <= rules.keys():
            return False
        for name, one in value.items():  # noqa: SIM110 (twice as quick as all())
            if not rules[name].fits(one):
                return False
        return True

    return fits


def _rule(form: Any) -> Rule | None:
    if not isinstance(form, Mapping) or not form.keys() <= _PLAIN:
        return None
    kind, choices = form.get("type"), form.get("enum")
    if choices is not None:
        fitting = _are_words(choices) and kind in (None, "string")
        return Rule((str,), frozenset(choices), 0, 0) if fitting else None
    types = _TYPES.get(kind) if isinstance(kind, str) else None
    low, high = form.get("minimum", -math.inf), form.get("maximum", math.inf)
    if types is None or type(low) not in (int, float) or type(high) not in (int, float):
        return None
    return Rule(types, None, low, high)


def _are_words(found: Any) -> bool:
    return isinstance(found, list) and all(isinstance(one, str) for one in found)
