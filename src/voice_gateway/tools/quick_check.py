"""A quick yes for the flat schemas that most tools have; anything else is left to the full check. Pure."""

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
    properties = schema.get("properties")
    if not schema.keys() <= _FLAT or not isinstance(properties, Mapping):
        return None
    found = {name: _rule(form) for name, form in properties.items()}
    rules = {name: rule for name, rule in found.items() if rule is not None}
    if len(rules) != len(found):
        return None
    required = frozenset(schema.get("required", ()))

    def fits(value: Any) -> bool:
        if type(value) is not dict or not required <= value.keys() <= rules.keys():
            return False
        return all(rules[name].fits(one) for name, one in value.items())

    return fits


def _rule(form: Any) -> Rule | None:
    if not isinstance(form, Mapping) or not form.keys() <= _PLAIN:
        return None
    choices = form.get("enum")
    if choices is not None:
        words = all(isinstance(choice, str) for choice in choices)
        return (
            Rule((str,), frozenset(choices), 0, 0)
            if words and form.get("type", "string") == "string"
            else None
        )
    kind = form.get("type")
    types = _TYPES.get(kind) if isinstance(kind, str) else None
    if types is None:
        return None
    return Rule(types, None, form.get("minimum", float("-inf")), form.get("maximum", float("inf")))
