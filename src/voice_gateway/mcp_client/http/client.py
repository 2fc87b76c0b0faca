"""The HTTP client under the SDK's transports: it notes how each exchange went, and one that breaks costs only
itself. The SDK's own transport ends, with all calls under way, when one request cannot be sent."""

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any

import httpx2

from voice_gateway.mcp_client.connection import REPLY_LIMIT, shorten
from voice_gateway.mcp_client.http.exchange import EVENTS, Exchange, exchange_under_way

HTTP_SECONDS, READ_SECONDS = 30.0, 300.0  # a server may hold a response open for as long as a tool runs
WORDS_LIMIT, WORDS_SECONDS = 64 * 1024, 2.0  # of what is said with a no
SESSION = "mcp-session-id"
BAD_GATEWAY = 502  # stands for an answer that never came

_NOT_SENT = (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout, httpx2.ProxyError)


class BodyTooLong(httpx2.StreamError):
    """More than anybody means to send."""


class BodyBroken(httpx2.StreamError):
    """The connection ended in the middle. The SDK answers the one request; other errors it does not catch."""


class LinkClient(httpx2.AsyncClient):
    """`on_answer` gets every exchange, answered or not; `on_stream_end` is told when the server ended the
    stream on which it speaks unasked, or would not open one."""

    def __init__(
        self, *, on_answer: Callable[[Exchange], None], on_stream_end: Callable[[], None], **more: Any
    ) -> None:
        super().__init__(timeout=httpx2.Timeout(HTTP_SECONDS, read=READ_SECONDS), **more)
        self._on_answer = on_answer
        self._on_stream_end = on_stream_end

    async def send(self, request: httpx2.Request, **how: Any) -> httpx2.Response:
        # The stream of a session is nobody's request, although somebody's context opens it.
        listens = request.method == "GET" and SESSION in request.headers
        exchange = Exchange() if listens else (exchange_under_way.get() or Exchange())
        exchange.clear()
        try:
            response = await super().send(request, **how)
        except httpx2.HTTPError as error:
            exchange.broken = _said(error)
            exchange.reached = not isinstance(error, _NOT_SENT)
            self._tell(exchange, listens)
            if request.method != "POST":
                raise
            return httpx2.Response(BAD_GATEWAY, request=request)
        await self._note(response, exchange)
        self._tell(exchange, listens)
        return response

    def _tell(self, exchange: Exchange, listens: bool) -> None:
        if not listens:
            self._on_answer(exchange)
        elif exchange.broken or exchange.refused:
            self._on_stream_end()

    async def _note(self, response: httpx2.Response, exchange: Exchange) -> None:
        exchange.status = response.status_code
        exchange.kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
        if not response.is_closed and not response.is_stream_consumed:
            unasked = response.request.method == "GET" and exchange.kind == EVENTS
            response.stream = _Watched(response.stream, exchange, self._on_stream_end if unasked else None)
        if exchange.refused:
            exchange.words = await _words(response)


class _Watched(httpx2.AsyncByteStream):
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
                    raise BodyTooLong(self._exchange.broken)
                yield chunk
        except httpx2.HTTPError as error:
            self._over(_said(error))
            raise BodyBroken(str(error)) from error
        if self._events:  # who gets the answer leaves before the stream ends
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


def _said(error: Exception) -> str:
    return str(error) or type(error).__name__
