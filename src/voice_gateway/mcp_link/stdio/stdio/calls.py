"""Our own requests to a server: sent beside the SDK's session on the same stream, each with one waiter."""

import asyncio
import contextlib
import itertools
import json
from collections.abc import Callable, Mapping
from typing import Any

from voice_gateway.errors import BadArguments, LinkError, ToolError, ToolUnavailable
from voice_gateway.mcp_link.stdio.stdio.process import ServerProcess

PREFIX = "vg-"  # the SDK numbers its own requests, so ours cannot meet them
INVALID_PARAMS, CONNECTION_CLOSED = -32602, -32000  # codes of JSON-RPC and of the SDK
SUSPECT_AFTER = 3  # calls in a row that were given up without an answer

# One encoder for all: json.dumps with options builds a new one every time. NaN is not JSON.
_encode = json.JSONEncoder(separators=(",", ":"), allow_nan=False, check_circular=False).encode


class Calls:
    """Requests in flight. Replies are handed over by `resolve` without a task switch of their own."""

    def __init__(self, process: ServerProcess, on_suspect: Callable[[], None]) -> None:
        self._process = process
        self._on_suspect = on_suspect
        self._ids = itertools.count(1)
        self._waiting: dict[str, asyncio.Future[Mapping[str, Any]]] = {}
        self._closed: str | None = None
        self.unanswered = 0

    @property
    def under_way(self) -> bool:
        return bool(self._waiting)

    async def call(self, tool: str, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        """A cancelled call tells the server, and never waits for it to listen."""
        try:
            params = f'{{"name":{_encode(tool)},"arguments":{_json(arguments)}}}'
            frame = await self._exchange("tools/call", params)
        except asyncio.CancelledError:
            self.unanswered += 1
            if self.unanswered >= SUSPECT_AFTER:
                self._on_suspect()
            raise
        self.unanswered = 0
        return _result(frame)

    async def request(self, method: str, params: Mapping[str, Any]) -> Mapping[str, Any]:
        """The result of any other request; an error reply is raised."""
        return _result(await self._exchange(method, _json(params)))

    async def _exchange(self, method: str, params: str) -> Mapping[str, Any]:
        request_id = f"{PREFIX}{next(self._ids)}"
        line = f'{{"jsonrpc":"2.0","id":"{request_id}","method":"{method}","params":{params}}}\n'.encode()
        if self._process.congested:
            await self._process.drained()
        if self._closed is not None:
            raise ToolUnavailable(self._closed)
        reply: asyncio.Future[Mapping[str, Any]] = asyncio.get_running_loop().create_future()
        self._waiting[request_id] = reply
        try:
            self._process.write(line)
            return await reply
        except LinkError as error:
            raise ToolUnavailable(str(error)) from error
        except asyncio.CancelledError:
            self._tell_cancelled(request_id)
            raise
        finally:
            del self._waiting[request_id]

    def resolve(self, frame: Mapping[str, Any]) -> bool:
        """Whether the frame answers a request of ours, also one that nobody waits for any more."""
        request_id = frame.get("id")
        if not isinstance(request_id, str) or not request_id.startswith(PREFIX) or "method" in frame:
            return False
        reply = self._waiting.get(request_id)
        if reply is not None and not reply.done():
            reply.set_result(frame)
        return True

    def close(self, reason: str, stderr: str = "") -> None:
        """Nothing more will come: every waiter is told at once. The server's stderr is for the log alone."""
        self._closed = self._closed or reason
        for reply in self._waiting.values():
            if not reply.done():
                gone = ToolUnavailable(f"{reason} What was asked of it may or may not have happened.")
                gone.__cause__ = LinkError(f"{reason} Its stderr: {stderr or 'nothing'}")
                reply.set_exception(gone)

    def _tell_cancelled(self, request_id: str) -> None:
        # Written even when the server does not read: there is only one for each call that was written.
        params = {"requestId": request_id, "reason": "the caller gave up"}
        notice = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}
        with contextlib.suppress(LinkError):
            self._process.write(_encode(notice).encode() + b"\n")


def _json(value: Mapping[str, Any]) -> str:
    try:
        return _encode(value)
    except (TypeError, ValueError, RecursionError) as error:
        raise BadArguments(f"The arguments cannot be written as JSON: {error}") from error


def _result(frame: Mapping[str, Any]) -> Mapping[str, Any]:
    result = frame.get("result")
    if isinstance(result, dict):
        return result
    error = frame.get("error")
    if not isinstance(error, dict):
        raise ToolError("The server's reply was not understood.")
    raise error_reply(error.get("code"), error.get("message"), error.get("data"))


def error_reply(code: Any, message: Any, facts: Any) -> ToolError:
    """The server's own words, unchanged (NORM-7)."""
    said = isinstance(message, str) and message.strip()
    kind = BadArguments if code == INVALID_PARAMS else ToolError
    return kind(message if said else "The server reported an error without a message.", structured=facts)
