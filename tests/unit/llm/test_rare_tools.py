"""Tools that are rarely needed: behind the words that call for them, and never in the prefix."""

from typing import Any

import pytest
from langchain_core.tools import BaseTool

from voice_gateway.llm.offer import make_offer
from voice_gateway.llm.ollama.qwen_format import to_qwen_tool
from voice_gateway.llm.prompt import USE_TOOL, note_for, tokens_of, unwrapped
from voice_gateway.tools.gateway_tool import declared_tool
from voice_gateway.tools.manager import ToolManager
from voice_gateway.turn import ToolCall, ToolTraits


def tool(name: str, *words: str, stranger: bool = False) -> BaseTool:
    async def run(**_arguments: Any) -> str:
        return "done"

    schema = {
        "type": "object",
        "properties": {"deviceName": {"type": "string"}, "action": {"type": "string", "enum": ["a", "b"]}},
        "required": ["deviceName"],
    }
    traits = ToolTraits(
        source="home", original_name=name, summary=f"Does {name}.", called_for=words, trusted=not stranger
    )
    return declared_tool(name, f"REQUIRED for {name}.", schema, run, traits)


def offer_of(*tools: BaseTool, budget: int | None = 10_000, priority: tuple[str, ...] = ()) -> Any:
    manager = ToolManager()
    manager.add_mcp_tools("home", list(tools))
    return make_offer(
        manager, cost=lambda one: tokens_of(to_qwen_tool(one)), budget=budget, priority=priority
    )


def test_a_rare_tool_is_called_through_one_that_is_always_there() -> None:
    offer = offer_of(tool("lamp"), tool("rename", "rename", "call"))

    assert [one.name for one in offer.tools] == ["lamp", USE_TOOL]
    assert offer.names() == {"lamp", USE_TOOL, "rename"}


def test_what_the_configuration_names_is_never_rare() -> None:
    offer = offer_of(tool("lamp"), tool("rename", "rename"), priority=("rename",))
    assert (sorted(one.name for one in offer.tools), offer.rare) == (["lamp", "rename"], ())


def test_a_strangers_tool_never_stands_beside_the_users_words() -> None:
    offer = offer_of(tool("lamp"), tool("trick", "lamp", stranger=True))
    assert (note_for("turn on the lamp", offer.rare), len(offer.tools)) == ("", 2)


def test_the_note_names_the_tool_only_when_the_words_call_for_it() -> None:
    rare = offer_of(tool("rename", "rename", "new name"), tool("route", "route")).rare

    assert note_for("turn on the lamp", rare) == ""
    assert note_for("please give it a new name", rare) == (
        "[For this there is also, only by use_tool: rename(deviceName: string, action?: a|b): Does rename.]"
    )
    assert "route" in note_for("rename it and repair its ROUTES", rare)


@pytest.mark.parametrize("arguments", [{"deviceName": "x"}, '{"deviceName": "x"}'])
def test_the_call_that_is_meant_is_made_of_it(arguments: Any) -> None:
    call = ToolCall("1", USE_TOOL, {"name": "rename", "arguments": arguments})
    assert unwrapped(call) == ToolCall("1", "rename", {"deviceName": "x"})


@pytest.mark.parametrize(
    "args", [{}, {"name": 3}, {"name": "x", "arguments": "{"}, {"name": "x", "arguments": [1]}, "x"]
)
def test_what_cannot_be_read_stays_as_it_is(args: Any) -> None:
    assert unwrapped(ToolCall("1", USE_TOOL, args)).name == USE_TOOL
