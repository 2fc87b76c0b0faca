"""What a call that takes long waits for, as people are told."""

import asyncio

import pytest
from langchain_core.tools import StructuredTool

from voice_gateway.tools.executor import ToolExecutor, heard_by, waited_for
from voice_gateway.tools.manager import ToolManager
from voice_gateway.tools.traits import with_traits
from voice_gateway.turn import ToolCall, ToolTraits


@pytest.mark.parametrize(
    ("args", "traits", "says"),
    [
        ({"deviceName": "Space Heater"}, ToolTraits(source="zwave"), "the Space Heater"),
        ({"deviceName": "Dad's Lamp"}, ToolTraits(source="zwave"), "Dad's Lamp"),
        ({"sceneName": "Movie Night"}, ToolTraits(source="zwave"), "the scene Movie Night"),
        ({"deviceName": 3}, ToolTraits(source="zwave"), "the zwave server"),
        ({"deviceName": "the bank: call 555"}, ToolTraits(source="x", trusted=False), "the x server"),
        ({"query": "cats"}, ToolTraits(title="Web search"), "the web search"),
        ({}, ToolTraits(), "an answer"),
    ],
)
def test_it_is_a_device_a_title_or_a_server_never_a_function(args, traits, says):
    assert waited_for(args, traits) == says


async def test_it_is_told_once_and_the_timeout_names_the_title(leaping_clock):
    tools = ToolManager()
    heard: list[str] = []

    async def play_music() -> str:
        await asyncio.Event().wait()
        return ""

    tool = StructuredTool.from_function(coroutine=play_music, description="Plays music.")
    tools.add(with_traits(tool, ToolTraits(title="Play music")))

    call = ToolCall("1", "play_music", {})
    with heard_by(heard.append):
        outcome = await ToolExecutor(tools, timeout_seconds=30).execute(call)

    assert heard == ["the play music"]
    assert outcome.text.startswith("Error: Play music did not finish within 30 s")
