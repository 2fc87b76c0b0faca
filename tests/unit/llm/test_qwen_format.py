"""Whatever a tool's schema looks like, what Ollama gets is flat, valid, and keeps what matters."""

import json
from pathlib import Path
from typing import Any

import yaml
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


def test_one_parameter() -> None:
    root = {"$defs": {"lamp": {"type": "string", "enum": ["a", "b"]}}}
    for case in yaml.safe_load(Path(__file__).with_name("parameters.yaml").read_text()):
        assert flat_property(case["part"], root) == case["flat"], case
        Draft202012Validator.check_schema(case["flat"])


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
