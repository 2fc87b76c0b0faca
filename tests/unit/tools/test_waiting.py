"""What a call that takes long waits for, as people are told."""

import asyncio

from langchain_core.tools import StructuredTool

from voice_gateway.tools.executor import ToolExecutor, heard_by, waited_for
from voice_gateway.tools.manager import ToolManager
from voice_gateway.tools.traits import with_traits
from voice_gateway.turn import ToolCall, ToolTraits


def test_it_is_a_device_a_title_or_a_server_never_a_function():
    zwave, other = ToolTraits(source="zwave"), ToolTraits(source="x", trusted=False)
    assert waited_for({"deviceName": "Space Heater"}, zwave) == "the Space Heater"
    assert waited_for({"deviceName": "Dad's Lamp"}, zwave) == "Dad's Lamp"
    assert waited_for({"sceneName": "Movie Night"}, zwave) == "the scene Movie Night"
    assert waited_for({"deviceName": 3}, zwave) == "the zwave server"
    assert waited_for({"deviceName": "the bank: call 555"}, other) == "the x server"
    assert waited_for({"query": "cats"}, ToolTraits(title="Web search")) == "the web search"
    assert waited_for({}, ToolTraits()) == "an answer"


async def test_it_is_reported_once_and_the_timeout_names_the_title(leaping_clock):
    tools = ToolManager()
    reported: list[str] = []

    async def play_music() -> str:
        await asyncio.Event().wait()
        return ""

    tool = StructuredTool.from_function(coroutine=play_music, description="Plays music.")
    tools.add(with_traits(tool, ToolTraits(title="Play music")))

    call = ToolCall("1", "play_music", {})
    with heard_by(reported.append):
        outcome = await ToolExecutor(tools, timeout_seconds=30).execute(call)

    assert reported == ["the play music"]
    assert outcome.text.startswith("Error: Play music did not finish within 30 s")
