"""The quick yes is never wrong: what it accepts, the full check accepts."""

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from voice_gateway.tools.call_plan.quick_check import compile_quick

FORMS = (
    {"type": "string"},
    {"type": "integer", "minimum": 0, "maximum": 100},
    {"type": "number", "maximum": 1.5},
    {"type": "boolean"},
    {"type": "boolean", "minimum": 1},
    {"enum": ["on", "off"]},
    {"type": "string", "enum": ["on", "off"], "description": "x"},
    {"type": "string", "minimum": 5},
    {"type": "integer", "pattern": "x"},
    {"enum": [1, "1"]},
    {"type": "integer", "enum": ["on"]},
    {},
)
values = st.sampled_from(
    ["on", "ON", "x", "", 0, 1, 50, 101, -1, 1.0, 1.4, 1.6, True, False, None, [], {}, float("nan")]
)
names = st.sampled_from(["a", "b", "c"])
schemas = st.builds(
    lambda found, required, extra: {
        "type": "object",
        "properties": found,
        "required": sorted(required),
        **extra,
    },
    st.dictionaries(names, st.sampled_from(FORMS), max_size=3),
    st.sets(names, max_size=2),
    st.sampled_from([{}, {"additionalProperties": False}, {"minProperties": 2}]),
)


@given(schemas, st.dictionaries(names, values, max_size=3) | values)
@settings(max_examples=500, deadline=None)
def test_a_quick_yes_is_a_yes_of_the_full_check(schema, value):
    quick = compile_quick(schema)
    if quick is not None and quick(value):
        assert jsonschema.Draft202012Validator(schema).is_valid(value)


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        ({"a": 5, "b": "on"}, True),
        ({"a": 5}, True),
        ({"b": "on"}, False),
        ({"a": True}, False),
        ({"a": 5, "x": 1}, False),
    ],
)
def test_ordinary_calls_are_decided_quickly(value, wanted):
    quick = compile_quick(
        {
            "type": "object",
            "properties": {"a": {"type": "integer", "minimum": 0}, "b": {"enum": ["on", "off"]}},
            "required": ["a"],
        }
    )
    assert quick is not None
    assert quick(value) is wanted


def test_a_schema_that_is_not_flat_is_left_to_the_full_check():
    assert compile_quick({"type": "object", "required": "a"}) is None
    assert (
        compile_quick({"type": "object", "properties": {"a": {"type": "integer", "minimum": "low"}}}) is None
    )
    assert compile_quick({"type": "object", "properties": {"a": {"$ref": "#"}}}) is None
    assert compile_quick({"type": "object", "properties": {}, "anyOf": []}) is None


def test_a_tool_without_parameters_is_decided_quickly_too():
    quick = compile_quick({"type": "object"})
    assert quick is not None
    assert quick({})
    assert not quick({"a": 1}), "left to the full check"
