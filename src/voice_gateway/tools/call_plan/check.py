"""Check values against JSON Schemas from outside, without trusting them, and say what does not fit."""

import logging
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

from voice_gateway.tools.masking import is_secret_name, shorten
from voice_gateway.tools.schema import JsonSchema, required_of, signature

log = logging.getLogger(__name__)

MOST_PROBLEMS = 8


@dataclass(frozen=True, slots=True)
class SchemaProblem:
    """One thing that does not fit: where, and why. A missing value has no why."""

    where: str
    why: str = ""


Check = Callable[[Any], list[SchemaProblem]]


def compile_check(schema: JsonSchema, owner: str) -> Check:
    """A check that is compiled once. A broken schema costs the check, with a warning, not the tool."""
    quick = compile_quick(schema)
    full: Check | None = None

    def check(value: Any) -> list[SchemaProblem]:
        nonlocal full
        if quick is not None and quick(value):
            return []
        if full is None:  # jsonschema is slow to load, and most calls never need it
            full = _compile_full(schema, owner)
        return full(value)

    return check


def _compile_full(schema: JsonSchema, owner: str) -> Check:
    broken = False

    def give_up(error: Exception) -> list[SchemaProblem]:
        nonlocal broken
        broken = True
        _warn_of_broken(owner, error)
        return []

    try:
        validator = _validator(schema)
    except Exception as error:  # SchemaError, or whatever a broken schema makes the library raise
        give_up(error)

    def check(value: Any) -> list[SchemaProblem]:
        if broken:
            return []
        try:
            return list(_problems(validator.iter_errors(value)))
        except Exception as error:  # an unresolvable or endless `$ref` shows only now
            return give_up(error)

    return check


def _warn_of_broken(owner: str, error: Exception) -> None:
    log.warning(
        "broken JSON Schema, values are not checked", extra={"tool": owner, "reason": shorten(str(error))}
    )


def _validator(schema: JsonSchema) -> Any:
    from jsonschema import Draft202012Validator
    from jsonschema.validators import validator_for
    from referencing import Registry

    kind = validator_for(schema, default=Draft202012Validator)
    kind.check_schema(dict(schema))
    # An empty registry: a remote `$ref` is never fetched.
    return _without_patterns(kind)(schema, registry=Registry())


@lru_cache
def _without_patterns(kind: Any) -> Any:
    """The same draft without regular expressions.

    They come from a server and Python's `re` cannot be interrupted, so one evil pattern would stop the whole
    gateway. Whoever wrote the pattern checks it again anyway.
    """
    from jsonschema.validators import extend

    additional = kind.VALIDATORS.get("additionalProperties")

    def skip(*_: Any) -> Iterator[Any]:
        return iter(())

    def without_pattern_names(validator: Any, value: Any, instance: Any, schema: Any) -> Any:
        return skip() if "patternProperties" in schema else additional(validator, value, instance, schema)

    return extend(  # type: ignore[no-untyped-call]
        kind,
        {
            "pattern": skip,
            "patternProperties": skip,
            "unevaluatedProperties": skip,
            "additionalProperties": without_pattern_names if additional else skip,
        },
    )


def _problems(errors: Iterator[Any]) -> Iterator[SchemaProblem]:
    seen = set()
    for error in errors:
        where = ".".join(str(step) for step in error.absolute_path)
        if error.validator == "required":
            prefix = f"{where}." if where else ""
            found = [
                SchemaProblem(prefix + name) for name in error.validator_value if name not in error.instance
            ]
        else:
            found = [SchemaProblem(where, _why(error))]
        for problem in found:
            if problem not in seen:
                seen.add(problem)
                yield problem
        if len(seen) >= MOST_PROBLEMS:
            return


_SENTENCES = {
    "minimum": "must be at least {}",
    "maximum": "must be at most {}",
    "exclusiveMinimum": "must be more than {}",
    "exclusiveMaximum": "must be less than {}",
    "minLength": "must have at least {} characters",
    "maxLength": "must have at most {} characters",
    "minItems": "must have at least {} items",
    "maxItems": "must have at most {} items",
    "multipleOf": "must be a multiple of {}",
    "const": "must be {}",
    "anyOf": "fits none of the allowed forms",
    "oneOf": "fits none, or more than one, of the allowed forms",
}


def _why(error: Any) -> str:
    wanted = error.validator_value
    if error.validator == "type":
        return "must be " + " or ".join(wanted if isinstance(wanted, list) else [str(wanted)])
    if error.validator == "enum":
        return "must be one of " + shorten(", ".join(str(choice) for choice in wanted))
    sentence = _SENTENCES.get(error.validator)
    return sentence.format(wanted) if sentence else shorten(str(error.message), 120)


def refusal(
    name: str,
    schema: JsonSchema,
    args: dict[str, Any],
    problems: Sequence[SchemaProblem],
    unknown: Iterable[str],
) -> str:
    """What is missing, what is wrong, what is unknown, what is required, and the signature."""
    said = []
    if missing := [problem.where for problem in problems if not problem.why]:
        said.append("missing " + ", ".join(missing))
    said += [_wrong(problem, args) for problem in problems if problem.why]
    said += [f'unknown parameter "{shorten(extra, 60)}"' for extra in unknown]
    required = ", ".join(required_of(schema)) or "none"
    usage = shorten(signature(name, schema), 1000)
    return f"{name} was not run: {'; '.join(said)}. Required parameters: {required}. Use {usage}"


def _wrong(problem: SchemaProblem, args: dict[str, Any]) -> str:
    if not problem.where:
        return problem.why
    value = args.get(problem.where)
    shown = isinstance(value, str | int | float | bool) and not is_secret_name(problem.where)
    got = f", not {shorten(repr(value), 60)}" if shown else ""
    return f"{problem.where} {problem.why}{got}"


# a quick yes for the flat schemas that most tools have

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
