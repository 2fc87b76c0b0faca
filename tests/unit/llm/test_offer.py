"""Which tools a model sees: all, or shorter ones, or fewer, and always by the same rule."""

from datetime import UTC, datetime
from typing import Any

import pytest
from langchain_core.tools import BaseTool, StructuredTool

from voice_gateway.config import ToolsSettings
from voice_gateway.llm.offer import Offer, Offering, make_offer, shorter
from voice_gateway.llm.ollama.qwen_format import to_qwen_tool
from voice_gateway.llm.prompt import USE_TOOL, note_for, tokens_of, unwrapped
from voice_gateway.tools.builtin import builtin_tools
from voice_gateway.tools.manager import ToolManager
from voice_gateway.tools.traits import schema_of
from voice_gateway.turn import ToolCall, ToolTraits

TEXT = (
    "REQUIRED for lamps: you MUST call this. Use it whenever the user asks about light. "
    "DO NOT use for heaters.\n"
    'Good: "lamp on", "dim it". Bad: "heater on".'
)


def tool(name: str, *called_for: str, server: str = "home", trusted: bool = True) -> BaseTool:
    async def run(level: int) -> str:
        return "on"

    schema: dict[str, Any] = {
        "type": "object",
        "properties": {
            "level": {"type": "integer", "description": "How bright, for example 30. Avoid more than 99."},
            "description": {"type": "string", "description": "Words. Good: short."},
        },
        "required": ["level"],
    }
    summary = f"Does {name}."
    traits = ToolTraits(server, name, summary=summary, called_for=called_for, trusted=trusted)
    return StructuredTool(
        name=name, description=TEXT, args_schema=schema, coroutine=run, metadata={"traits": traits}
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


# --- tools that are rarely needed: behind the words that call for them, and never in the prefix


def offer_of(*tools: BaseTool, priority: tuple[str, ...] = ()) -> Offer:
    manager = ToolManager()
    manager.add_mcp_tools("home", list(tools))
    return make_offer(manager, cost=cost, budget=10_000, priority=priority)


def test_a_rare_tool_is_called_through_one_that_is_always_there() -> None:
    offer = offer_of(tool("lamp"), tool("rename", "rename", "call"))

    assert [each.name for each in offer.tools] == ["lamp", USE_TOOL]
    assert offer.names() == {"lamp", USE_TOOL, "rename"}
    named = offer_of(tool("lamp"), tool("rename", "rename"), priority=("rename",))
    assert (sorted(named.names()), named.rare) == (["lamp", "rename"], ())


def test_the_note_names_a_trusted_tool_only_when_the_words_call_for_it() -> None:
    rare = offer_of(tool("rename", "rename", "new name"), tool("route", "route")).rare

    assert note_for("turn on the lamp", rare) == ""
    assert note_for("please give it a new name", rare) == (
        "[For this there is also, only by use_tool: "
        "rename(level: integer, description?: string): Does rename.]"
    )
    assert "route" in note_for("rename it and repair its ROUTES", rare)
    offer = offer_of(tool("lamp"), tool("trick", "lamp", trusted=False))
    assert (note_for("turn on the lamp", offer.rare), len(offer.tools)) == ("", 2)


@pytest.mark.parametrize(
    ("args", "call"),
    [
        ({"name": "rename", "arguments": {"level": 1}}, ("rename", {"level": 1})),
        ({"name": "rename", "arguments": '{"level": 1}'}, ("rename", {"level": 1})),
        *((args, (USE_TOOL, args)) for args in ({}, {"name": 3}, {"name": "x", "arguments": "{"}, "x")),
        ({"name": "x", "arguments": [1]}, (USE_TOOL, {"name": "x", "arguments": [1]})),
    ],
)
def test_the_call_that_is_meant_is_made_of_it(args: Any, call: tuple[str, Any]) -> None:
    made = unwrapped(ToolCall("1", USE_TOOL, args))
    assert (made.id, made.name, made.args) == ("1", *call)
