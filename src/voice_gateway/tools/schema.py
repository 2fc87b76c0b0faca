"""JSON Schemas from outside: read one without trusting its shape, check a value, write a signature."""

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from voice_gateway.tools.masking import shorten

log = logging.getLogger(__name__)

JsonSchema = Mapping[str, Any]

MOST_CHOICES = 12
MOST_PROBLEMS = 8
BACKTRACKS = 10_000  # steps of a server's regular expression before it counts as "does not match"


# --- reading


def properties_of(schema: JsonSchema) -> dict[str, Any]:
    properties = schema.get("properties")
    return properties if isinstance(properties, dict) else {}


def required_of(schema: JsonSchema) -> list[str]:
    names = schema.get("required")
    return [name for name in names if isinstance(name, str)] if isinstance(names, list) else []


def takes_other_names(schema: JsonSchema) -> bool:
    """Whether parameters that the schema does not declare are accepted.

    JSON Schema accepts them by default, but then a misspelt optional argument is ignored and reported as
    success. So the schema must say it, or declare nothing at all.
    """
    extra = schema.get("additionalProperties")
    if extra is True or isinstance(extra, Mapping):
        return True
    return "patternProperties" in schema or not properties_of(schema)


def resolve(schema: Any, root: JsonSchema) -> JsonSchema:
    """Follow a `$ref` inside the same document; anything else is read as "any value"."""
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


# --- writing


def signature(name: str, schema: JsonSchema) -> str:
    """`control_zwave_device(deviceName: string, action: on|off|dim, level?: integer 0-100)`"""
    required = required_of(schema)
    parts = [
        f"{parameter}{'' if parameter in required else '?'}: {kind_of(form, schema)}"
        for parameter, form in properties_of(schema).items()
    ]
    return f"{name}({', '.join(parts)})"


def kind_of(schema: Any, root: JsonSchema, left: int = 3) -> str:
    """The values a schema allows, in a few words; `left` levels of nested arrays are written out."""
    forms = [form for form in variants(schema, root) if form.get("type") != "null"]
    return " or ".join(dict.fromkeys(_kind_of_form(form, root, left) for form in forms)) or "any"


def _kind_of_form(form: JsonSchema, root: JsonSchema, left: int) -> str:
    choices = form.get("enum")
    if isinstance(choices, list):
        more = ["…"] if len(choices) > MOST_CHOICES else []
        return "|".join([str(choice) for choice in choices[:MOST_CHOICES]] + more)
    if "const" in form:
        return str(form["const"])
    kind = form.get("type", "any")
    if isinstance(kind, list):
        return " or ".join(str(name) for name in kind if name != "null")
    if kind == "array" and "items" in form and left:
        return f"array of {kind_of(form['items'], root, left - 1)}"
    return f"{kind}{_limits(form)}" if kind in ("integer", "number") else str(kind)


def _limits(form: JsonSchema) -> str:
    low, high = form.get("minimum"), form.get("maximum")
    if None not in (low, high):
        return f" {low}-{high}"
    return f" from {low}" if low is not None else f" up to {high}" if high is not None else ""


# --- checking


@dataclass(frozen=True, slots=True)
class SchemaProblem:
    """One value that does not fit: where, and why. A missing value has no `why`."""

    where: str
    why: str = ""

    def __str__(self) -> str:
        return f"{self.where} {self.why or 'is missing'}".strip()


Check = Callable[[Any], list[SchemaProblem]]


def compile_check(schema: JsonSchema, owner: str) -> Check:
    """A check for values. A broken schema is logged and switches the check off, not the tool."""
    import jsonschema_rs  # 40 ms, needed once the first tool with a schema of its own is called

    def refuse(uri: str) -> Any:
        raise ValueError(f"a remote schema is never fetched: {uri}")

    try:
        validator = jsonschema_rs.validator_for(
            dict(schema),
            retriever=refuse,
            pattern_options=jsonschema_rs.FancyRegexOptions(backtrack_limit=BACKTRACKS),
            mask="",  # a problem does not repeat the value, which may be a secret
        )
    except Exception as error:  # whatever a broken schema makes the library raise
        reason = shorten(str(error))
        log.warning("broken JSON Schema, values are not checked", extra={"tool": owner, "reason": reason})
        return lambda _: []

    def check(value: Any) -> list[SchemaProblem]:
        try:
            if validator.is_valid(value):
                return []
            return list(dict.fromkeys(map(_problem, islice(validator.iter_errors(value), MOST_PROBLEMS))))
        except ValueError as error:
            return [SchemaProblem("", f"a value cannot be written as JSON: {shorten(str(error), 120)}")]

    return check


def _problem(error: Any) -> SchemaProblem:
    where = ".".join(str(step) for step in error.instance_path)
    if error.kind.name == "required":
        return SchemaProblem(f"{where}.{error.kind.property}" if where else error.kind.property)
    return SchemaProblem(where, shorten(error.message.strip(), 120))


def refusal(
    name: str, schema: JsonSchema, problems: Sequence[SchemaProblem], unknown: Iterable[str] = ()
) -> str:
    """What is missing, wrong or unknown, which parameters are required, and the signature (EXE-8)."""
    missing = ", ".join(problem.where for problem in problems if not problem.why)
    parts = [f"missing {missing}"] if missing else []
    parts += [str(problem) for problem in problems if problem.why]
    parts += [f'unknown parameter "{shorten(extra, 60)}"' for extra in unknown]
    required = ", ".join(required_of(schema)) or "none"
    usage = shorten(signature(name, schema), 1000)
    return f"{name} was not run: {'; '.join(parts)}. Required parameters: {required}. Use {usage}"
