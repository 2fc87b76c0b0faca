"""Sessions of MCP clients: idle ones end."""

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


async def test_a_session_ends_when_it_was_idle_too_long(tmp_path, monkeypatch):
    accept = {"Accept": "application/json, text/event-stream"}
    async with served(tmp_path, routes) as channel, client(channel, **accept) as http:
        first, second = [await opened(http) for _ in range(2)]
        monkeypatch.setattr(mcp, "IDLE_SECONDS", 0.0)
        third = await opened(http)

        assert [await status(http, name) for name in (first, second, third)] == [404, 404, 200]
