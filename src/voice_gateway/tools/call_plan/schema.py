"""Read JSON Schemas that come from outside, without trusting their shape. Pure."""

from collections.abc import Mapping
from typing import Any

JsonSchema = Mapping[str, Any]


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
