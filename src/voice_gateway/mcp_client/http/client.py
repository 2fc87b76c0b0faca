"""The HTTP client under the SDK's transports: it records how each exchange went, and a broken one costs only
itself. The SDK's own transport ends, with all calls under way, when one request cannot be sent."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, TypeVar

import httpx2

from voice_gateway.mcp_client.connection import REPLY_LIMIT, shorten

T = TypeVar("T")

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
