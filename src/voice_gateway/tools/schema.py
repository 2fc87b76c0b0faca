"""Read JSON Schemas from outside, without trusting their shape; write one as a call's signature. Pure."""

from collections.abc import Mapping
from typing import Any

JsonSchema = Mapping[str, Any]

MOST_CHOICES = 12

_CONTAINERS = (dict, list, tuple)


def is_flat(value: Mapping[str, Any]) -> bool:
    """Whether nothing is nested in it, as in nearly every call."""
    for inner in value.values():  # noqa: SIM110 (twice as quick as any())
        if isinstance(inner, _CONTAINERS):
            return False
    return True


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


def signature(name: str, schema: JsonSchema) -> str:
    """`control_zwave_device(deviceName: string, action: on|off|dim, level?: integer 0-100)`"""
    required = required_of(schema)
    parts = [
        f"{parameter}{'' if parameter in required else '?'}: {kind_of(form, schema)}"
        for parameter, form in properties_of(schema).items()
    ]
    return f"{name}({', '.join(parts)})"


def kind_of(schema: Any, root: JsonSchema, left: int = 3) -> str:
    forms = [form for form in variants(schema, root) if form.get("type") != "null"]
    return " or ".join(dict.fromkeys(_one_kind(form, root, left) for form in forms)) or "any"


def _one_kind(form: JsonSchema, root: JsonSchema, left: int) -> str:
    choices = form.get("enum")
    if isinstance(choices, list):
        more = ["…"] if len(choices) > MOST_CHOICES else []
        return "|".join([str(choice) for choice in choices[:MOST_CHOICES]] + more)
    if "const" in form:
        return str(form["const"])
    kind = form.get("type", "any")
    if isinstance(kind, list):
        return " or ".join(str(one) for one in kind if one != "null")
    if kind == "array" and "items" in form and left:  # a schema may contain itself
        return f"array of {kind_of(form['items'], root, left - 1)}"
    return f"{kind}{_limits(form)}" if kind in ("integer", "number") else str(kind)


def _limits(form: JsonSchema) -> str:
    low, high = form.get("minimum"), form.get("maximum")
    if low is not None and high is not None:
        return f" {low}-{high}"
    if low is not None:
        return f" from {low}"
    return f" up to {high}" if high is not None else ""
