"""Our tools in somebody else's hands: LangChain's own way of calling, without our executor."""

import asyncio
from typing import Any

import pytest
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.tools import ToolException

from voice_gateway.errors import ErrorKind, ToolError, ToolUnavailable
from voice_gateway.mcp_client.convert import to_langchain_tools
from voice_gateway.tools.executor import ToolExecutor
from voice_gateway.tools.gateway_tool import GatewayTool, declared_tool, running_loop, typed
from voice_gateway.tools.manager import ToolManager
from voice_gateway.turn import ToolCall, ToolTraits

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"cups": {"type": "integer"}, "config": {"type": "string"}},
    "required": ["cups"],
}


async def brew(cups: int, config: str = "black") -> tuple[str, dict[str, Any]]:
    await asyncio.sleep(0)
    if cups > 3:
        raise ToolUnavailable("The pot is too small.", structured={"outcome": "unreachable"})
    if cups < 0:
        raise ZeroDivisionError("no such coffee")
    return f"{cups} cups, {config}", {"structured": {"cups": cups}}


def built_in(**more: Any) -> GatewayTool:
    tool = declared_tool("brew", "Makes coffee.", SCHEMA, brew, ToolTraits(), **more)
    assert isinstance(tool, GatewayTool)
    return tool


def of_server() -> GatewayTool:
    async def call(_: str, arguments: Any) -> dict[str, Any]:
        text, facts = await brew(**arguments)
        return {"content": [{"type": "text", "text": text}], "structuredContent": facts["structured"]}

    definition = {"name": "brew", "description": "Makes coffee.", "inputSchema": SCHEMA}
    [tool] = to_langchain_tools([definition], server="kitchen", call=call)
    assert isinstance(tool, GatewayTool)
    return tool


@pytest.fixture(params=[built_in, of_server])
def tool(request: pytest.FixtureRequest) -> GatewayTool:
    made: GatewayTool = request.param()
    return made


def whole(**arguments: Any) -> dict[str, Any]:
    return {"type": "tool_call", "id": "7", "name": "brew", "args": arguments}


async def test_what_goes_wrong_is_a_message_and_not_an_exception(tool: GatewayTool) -> None:
    message = await tool.ainvoke(whole(cups=4))

    assert (message.status, message.content) == ("error", "Error: The pot is too small.")
    assert await tool.ainvoke({"cups": 4}) == "Error: The pot is too small."
    assert "no such coffee" in await tool.ainvoke({"cups": -1})


async def test_without_error_handling_langchains_exception_has_ours_behind_it(tool: GatewayTool) -> None:
    tool.handle_tool_error = False

    with pytest.raises(ToolException, match="too small") as raised:
        await tool.ainvoke({"cups": 4})
    assert isinstance(raised.value.__cause__, ToolUnavailable)


async def test_arguments_that_do_not_fit_are_named(tool: GatewayTool) -> None:
    wrong: dict[str, Any] = {
        "sugar": {"cups": 1, "sugar": 2},
        "cups": {},
        "cups is not": {"cups": "many"},
        "object": "two",
    }
    for part, arguments in wrong.items():
        text = await tool.ainvoke(arguments)
        assert (text.startswith("Error: brew was not run"), part in text) == (True, True), text


def test_a_caller_without_an_event_loop(tool: GatewayTool) -> None:
    message = tool.invoke(whole(cups=2, config="white"))

    assert (message.status, message.content) == ("success", "2 cups, white")
    assert message.artifact["structured"] == {"cups": 2}
    assert tool.invoke({"cups": 4}) == "Error: The pot is too small."


async def test_from_a_thread_it_runs_on_its_own_loop() -> None:
    where: list[object] = []

    async def look() -> tuple[str, None]:
        where.append(asyncio.get_running_loop())
        return "half \ud83d", None

    tool = declared_tool("look", "Looks.", {"type": "object"}, look, ToolTraits(), loop=running_loop())
    assert await asyncio.to_thread(tool.invoke, {}) == "half ?", "whatever is in it can be sent"
    assert await asyncio.to_thread(lambda: asyncio.run(tool.ainvoke({}))) == "half ?"
    assert where == [asyncio.get_running_loop()] * 2


async def test_a_caller_in_the_tools_own_loop_or_after_its_end_gets_an_error(tool: GatewayTool) -> None:
    assert "ainvoke" in built_in(loop=running_loop()).invoke({"cups": 2}), "it does not hang"
    ended = asyncio.new_event_loop()
    ended.close()
    tool.loop = ended

    assert "Error: " in await asyncio.to_thread(tool.invoke, {"cups": 1})
    assert "Error: " in await tool.ainvoke({"cups": 1})


class Listener(BaseCallbackHandler):
    def __init__(self) -> None:
        self.errors: list[BaseException] = []

    def on_tool_error(self, error: BaseException, **_: Any) -> None:
        self.errors.append(error)


@pytest.mark.parametrize("listened", [False, True])
async def test_our_executor_keeps_the_kind_and_the_facts_of_an_error(
    tool: GatewayTool, listened: bool
) -> None:
    listener = Listener()
    tool.callbacks = [listener] if listened else None
    tools = ToolManager()
    tools.add(tool)

    outcome = await ToolExecutor(tools).execute(ToolCall("1", "brew", {"cups": 4}))

    assert (outcome.error, outcome.structured) == (ErrorKind.UNAVAILABLE, {"outcome": "unreachable"})
    assert [type(error) for error in listener.errors] == [ToolUnavailable] * listened
    with pytest.raises(ToolError):
        await typed(tool).ainvoke({"cups": 4})
