"""What the descriptions of tools are made of."""

from dataclasses import dataclass
from typing import Any, Final

Schema = dict[str, Any]

NAME_LENGTH: Final = 100


@dataclass(frozen=True, slots=True)
class ToolSpec:
    name: str
    title: str
    summary: str  # for people
    description: str  # for models
    parameters: Schema
    output: Schema
    read_only: bool = False
    destructive: bool = False
    idempotent: bool = False
    # Of a tool that is rarely needed: a small model is told of it only when one of these words was said.
    words: tuple[str, ...] = ()


def object_of(properties: Schema, required: tuple[str, ...] = ()) -> Schema:
    schema: Schema = {"type": "object", "properties": properties, "additionalProperties": False}
    return {**schema, "required": list(required)} if required else schema


def given(kind: str, description: str, **limits: int) -> Schema:
    return {"type": kind, **limits, "description": description}


def text(description: str) -> Schema:
    return given("string", description, minLength=1, maxLength=NAME_LENGTH)


def device(examples: str = "'Floor Lamp' or 'kitchen light'") -> Schema:
    return text(f"As the user said it, for example {examples}")


def choice(description: str, *words: str) -> Schema:
    return {"type": "string", "enum": list(words), "description": description}


def nullable(kind: str) -> Schema:
    return {"type": [kind, "null"]}


STRING: Final[Schema] = {"type": "string"}
INTEGER: Final[Schema] = {"type": "integer"}
NUMBER: Final[Schema] = {"type": "number"}
FLAG: Final[Schema] = {"type": "boolean"}
TEXTS: Final[Schema] = {"type": "array", "items": STRING}


def list_of(*optional: str, **fields: Schema) -> Schema:
    """A list of objects that have these fields; those that are named first only some have."""
    required = [name for name in fields if name not in optional]
    return {"type": "array", "items": {"type": "object", "properties": fields, "required": required}}
