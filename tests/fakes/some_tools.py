"""Small real LangChain tools for tests of the manager and the executor."""

from collections.abc import Awaitable, Callable
from typing import Any

from langchain_core.tools import BaseTool, StructuredTool

from voice_gateway.tools.executor import ToolExecutor
from voice_gateway.tools.gateway_tool import GatewayTool
from voice_gateway.tools.manager import ToolManager
from voice_gateway.turn import ToolCall, ToolOutcome, ToolTraits

ZWAVE_SCHEMA = {
    "type": "object",
    "properties": {
        "deviceName": {"type": "string"},
        "action": {"enum": ["on", "off", "dim"]},
        "level": {"type": "integer", "minimum": 0, "maximum": 100},
    },
    "required": ["deviceName", "action"],
}


class Seen:
    """What reached a tool, call by call."""

    def __init__(self) -> None:
        self.calls: list[dict[str, Any]] = []

    @property
    def last(self) -> dict[str, Any]:
        return self.calls[-1]


def mcp_tool(
    name: str = "control_zwave_device",
    schema: dict[str, Any] | None = None,
    *,
    seen: Seen | None = None,
    answer: Callable[..., Awaitable[Any]] | None = None,
    **traits: Any,
) -> BaseTool:
    """A tool as the link hands it over: the server's own schema, and a coroutine that takes any names."""

    async def call(**arguments: Any) -> tuple[str, dict[str, Any]]:
        if seen is not None:
            seen.calls.append(arguments)
        if answer is not None:
            return await answer(**arguments)
        return "done", {"structured": None, "blobs": []}

    server = traits.pop("source", "zwave")
    return StructuredTool(
        name=name,
        description=f"REQUIRED for {name}.",
        args_schema=ZWAVE_SCHEMA if schema is None else schema,
        coroutine=call,
        response_format="content_and_artifact",
        metadata={"traits": ToolTraits(source=server, original_name=name, **traits), "lc_name": name},
    )


def executor_with(*tools: BaseTool, **settings: Any) -> ToolExecutor:
    manager = ToolManager()
    for tool in tools:
        manager.add(tool)
    return ToolExecutor(manager, **settings)


async def outcome_of(tool: BaseTool, args: Any = None, **settings: Any) -> ToolOutcome:
    return await executor_with(tool, **settings).execute(
        ToolCall("1", tool.name, {} if args is None else args)
    )


async def said_by(tool: BaseTool, **arguments: Any) -> tuple[str, dict[str, Any]]:
    """What a built-in tool says, and its facts; what it raises is raised."""
    assert isinstance(tool, GatewayTool)
    assert tool.coroutine is not None
    text, artifact = await tool.coroutine(**arguments)
    return text, artifact["structured"]
