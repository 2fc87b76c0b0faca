"""A stdio server on the SDK, as most servers in the wild are: `python sdk_server.py`."""

import asyncio
from typing import Annotated

from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import ToolAnnotations
from pydantic import BaseModel, Field

server = MCPServer("sdk")
cancelled: list[str] = []


class Light(BaseModel):
    """A light and how bright it is."""

    name: str
    level: int


@server.tool(title="Dim a light", annotations=ToolAnnotations(idempotent_hint=True, destructive_hint=False))
async def dim(device_name: str, level: Annotated[int, Field(ge=0, le=100)] = 50) -> Light:
    """Sets the brightness."""
    return Light(name=device_name, level=level)


@server.tool()
async def fail() -> str:
    """Fails."""
    raise ToolError("device not found")


@server.tool()
async def long_work(ctx: Context) -> str:
    """Reports progress and takes for ever."""
    try:
        for step in range(10_000):
            await ctx.report_progress(step, 10_000)
            await asyncio.sleep(0.02)
    except asyncio.CancelledError:
        cancelled.append("long_work")
        raise
    return "late"


@server.tool(annotations=ToolAnnotations(read_only_hint=True))
async def was_cancelled() -> str:
    """What was cancelled so far."""
    return ",".join(cancelled)


if __name__ == "__main__":
    server.run()
