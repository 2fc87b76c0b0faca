"""Schemas from outside are checked, not trusted."""

import socket
import time

import pytest
from tests.fakes.some_tools import Seen, mcp_tool, outcome_of

from voice_gateway.tools.schema import SchemaProblem, compile_check


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
        SchemaProblem("level", "is greater than the maximum of 100"),
        SchemaProblem("mode", 'is not one of "eco" or "boost"'),
        SchemaProblem("place.room"),
        SchemaProblem("place", "False schema does not allow"),
    }


@pytest.mark.parametrize(
    "broken",
    [
        {"type": "object", "properties": []},
        {"type": "object", "required": "name"},
        {"properties": {"a": {"minimum": "low"}}},
        {"$schema": 5},
        {"$ref": "#/nowhere"},
    ],
)
async def test_a_broken_schema_switches_the_check_off_with_a_warning_not_the_tool(broken, caplog):
    seen = Seen()

    outcome = await outcome_of(mcp_tool("odd", broken, seen=seen), {"a": "x"})

    assert outcome.ok
    assert seen.last == {"a": "x"}
    assert "broken JSON Schema, values are not checked" in caplog.messages


def test_a_remote_reference_is_never_fetched():
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.setblocking(False)
        address = f"http://127.0.0.1:{server.getsockname()[1]}/schema.json"

        assert check({"properties": {"a": {"$ref": address}}}, {"a": 1}) == []

        with pytest.raises(BlockingIOError):  # there is no connection to accept
            server.accept()


def test_an_evil_pattern_costs_no_time():
    evil = {"type": "string", "pattern": "^(a+)+$"}
    schema = {
        "type": "object",
        "properties": {"text": evil, "map": {"type": "object", "patternProperties": {"^(a+)+$": {}}}},
    }
    word = "a" * 40 + "!"
    started = time.thread_time()
    assert check(schema, {"text": word, "map": {word: 1}}) == [
        SchemaProblem("text", 'does not match "^(a+)+$"')
    ]
    assert time.thread_time() - started < 1


@pytest.mark.parametrize("value", [object(), {1: 2}, "lone \ud800", {1, 2}])
def test_a_value_that_json_cannot_say_is_a_problem_and_no_crash(value):
    (problem,) = check({"type": "object", "properties": {"a": {"type": "integer"}}}, {"a": value})
    assert "cannot be written as JSON" in problem.why
