"""One life of a server that is reached by its address (streamable HTTP or the older SSE), through the SDK."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping
from dataclasses import replace
from enum import Enum, auto
from typing import TYPE_CHECKING, Any, TypeVar

from voice_gateway.backoff import wait_at_most
from voice_gateway.config import ServerSettings
from voice_gateway.errors import LinkError, ToolError
from voice_gateway.mcp_client.connection import (
    CONNECTION_CLOSED,
    NOT_UNDERSTOOD,
    REPLY_LIMIT,
    SUSPECT_AFTER,
    Events,
    Greeting,
    LinkTimeouts,
    all_pages,
    client_arguments,
    error_reply,
    load_sdk,
)
from voice_gateway.mcp_client.http.exchange import (
    FAULTY,
    TOO_MANY,
    Exchange,
    exchange_under_way,
    greeted,
    noting,
    progress_callback,
)
from voice_gateway.mcp_client.http.routes import Route, Way, is_near, routes
from voice_gateway.mcp_client.http.words import FailureWording
from voice_gateway.mcp_client.login_file import LoginFile
from voice_gateway.mcp_client.server_log import wanted_level
from voice_gateway.progress import listener

if TYPE_CHECKING:
    from mcp.client.session import ClientSession

    from voice_gateway.mcp_client.http.client import LinkClient
    from voice_gateway.mcp_client.oauth import KeptLogin

T = TypeVar("T")

# It takes us no longer: a token that was revoked, a server that is not loaded (any more), a proxy before one.
TURNED_AWAY = frozenset({401, 403, 404, 502, 503, 504})
NO_TOKEN = 401
NOTHING_THERE = frozenset({400, 404, 405, 406, 415, 501})  # at this path, or not in this way
EVENT_LIMIT = REPLY_LIMIT  # bytes of one reply on an event stream
KILL_SECONDS = 1.0  # for the SDK to end after it was cancelled
SILENT_TWICE = 2  # pings without an answer: once may be a busy machine


class Pulse(Enum):
    """What became of asking whether it is there."""

    ALIVE = auto()
    SILENT = auto()  # hangs, or is busy
    GONE = auto()  # nobody there, or somebody who does not know us


class HttpConnection:
    """Everything goes through the SDK's session, in a task of its own.

    The SDK's transport cancels the task that opened it when a request cannot be sent; the owner must live on.
    """

    def __init__(
        self,
        name: str,
        settings: ServerSettings,
        events: Events,
        *,
        stop_seconds: float,
        timeouts: LinkTimeouts,
        hide: Callable[[str], str],
    ) -> None:
        self._name = name
        self._timeouts = timeouts
        self._words = FailureWording(name, settings, hide)
        self._settings = settings
        self._events = events
        self._stop_seconds = stop_seconds
        self._session: ClientSession | None = None
        self._ready: asyncio.Future[None] | None = None
        self._stop = asyncio.Event()
        self._wake = asyncio.Event()  # stop, or a doubt: the watch looks at once
        self._announces = False  # it tells when its tools change
        self._tasks: set[asyncio.Task[Any]] = set()
        self._unanswered = 0
        self._calls_under_way = 0
        self._turned_away: Exchange | None = None  # how it said that it takes us no longer
        self._has_ping = True
        self._way = Way.HTTP
        self.definitions: list[Mapping[str, Any]] = []
        self.end: str | None = None
        self.greeting = Greeting()

    async def start(self) -> None:
        await load_sdk("voice_gateway.mcp_client.http.client")

    async def open(self) -> None:
        """Connected and listed, or a LinkError that says why not. `close` is due in either case."""
        self._ready = asyncio.get_running_loop().create_future()
        self._start(self._serve(self._ready))
        await self._ready

    async def close(self, *, broken: bool) -> None:
        """Bounded: a server that does not answer the farewell is left alone."""
        self._stop.set()
        self._wake.set()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=0 if broken else self._stop_seconds)
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=KILL_SECONDS)

    async def call(self, tool: str, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        import mcp_types as types

        if self._session is None:
            raise self._words.unavailable(self._turned_away)
        params = types.CallToolRequestParams(name=tool, arguments=dict(arguments))
        request = types.CallToolRequest(params=params)
        exchange = Exchange()
        # In a task of its own: when the caller gives up, the SDK takes up to five seconds to tell the server.
        told = progress_callback(listener())
        work = self._session.send_request(request, types.CallToolResult, progress_callback=told)
        answer = self._start(noting(exchange, work))
        self._calls_under_way += 1
        try:
            result = await asyncio.shield(answer)
        except asyncio.CancelledError:
            if answer.cancelled():  # by `close`: it is not the caller who gave up
                raise self._words.lost(exchange, self._turned_away) from None
            answer.cancel()
            self._count_unanswered()
            raise
        except Exception as error:
            raise await self._call_error(error, exchange) from error
        finally:
            self._calls_under_way -= 1
        self._unanswered = 0
        return result.model_dump(by_alias=True, mode="json", exclude_none=True)

    async def request(self, method: str, params: Mapping[str, Any]) -> Mapping[str, Any]:
        """As it was answered: the SDK's public way refuses a `tools/call` that is answered with a task."""
        if self._session is None:
            raise self._words.unavailable(self._turned_away)
        asked: dict[str, Any] = {"method": method, "params": dict(params)}
        options: Any = {}
        self._session._stamp(asked, options)
        sent = self._session._dispatcher.send_raw_request(method, asked["params"], options)
        exchange = Exchange()
        try:
            return await noting(exchange, sent)
        except Exception as error:
            raise await self._call_error(error, exchange) from error

    def post(self, method: str, params: Mapping[str, Any]) -> None:
        self._start(self.request(method, params))

    async def list_tools(self) -> list[Mapping[str, Any]]:
        try:
            return await all_pages(self._page)
        except Exception as error:
            raise LinkError(f"its tools could not be listed: {self._words.without_secrets(error)}") from error

    async def _page(self, cursor: str | None) -> tuple[list[Mapping[str, Any]], Any]:
        import mcp_types as types

        assert self._session is not None
        page = await self._session.list_tools(params=types.PaginatedRequestParams(cursor=cursor))
        tools = [tool.model_dump(by_alias=True, mode="json", exclude_none=True) for tool in page.tools]
        return list(tools), page.next_cursor

    async def is_alive(self) -> bool:
        works = self._unanswered < 2 * SUSPECT_AFTER or self._calls_under_way > 0
        pulse = await self._pulse()
        if pulse is Pulse.GONE:
            self._wake.set()
        return works and pulse is Pulse.ALIVE

    def is_installing(self) -> bool:
        return False

    def stderr_tail(self) -> str:
        return ""  # another machine's business

    # the task that holds the SDK's session

    async def _serve(self, ready: "asyncio.Future[None]") -> None:
        failure = LinkError("the connection was closed")
        try:
            for route in routes(self._settings):
                self._turned_away = None
                exchange = Exchange()
                exchange_under_way.set(exchange)
                try:
                    await self._serve_at(route, ready)
                except Exception as error:  # the SDK's own errors, groups of them, httpx's and pydantic's
                    nothing = exchange.status in NOTHING_THERE
                    if not route.guess or (exchange.refused and not nothing):
                        failure = self._words.failure(error, exchange)
                    if not nothing:
                        break
                if ready.done():
                    break
        finally:
            self._session = None
            self.end = self.end or str(failure)
            if not ready.done():
                ready.set_exception(failure)
            elif not self._stop.is_set():
                self._events.ended()

    async def _serve_at(self, route: Route, ready: "asyncio.Future[None]") -> None:
        async with self._opened(route) as session:
            self._session, self._way = session, route.way
            known, older = await greeted(session)
            # Servers of the newest handshake tell changes only to who listens to them all the time.
            self._announces = older and bool(
                known.capabilities.tools and known.capabilities.tools.list_changed
            )
            self.greeting = Greeting.of(known)
            if older and "logging" in self.greeting.offers:
                self.post("logging/setLevel", {"level": wanted_level()})
            self.definitions = await all_pages(self._page)
            if not ready.done():
                ready.set_result(None)
            await self._watch()

    @contextlib.asynccontextmanager
    async def _opened(self, route: Route) -> AsyncIterator["ClientSession"]:
        from mcp.client.session import ClientSession

        async with (
            self._streams(route) as streams,
            ClientSession(
                *streams,
                **client_arguments(
                    self._events.tools_changed, self._events.resource_updated, self._events.logged
                ),
            ) as session,
        ):
            yield session

    @contextlib.asynccontextmanager
    async def _streams(self, route: Route) -> AsyncIterator[Any]:
        if route.way is Way.SSE:
            from mcp.client.sse import sse_client

            async with sse_client(route.url, httpx_client_factory=self._client) as streams:
                yield streams
        else:
            from mcp.client.streamable_http import streamable_http_client

            async with (
                self._client() as client,
                streamable_http_client(
                    route.url, http_client=client, max_sse_event_size=EVENT_LIMIT
                ) as streams,
            ):
                yield streams

    def _client(self, *_: Any, **__: Any) -> "LinkClient":
        """The same for both ways, whatever the SDK would have."""
        from voice_gateway.mcp_client.http.client import LinkClient

        return LinkClient(
            on_answer=self._answered,
            on_stream_end=self._wake.set,
            headers={key: value.get_secret_value() for key, value in self._settings.headers.items()},
            auth=self._kept_login(),
        )

    def _kept_login(self) -> "KeptLogin | None":
        url, file = self._settings.url or "", LoginFile(self._name, self._settings.url or "")
        if self._settings.has_token or not file.has_tokens():
            return None
        from voice_gateway.mcp_client.oauth import KeptLogin

        return KeptLogin(url, file)

    def _answered(self, exchange: Exchange) -> None:
        # A JSON-RPC error is an answer to one call; without a token there are none.
        away = exchange.status in TURNED_AWAY and not exchange.answered
        if away or exchange.status == NO_TOKEN:
            self._turned_away = replace(exchange)
        if exchange.refused or exchange.broken:
            self._wake.set()

    async def _watch(self) -> None:
        """Until the stop, or until the server no longer answers."""
        soon = iter(() if self._announces else self._timeouts.list_again_seconds)
        near = is_near(self._settings.url or "")
        often = self._timeouts.ping_every_seconds if near else self._timeouts.ping_far_seconds
        list_at, silent = _later(next(soon, self._timeouts.list_every_seconds)), 0
        while not self._stop.is_set():
            await wait_at_most(self._wake, min(often, max(list_at - _later(0), 0)))
            self._wake.clear()
            if self._stop.is_set():
                return
            pulse = await self._pulse()
            silent = silent + 1 if pulse is Pulse.SILENT else 0
            hangs = silent >= SILENT_TWICE and not self._calls_under_way
            if hangs or pulse is Pulse.GONE:
                self.end = self._words.why_gone(self._turned_away)
                return
            if silent == 1 and not self._calls_under_way:
                self._wake.set()
            if pulse is Pulse.ALIVE and list_at <= _later(0):
                await self._list_again()
                list_at = _later(next(soon, self._timeouts.list_every_seconds))

    async def _list_again(self) -> None:
        """Nobody announces what such a server offers now."""
        if self._announces:
            return
        with contextlib.suppress(LinkError, TimeoutError):  # the next ping tells what is wrong
            async with asyncio.timeout(self._timeouts.ping_seconds):
                offered = await self.list_tools()
            if offered != self.definitions:
                self.definitions = offered
                self._events.tools_changed()

    async def _pulse(self) -> Pulse:
        """Any error to a ping is a no: a server that forgot us answers, too."""
        from mcp.shared.exceptions import MCPError

        if self._session is None or self._turned_away is not None:
            return Pulse.GONE
        exchange = Exchange()
        try:
            async with asyncio.timeout(self._timeouts.ping_seconds):
                try:
                    await noting(exchange, self._session.send_ping() if self._has_ping else self._page(None))
                except MCPError:
                    if not self._has_ping or not self._came(exchange):
                        raise
                    await noting(exchange, self._page(None))  # one without ping, or one that forgot us
                    self._has_ping = False
        except TimeoutError:
            return Pulse.SILENT
        except Exception:  # whatever the SDK makes of a broken answer
            if exchange.status == TOO_MANY:
                return Pulse.ALIVE
            return Pulse.SILENT if exchange.status >= FAULTY and not self._turned_away else Pulse.GONE
        return Pulse.ALIVE

    async def _call_error(self, error: Exception, exchange: Exchange) -> ToolError:
        from mcp.shared.exceptions import MCPError
        from pydantic import ValidationError

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
            return self._words.lost(exchange, self._turned_away)
        return reply or self._words.fault(exchange)

    def _came(self, exchange: Exchange) -> bool:
        """Whether there was an answer: with SSE it comes on another stream than the one of the request."""
        return exchange.answered or (self._way is Way.SSE and not exchange.refused and not exchange.broken)

    def _count_unanswered(self) -> None:
        self._unanswered += 1
        if self._unanswered >= SUSPECT_AFTER:
            self._events.suspect()

    def _start(self, work: Coroutine[Any, Any, T]) -> "asyncio.Task[T]":
        task = asyncio.create_task(work, name=f"mcp {self._name}")  # noqa: TID251 (awaited by close)
        self._tasks.add(task)
        task.add_done_callback(self._finished)
        return task

    def _finished(self, task: "asyncio.Task[Any]") -> None:
        self._tasks.discard(task)
        if not task.cancelled():
            task.exception()  # its caller has seen it, or has given up


def _later(seconds: float) -> float:
    return asyncio.get_running_loop().time() + seconds
