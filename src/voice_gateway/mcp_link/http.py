"""One life of a server that is reached by its address (streamable HTTP or the older SSE), through the SDK."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

from voice_gateway.config import ServerSettings
from voice_gateway.errors import LinkError, ToolError, ToolUnavailable, first_error
from voice_gateway.mcp_link.connection import (
    CONNECTION_CLOSED,
    SUSPECT_AFTER,
    Events,
    Greeting,
    LinkTimeouts,
    Refused,
    all_pages,
    client_arguments,
    error_reply,
    load_sdk,
    shorten,
)
from voice_gateway.mcp_link.server_log import wanted_level
from voice_gateway.mcp_link.status import address
from voice_gateway.progress import OnProgress, listener, read_progress

if TYPE_CHECKING:
    import httpx2
    from mcp.client.session import ClientSession

T = TypeVar("T")

HTTP_SECONDS, READ_SECONDS = 30.0, 300.0  # a server may hold a response open for as long as a tool runs
REFUSED = 400  # this HTTP status, and all above
# It takes us no longer: a token that was revoked, a server that is not loaded (any more), a proxy before one.
TURNED_AWAY = frozenset({401, 403, 404, 502, 503, 504})
NOTHING_THERE = frozenset({404, 405})  # at this path
HOME_ASSISTANT = "/api/mcp"  # where its MCP server is
KILL_SECONDS = 1.0  # for the SDK to end after it was cancelled


def addresses(url: str) -> tuple[str, ...]:
    """Where to look, in turn: of Home Assistant people give the host alone, or a slash too much."""
    parts = urlsplit(url)
    if parts.path in ("", "/"):
        return url, parts._replace(path=HOME_ASSISTANT).geturl()
    if parts.path.endswith(f"{HOME_ASSISTANT}/"):
        return (parts._replace(path=parts.path.rstrip("/")).geturl(),)
    return (url,)


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
        self._hide = hide
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
        self._status = 0  # of the last response
        self._words = ""  # what it said, if that was a no
        self._turned_away = False
        self.definitions: list[Mapping[str, Any]] = []
        self.end: str | None = None
        self.greeting = Greeting()

    async def start(self) -> None:
        await load_sdk()

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
            raise self._unavailable()
        params = types.CallToolRequestParams(name=tool, arguments=dict(arguments))
        # In a task of its own: when the caller gives up, the SDK takes up to five seconds to tell the server.
        request = self._start(
            self._session.send_request(
                types.CallToolRequest(params=params),
                types.CallToolResult,
                progress_callback=_progress_callback(listener()),
            )
        )
        self._calls_under_way += 1
        try:
            result = await asyncio.shield(request)
        except asyncio.CancelledError:
            if request.cancelled():  # by `close`: it is not the caller who gave up
                raise self._unavailable() from None
            request.cancel()
            self._count_unanswered()
            raise
        except Exception as error:
            raise self._tool_error(error) from error
        finally:
            self._calls_under_way -= 1
        self._unanswered = 0
        return result.model_dump(by_alias=True, mode="json", exclude_none=True)

    async def request(self, method: str, params: Mapping[str, Any]) -> Mapping[str, Any]:
        import mcp_types as types
        from pydantic import TypeAdapter

        if self._session is None:
            raise self._unavailable()
        asked = types.Request[dict[str, Any], str](method=method, params=dict(params))
        as_sent: Any = TypeAdapter(dict[str, Any])
        try:
            return dict(await self._session.send_request(asked, as_sent))
        except Exception as error:
            raise self._tool_error(error) from error

    def post(self, method: str, params: Mapping[str, Any]) -> None:
        self._start(self.request(method, params))

    async def list_tools(self) -> list[Mapping[str, Any]]:
        try:
            return await all_pages(self._page)
        except Exception as error:
            raise LinkError(f"its tools could not be listed: {self._without_secrets(error)}") from error

    async def _page(self, cursor: str | None) -> tuple[list[Mapping[str, Any]], Any]:
        import mcp_types as types

        assert self._session is not None
        page = await self._session.list_tools(params=types.PaginatedRequestParams(cursor=cursor))
        tools = [tool.model_dump(by_alias=True, mode="json", exclude_none=True) for tool in page.tools]
        return list(tools), page.next_cursor

    async def is_alive(self) -> bool:
        works = self._unanswered < 2 * SUSPECT_AFTER or self._calls_under_way > 0
        return works and await self._pong()

    def stderr_tail(self) -> str:
        return ""  # another machine's business

    # the task that holds the SDK's session

    async def _serve(self, ready: "asyncio.Future[None]") -> None:
        failure = LinkError("the connection was closed")
        try:
            for url in addresses(self._settings.url or ""):
                self._turned_away = False
                try:
                    await self._serve_at(url, ready)
                except Exception as error:  # the SDK's own errors, groups of them, httpx's and pydantic's
                    failure = self._failure(error)
                if ready.done() or self._status not in NOTHING_THERE:
                    break
        finally:
            self._session = None
            self.end = self.end or str(failure)
            if not ready.done():
                ready.set_exception(failure)
            elif not self._stop.is_set():
                self._events.ended()

    async def _serve_at(self, url: str, ready: "asyncio.Future[None]") -> None:
        async with self._opened(url) as session:
            self._session = session
            known = await session.initialize()
            self._announces = bool(known.capabilities.tools and known.capabilities.tools.list_changed)
            self.greeting = Greeting.of(known)
            if "logging" in self.greeting.offers:
                self.post("logging/setLevel", {"level": wanted_level()})
            self.definitions = await all_pages(self._page)
            if not ready.done():
                ready.set_result(None)
            await self._watch()

    @contextlib.asynccontextmanager
    async def _opened(self, url: str) -> AsyncIterator["ClientSession"]:
        from mcp.client.session import ClientSession

        async with (
            self._streams(url) as streams,
            ClientSession(
                *streams,
                **client_arguments(
                    self._events.tools_changed, self._events.resource_updated, self._events.logged
                ),
            ) as session,
        ):
            yield session

    @contextlib.asynccontextmanager
    async def _streams(self, url: str) -> AsyncIterator[Any]:
        if urlsplit(url).path.rstrip("/").endswith("/sse"):
            from mcp.client.sse import sse_client

            async with sse_client(url, httpx_client_factory=self._client) as streams:
                yield streams
        else:
            from mcp.client.streamable_http import streamable_http_client

            async with (
                self._client() as client,
                streamable_http_client(url, http_client=client) as streams,
            ):
                yield streams

    def _client(self, *_: Any, **__: Any) -> "httpx2.AsyncClient":
        """The same for both ways, whatever the SDK would have: it notes why we were refused."""
        import httpx2

        return httpx2.AsyncClient(
            headers={key: value.get_secret_value() for key, value in self._settings.headers.items()},
            timeout=httpx2.Timeout(HTTP_SECONDS, read=READ_SECONDS),
            event_hooks={"response": [self._note_status]},  # the SDK does not say why it was refused
        )

    async def _note_status(self, response: "httpx2.Response") -> None:
        self._status = response.status_code
        self._words = ""
        if self._status >= REFUSED:
            await response.aread()
            self._words = shorten(response.text)
            answered = response.headers.get("content-type", "").startswith("application/json")
            if self._status in TURNED_AWAY and not answered:  # a JSON-RPC error is an answer to one call
                self._turned_away = True
                self._wake.set()

    def _failure(self, error: BaseException) -> LinkError:
        refused = f"HTTP status {self._status}: " if self._status >= REFUSED else ""
        reason = f"{address(self._settings)} cannot be used: {refused}{self._without_secrets(error)}"
        return Refused(reason, self._status, self._words) if refused else LinkError(reason)

    def _without_secrets(self, error: BaseException) -> str:
        """What it says, in short: libraries quote what they could not send."""
        cause = first_error(error)
        text = (str(cause) or type(cause).__name__).replace(self._settings.url or "", address(self._settings))
        return shorten(self._hide(text))

    async def _watch(self) -> None:
        """Until the stop, or until the server no longer answers."""
        soon = iter(() if self._announces else self._timeouts.list_again_seconds)
        while not self._stop.is_set():
            often = self._timeouts.ping_every_seconds
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(min(next(soon, often), often)):
                    await self._wake.wait()
            self._wake.clear()
            if self._stop.is_set():
                return
            if self._turned_away:
                self.end = f"{address(self._settings)} turned us away: HTTP status {self._status}"
                return
            if not await self._pong():
                self.end = f"{address(self._settings)} does not answer any more"
                return
            await self._list_again()

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

    async def _pong(self) -> bool:
        from mcp.shared.exceptions import MCPError

        if self._session is None:
            return False
        try:
            async with asyncio.timeout(self._timeouts.ping_seconds):
                await self._session.send_ping()
        except MCPError as error:
            return error.code != CONNECTION_CLOSED  # any other error is an answer too
        except Exception:  # our limit, or whatever the SDK makes of a broken answer
            return False
        return True

    def _tool_error(self, error: Exception) -> ToolError:
        from mcp.shared.exceptions import MCPError
        from pydantic import ValidationError

        if self._turned_away:
            return self._unavailable()
        if isinstance(error, MCPError) and error.code != CONNECTION_CLOSED:
            return error_reply(error.code, error.message, error.data)
        if isinstance(error, ValidationError):
            return ToolError("The server's reply was not understood.")
        self._wake.set()
        return self._unavailable()

    def _unavailable(self) -> ToolUnavailable:
        if self._turned_away and self._status in (401, 403):
            return ToolUnavailable(f'The server "{self._name}" does not accept my token.')
        if self._turned_away:
            return ToolUnavailable(f'The server "{self._name}" is just starting, or is not set up.')
        return ToolUnavailable(f'The server "{self._name}" cannot be reached.')

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


def _progress_callback(told: OnProgress | None) -> Any:
    """With one, the SDK sends a progress token."""
    if told is None:
        return None

    async def moved(done: float, total: float | None, message: str | None) -> None:
        if (progress := read_progress(done, total, message)) is not None:
            told(progress)

    return moved
