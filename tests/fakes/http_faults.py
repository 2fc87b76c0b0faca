"""An MCP server over HTTP, new (`/mcp`) and old (`/sse`), that misbehaves on demand.

How a call goes wrong is chosen by the tool that is called; how a lost session is told, by `lost`.
"""

import asyncio
import itertools
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from tests.fakes.loopback_http import Answer, LoopbackHttp, Request

NEWEST = "2026-07-28"
MEGABYTE = 1024 * 1024
# What a server that was restarted says to a session that it does not know.
LOST: dict[str, Callable[[Answer, Any], Awaitable[None]]] = {
    "404": lambda answer, _: answer.whole(404, b"gone", "text/plain"),
    "404 JSON": lambda answer, i: answer.json(404, _error(i, -32001, "Session not found")),
    "400 JSON": lambda answer, i: answer.json(400, _error(i, -32000, "Bad Request: No valid session ID")),
    "200 JSON": lambda answer, i: answer.json(200, _error(i, -32600, "Session not found")),
}


def _error(request_id: Any, code: int, message: str) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": request_id, "error": {"code": code, "message": message}}


def _event(message: dict[str, Any]) -> bytes:
    return f"event: message\ndata: {json.dumps(message)}\n\n".encode()


@dataclass
class HttpFaults(LoopbackHttp):
    """`sse_only`: the old way alone. `lost`: one of `LOST`. `restart()` forgets every session."""

    sse_only: bool = False
    lost: str = "404"
    listens: bool = False  # it keeps a stream open on which it could speak unasked
    has_ping: bool = True
    newest_only: bool = False  # the handshake of 2026-07-28, without sessions and pings
    status: int = 0  # every request is answered with it
    ran: list[str] = field(default_factory=list)  # the tools that ran
    sessions: set[str] = field(default_factory=set)
    streams: dict[str, Answer] = field(default_factory=dict)  # of the old way, by session

    def __post_init__(self) -> None:
        self._ids = itertools.count(1)

    @property
    def mcp_url(self) -> str:
        return f"{self.url}/mcp"

    def restart(self) -> None:
        self.sessions.clear()

    async def respond(self, request: Request, answer: Answer) -> None:
        if self.status:
            await answer.whole(self.status, b"no", "text/plain")
        elif self.sse_only:
            await self._old_way(request, answer)
        elif request.path != "/mcp":
            await answer.whole(404, b"", "text/plain")
        elif request.method == "GET" and self.listens and self._known(request):
            await answer.start("text/event-stream")
            await answer.until_gone()
            answer.closed = True
        elif request.method != "POST":
            await answer.whole(405, b"", "text/plain")
        else:
            await self._new_way(request, answer)

    def _known(self, request: Request) -> bool:
        return request.headers.get("mcp-session-id") in self.sessions

    async def _new_way(self, request: Request, answer: Answer) -> None:
        message = request.body
        if self.newest_only:
            await answer.json(200, self._newest(message))
        elif message.get("method") == "initialize":
            self.sessions.add(session := str(next(self._ids)))
            await answer.json(200, self._reply(message), {"mcp-session-id": session})
        elif not self._known(request):
            await LOST[self.lost](answer, message.get("id"))
        elif "id" not in message:
            await answer.whole(202, b"", "text/plain")
        elif fault := self._fault(message):
            await fault(answer, message)
        else:
            await answer.json(200, self._reply(message))

    async def _old_way(self, request: Request, answer: Answer) -> None:
        if request.method == "GET" and request.path == "/sse":
            self.sessions.add(session := str(next(self._ids)))
            self.streams[session] = answer
            await answer.start("text/event-stream")
            await answer.piece(f"event: endpoint\ndata: /messages?session_id={session}\n\n".encode())
            await answer.until_gone()
            answer.closed = True
            return
        session = request.path.partition("session_id=")[2]
        if request.method != "POST" or session not in self.sessions:
            await answer.whole(404, b"", "text/plain")
            return
        message = request.body
        name = message.get("params", {}).get("name")
        stream = self.streams[session]
        if name in ("half_json", "half_stream", "hang_up"):
            stream.abort()
        elif fault := self._fault(message):
            await fault(answer, message)
            return
        elif "id" in message:
            await stream.piece(_event(self._reply(message)))
        await answer.whole(202, b"", "text/plain")

    def _fault(self, message: dict[str, Any]) -> Callable[[Answer, Any], Awaitable[None]] | None:
        if message.get("method") != "tools/call":
            return None
        name = message["params"]["name"]
        self.ran.append(name)
        if name in WHOLE:
            return lambda answer, _message: answer.whole(*WHOLE[name])
        return getattr(self, f"_tool_{name}", None)

    def _reply(self, message: dict[str, Any]) -> dict[str, Any]:
        known = {
            "initialize": {
                "protocolVersion": message.get("params", {}).get("protocolVersion"),
                "capabilities": {"tools": {"listChanged": True}},
                "serverInfo": {"name": "faults", "version": "1"},
            },
            "tools/list": {"tools": [_tool(name) for name in TOOLS]},
            "tools/call": {"content": [{"type": "text", "text": "done"}]},
        } | ({"ping": {}} if self.has_ping else {})
        method = message.get("method", "")
        if method not in known:
            return _error(message["id"], -32601, "Method not found")
        return {"jsonrpc": "2.0", "id": message["id"], "result": known[method]}

    def _newest(self, message: dict[str, Any]) -> dict[str, Any]:
        complete = {"resultType": "complete", "ttlMs": 0, "cacheScope": "public"}
        known: dict[str, dict[str, Any]] = {
            "server/discover": {
                "supportedVersions": [NEWEST],
                "capabilities": {"tools": {"listChanged": True}},
            },
            "tools/list": {"tools": [_tool(name) for name in TOOLS]},
            "tools/call": {"content": [{"type": "text", "text": "done"}]},
        }
        method = message.get("method", "")
        if method == "initialize":
            error = _error(message["id"], -32022, "Unsupported protocol version")
            error["error"]["data"] = {"supported": [NEWEST], "requested": "2025-11-25"}
            return error
        if method not in known:
            return _error(message["id"], -32601, "Method not found")
        assert message["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"] == NEWEST
        return {"jsonrpc": "2.0", "id": message["id"], "result": {**known[method], **complete}}

    # what a call does instead of answering

    async def _tool_half_json(self, answer: Answer, _message: Any) -> None:
        await answer.raw(
            b'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 99\r\n\r\n{"js'
        )
        answer.abort()

    async def _tool_half_stream(self, answer: Answer, _message: Any) -> None:
        await answer.start("text/event-stream")
        await answer.piece(b'event: message\ndata: {"jsonrpc": "2.0", ')
        await answer.end()

    async def _tool_hang_up(self, answer: Answer, _message: Any) -> None:
        answer.abort()

    async def _tool_not_http(self, answer: Answer, _message: Any) -> None:
        await answer.raw(b"hello there\n\n")
        answer.abort()

    async def _tool_own_session(self, answer: Answer, message: Any) -> None:
        await answer.json(200, _error(message["id"], -32000, "Session not found: browser 3"))

    async def _tool_slow_bytes(self, answer: Answer, _message: Any) -> None:
        await answer.start("application/json")
        while True:
            await answer.piece(b" ")
            await asyncio.sleep(0.02)

    async def _tool_slow_error(self, answer: Answer, _message: Any) -> None:
        await answer.raw(b"HTTP/1.1 500 X\r\ncontent-type: text/plain\r\ncontent-length: 999999\r\n\r\n")
        await answer.until_gone()

    async def _tool_endless_headers(self, answer: Answer, _message: Any) -> None:
        await answer.raw(b"HTTP/1.1 200 OK\r\n")
        while True:
            await answer.raw(b"x-more: " + b"x" * 1000 + b"\r\n")

    async def _tool_endless_body(self, answer: Answer, _message: Any) -> None:
        await answer.start("application/json")
        while True:
            await answer.piece(b" " * MEGABYTE)

    async def _tool_endless_event(self, answer: Answer, _message: Any) -> None:
        await answer.start("text/event-stream")
        await answer.piece(b"data: ")
        while True:
            await answer.piece(b"x" * MEGABYTE)


# Calls that are answered at once: status, body, type, headers.
WHOLE: dict[str, Any] = {
    "wrong_type": (200, b"<h1>Please log in</h1>", "text/html"),
    "not_json": (200, b'{"jsonrpc": "2.0", oops', "application/json"),
    "redirect_loop": (307, b"", "text/plain", {"location": "/mcp"}),
    "redirect_away": (307, b"", "text/plain", {"location": "http://192.0.2.1/mcp"}),
    "no_answer": (202, b"", "text/plain"),
    "status_500": (500, b"Traceback", "text/plain"),
    "status_429": (429, b"slow down", "text/plain", {"retry-after": "60"}),
}
FAULTS = sorted([*WHOLE, *(name[6:] for name in vars(HttpFaults) if name.startswith("_tool_"))])
TOOLS = ("look", "act", *FAULTS)


def _tool(name: str) -> dict[str, Any]:
    return {
        "name": name,
        "description": name,
        "inputSchema": {"type": "object", "properties": {}},
        "annotations": {"readOnlyHint": name != "act"},
    }
