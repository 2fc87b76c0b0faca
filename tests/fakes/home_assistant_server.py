"""A stand-in for Home Assistant's MCP server: streamable HTTP at /api/mcp, and the older SSE.

    async with FakeHomeAssistant(HomeAssistantHome([Entity("light.lamp", "Lamp", "Hall")])) as ha:
        ...  # ha.mcp_url, ha.token; ha.home["light.lamp"].state; ha.tools.calls

It lies as the real one does: what fails, jams, wants a code or is not there is answered with `action_done`.
"""

import json
from collections.abc import Iterable
from typing import Any
from uuid import uuid4

from tests.fakes.home_assistant_home import Area, Entity, HomeAssistantHome
from tests.fakes.home_assistant_tools import HomeAssistantTools
from tests.fakes.loopback_http import Answer, LoopbackHttp, Request

TOKEN = "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.c3RhbmQtaW4.c2lnbmF0dXJl"  # shaped like a long-lived one
_VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")


class FakeHomeAssistant(LoopbackHttp):
    """`starting`: nothing is there yet. `configured`: the integration is set up. `sse_only`: as 2025.4."""

    def __init__(
        self, home: HomeAssistantHome | Iterable[Entity], *, port: int = 0, token: str = TOKEN
    ) -> None:
        super().__init__(port=port)
        self.home = home if isinstance(home, HomeAssistantHome) else HomeAssistantHome(home)
        self.tools = HomeAssistantTools(self.home)
        self.token = token  # another one from outside: the old one is revoked
        self.starting = False
        self.configured = True
        self.sse_only = False
        self._streams: dict[str, Answer] = {}

    @property
    def mcp_url(self) -> str:
        return f"{self.url}/{'mcp_server/sse' if self.sse_only else 'api/mcp'}"

    def settings(self, name: str = "ha") -> str:
        """For voice-gateway.toml."""
        header = json.dumps(f"Bearer {self.token}")
        return f'[mcpServers.{name}]\nurl = "{self.mcp_url}"\nheaders = {{ Authorization = {header} }}\n'

    async def respond(self, request: Request, answer: Answer) -> None:
        refused = self._refused(request)
        if refused is not None:
            await answer.whole(refused[0], refused[1].encode(), "text/plain; charset=utf-8")
        elif request.path == "/mcp_server/sse":
            await self._stream(answer)
        else:
            await self._message(request, answer)

    def _refused(self, request: Request) -> tuple[int, str] | None:
        """In the order in which Home Assistant looks."""
        streamed = request.path.startswith("/mcp_server/")
        if self.starting or (request.path != "/api/mcp" and not streamed) or (self.sse_only and not streamed):
            return 404, "404: Not Found"
        if request.headers.get("authorization") != f"Bearer {self.token}":
            return 401, "401: Unauthorized"
        if not self.configured:
            return 404, "Model Context Protocol server is not configured"
        return None if streamed else _malformed(request)

    async def _message(self, request: Request, answer: Answer) -> None:
        reply = await self._reply(request.body)
        if not request.path.startswith("/mcp_server/messages/"):
            if reply is None:
                await answer.whole(202, b"", "text/plain")
            else:
                await answer.json(200, reply)
            return
        stream = self._streams.get(request.path.rpartition("/")[2])
        if stream is None:
            await answer.whole(404, b"Could not find session ID", "text/plain")
            return
        await answer.whole(200, b"", "text/plain")
        if reply is not None:
            await stream.piece(f"event: message\r\ndata: {json.dumps(reply)}\r\n\r\n".encode())

    async def _stream(self, answer: Answer) -> None:
        """Until the client goes, or this server is closed."""
        session = uuid4().hex
        self._streams[session] = answer
        try:
            await answer.start("text/event-stream")
            await answer.piece(f"event: endpoint\r\ndata: /mcp_server/messages/{session}\r\n\r\n".encode())
            await answer.until_gone()
        finally:
            del self._streams[session]

    async def _reply(self, body: Any) -> dict[str, Any] | None:
        if "id" not in body:
            return None
        method, params = body.get("method"), body.get("params") or {}
        if method == "initialize":
            return _result(body, _welcome(params.get("protocolVersion")))
        if method == "ping":
            return _result(body, {})
        if method == "tools/list":
            return _result(body, {"tools": self.tools.definitions()})
        if method == "tools/call":
            return _result(body, await self.tools.call(params["name"], params.get("arguments") or {}))
        if method == "prompts/list":
            return _result(body, {"prompts": []})
        if method in ("resources/list", "resources/templates/list"):
            return _error(body, -32601, "Method not found")
        return _error(body, -32602, "Invalid request parameters")


def _malformed(request: Request) -> tuple[int, str] | None:
    if request.method != "POST":
        return 405, "Only POST method is supported"
    if "application/json" not in request.headers.get("accept", ""):
        return 400, "Client must accept application/json"
    try:
        whole = isinstance(request.body, dict)
    except ValueError:
        whole = False
    return None if whole else (400, "Request must be a JSON-RPC message")


def _welcome(version: str | None) -> dict[str, Any]:
    return {
        "protocolVersion": version if version in _VERSIONS else _VERSIONS[-1],
        "capabilities": {
            "experimental": {}, "prompts": {"listChanged": False}, "tools": {"listChanged": False}
        },
        "serverInfo": {"name": "home-assistant", "version": "1.26.0"},
    }  # fmt: skip


def _result(body: dict[str, Any], result: dict[str, Any]) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": body["id"], "result": result}


def _error(body: dict[str, Any], code: int, message: str) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": body["id"], "error": {"code": code, "message": message}}


__all__ = ["TOKEN", "Area", "Entity", "FakeHomeAssistant", "HomeAssistantHome"]
