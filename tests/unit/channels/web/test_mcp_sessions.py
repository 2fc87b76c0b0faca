"""Sessions of MCP clients: a bounded number, for as long as they are used."""

import asyncio
from typing import Any, cast

from tests.fakes.web import client, served, unasked

from voice_gateway.channels.web import mcp
from voice_gateway.channels.web.mcp import McpChannel

INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}
LIST = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}


async def no_tools():
    return []


def routes(start):
    return [McpChannel(unasked, unasked, no_tools, cast("Any", None), start=start, version="1").route()]


async def opened(http) -> str:
    answer = await http.post("/mcp", json=INITIALIZE)
    assert answer.status_code == 200, answer.text
    return answer.headers["mcp-session-id"]


async def status(http, session: str) -> int:
    return (await http.post("/mcp", json=LIST, headers={"mcp-session-id": session})).status_code


async def test_sessions_are_bounded_and_idle_ones_end(tmp_path, monkeypatch):
    monkeypatch.setattr(mcp, "MOST_SESSIONS", 2)
    monkeypatch.setattr(mcp, "IDLE_SECONDS", 0.5)
    accept = {"Accept": "application/json, text/event-stream"}
    async with served(tmp_path, routes) as channel, client(channel, **accept) as http:
        first, _second = [await opened(http) for _ in range(2)]
        assert await status(http, first) == 200
        assert (await http.post("/mcp", json=INITIALIZE)).status_code == 503
        async with asyncio.timeout(30):
            while (await http.post("/mcp", json=INITIALIZE)).status_code == 503:
                await asyncio.sleep(0.1)
        assert await status(http, first) == 404
