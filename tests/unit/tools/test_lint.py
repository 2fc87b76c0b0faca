"""The linter reads whatever a server sends."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.tools import BaseTool, StructuredTool

from voice_gateway.tools.lint import estimate_tokens, lint

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=10), inner, max_size=3),
    max_leaves=10,
)


def tool(description: str, properties: Any = None) -> BaseTool:
    async def run(**arguments: Any) -> str:
        return ""

    schema = {"type": "object", "properties": properties if properties is not None else {}}
    return StructuredTool(name="t", description=description, args_schema=schema, coroutine=run)


@given(st.text(min_size=1, max_size=300), st.dictionaries(st.text(max_size=10), json_values, max_size=4))
def test_any_definition_is_read(description: str, properties: dict[str, Any]) -> None:
    for finding in lint(tool(description, properties)):
        assert finding.row in {"DEF-2", "DEF-7", "DEF-8"}
        assert finding.problem
        assert finding.advice


@pytest.mark.parametrize("properties", [[], "x", 3, {"a": True}, {"a": None}, {"a": {"description": 5}}])
def test_a_strange_schema_is_no_crash(properties: Any) -> None:
    assert {finding.row for finding in lint(tool("Reads the meter.", properties))} >= {"DEF-7"}


def test_a_plain_description_gets_all_the_advice() -> None:
    found = lint(tool("Reads the meter.", {"id": {"type": "string", "description": "the meter"}}))

    assert [finding.row for finding in found] == ["DEF-2", "DEF-2", "DEF-7", "DEF-7", "DEF-7", "DEF-7"]
    assert '"id"' in found[1].problem


def test_a_long_description_is_read_quickly() -> None:
    assert lint(tool('REQUIRED. "' * 100_000))


def test_other_scripts_cost_more_tokens() -> None:
    assert estimate_tokens("ab" * 30) < estimate_tokens("明天" * 30)
