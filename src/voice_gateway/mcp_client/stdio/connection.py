"""One life of a stdio server: spawn, initialize, list, calls, teardown; opened and closed by one task."""

import asyncio
import contextlib
import itertools
import json
import logging
import re
import threading
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from voice_gateway.config import ServerSettings
from voice_gateway.errors import BadArguments, GatewayError, LinkError, ToolError, ToolUnavailable
from voice_gateway.mcp_client.connection import (
    NOT_UNDERSTOOD,
    REPLY_LIMIT,
    SUSPECT_AFTER,
    Events,
    Greeting,
    LinkTimeouts,
    all_pages,
    error_reply,
    load_sdk,
    shorten,
)
from voice_gateway.mcp_client.server_log import wanted_level
from voice_gateway.mcp_client.stdio.frames import (
    QUICK_LINE,
    LongLine,
    Parsed,
    parse,
    shown,
    whole_frame,
)
from voice_gateway.mcp_client.stdio.installing import is_installing
from voice_gateway.mcp_client.stdio.process import ServerProcess
from voice_gateway.mcp_client.stdio.session import StreamSession
from voice_gateway.progress import OnProgress, listener, read_progress

log = logging.getLogger(__name__)

DEVICES = "zwave://devices"  # the resource of our Z-Wave server that any change of a device updates

BROKEN_STOP_SECONDS = 0.5  # a server that misbehaved gets no long farewell
NOISE_SHOWN = 20  # odd lines logged one by one; later ones at each doubling
LEFT_ALONE_SECONDS = 120.0  # for an installation that the gateway does not wait for any more
PREFIX = "vg-"  # the SDK numbers its own requests, so ours cannot meet them

_REPLY = re.compile(rb'\s*\{\s*"(?:jsonrpc|id|result|error)"\s*:')
_REPLY_TO = re.compile(rb'"id"\s*:\s*"(vg-\d+)"')

# One encoder for all: json.dumps with options builds a new one every time. NaN is not JSON.
_encode = json.JSONEncoder(separators=(",", ":"), allow_nan=False, check_circular=False).encode


class StdioConnection:
    """`tools/call` goes beside the SDK's session on the same stream: own ids, one parse, no task switch.

    The SDK's own path costs three times as much, and holds a cancelled caller for five seconds when a server
    does not read its input.
    """

    def __init__(
        self,
        name: str,
        settings: ServerSettings,
        events: Events,
        *,
        stop_seconds: float,
        timeouts: LinkTimeouts,
        hide: Callable[[str], str] = str,
    ) -> None:
        self._name = name
        self._timeouts = timeouts
        self._hide = hide
        self._settings = settings
        self._events = events
        self._stop_seconds = stop_seconds
        self._noise = 0
        self._greeted = False
        self._process = ServerProcess(name, self._on_line, self._on_end, hide, self._on_long_line)
        self._calls = PendingCalls(self._process, events.suspect)
        self._session = StreamSession(self._write_for_sdk, events.tools_changed, events.resource_updated)
        self.definitions: list[Mapping[str, Any]] = []
        self.end: str | None = None

    async def start(self) -> None:
        """The server starts while we import the SDK; the limit of `open` is for the server alone."""
        await self._process.start(self._settings)
        await load_sdk()

    async def open(self) -> None:
        """Connected and listed, or a LinkError that says why not. `close` is due in either case."""
        try:
            await self._session.open()
            self._greeted = True
            if "logging" in self.greeting.offers:
                self.post("logging/setLevel", {"level": wanted_level()})
            self.definitions = await self.list_tools()
            if self._session.tells_changes:
                await self._calls.request("resources/subscribe", {"uri": DEVICES})
        except Exception as error:  # the SDK raises its own errors, groups of them, and pydantic's
            await self._process.last_words()
            raise LinkError(self._reason(error)) from error

    async def close(self, *, broken: bool) -> None:
        """`broken`: the server misbehaved, and gets no long farewell."""
        self._calls.close(f'The server "{self._name}" was stopped.')
        try:
            await self._session.close()
        except Exception:  # an SDK in trouble must not keep its server alive
            log.debug("MCP session closed with an error", extra={"server": self._name}, exc_info=True)
        finally:
            if not broken and self.is_installing():
                await self._process.leave(LEFT_ALONE_SECONDS)
            else:
                await self._process.last_words()
                await self._process.stop(BROKEN_STOP_SECONDS if broken else self._stop_seconds)

    def is_installing(self) -> bool:
        """It has not answered yet, and a package manager is at work."""
        return not self._greeted and self.end is None and is_installing(self._process.pid, self._settings)

    async def call(self, tool: str, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        return await self._calls.call(tool, arguments)

    async def request(self, method: str, params: Mapping[str, Any]) -> Mapping[str, Any]:
        return await self._calls.request(method, params)

    def post(self, method: str, params: Mapping[str, Any]) -> None:
        self._calls.post(method, params)

    @property
    def greeting(self) -> Greeting:
        return self._session.greeting

    async def list_tools(self) -> list[Mapping[str, Any]]:
        """Asked by ourselves: the SDK's model refuses the whole list for one malformed definition."""
        return await all_pages(self._page)

    async def _page(self, cursor: str | None) -> tuple[list[Mapping[str, Any]], Any]:
        page = await self._calls.request("tools/list", {} if cursor is None else {"cursor": cursor})
        tools = page.get("tools")
        if not isinstance(tools, list):
            raise LinkError("its reply to tools/list holds no list of tools")
        return tools, page.get("nextCursor")

    async def is_alive(self) -> bool:
        """Whether the server still talks, when several calls in a row were given up."""
        if self._calls.unanswered >= 2 * SUSPECT_AFTER and not self._calls.under_way:
            return False  # it talks, but it does not work
        try:
            async with asyncio.timeout(self._timeouts.ping_seconds):
                await self._calls.request("ping", {})
        except TimeoutError:
            return False
        except GatewayError:
            return self.end is None  # an error is an answer too
        return True

    def stderr_tail(self) -> str:
        return self._process.stderr_tail()

    def _on_line(self, line: bytes) -> None:
        if len(line) <= QUICK_LINE:
            frame = whole_frame(line)
            if frame is not None and self._calls.resolve(frame):
                return
            self._dispatch(parse(line), line)
            return
        self._process.pause_reading()  # one long line at a time: a flood of them waits in the server
        _in_thread(partial(parse, line, patient=True), partial(self._parsed, line))

    def _parsed(self, line: bytes, parsed: Parsed) -> None:
        self._dispatch(parsed, line)
        self._process.resume_reading()

    def _dispatch(self, parsed: Parsed, line: bytes) -> None:
        understood = not parsed.noise
        for frame in parsed.frames:
            understood &= self._calls.resolve(frame) or self._noted(frame) or self._session.feed(frame)
        if not understood:
            self._log_noise(line)

    def _noted(self, frame: Mapping[str, Any]) -> bool:
        """What a server tells often does not take the SDK's long way."""
        params = frame.get("params")
        if not isinstance(params, Mapping):
            return False
        if frame.get("method") == "notifications/progress":
            return self._calls.moved(params)
        if frame.get("method") == "notifications/message":
            self._events.logged(params)
            return True
        return False

    def _log_noise(self, line: bytes) -> None:
        self._noise += 1
        if self._noise <= NOISE_SHOWN or self._noise.bit_count() == 1:  # every power of two
            facts = {"server": self._name, "content": self._hide(shown(line)), "count": self._noise}
            log.warning("MCP server wrote something that is not JSON-RPC", extra=facts)

    def _on_long_line(self, line: LongLine) -> None:
        megabytes = REPLY_LIMIT // 1024**2
        too_much = ToolError(f'The server "{self._name}" answered with more than {megabytes} MB: too much.')
        self._calls.fail(line, too_much)

    def _on_end(self) -> None:
        self.end = f"the server {self._process.end}"
        self._calls.close(f'The server "{self._name}" {self._process.end}.', self._process.stderr_tail())
        self._session.end()
        self._events.ended()

    def _write_for_sdk(self, line: bytes) -> None:
        if not self._process.congested:  # a server that asks without reading gets no answers that pile up
            self._process.write(line)

    def _reason(self, error: Exception) -> str:
        if self.end is not None:
            return self.end
        if isinstance(error, GatewayError):
            return str(error)
        return f"it did not speak the protocol: {shorten(str(error))}"


def _in_thread(work: Callable[[], Parsed], then: Callable[[Parsed], None]) -> None:
    """A daemon thread, not asyncio's own pool: nobody has to wait for it at the end of the program."""
    loop = asyncio.get_running_loop()

    def run() -> None:
        parsed = work()
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody wants it any more
            loop.call_soon_threadsafe(then, parsed)

    threading.Thread(target=run, name="mcp long line", daemon=True).start()


class PendingCalls:
    """Our own requests, sent beside the SDK's session on the same stream, each with one waiter.

    Replies are handed over by `resolve` without a task switch of their own.
    """

    def __init__(self, process: ServerProcess, on_suspect: Callable[[], None]) -> None:
        self._process = process
        self._on_suspect = on_suspect
        self._ids = itertools.count(1)
        self._waiting: dict[str, asyncio.Future[Mapping[str, Any]]] = {}
        self._moving: dict[str, OnProgress] = {}  # who wants to hear how far a request is
        self._closed: str | None = None
        self.unanswered = 0

    @property
    def under_way(self) -> bool:
        return bool(self._waiting)

    async def call(self, tool: str, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        """A cancelled call tells the server, and never waits for it to listen."""
        try:
            params = f'{{"name":{_encode(tool)},"arguments":{_json(arguments)}}}'
            frame = await self._exchange("tools/call", params, listener())
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

    def post(self, method: str, params: Mapping[str, Any]) -> None:
        """Nobody waits for the answer; where the server does not read, it is left out."""
        if self._closed is None and not self._process.congested:
            request = {"jsonrpc": "2.0", "id": f"{PREFIX}{next(self._ids)}", "method": method}
            with contextlib.suppress(LinkError):
                self._process.write(_json({**request, "params": params}).encode() + b"\n")

    async def _exchange(
        self, method: str, params: str, on_progress: OnProgress | None = None
    ) -> Mapping[str, Any]:
        request_id = f"{PREFIX}{next(self._ids)}"
        if on_progress is not None:  # the request's own id says whose progress it is
            params = f'{params[:-1]},"_meta":{{"progressToken":"{request_id}"}}}}'
        line = f'{{"jsonrpc":"2.0","id":"{request_id}","method":"{method}","params":{params}}}\n'.encode()
        if self._process.congested:
            await self._process.drained()
        if self._closed is not None:
            raise ToolUnavailable(self._closed)
        reply: asyncio.Future[Mapping[str, Any]] = asyncio.get_running_loop().create_future()
        self._waiting[request_id] = reply
        if on_progress is not None:
            self._moving[request_id] = on_progress
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
            if on_progress is not None:
                del self._moving[request_id]

    def resolve(self, frame: Mapping[str, Any]) -> bool:
        """Whether the frame answers a request of ours, also one that nobody waits for any more."""
        request_id = frame.get("id")
        if not isinstance(request_id, str) or not request_id.startswith(PREFIX) or "method" in frame:
            return False
        reply = self._waiting.get(request_id)
        if reply is not None and not reply.done():
            reply.set_result(frame)
        return True

    def moved(self, params: Mapping[str, Any]) -> bool:
        """Whether it is the progress of a request of ours, also of one that nobody waits for any more."""
        token = params.get("progressToken")
        if not isinstance(token, str) or not token.startswith(PREFIX):
            return False
        told = self._moving.get(token)
        progress = read_progress(params.get("progress"), params.get("total"), params.get("message"))
        if told is not None and progress is not None:
            told(progress)
        return True

    def fail(self, line: LongLine, error: ToolError) -> None:
        """Whose reply it was hears of it at once, also if the line never ends. Some write the id last; it
        is then known when the line ends, or because only one waits."""
        found = _REPLY_TO.search(line.head) or _REPLY_TO.search(line.tail)
        alone = len(self._waiting) == 1 and _REPLY.match(line.head) and b'"method"' not in line.head
        request_id = found[1].decode() if found else next(iter(self._waiting)) if alone else None
        reply = self._waiting.get(request_id) if request_id else None
        if reply is not None and not reply.done():
            reply.set_exception(error)

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
        raise ToolError(NOT_UNDERSTOOD)
    raise error_reply(error.get("code"), error.get("message"), error.get("data"))
