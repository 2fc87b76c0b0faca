"""What the server would refuse anyway is told before anybody is asked for a yes."""

from pathlib import Path

import pytest
from langchain_core.tools import BaseTool, StructuredTool
from tests.fakes.locked_house import Scripted

from voice_gateway.config import BrainSettings, PermissionSettings
from voice_gateway.conversation.conversation import Conversation
from voice_gateway.errors import ToolError
from voice_gateway.tools.executor import ToolExecutor
from voice_gateway.tools.manager import ToolManager
from voice_gateway.tools.traits import with_traits
from voice_gateway.turn import Reply, ToolCall, ToolTraits, Utterance
from zwave_mcp.simulated.home import SimulatedHome
from zwave_mcp.tools import Tools

HOME = """
[home]
radio_seconds = 0.0

[[device]]
name = "Dryer"
kind = "plug"
parameter = [{ number = 20, name = "Power Limit", value = 2500, maximum = 3600, unit = "W" }]
"""


class House:
    def __init__(self, folder: Path, parameter: str, value: str) -> None:
        (folder / "home.toml").write_text(HOME, encoding="utf-8")
        self.server = Tools(SimulatedHome(folder / "home.toml", folder / "state.json"))
        manager = ToolManager()
        for name in ("get_zwave_parameters", "set_zwave_parameter"):
            manager.add(self._tool(name, read_only=name.startswith("get")))
        executor = ToolExecutor(manager)
        args = {"deviceName": "Dryer", "parameter": parameter, "value": value}
        stage = Scripted(executor, [ToolCall("1", "set_zwave_parameter", args)])
        self.talk = Conversation([stage], executor, BrainSettings(), PermissionSettings())

    def _tool(self, name: str, *, read_only: bool) -> BaseTool:
        async def call(deviceName: str, parameter: str, value: str | None = None) -> str:  # noqa: N803
            given = {"deviceName": deviceName, "parameter": parameter} | ({"value": value} if value else {})
            answer = await self.server.call(name, given)
            if answer.is_error:
                raise ToolError(answer.sentence, structured=answer.structured)
            return answer.sentence

        tool = StructuredTool.from_function(coroutine=call, name=name, description="Of parameters.")
        changes = not read_only
        traits = ToolTraits(source="zwave", original_name=name, read_only=read_only, destructive=changes)
        return with_traits(tool, traits)

    async def hears(self, text: str) -> Reply:
        return await self.talk.answer(Utterance(text, channel="cli"))

    async def limit(self) -> str:
        asked = {"deviceName": "Dryer", "parameter": "20"}
        return (await self.server.call("get_zwave_parameters", asked)).sentence


@pytest.mark.parametrize(
    ("parameter", "value", "told"),
    [
        ("power limit", "9999", "9999 is out of range for Power Limit; it can be from 0 to 3600 watts."),
        ("power limit", "blue", '"blue" is no value of Power Limit'),
        ("colour", "1", 'The Dryer has no parameter called "colour"; there is Power Limit.'),
    ],
)
async def test_a_parameter_that_cannot_be_is_not_asked_about(
    tmp_path: Path, parameter: str, value: str, told: str
) -> None:
    house = House(tmp_path, parameter, value)

    reply = await house.hears("set that parameter")

    assert told in reply.text
    assert (reply.expects_answer, reply.ok) == (False, False)
    await house.hears("yes")
    assert "is 2500 watts" in await house.limit()


async def test_one_that_can_be_is_asked_about_and_set_by_a_yes(tmp_path: Path) -> None:
    house = House(tmp_path, "power limit", "3000")

    reply = await house.hears("set that parameter")

    assert reply.text == "Set power limit of the Dryer to 3000? Say yes to confirm."
    assert "is 2500 watts" in await house.limit()
    await house.hears("yes")
    assert "is 3000 watts" in await house.limit()
