"""Repair toward the schema, then honest refusal."""

import copy
import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.fakes.some_tools import ZWAVE_SCHEMA, Seen, mcp_tool, outcome_of

from voice_gateway.errors import BadArguments
from voice_gateway.tools.prepared import as_object, repair, to_camel_case
from voice_gateway.tools.schema import compile_check, signature


def repaired(args: Any, schema: Any, *, by_rule: bool = True, name: str = "tool") -> dict[str, Any]:
    return repair(args, schema, name, by_rule=by_rule).args


def one(schema: Any, value: Any, *, required: bool = True) -> Any:
    whole = {"type": "object", "properties": {"x": schema}, "required": ["x"] if required else []}
    return repaired({"x": value}, whole).get("x", "dropped")


VALUES = yaml.safe_load(Path(__file__).with_name("values.yaml").read_text(encoding="utf-8"))


def test_a_value_is_changed_only_where_the_schema_forbids_it_and_the_meaning_is_plain():
    huge = "9" * 5000
    rows = [*VALUES, ({"type": "integer"}, huge, huge)]
    got = [(schema, value, one(schema, value), wanted) for schema, value, wanted in rows]
    assert [row for row in got if repr(row[2]) != repr(row[3])] == []
    deep: list[Any] = []
    for _ in range(5000):
        deep = [deep]
    assert one({"type": "string"}, deep) is deep
    assert "cannot be written as JSON" in compile_check({"type": "string"}, "take")(deep)[0].why


@pytest.mark.parametrize("nothing", [None, "  "])
def test_nothing_for_an_optional_parameter_is_left_out_and_for_a_required_one_kept(nothing):
    assert one({"type": "integer"}, nothing, required=False) == "dropped"
    assert one({"enum": ["on"]}, nothing, required=False) == "dropped"
    assert one({"type": "integer"}, nothing) == nothing
    assert one({"type": ["integer", "null"]}, None, required=False) is None
    assert one({"type": "string"}, "", required=False) == ""


@pytest.mark.parametrize("by_rule", [True, False])
def test_a_name_is_matched_to_the_only_declared_one_that_is_alike(by_rule):
    names = {
        "deviceName": ("device_name", "DeviceName", "device-name", "DEVICE NAME"),
        "device_name": ("deviceName", "devicename"),
    }
    for declared, others in names.items():
        schema = {"type": "object", "properties": {declared: {"type": "string"}}}
        assert [repaired({name: "x"}, schema, by_rule=by_rule) for name in others] == [
            {declared: "x"} for _ in others
        ]
    two = {"type": "object", "properties": {"roomName": {}, "room_name": {}}}
    assert repaired({"ROOMNAME": "x"}, two, by_rule=by_rule) == {"ROOMNAME": "x"}


@pytest.mark.parametrize("nothing", [None, ""])
def test_nothing_under_one_name_gives_way_to_something_under_another(nothing):
    schema = {"type": "object", "properties": {"deviceName": {"type": "string"}}}
    assert repaired({"deviceName": nothing, "device_name": "Lamp"}, schema) == {"deviceName": "Lamp"}
    assert repaired({"device_name": "Lamp", "deviceName": nothing}, schema) == {"deviceName": "Lamp"}
    both = {"device_name": "Lamp", "DEVICE_NAME": "Other"}
    assert repaired(both, schema) == {"deviceName": "Lamp", "DEVICE_NAME": "Other"}


def test_the_rule_is_for_undeclared_names_of_servers_that_take_any():
    opened = {"type": "object", "additionalProperties": True, "properties": {"a": {}}}
    closed = {"type": "object", "properties": {"a": {}}}
    assert repaired({"new_name": 1}, opened) == {"newName": 1}
    assert repaired({"new_name": 1}, opened, by_rule=False) == {"new_name": 1}
    assert repaired({"new_name": 1}, closed) == {"new_name": 1}, "refused under the name that was given"
    assert to_camel_case("__a_bc__d") == "aBcD"
    assert to_camel_case("_") == "_"


async def test_an_argument_that_only_repeats_the_tools_name_is_left_out_and_logged(caplog):
    caplog.set_level("INFO")
    seen = Seen()
    args = {"deviceName": "Heater", "action": "off", "type": "control_zwave_device"}

    outcome = await outcome_of(mcp_tool(seen=seen), args)

    assert outcome.ok
    assert seen.last == {"deviceName": "Heater", "action": "off"}
    (record,) = [record for record in caplog.records if record.getMessage() == "arguments left out"]
    assert record.parameters == ["type"]
    assert (await outcome_of(mcp_tool(), {**args, "type": "switch"})).error == "bad_arguments"


@pytest.mark.parametrize(
    ("raw", "wanted"),
    [({"a": 1}, {"a": 1}), (None, {}), ("", {}), ('{"a": 1}', {"a": 1}), ('"{}"', {}), ({1: 2}, {"1": 2})],
)
def test_one_object_of_named_values(raw, wanted):
    assert as_object(raw) == wanted


@pytest.mark.parametrize("raw", ["x", "[1]", "1", [], [{}], 1, True, b"{}", "{" * 100_000])
def test_anything_else_is_no_object(raw):
    with pytest.raises(BadArguments, match="must be one object of named values"):
        as_object(raw)


def test_a_signature_says_types_choices_limits_and_what_is_optional():
    schema = {
        "type": "object",
        "properties": {
            "zone": {"anyOf": [{"type": "string"}, {"type": "null"}]},
            "days": {"type": "array", "items": {"enum": ["mon", "tue"]}},
            "tree": {"$ref": "#/$defs/tree"},
            "low": {"type": "number", "minimum": 1},
            "any": {},
        },
        "required": ["days"],
        "$defs": {"tree": {"type": "array", "items": {"$ref": "#/$defs/tree"}}},
    }
    assert signature("plan", schema) == (
        "plan(zone?: string, days: array of mon|tue, tree?: array of array of array of array, "
        "low?: number from 1, any?: any)"
    )
    assert signature("plan", {"properties": [], "required": 5}) == "plan()"


# --- for all arguments and schemas ---

scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8)
texts = st.sampled_from(
    ["50", "1.5", "true", "ON", "{}", "[1]", "null", "", " ", "{", "control_zwave_device"]
)
json_values = st.recursive(
    scalars | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
names = st.sampled_from(
    ["deviceName", "device_name", "DEVICENAME", "level", "Level", "a_b", "aB", "type", "input"]
)
simple = st.sampled_from(
    [
        {},
        {"type": "string"},
        {"type": "integer", "minimum": 0, "maximum": 100},
        {"type": "number"},
        {"type": "boolean"},
        {"enum": ["on", "off", 3]},
        {"type": ["integer", "null"]},
        {"anyOf": [{"type": "boolean"}, {"type": "string"}]},
        {"$ref": "#/$defs/word"},
    ]
)
parameters = st.recursive(
    simple,
    lambda inner: (
        inner.map(lambda items: {"type": "array", "items": items})
        | st.dictionaries(names, inner, max_size=2).map(lambda found: {"type": "object", "properties": found})
    ),
    max_leaves=4,
)
schemas = st.builds(
    lambda found, required, extra: {
        "type": "object",
        "properties": found,
        "required": [name for name in found if name in required],
        "$defs": {"word": {"type": "string"}},
        **extra,
    },
    st.dictionaries(names, parameters, max_size=4),
    st.sets(names, max_size=2),
    st.sampled_from([{}, {"additionalProperties": True}, {"additionalProperties": False}]),
)
arguments = st.dictionaries(names | st.text(max_size=4), json_values, max_size=4)


@given(arguments, schemas, st.booleans())
@settings(deadline=None)
def test_repair_never_fails_never_changes_its_input_and_is_done_after_once(args, schema, by_rule):
    before = copy.deepcopy((args, schema))
    once = repaired(args, schema, by_rule=by_rule, name="control_zwave_device")
    assert (args, schema) == before
    assert repaired(once, schema, by_rule=by_rule, name="control_zwave_device") == once or "input" in args


@given(arguments, schemas)
@settings(deadline=None)
def test_what_the_schema_accepts_is_not_touched(args, schema):
    known = {name: value for name, value in args.items() if name in schema["properties"]}
    if jsonschema.Draft202012Validator(schema).is_valid(known):
        assert repaired(known, schema) == known


@given(st.dictionaries(st.text(max_size=6), json_values, max_size=4) | json_values, json_values)
@settings(deadline=None)
def test_a_broken_schema_breaks_nothing(args, schema):
    broken = {"type": "object", "properties": schema, "required": schema, "$ref": "#/nowhere"}
    found = args if isinstance(args, dict) else {"x": args}
    assert isinstance(repaired(found, broken), dict)
    assert isinstance(signature("tool", broken), str)
    assert isinstance(repaired({"x": args}, {"properties": {"x": schema}}), dict)


@given(st.sampled_from(["on", "off", "dim"]), st.integers(0, 100), st.text(min_size=1, max_size=10))
@settings(deadline=None)
def test_every_way_a_small_model_writes_a_call_reaches_the_same_arguments(action, level, device):
    wanted = {"deviceName": device, "action": action, "level": level}
    plain = {"device_name": device, "command": action.upper(), "level": str(level)}
    for way in (plain, {"arguments": plain}, {"input": json.dumps(plain)}):
        assert repaired(way, ZWAVE_SCHEMA, name="control_zwave_device") == wanted
