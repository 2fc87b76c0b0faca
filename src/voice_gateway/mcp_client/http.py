"""One life of a server that is reached by its address (streamable HTTP or the older SSE), through the SDK.

Importing this module imports the SDK, which takes 0.7 s.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, replace
from enum import Enum, auto
from importlib.metadata import version
from typing import Any, TypeVar
from urllib.parse import urlsplit

import httpx2
import mcp_types as types
from mcp.client.session import ClientSession, IncomingMessage
from mcp.client.sse import sse_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError
from mcp.shared.inbound import MCP_PROTOCOL_VERSION_HEADER
from mcp.shared.jsonrpc_dispatcher import JSONRPCDispatcher
from pydantic import TypeAdapter, ValidationError

from voice_gateway.backoff import wait_at_most
from voice_gateway.config import ServerSettings
from voice_gateway.errors import LinkError, ToolError, ToolUnavailable, first_error
from voice_gateway.mcp_client.connection import (
    CONNECTION_CLOSED,
    NOT_UNDERSTOOD,
    REPLY_LIMIT,
    TOOLS_CHANGED,
    CallLost,
    Connection,
    InitializeResult,
    Refused,
    all_pages,
    error_reply,
    shorten,
)
from voice_gateway.mcp_client.login import KeptLogin, LoginFile
from voice_gateway.mcp_client.status import address
from voice_gateway.progress import listener, read_progress

T = TypeVar("T")


# --- the HTTP client under the SDK's transports: it records how each exchange went, and a broken one costs
# only itself. The SDK's own transport ends, with all calls under way, when one request cannot be sent.

HTTP_SECONDS, READ_SECONDS = 30.0, 300.0  # a server may hold a response open for as long as a tool runs
WORDS_LIMIT, WORDS_SECONDS = 64 * 1024, 2.0  # of the body of a refusal
SESSION = "mcp-session-id"
BAD_GATEWAY = 502  # stands for an answer that never came
REFUSED, FAULTY = 400, 500  # these HTTP statuses, and all above
TOO_MANY = 429
JSON, EVENTS = "application/json", "text/event-stream"

_NOT_SENT = (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout, httpx2.ProxyError)


@dataclass(slots=True)
class Exchange:
    """What is known of one request and its answer; the SDK tells only that something failed."""

    status: int = 0  # 0: no answer came
    kind: str = ""  # its content type
    words: str = ""  # the body of a refusal
    reached: bool = True  # the server may have read the request
    broken: str = ""  # why no answer came, or only half of one

    def clear(self) -> None:
        """A redirect, or a login before it, makes several requests of one."""
        self.status, self.kind, self.words, self.reached, self.broken = 0, "", "", True, ""

    @property
    def refused(self) -> bool:
        return self.status >= REFUSED

    @property
    def answered(self) -> bool:
        """By something that speaks JSON-RPC, and to its end."""
        return not self.broken and self.kind in ((JSON,) if self.refused else (JSON, EVENTS))

    @property
    def surely_not_run(self) -> bool:
        """It was not read, or was turned away before any tool was looked for. A status of 500 and
        above may come after the call was run."""
        return not self.reached or REFUSED <= self.status < FAULTY


# A context variable: the SDK stands between the caller and the HTTP client; it sends in the caller's context.
current_exchange: ContextVar[Exchange | None] = ContextVar("exchange", default=None)


async def recorded(exchange: Exchange, work: Awaitable[T]) -> T:
    """The work's result; the HTTP client fills in the exchange."""
    before = current_exchange.set(exchange)
    try:
        return await work
    finally:
        current_exchange.reset(before)


class BodyBroken(httpx2.StreamError):
    """The body is over the limit, or ended in the middle. The SDK makes it an error of the one request; other
    errors it does not catch."""


class LinkClient(httpx2.AsyncClient):
    """`on_answer` gets every exchange, answered or not; `on_stream_end` is called when the server ended the
    stream on which it sends unasked, or would not open one."""

    def __init__(
        self, *, on_answer: Callable[[Exchange], None], on_stream_end: Callable[[], None], **more: Any
    ) -> None:
        super().__init__(timeout=httpx2.Timeout(HTTP_SECONDS, read=READ_SECONDS), **more)
        self._on_answer = on_answer
        self._on_stream_end = on_stream_end

    async def send(self, request: httpx2.Request, **options: Any) -> httpx2.Response:
        # The stream of a session belongs to no request, although it is opened in some request's context.
        listens = request.method == "GET" and SESSION in request.headers
        exchange = Exchange() if listens else (current_exchange.get() or Exchange())
        exchange.clear()
        try:
            response = await super().send(request, **options)
        except httpx2.HTTPError as error:
            exchange.broken = _text(error)
            exchange.reached = not isinstance(error, _NOT_SENT)
            self._report(exchange, listens)
            if request.method != "POST":
                raise
            return httpx2.Response(BAD_GATEWAY, request=request)
        exchange.status = response.status_code
        exchange.kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
        if not response.is_closed and not response.is_stream_consumed:
            unasked = request.method == "GET" and exchange.kind == EVENTS
            response.stream = _Body(response.stream, exchange, self._on_stream_end if unasked else None)
        if exchange.refused:
            exchange.words = await _words(response)
        self._report(exchange, listens)
        return response

    def _report(self, exchange: Exchange, listens: bool) -> None:
        if not listens:
            self._on_answer(exchange)
        elif exchange.broken or exchange.refused:
            self._on_stream_end()


class _Body(httpx2.AsyncByteStream):
    """A body that ends: at its limit, or with an error that the SDK takes for one request's."""

    def __init__(self, body: Any, exchange: Exchange, on_end: Callable[[], None] | None) -> None:
        self._body = body
        self._exchange = exchange
        self._on_end = on_end
        self._events = exchange.kind == EVENTS
        # An event stream has no end; each of its events has a limit of its own in the SDK.
        self._limit = None if self._events else WORDS_LIMIT if exchange.refused else REPLY_LIMIT

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size = 0
        try:
            async for chunk in self._body:
                size += len(chunk)
                if self._limit is not None and size > self._limit:
                    self._exchange.broken = f"its answer is longer than {self._limit // 1024} kB"
                    raise BodyBroken(self._exchange.broken)
                yield chunk
        except httpx2.HTTPError as error:
            self._over(_text(error))
            raise BodyBroken(str(error)) from error
        if self._events:  # a reader that has its answer leaves before the stream ends
            self._over("its answer ended before it was complete")

    def _over(self, why: str) -> None:
        self._exchange.broken = why
        if self._on_end is not None:
            self._on_end()

    async def aclose(self) -> None:
        await self._body.aclose()


async def _words(response: httpx2.Response) -> str:
    try:
        async with asyncio.timeout(WORDS_SECONDS):
            await response.aread()
    except (TimeoutError, httpx2.HTTPError, httpx2.StreamError):
        return ""
    return shorten(response.text)


def _text(error: Exception) -> str:
    return str(error) or type(error).__name__


# --- the connection

# It takes us no longer: a token that was revoked, a server that is not loaded (any more), a proxy before one.
TURNED_AWAY = frozenset({401, 403, 404, 502, 503, 504})
NO_TOKEN, NO_ENTRY = 401, (401, 403)
NOTHING_THERE = frozenset({400, 404, 405, 406, 415, 501})  # at this path, or not in this way
HOME_ASSISTANT = "/api/mcp"  # where its MCP server is
KILL_SECONDS = 1.0  # for the SDK to end after it was cancelled
GONE = "does not answer any more, or no longer knows our session"
SILENT_TWICE = 2  # pings without an answer: once may be a busy machine
_ANY_RESULT: Any = TypeAdapter(dict[str, Any])


@dataclass(frozen=True, slots=True)
class Route:
    """Where a server may be. What is reported of a mere guess is only that it was not there."""

    url: str
    sse: bool = False  # "HTTP with SSE", as before 2025-03-26
    guess: bool = False


class Pulse(Enum):
    """The answer to a ping."""

    ALIVE = auto()
    SILENT = auto()  # hangs, or is busy
    GONE = auto()  # not there, or it does not know us


class HttpConnection(Connection):
    """Everything goes through the SDK's session, in a task of its own.

    The SDK's transport cancels the task that opened it when a request cannot be sent; the owner must live on.
    """

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._url = self._settings.url or ""
        self._session: ClientSession | None = None
        self._dispatcher: JSONRPCDispatcher | None = None
        self._ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._stop = asyncio.Event()
        self._wake = asyncio.Event()  # stop, or a doubt: the watch looks at once
        self._announces = False  # it tells when its tools change; else they are listed every so often
        self._tasks: set[asyncio.Task[Any]] = set()
        self._calls_under_way = 0
        self._turned_away: Exchange | None = None  # how it said that it takes us no longer
        self._sse = False

    async def open(self) -> None:
        self._start(self._serve())
        await self._ready

    async def close(self, *, broken: bool) -> None:
        """Bounded: a server that does not answer the farewell is left alone."""
        self._stop.set()
        self._wake.set()
        for seconds in (0.0 if broken else self._stop_seconds, KILL_SECONDS):
            if self._tasks:
                await asyncio.wait(self._tasks, timeout=seconds)
            for task in self._tasks:
                task.cancel()

    async def request(self, method: str, params: Mapping[str, Any]) -> Mapping[str, Any]:
        if self._session is None:
            raise self._unavailable()
        exchange = Exchange()
        work = self._send(self._session, method, dict(params))
        # In a task of its own: when the caller gives up, the SDK takes up to five seconds to tell the server.
        answer = self._start(recorded(exchange, work))
        self._calls_under_way += 1
        try:
            return await asyncio.shield(answer)
        except asyncio.CancelledError:
            if answer.cancelled():  # by `close`: it is not the caller who gave up
                raise self._lost(exchange) from None
            answer.cancel()
            raise
        except Exception as error:
            raise await self._call_error(error, exchange) from error
        finally:
            self._calls_under_way -= 1

    async def _send(self, session: ClientSession, method: str, params: dict[str, Any]) -> Mapping[str, Any]:
        if "task" in params and self._dispatcher is not None:
            # The session refuses a `tools/call` that is answered with a task.
            headers = {MCP_PROTOCOL_VERSION_HEADER: session.protocol_version or ""}
            return await self._dispatcher.send_raw_request(method, params, {"headers": headers})
        request = types.Request[dict[str, Any], str](method=method, params=params)
        result: Mapping[str, Any] = await session.send_request(
            request, _ANY_RESULT, progress_callback=_progress_callback()
        )
        return result

    def post(self, method: str, params: Mapping[str, Any]) -> None:
        self._start(self.request(method, params))

    async def list_tools(self) -> list[Mapping[str, Any]]:
        try:
            return await all_pages(self._page)
        except Exception as error:
            raise LinkError(f"its tools could not be listed: {self._without_secrets(error)}") from error

    async def is_alive(self) -> bool:
        pulse = await self._pulse()
        if pulse is Pulse.GONE:
            self._wake.set()
        return pulse is Pulse.ALIVE and self._works(self._calls_under_way)

    # the task that holds the SDK's session

    async def _serve(self) -> None:
        failure = LinkError("the connection was closed")
        try:
            for route in routes(self._settings):
                self._turned_away = None
                exchange = Exchange()
                current_exchange.set(exchange)
                try:
                    await self._serve_at(route, exchange)
                except Exception as error:  # the SDK's own errors, groups of them, httpx's and pydantic's
                    nothing = exchange.status in NOTHING_THERE
                    if not route.guess or (exchange.refused and not nothing):
                        failure = self._failure(error, exchange)
                    if not nothing:
                        break
                if self._ready.done():
                    break
        finally:
            self._session = None
            self.end = self.end or str(failure)
            if not self._ready.done():
                self._ready.set_exception(failure)
            elif not self._stop.is_set():
                self._events.ended()

    async def _serve_at(self, route: Route, exchange: Exchange) -> None:
        info = types.Implementation(name="voice-gateway", version=version("voice-gateway"))
        async with (
            self._streams(route) as (receive, send),
            ClientSession(
                dispatcher=(dispatcher := JSONRPCDispatcher(receive, send)),
                message_handler=self._on_message,
                client_info=info,
            ) as session,
        ):
            self._session, self._dispatcher, self._sse = session, dispatcher, route.sse
            older = await self._initialize(session, exchange)
            # Servers of the newest handshake announce changes only on a stream of its own kind.
            self._announces = older and self.initialized.announces
            if not self._ready.done():
                self._ready.set_result(None)
            await self._watch()

    async def _initialize(self, session: ClientSession, exchange: Exchange) -> bool:
        """Whether the handshake was that of all servers up to 2025-11-25.

        That one comes first: it settles any older version by itself, and some servers never answer an unknown
        method. A server that has only the newest (2026-07-28) refuses it, and is asked anew.
        """
        result: types.InitializeResult | types.DiscoverResult
        try:
            result, older = await session.initialize(), True
        except MCPError as error:
            newest = error.code in (types.METHOD_NOT_FOUND, types.UNSUPPORTED_PROTOCOL_VERSION)
            if not (newest and exchange.answered):
                raise
            result, older = await session.discover(), False
        self.initialized = InitializeResult.of(
            result.model_dump(by_alias=True, mode="json", exclude_none=True)
        )
        return older

    @contextlib.asynccontextmanager
    async def _streams(self, route: Route) -> AsyncIterator[Any]:
        if route.sse:
            async with sse_client(route.url, httpx_client_factory=self._client) as streams:
                yield streams
        else:
            async with (
                self._client() as client,
                streamable_http_client(
                    route.url, http_client=client, max_sse_event_size=REPLY_LIMIT
                ) as streams,
            ):
                yield streams

    def _client(self, *_: Any, **__: Any) -> LinkClient:
        """The same for both ways, without the SDK's options."""
        auth, login = None, LoginFile(self._name, self._url)
        if not self._settings.has_token and login.has_tokens():
            auth = KeptLogin(self._url, login)
        headers = {key: value.get_secret_value() for key, value in self._settings.headers.items()}
        return LinkClient(on_answer=self._answered, on_stream_end=self._wake.set, headers=headers, auth=auth)

    async def _on_message(self, message: IncomingMessage) -> None:
        if isinstance(message, types.Notification):
            plain = message.model_dump(by_alias=True, mode="json")
            self._events.notified(plain["method"], plain.get("params") or {})

    async def _page(self, cursor: str | None) -> tuple[list[Mapping[str, Any]], Any]:
        assert self._session is not None
        page = await self._session.list_tools(params=types.PaginatedRequestParams(cursor=cursor))
        tools = [tool.model_dump(by_alias=True, mode="json", exclude_none=True) for tool in page.tools]
        return list(tools), page.next_cursor

    # is it still there?

    def _answered(self, exchange: Exchange) -> None:
        # A JSON-RPC error is an answer to one call; without a token there are none.
        away = exchange.status in TURNED_AWAY and not exchange.answered
        if away or exchange.status == NO_TOKEN:
            self._turned_away = replace(exchange)
        if exchange.refused or exchange.broken:
            self._wake.set()

    async def _watch(self) -> None:
        """Until the stop, or until the server no longer answers."""
        opened = list_at = _now()
        silent = 0
        while not self._stop.is_set():
            await wait_at_most(self._wake, self._timeouts.ping_every_seconds)
            self._wake.clear()
            if self._stop.is_set():
                return
            pulse = await self._pulse()
            silent = silent + 1 if pulse is Pulse.SILENT else 0
            if pulse is Pulse.GONE or (silent >= SILENT_TWICE and not self._calls_under_way):
                status = self._turned_away and self._turned_away.status
                why = f"turned us away: HTTP status {status}" if status else GONE
                self.end = f"{address(self._settings)} {why}"
                return
            if silent == 1 and not self._calls_under_way:
                self._wake.set()
            if pulse is Pulse.ALIVE and not self._announces and list_at <= _now():
                self._events.notified(TOOLS_CHANGED, {})
                # Soon after its start there may be more tools.
                list_at = _now() + min(_now() - opened, self._timeouts.list_every_seconds)

    async def _pulse(self) -> Pulse:
        """Any error to a ping is a no: a server that forgot us answers, too."""
        if self._session is None or self._turned_away is not None:
            return Pulse.GONE
        exchange = Exchange()
        try:
            async with asyncio.timeout(self._timeouts.ping_seconds):
                await recorded(exchange, self._session.send_ping())
        except TimeoutError:
            return Pulse.SILENT
        except Exception as error:  # whatever the SDK makes of a broken answer
            # The newest protocol has no ping.
            no_ping = isinstance(error, MCPError) and error.code == types.METHOD_NOT_FOUND
            if exchange.status == TOO_MANY or (no_ping and self._came(exchange)):
                return Pulse.ALIVE
            return Pulse.SILENT if exchange.status >= FAULTY and not self._turned_away else Pulse.GONE
        return Pulse.ALIVE

    # failures; none of the sentences holds a secret

    async def _call_error(self, error: Exception, exchange: Exchange) -> ToolError:
        if isinstance(error, ValidationError):
            return ToolError(NOT_UNDERSTOOD)
        reply: ToolError | None = None  # the server's own, as far as can be seen
        doubtful = True
        if isinstance(error, MCPError) and self._came(exchange):
            reply = error_reply(error.code, error.message, error.data)
            # The SDK's own code for a stream that ended, and whatever a server says of a session.
            doubtful = error.code == CONNECTION_CLOSED or "session" in error.message.lower()
        if reply is not None and not doubtful and not exchange.refused:
            return reply
        if await self._pulse() is Pulse.GONE:
            self._wake.set()
            return self._lost(exchange)
        return reply or self._fault(exchange)

    def _came(self, exchange: Exchange) -> bool:
        """Whether there was an answer: with SSE it comes on another stream than the one of the request."""
        return exchange.answered or (self._sse and not exchange.refused and not exchange.broken)

    def _failure(self, error: BaseException, exchange: Exchange) -> LinkError:
        """It could not be connected."""
        refused = f"HTTP status {exchange.status}: " if exchange.refused else ""
        reason = shorten(self._hide(exchange.broken)) if exchange.broken else self._without_secrets(error)
        text = f"{address(self._settings)} cannot be used: {refused}{reason}"
        return Refused(text, exchange.status, exchange.words) if refused else LinkError(text)

    def _without_secrets(self, error: BaseException) -> str:
        """Its text, in short: libraries quote what they could not send."""
        cause = first_error(error)
        text = (str(cause) or type(cause).__name__).replace(self._url, address(self._settings))
        return shorten(self._hide(text))

    def _fault(self, exchange: Exchange) -> ToolError:
        """Of a server that is there."""
        server, not_run = f'The server "{self._name}"', exchange.surely_not_run
        if exchange.broken:
            text = f"{server} broke off: {self._hide(exchange.broken)}."
            return CallLost(text, not_run=not_run, replaced=False)
        if exchange.status == TOO_MANY:
            return ToolUnavailable(f"{server} takes no more calls for the moment.")
        if exchange.refused:
            unsure = "" if not_run else " What was asked may or may not have happened."
            return ToolUnavailable(f"{server} answered HTTP status {exchange.status}.{unsure}")
        return ToolError(NOT_UNDERSTOOD)

    def _lost(self, exchange: Exchange) -> ToolUnavailable:
        """A call whose server is gone: another connection takes its place."""
        sentence = self._unavailable()
        if self._turned_away is not None and self._turned_away.status in NO_ENTRY:
            return sentence
        return CallLost(str(sentence), not_run=exchange.surely_not_run, replaced=True)

    def _unavailable(self) -> ToolUnavailable:
        server = f'The server "{self._name}"'
        if self._turned_away is None:
            return ToolUnavailable(f"{server} cannot be reached.")
        if self._turned_away.status not in NO_ENTRY:
            return ToolUnavailable(f"{server} is just starting, or is not set up.")
        if self._settings.has_token:
            return ToolUnavailable(f"{server} does not accept my token.")
        return ToolUnavailable(f"{server} needs a login: voice-gateway mcp login {self._name}")

    def _start(self, work: Coroutine[Any, Any, T]) -> "asyncio.Task[T]":
        task = asyncio.create_task(work, name=f"mcp {self._name}")  # noqa: TID251 (awaited by close)
        self._tasks.add(task)
        task.add_done_callback(self._finished)
        return task

    def _finished(self, task: "asyncio.Task[Any]") -> None:
        self._tasks.discard(task)
        if not task.cancelled():
            task.exception()  # its caller has seen it, or has given up


def routes(settings: ServerSettings) -> tuple[Route, ...]:
    """Where to look, in turn."""
    url = settings.url or ""
    if settings.type == "sse":
        return (Route(url, sse=True),)
    plain = [Route(place) for place in _addresses(url)]
    if settings.type is not None:
        return tuple(plain)
    if urlsplit(url).path.rstrip("/").endswith("/sse"):
        return Route(url, sse=True), Route(url, guess=True)
    return *plain, Route(url, sse=True, guess=True)


def _addresses(url: str) -> tuple[str, ...]:
    """For Home Assistant people give the host alone, or a slash too much."""
    parts = urlsplit(url)
    if parts.path in ("", "/"):
        return url, parts._replace(path=HOME_ASSISTANT).geturl()
    if parts.path.endswith(f"{HOME_ASSISTANT}/"):
        return (parts._replace(path=parts.path.rstrip("/")).geturl(),)
    return (url,)


def _progress_callback() -> Any:
    """With one, the SDK sends a progress token."""
    on_progress = listener()
    if on_progress is None:
        return None

    async def moved(done: float, total: float | None, message: str | None) -> None:
        if (progress := read_progress(done, total, message)) is not None:
            on_progress(progress)

    return moved


def _now() -> float:
    return asyncio.get_running_loop().time()
