"""Which tools a model sees: all, or shorter ones, or fewer, and always by the same rule."""

from datetime import UTC, datetime
from typing import Any

import pytest
from langchain_core.tools import BaseTool, StructuredTool

from voice_gateway.config import ToolsSettings
from voice_gateway.llm.offer import Offering, make_offer, shorter
from voice_gateway.llm.ollama.qwen_format import to_qwen_tool
from voice_gateway.llm.prompt import tokens_of
from voice_gateway.tools.builtin import builtin_tools
from voice_gateway.tools.manager import ToolManager
from voice_gateway.tools.traits import schema_of
from voice_gateway.turn import ToolTraits

TEXT = (
    "REQUIRED for lamps: you MUST call this. Use it whenever the user asks about light. "
    "DO NOT use for heaters.\n"
    'Good: "lamp on", "dim it". Bad: "heater on".'
)


def tool(name: str, server: str = "home", description: str = TEXT) -> BaseTool:
    async def run(level: int) -> str:
        return "on"

    schema: dict[str, Any] = {
        "type": "object",
        "properties": {
            "level": {"type": "integer", "description": "How bright, for example 30. Avoid more than 99."},
            "description": {"type": "string", "description": "Words. Good: short."},
        },
    }
    traits = ToolTraits(source=server, original_name=name)
    return StructuredTool(
        name=name, description=description, args_schema=schema, coroutine=run, metadata={"traits": traits}
    )


def cost(tool: BaseTool) -> int:
    return tokens_of(to_qwen_tool(tool))


def manager(*names: str) -> ToolManager:
    made = ToolManager()
    made.add(tool("builtin_clock", server="builtin"))
    made.add_mcp_tools("home", [tool(name) for name in names])
    return made


def test_within_the_budget_the_tools_themselves_are_offered() -> None:
    tools = manager("a", "b")
    offer = make_offer(tools, cost=cost, budget=10_000)

    assert all(one is other for one, other in zip(offer.tools, tools.all(), strict=True))
    assert (offer.shortened, offer.left_out) == (False, {})
    assert offer.tokens == sum(cost(tool) for tool in tools.all())
    assert make_offer(tools, cost=cost).tools == offer.tools


def test_words_go_before_tools() -> None:
    tools = manager("a", "b")
    full = make_offer(tools, cost=cost).tokens

    offer = make_offer(tools, cost=cost, budget=full - 1)
    assert offer.shortened
    assert not offer.left_out
    assert [tool.name for tool in offer.tools] == ["builtin_clock", "a", "b"]
    first = offer.tools[1]
    assert first.description == "REQUIRED for lamps: you MUST call this."
    properties = schema_of(first)["properties"]
    assert properties["level"]["description"] == "How bright, for example 30."
    assert properties["description"] == {"type": "string", "description": "Words."}
    assert tools.all()[1].description == TEXT


def test_tools_are_left_out_by_priority_then_builtin_then_order() -> None:
    tools = manager("a", "b", "c", "d")
    least = make_offer(tools, cost=cost, budget=0)
    assert least.tools == ()
    assert set(least.left_out) == {"builtin_clock", "a", "b", "c", "d"}
    each = cost(make_offer(tools, cost=cost, budget=10_000).tools[1]) // 2

    names = {
        priority: [
            tool.name for tool in make_offer(tools, cost=cost, budget=3 * each, priority=priority).tools
        ]
        for priority in [(), ("d",), ("home__c", "d")]
    }
    assert names[()][0] == "builtin_clock"
    assert names[()][1:] == ["a", "b", "c"][: len(names[()]) - 1]
    assert "d" in names[("d",)]
    assert {"c", "d"} <= set(names[("home__c", "d")])
    again = [tool.name for tool in make_offer(tools, cost=cost, budget=3 * each).tools]
    assert again == names[()]


def test_the_offer_is_made_again_only_when_tools_or_year_change() -> None:
    now = datetime(2026, 12, 31, 23, 59, tzinfo=UTC)
    tools = ToolManager()
    for builtin in builtin_tools(ToolsSettings()):
        tools.add(builtin)
    offering = Offering(tools, lambda: now, cost=cost)

    first = offering.current()
    assert offering.current() is first
    assert any("2026" in str(schema_of(tool)) for tool in first.tools)
    now = datetime(2027, 1, 1, tzinfo=UTC)
    second = offering.current()
    assert second is not first
    assert any("2027" in str(schema_of(tool)) for tool in second.tools)
    tools.add(tool("new", server="builtin"))
    assert offering.current() is not second


@pytest.mark.parametrize(
    ("text", "short"),
    [
        (TEXT, "REQUIRED for lamps: you MUST call this."),
        ("Level (e.g. 30), 0 to 99. Avoid 5.", "Level (e.g. 30), 0 to 99."),
        ("Its name\nGood: Lamp", "Its name"),
        ("", ""),
    ],
)
def test_the_first_sentence_stays(text: str, short: str) -> None:
    assert shorter(text) == short
