"""Check values against JSON Schemas that come from outside, without trusting them."""

import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from voice_gateway.tools.call_plan.quick_check import compile_quick
from voice_gateway.tools.call_plan.schema import JsonSchema
from voice_gateway.tools.masking import shorten

log = logging.getLogger(__name__)

MOST_PROBLEMS = 8


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that does not fit: where, and why. A missing value has no why."""

    where: str
    why: str = ""


Check = Callable[[Any], list[Problem]]


def compile_check(schema: JsonSchema, owner: str) -> Check:
    """A check that is compiled once. A broken schema costs the check, with a warning, not the tool."""
    quick = compile_quick(schema)
    full: Check | None = None

    def check(value: Any) -> list[Problem]:
        nonlocal full
        if quick is not None and quick(value):
            return []
        if full is None:  # jsonschema is slow to load, and most calls never need it
            full = _compile_full(schema, owner)
        return full(value)

    return check


def _compile_full(schema: JsonSchema, owner: str) -> Check:
    broken = False

    def give_up(error: Exception) -> list[Problem]:
        nonlocal broken
        broken = True
        _warn_of_broken(owner, error)
        return []

    try:
        validator = _validator(schema)
    except Exception as error:  # SchemaError, or whatever a broken schema makes the library raise
        give_up(error)

    def check(value: Any) -> list[Problem]:
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


def _problems(errors: Iterator[Any]) -> Iterator[Problem]:
    seen = set()
    for error in errors:
        where = ".".join(str(step) for step in error.absolute_path)
        if error.validator == "required":
            prefix = f"{where}." if where else ""
            found = [Problem(prefix + name) for name in error.validator_value if name not in error.instance]
        else:
            found = [Problem(where, _why(error))]
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
