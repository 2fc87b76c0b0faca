"""A stdio server: spawn, initialize, list its tools; JSON-RPC with calls, progress and cancellation; stop."""

import asyncio
import contextlib
import itertools
import json
import logging
import re
from collections.abc import Awaitable, Mapping
from importlib.metadata import version
from typing import Any, TypeVar

from pydantic_core import from_json

from voice_gateway.errors import BadArguments, GatewayError, LinkError, ToolError, ToolUnavailable
from voice_gateway.mcp_client.connection import (
    NOT_UNDERSTOOD,
    PROTOCOL_VERSION,
    PROTOCOL_VERSIONS,
    REPLY_LIMIT,
    Connection,
    InitializeResult,
    all_pages,
    error_reply,
    mapping,
    shorten,
)
from voice_gateway.mcp_client.process import ServerProcess, parse, shown
from voice_gateway.progress import OnProgress, listener, read_progress

log = logging.getLogger(__name__)

T = TypeVar("T")

NOISE_SHOWN = 20  # odd lines logged one by one; later ones at each doubling
METHOD_NOT_FOUND = -32601
PREFIX = "vg-"  # of our request ids: they are recognised in a line that is too long to be parsed
_REPLY = re.compile(rb'\s*\{\s*"(?:jsonrpc|id|result|error)"\s*:')
_REPLY_TO = re.compile(rb'"id"\s*:\s*"(vg-\d+)"')

# One encoder for all: json.dumps with options builds a new one every time. NaN is not JSON.
_encode = json.JSONEncoder(separators=(",", ":"), allow_nan=False, check_circular=False).encode
BROKEN_STOP_SECONDS = 0.5  # a server that misbehaved gets no long farewell


class StdioConnection(Connection):
    """Replies are handed to their callers without a task of our own; it writes and never waits, except for a
    server that does not read."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._process = ServerProcess(
            self._name,
            on_line=self._on_line,
            on_long_line=self._on_long_line,
            on_end=self._ended,
            hide=self._hide,
        )
        self._ids = itertools.count(1)
        self._waiting: dict[str, asyncio.Future[Mapping[str, Any]]] = {}
        self._progress: dict[str, OnProgress] = {}  # by request
        self._closed: str | None = None
        self._noise = 0

    async def open(self) -> None:
        await self._process.start(self._settings)
        self.initialized = await self._explained(self._initialize())

    async def close(self, *, broken: bool) -> None:
        self._fail_waiting(f'The server "{self._name}" was stopped.')
        await self._process.last_words()
        await self._process.stop(BROKEN_STOP_SECONDS if broken else self._stop_seconds)

    def stderr_tail(self) -> str:
        return self._process.stderr_tail()

    async def list_tools(self) -> list[Mapping[str, Any]]:
        return await self._explained(all_pages(self._page))

    async def _explained(self, answer: Awaitable[T]) -> T:
        """The answer; a LinkError says why the server ended, if it did."""
        try:
            return await answer
        except GatewayError as error:
            await self._process.last_words()
            raise LinkError(self.end or str(error)) from error

    async def is_alive(self) -> bool:
        """Whether the server still talks; asked when several calls in a row were given up."""
        if not self._works(len(self._waiting)):
            return False
        try:
            async with asyncio.timeout(self._timeouts.ping_seconds):
                await self.request("ping", {})
        except TimeoutError:
            return False
        except GatewayError:
            return self.end is None  # an error is an answer too
        return True

    async def _initialize(self) -> InitializeResult:
        """The handshake of all versions up to 2025-11-25; a `server/discover` probe would come before it."""
        client = {"name": "voice-gateway", "version": version("voice-gateway")}
        params = {"protocolVersion": PROTOCOL_VERSION, "capabilities": {}, "clientInfo": client}
        result = await self.request("initialize", params)
        known = result.get("protocolVersion") in PROTOCOL_VERSIONS
        if not known or not isinstance(result.get("capabilities"), Mapping):
            raise LinkError(f"it did not speak the protocol: {shorten(str(result))}")
        self._send({"method": "notifications/initialized", "params": {}})
        return InitializeResult.of(result)

    async def _page(self, cursor: str | None) -> tuple[list[Mapping[str, Any]], Any]:
        page = await self.request("tools/list", {} if cursor is None else {"cursor": cursor})
        tools = page.get("tools")
        if not isinstance(tools, list):
            raise LinkError("its reply to tools/list holds no list of tools")
        return tools, page.get("nextCursor")

    def _ended(self) -> None:
        self.end = f"the server {self._process.end}"
        self._fail_waiting(f'The server "{self._name}" {self._process.end}.', self._process.stderr_tail())
        self._events.ended()

    # what we send

    async def request(self, method: str, params: Mapping[str, Any]) -> Mapping[str, Any]:
        request_id, on_progress = f"{PREFIX}{next(self._ids)}", listener()
        if on_progress is not None:
            params = {**params, "_meta": {"progressToken": request_id}}
        line = _line({"id": request_id, "method": method, "params": params})
        if self._process.congested:
            await self._process.drained()
        if self._closed is not None:
            raise ToolUnavailable(self._closed)
        reply: asyncio.Future[Mapping[str, Any]] = asyncio.get_running_loop().create_future()
        self._waiting[request_id] = reply
        if on_progress is not None:
            self._progress[request_id] = on_progress
        try:
            self._process.write(line)
            frame = await reply
        except LinkError as error:
            raise ToolUnavailable(str(error)) from error
        except asyncio.CancelledError:
            # Written even when the server does not read: there is only one for each request that was written.
            reason = {"requestId": request_id, "reason": "the caller gave up"}
            self._send({"method": "notifications/cancelled", "params": reason}, always=True)
            raise
        finally:
            del self._waiting[request_id]
            self._progress.pop(request_id, None)
        result = frame.get("result")
        if isinstance(result, dict):
            return result
        error_object = frame.get("error")
        if not isinstance(error_object, dict):
            raise ToolError(NOT_UNDERSTOOD)
        raise error_reply(error_object.get("code"), error_object.get("message"), error_object.get("data"))

    def post(self, method: str, params: Mapping[str, Any]) -> None:
        self._send({"id": f"{PREFIX}{next(self._ids)}", "method": method, "params": params})

    def _send(self, message: Mapping[str, Any], *, always: bool = False) -> None:
        """Unless `always`, the message is left out while the server does not read."""
        if always or not self._process.congested:
            with contextlib.suppress(LinkError):
                self._process.write(_line(message))

    def _fail_waiting(self, reason: str, stderr: str = "") -> None:
        """Fails every waiting request at once. The server's stderr is for the log alone."""
        self._closed = self._closed or reason
        for reply in self._waiting.values():
            if not reply.done():
                gone = ToolUnavailable(f"{reason} What was asked of it may or may not have happened.")
                gone.__cause__ = LinkError(f"{reason} Its stderr: {stderr or 'nothing'}")
                reply.set_exception(gone)

    # what the server sends

    def _on_line(self, line: bytes) -> None:
        try:
            frame = from_json(line)
        except ValueError:
            frame = None
        if type(frame) is dict and self._take(frame):
            return
        parsed = parse(line)
        taken = [self._take(frame) for frame in parsed.frames]
        if not parsed.noise and all(taken):
            return
        self._noise += 1
        if self._noise <= NOISE_SHOWN or self._noise.bit_count() == 1:  # every power of two
            facts = {"server": self._name, "content": self._hide(shown(line)), "count": self._noise}
            log.warning("MCP server wrote something that is not JSON-RPC", extra=facts)

    def _on_long_line(self, head: bytes) -> None:
        """Fails the call whose reply is over the limit. Without an id in its first bytes it is known if only
        one call waits."""
        log.warning("MCP server wrote a line that is too long", extra={"server": self._name})
        known = _REPLY_TO.search(head)
        alone = len(self._waiting) == 1 and _REPLY.match(head) and b'"method"' not in head
        request_id = known[1].decode() if known else next(iter(self._waiting)) if alone else ""
        reply = self._waiting.get(request_id)
        if reply is not None and not reply.done():
            limit = REPLY_LIMIT // 1024**2
            reply.set_exception(
                ToolError(f'The server "{self._name}" answered with more than {limit} MB: too much.')
            )

    def _take(self, frame: Mapping[str, Any]) -> bool:
        """Whether it was JSON-RPC. A reply without a waiting request is dropped."""
        method, request_id = frame.get("method"), frame.get("id")
        if isinstance(method, str):
            if frame.get("jsonrpc") != "2.0":
                return False
            if request_id is None:
                self._on_notification(method, mapping(frame.get("params")))
            elif method == "ping":
                self._send({"id": request_id, "result": {}})
            else:  # an elicitation would be answered here
                error = {"code": METHOD_NOT_FOUND, "message": f"Method not found: {method[:100]}"}
                self._send({"id": request_id, "error": error})
            return True
        reply = self._waiting.get(request_id) if isinstance(request_id, str) else None
        if reply is not None:
            if not reply.done():
                reply.set_result(frame)
            return True
        ours = isinstance(request_id, str) and request_id.startswith(PREFIX)
        return ours or (frame.get("jsonrpc") == "2.0" and ("result" in frame or "error" in frame))

    def _on_notification(self, method: str, params: Mapping[str, Any]) -> None:
        if method == "notifications/progress":
            token = params.get("progressToken")
            on_progress = self._progress.get(token) if isinstance(token, str) else None
            progress = read_progress(params.get("progress"), params.get("total"), params.get("message"))
            if on_progress is not None and progress is not None:
                on_progress(progress)
        else:
            self._events.notified(method, params)


def _line(message: Mapping[str, Any]) -> bytes:
    try:
        return _encode({"jsonrpc": "2.0", **message}).encode() + b"\n"
    except (TypeError, ValueError, RecursionError) as error:
        raise BadArguments(f"The arguments cannot be written as JSON: {error}") from error
