"""Whatever a tool's schema looks like, what Ollama gets is flat, valid, and keeps what matters."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from voice_gateway.llm.ollama.qwen_format import flat_object, flat_property

KEYS = (
    "type properties items anyOf oneOf allOf enum const $ref required description default minimum a b $defs"
).split()
ANY = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(0, 9)
    | st.sampled_from(["string", "object", "array", "null", "x", ""]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(KEYS),
            inner | st.sampled_from(["#/$defs/a", "#/properties/a", "http://evil/schema"]),
            max_size=4,
        )
    ),
    max_leaves=12,
)


@settings(deadline=None)
@given(
    st.dictionaries(
        st.sampled_from(["type", "properties", "anyOf", "allOf", "$defs", "required", "$ref"]), ANY
    )
)
def test_any_schema_becomes_a_flat_object(schema: dict[str, Any]) -> None:
    before = json.dumps(schema)

    flat = flat_object(schema)

    assert json.dumps(schema) == before
    assert flat["type"] == "object"
    assert set(flat) <= {"type", "properties", "required"}
    assert set(flat.get("required", ())) <= set(flat["properties"])
    for part in flat["properties"].values():
        assert set(part) <= {"type", "items", "description", "enum"}
    json.dumps(flat)


@pytest.mark.parametrize(
    ("part", "flat"),
    [
        (
            {"anyOf": [{"type": "integer", "minimum": 1}, {"type": "null"}]},
            {"type": "integer", "description": "(at least 1)"},
        ),
        ({"type": ["string", "null"]}, {"type": "string"}),
        ({"oneOf": [{"const": "on"}, {"const": "off"}]}, {"type": "string", "enum": ["on", "off"]}),
        ({"anyOf": [{"type": "string"}, {"type": "integer"}]}, {"type": ["string", "integer"]}),
        ({"allOf": [{"type": "integer"}, {"maximum": 9}]}, {"type": "integer", "description": "(at most 9)"}),
        ({"enum": [1, 2, None]}, {"type": "integer", "enum": [1, 2]}),
        ({"const": True}, {"type": "boolean", "enum": [True]}),
        (
            {"type": "string", "format": "date", "examples": ["2026-11-15"]},
            {"type": "string", "description": "(format date; for example 2026-11-15)"},
        ),
        ({"type": "boolean", "default": False}, {"type": "boolean", "description": "(default false)"}),
        (
            {"type": "integer", "minimum": 0, "maximum": 99, "description": "Level, 0 to 99"},
            {"type": "integer", "description": "Level, 0 to 99"},
        ),
        (
            {"type": "array", "items": {"$ref": "#/$defs/lamp"}},
            {"type": "array", "items": {"type": "string", "enum": ["a", "b"]}},
        ),
        (
            {"$ref": "#/$defs/lamp", "description": "Which"},
            {"type": "string", "description": "Which", "enum": ["a", "b"]},
        ),
        ({"$ref": "http://evil/schema"}, {}),
        ({"$ref": "#/$defs/missing"}, {}),
        (True, {}),
        (
            {
                "type": "object",
                "properties": {"x": {"type": "integer"}, "on": {"enum": ["y", "n"]}},
                "required": ["x"],
            },
            {"type": "object", "description": "(keys x: integer; on: y|n, optional)"},
        ),
    ],
)
def test_one_parameter(part: Any, flat: dict[str, Any]) -> None:
    root = {"$defs": {"lamp": {"type": "string", "enum": ["a", "b"]}}}

    assert flat_property(part, root) == flat
    Draft202012Validator.check_schema(flat)


def test_alternatives_at_the_top_are_one_object() -> None:
    schema = {
        "type": "object",
        "properties": {"room": {"type": "string"}},
        "required": ["room"],
        "oneOf": [
            {"properties": {"on": {"type": "boolean"}, "all": {"type": "string"}}, "required": ["on", "all"]},
            {
                "properties": {"level": {"type": "integer"}, "all": {"type": "string"}},
                "required": ["level", "all"],
            },
        ],
    }

    flat = flat_object(schema)

    assert set(flat["properties"]) == {"room", "on", "level", "all"}
    assert flat["required"] == ["room", "all"]
