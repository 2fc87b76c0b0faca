"""JSON-RPC with a stdio server: requests, replies, progress, cancellation, and what the server sends."""

import asyncio
import contextlib
import itertools
import json
import logging
import re
import threading
from collections.abc import Callable, Mapping
from typing import Any

from pydantic_core import from_json

from voice_gateway.errors import BadArguments, LinkError, ToolError, ToolUnavailable
from voice_gateway.mcp_client.connection import (
    NOT_UNDERSTOOD,
    REPLY_LIMIT,
    SUSPECT_AFTER,
    ConnectionEvents,
    error_reply,
)
from voice_gateway.mcp_client.stdio.frames import Parsed, parse, shown
from voice_gateway.mcp_client.stdio.process import ServerProcess
from voice_gateway.progress import OnProgress, on_progress, read_progress

log = logging.getLogger(__name__)

QUICK_LINE = 1024 * 1024  # longer lines are parsed in a thread
NOISE_SHOWN = 20  # odd lines logged one by one; later ones at each doubling
METHOD_NOT_FOUND = -32601
PREFIX = "vg-"  # of our request ids: they are recognised in a line that is too long to be parsed
_REPLY = re.compile(rb'\s*\{\s*"(?:jsonrpc|id|result|error)"\s*:')
_REPLY_TO = re.compile(rb'"id"\s*:\s*"(vg-\d+)"')

# One encoder for all: json.dumps with options builds a new one every time. NaN is not JSON.
_encode = json.JSONEncoder(separators=(",", ":"), allow_nan=False, check_circular=False).encode


class JsonRpcSession:
    """Replies are handed to their callers without a task of our own; it writes and never waits, except for a
    server that does not read."""

    def __init__(
        self, name: str, events: ConnectionEvents, on_end: Callable[[], None], hide: Callable[[str], str]
    ) -> None:
        self._name = name
        self._events = events
        self._hide = hide
        self.process = ServerProcess(
            name, on_line=self._on_line, on_long_line=self._on_long_line, on_end=on_end, hide=hide
        )
        self._ids = itertools.count(1)
        self._waiting: dict[str, asyncio.Future[Mapping[str, Any]]] = {}
        self._progress: dict[str, OnProgress] = {}  # by request
        self._closed: str | None = None
        self._noise = 0
        self.unanswered = 0  # calls in a row that were given up

    # what we send

    async def call(self, tool: str, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        """The result of a tool call. Cancelling it tells the server, without waiting for it to read."""
        try:
            result = await self.request(
                "tools/call", {"name": tool, "arguments": arguments}, on_progress.get()
            )
        except asyncio.CancelledError:
            self.unanswered += 1
            if self.unanswered >= SUSPECT_AFTER:
                self._events.suspect()
            raise
        except ToolError:
            self.unanswered = 0
            raise
        self.unanswered = 0
        return result

    async def request(
        self, method: str, params: Mapping[str, Any], on_progress: OnProgress | None = None
    ) -> Mapping[str, Any]:
        """The result; an error reply is raised."""
        request_id = f"{PREFIX}{next(self._ids)}"
        if on_progress is not None:
            params = {**params, "_meta": {"progressToken": request_id}}
        line = _line({"jsonrpc": "2.0", "id": request_id, "method": method, "params": params})
        if self.process.congested:
            await self.process.drained()
        if self._closed is not None:
            raise ToolUnavailable(self._closed)
        reply: asyncio.Future[Mapping[str, Any]] = asyncio.get_running_loop().create_future()
        self._waiting[request_id] = reply
        if on_progress is not None:
            self._progress[request_id] = on_progress
        try:
            self.process.write(line)
            frame = await reply
        except LinkError as error:
            raise ToolUnavailable(str(error)) from error
        except asyncio.CancelledError:
            # Written even when the server does not read: there is only one for each request that was written.
            self.notify("notifications/cancelled", {"requestId": request_id, "reason": "the caller gave up"})
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
        """A request whose reply is ignored; left out while the server does not read."""
        self._send({"id": f"{PREFIX}{next(self._ids)}", "method": method, "params": params})

    def notify(self, method: str, params: Mapping[str, Any]) -> None:
        with contextlib.suppress(LinkError):
            self.process.write(_line({"jsonrpc": "2.0", "method": method, "params": params}))

    def close(self, reason: str, stderr: str = "") -> None:
        """Fails every waiting request at once. The server's stderr is for the log alone."""
        self._closed = self._closed or reason
        for reply in self._waiting.values():
            if not reply.done():
                gone = ToolUnavailable(f"{reason} What was asked of it may or may not have happened.")
                gone.__cause__ = LinkError(f"{reason} Its stderr: {stderr or 'nothing'}")
                reply.set_exception(gone)

    @property
    def busy(self) -> bool:
        return bool(self._waiting)

    def _send(self, message: Mapping[str, Any]) -> None:
        if self._closed is None and not self.process.congested:
            with contextlib.suppress(LinkError):
                self.process.write(_line({"jsonrpc": "2.0", **message}))

    # what the server sends

    def _on_line(self, line: bytes) -> None:
        if len(line) > QUICK_LINE:
            self.process.pause_reading()  # one long line at a time: a flood of them waits in the server
            self._parse_in_thread(line)
            return
        try:
            frame = from_json(line)
        except ValueError:
            frame = None
        if type(frame) is not dict or not self._take(frame):
            self._take_parsed(parse(line), line)

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

    def _parse_in_thread(self, line: bytes) -> None:
        """In a daemon thread, not asyncio's own pool: the end of the program does not wait for it."""
        loop = asyncio.get_running_loop()

        def done(parsed: Parsed) -> None:
            self._take_parsed(parsed, line)
            self.process.resume_reading()

        def run() -> None:
            parsed = parse(line, patient=True)
            with contextlib.suppress(RuntimeError):  # the loop is closed
                loop.call_soon_threadsafe(done, parsed)

        threading.Thread(target=run, name="mcp long line", daemon=True).start()

    def _take_parsed(self, parsed: Parsed, line: bytes) -> None:
        understood = not parsed.noise
        for frame in parsed.frames:
            understood &= self._take(frame)
        if not understood:
            self._noise += 1
            if self._noise <= NOISE_SHOWN or self._noise.bit_count() == 1:  # every power of two
                facts = {
                    "server": self._name,
                    "content": self._hide(shown(line)),
                    "count": self._noise,
                }
                log.warning("MCP server wrote something that is not JSON-RPC", extra=facts)

    def _take(self, frame: Mapping[str, Any]) -> bool:
        """Whether it was JSON-RPC. A reply without a waiting request is dropped."""
        method, request_id = frame.get("method"), frame.get("id")
        if isinstance(method, str):
            if frame.get("jsonrpc") != "2.0":
                return False
            params = frame.get("params")
            if request_id is None:
                self._on_notification(method, params if isinstance(params, Mapping) else {})
            else:
                self._answer(request_id, method)
            return True
        reply = self._waiting.get(request_id) if isinstance(request_id, str) else None
        if reply is not None:
            if not reply.done():
                reply.set_result(frame)
            return True
        ours = isinstance(request_id, str) and request_id.startswith(PREFIX)
        return ours or (frame.get("jsonrpc") == "2.0" and ("result" in frame or "error" in frame))

    def _answer(self, request_id: Any, method: str) -> None:
        """Replies to a request of the server. Only ping is offered; elicitation would be answered here."""
        if method == "ping":
            self._send({"id": request_id, "result": {}})
        else:
            error = {"code": METHOD_NOT_FOUND, "message": f"Method not found: {method[:100]}"}
            self._send({"id": request_id, "error": error})

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
        return _encode(message).encode() + b"\n"
    except (TypeError, ValueError, RecursionError) as error:
        raise BadArguments(f"The arguments cannot be written as JSON: {error}") from error
