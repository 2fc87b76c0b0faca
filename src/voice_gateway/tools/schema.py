"""Read and check JSON Schemas that come from outside, without trusting them."""

import logging
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from voice_gateway.tools.masking import shorten
from voice_gateway.tools.quick_check import compile_quick

log = logging.getLogger(__name__)

JsonSchema = Mapping[str, Any]
MOST_PROBLEMS = 8


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that does not fit: where, and why. A missing value has no why."""

    where: str
    why: str = ""


Check = Callable[[Any], list[Problem]]


def properties_of(schema: JsonSchema) -> dict[str, Any]:
    found = schema.get("properties")
    return found if isinstance(found, dict) else {}


def required_of(schema: JsonSchema) -> list[str]:
    found = schema.get("required")
    return [name for name in found if isinstance(name, str)] if isinstance(found, list) else []


def takes_other_names(schema: JsonSchema) -> bool:
    """Whether parameters that it does not declare are welcome.

    JSON Schema's own default would be yes; but then a misspelt optional argument is passed on, ignored, and
    reported as success. So yes must be said, or nothing declared at all.
    """
    extra = schema.get("additionalProperties")
    return (
        extra is True
        or isinstance(extra, Mapping)
        or "patternProperties" in schema
        or not properties_of(schema)
    )


def resolve(schema: Any, root: JsonSchema) -> JsonSchema:
    """Follow a `$ref` inside the same document; anything else is read as "anything goes"."""
    for _ in range(16):
        if not isinstance(schema, Mapping):
            return {}
        reference = schema.get("$ref")
        if not isinstance(reference, str):
            return schema
        target: Any = root
        for step in reference.removeprefix("#").split("/")[1:] if reference.startswith("#") else ["?"]:
            name = step.replace("~1", "/").replace("~0", "~")
            target = target.get(name) if isinstance(target, Mapping) else None
        schema = target
    return {}


def variants(schema: Any, root: JsonSchema) -> list[JsonSchema]:
    """The schema itself, or the forms that its `anyOf`, `oneOf` or single `allOf` allows."""
    plain = resolve(schema, root)
    for word in ("anyOf", "oneOf", "allOf"):
        forms = plain.get(word)
        if isinstance(forms, list) and forms and (word != "allOf" or len(forms) == 1):
            return [resolve(form, root) for form in forms]
    return [plain]


HEAVY_NODES = 20_000  # about a tenth of a second of checking
HEAVY_TEXT = 1_000_000
_CONTAINERS = (dict, list, tuple)


def holds_containers(value: dict[str, Any]) -> bool:
    for inner in value.values():  # noqa: SIM110 (twice as quick as any())
        if isinstance(inner, _CONTAINERS):
            return True
    return False


def heavy(value: Any) -> bool:
    """Whether a value is so large that reading it would hold up the event loop."""
    if isinstance(value, str):
        return len(value) > HEAVY_TEXT
    if type(value) is dict and not holds_containers(value):  # by far the usual case
        return len(value) > HEAVY_NODES
    left = HEAVY_NODES
    waiting = [value] if isinstance(value, _CONTAINERS) else []
    while waiting:
        inner = waiting.pop()
        left -= len(inner)
        if left < 0:
            return True
        values = inner.values() if isinstance(inner, dict) else inner
        waiting.extend([one for one in values if isinstance(one, _CONTAINERS)])
    return False


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
