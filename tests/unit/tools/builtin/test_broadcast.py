"""Announcements to everybody in the house."""

import pytest

from voice_gateway.errors import BadArguments, ToolUnavailable
from voice_gateway.tools.builtin.broadcast import broadcast_tool
from voice_gateway.tools.gateway_tool import typed


async def said_to(told: list[str], message: str, *, heard: bool = True) -> str:
    async def announce(text: str) -> bool:
        told.append(text)
        return heard

    call = {"type": "tool_call", "id": "1", "name": "broadcast", "args": {"message": message}}
    answer = await typed(broadcast_tool(announce)).ainvoke(call)
    return str(answer.content)


async def test_it_is_said_as_a_sentence() -> None:
    told: list[str] = []

    assert await said_to(told, " dinner is  ready ") == "I told everyone."
    assert told == ["Dinner is ready."]


async def test_where_nobody_else_hears_it_says_so() -> None:
    with pytest.raises(ToolUnavailable, match="voice-gateway run"):
        await said_to([], "dinner is ready", heard=False)


@pytest.mark.parametrize("message", ["", "   ", "x" * 301])
async def test_nothing_and_too_much_are_refused(message: str) -> None:
    with pytest.raises(BadArguments):
        await said_to([], message)
