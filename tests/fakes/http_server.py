"""An MCP server over streamable HTTP, run as a process of its own: `python http_server.py PORT [FAULT …]`."""

import asyncio
import os
import sys

import uvicorn
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError

PORT, FAULTS = int(sys.argv[1]), set(sys.argv[2:])
server = MCPServer("http")


@server.tool()
async def add(a: int, b: int) -> str:
    """Adds two numbers."""
    return str(a + b)


@server.tool()
async def fail() -> str:
    """Fails."""
    raise ToolError("device not found")


@server.tool()
async def hang() -> str:
    """Takes long."""
    await asyncio.sleep(600)
    return "late"


@server.tool()
async def die() -> str:
    """Ends the server."""
    os._exit(3)


class Guard:
    """Refuses whoever does not bring the token."""

    def __init__(self, app):
        self._app = app

    async def __call__(self, scope, receive, send):
        if scope["type"] == "http" and dict(scope["headers"]).get(b"authorization") != b"Bearer t0ken":
            await send({"type": "http.response.start", "status": 401, "headers": []})
            await send({"type": "http.response.body", "body": b"no"})
            return
        await self._app(scope, receive, send)


if __name__ == "__main__":
    app = server.streamable_http_app()
    uvicorn.run(Guard(app) if "token" in FAULTS else app, host="127.0.0.1", port=PORT, log_level="error")
