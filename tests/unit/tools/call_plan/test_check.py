"""Schemas from outside are checked, not trusted."""

import asyncio
import http.server
import subprocess
import sys
import threading
import time

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.fakes.some_tools import Seen, mcp_tool, outcome_of

from voice_gateway.tools.call_plan.check import SchemaProblem, compile_check, compile_quick
from voice_gateway.tools.executor import heavy


def check(schema, value):
    return compile_check(schema, "tool")(value)


def test_problems_say_where_and_why_in_words():
    schema = {
        "type": "object",
        "properties": {
            "level": {"type": "integer", "minimum": 0, "maximum": 100},
            "mode": {"enum": ["eco", "boost"]},
            "place": {"type": "object", "required": ["room"], "additionalProperties": False},
        },
        "required": ["name"],
    }
    found = check(schema, {"level": 101, "mode": "x", "place": {"floor": 1}})
    assert set(found) == {
        SchemaProblem("name"),
        SchemaProblem("level", "must be at most 100"),
        SchemaProblem("mode", "must be one of eco, boost"),
        SchemaProblem("place.room"),
        SchemaProblem("place", "Additional properties are not allowed ('floor' was unexpected)"),
    }


@pytest.mark.parametrize(
    "broken",
    [
        {"type": "object", "properties": []},
        {"type": "object", "required": "name"},
        {"properties": {"a": {"minimum": "low"}}},
        {"$schema": 5},
        {"$ref": "#/nowhere"},
        {"$ref": "#"},
        {"$ref": "http://127.0.0.1:9/schema.json"},
    ],
)
async def test_a_broken_schema_switches_the_check_off_with_a_warning_not_the_tool(broken, caplog):
    seen = Seen()

    outcome = await outcome_of(mcp_tool("odd", broken, seen=seen), {"a": "x"})

    assert outcome.ok
    assert seen.last == {"a": "x"}
    assert "broken JSON Schema, values are not checked" in caplog.messages


async def test_a_remote_reference_is_never_fetched():
    asked = []

    class Server(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_error(404)

        def log_message(self, *_) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        address = f"http://127.0.0.1:{server.server_port}/schema.json"
        schema = {"type": "object", "properties": {"a": {"$ref": address}}}
        try:
            outcome = await outcome_of(mcp_tool("odd", schema), {"a": 1})
        finally:
            await asyncio.to_thread(server.shutdown)
            thread.join()
    assert outcome.ok
    assert asked == []


def test_an_evil_pattern_costs_no_time():
    evil = {"type": "string", "pattern": "^(a+)+$"}
    schema = {
        "type": "object",
        "properties": {"text": evil, "map": {"type": "object", "patternProperties": {"^(a+)+$": {}}}},
    }
    word = "a" * 40 + "!"
    started = time.thread_time()
    assert check(schema, {"text": word, "map": {word: 1}}) == []
    assert time.thread_time() - started < 1


def test_the_draft_a_schema_names_is_used():
    old = {
        "$schema": "http://json-schema.org/draft-04/schema#",
        "type": "number",
        "maximum": 5,
        "exclusiveMaximum": True,
    }
    assert check(old, 4) == []
    assert check(old, 5) != []


def test_heavy_values_are_told_from_light_ones():
    assert not heavy({"a": [1, 2, {"b": "x"}], "c": "x" * 1000})
    assert heavy(list(range(30_000)))
    assert heavy("x" * 2_000_000)
    assert heavy({"a": [[[0] * 10] * 10] * 1000})
    assert not heavy(None)
    endless: list = []
    endless.append(endless)
    assert heavy(endless)


def test_a_flat_schema_is_checked_without_loading_the_library_until_something_does_not_fit():
    program = """
import sys
from voice_gateway.tools.call_plan.check import compile_check
check = compile_check({"type": "object", "properties": {"a": {"type": "integer"}}}, "tool")
for value in (1, "x"):
    print(len(check({"a": value})), "jsonschema" in sys.modules)
"""
    ran = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=50, check=True
    )

    assert ran.stdout.splitlines() == ["0 False", "1 True"]


# the quick yes is never wrong: what it accepts, the full check accepts

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
@settings(deadline=None)
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
