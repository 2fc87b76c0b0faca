"""Server-sent events: written once for all who listen; who is slow loses its place, never holds up a turn."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterable
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import StreamingResponse
from starlette.types import Send

from voice_gateway.doors.json_text import json_text

MOST_STREAMS = 500
MOST_WAITING = 1024 * 1024  # bytes that one listener may leave unread
HEARTBEAT_SECONDS = 15.0  # less than what proxies and browsers wait
SEND_SECONDS = 20.0  # in which a listener must read what fills its connection


def sse(kind: str, data: Any) -> bytes:
    """One event. JSON has no line ends in it, so nothing in it can pass for another."""
    return f"event: {kind}\ndata: {json_text(data)}\n\n".encode()


class Stream:
    """What waits for one listener."""

    def __init__(self) -> None:
        self._waiting: deque[bytes] = deque()
        self._bytes = 0
        self._news = asyncio.Event()
        self._ended = False
        self.lost = False  # it was too slow

    def put(self, event: bytes) -> None:
        if self._ended or self.lost:
            return
        self._bytes += len(event)
        self._waiting.append(event)
        if self._bytes > MOST_WAITING:
            self.lost = True
            self._waiting.clear()
        self._news.set()

    def end(self) -> None:
        self._ended = True
        self._news.set()

    async def pieces(self, allowed: Callable[[], bool] = lambda: True) -> AsyncIterator[bytes]:
        """Everything that waits, at once. Ends when it is over, lost, or no longer allowed."""
        yield b": hello\n\n"  # so that who listens knows that it does
        while allowed():
            if not self._waiting and not self._ended and not self.lost:
                self._news.clear()
                try:
                    async with asyncio.timeout(HEARTBEAT_SECONDS):
                        await self._news.wait()
                except TimeoutError:
                    yield b": still here\n\n"
                    continue
            if self._waiting:
                batch, self._bytes = b"".join(self._waiting), 0
                self._waiting.clear()
                yield batch
            elif self._ended or self.lost:
                return


class Listeners:
    """All open streams of one kind."""

    def __init__(self) -> None:
        self._streams: dict[Stream, Callable[[Any], bool]] = {}

    def __bool__(self) -> bool:
        return bool(self._streams)

    def tell(self, kind: str, data: Any) -> None:
        """Written once, whoever listens."""
        event: bytes | None = None
        for stream, wants in list(self._streams.items()):
            if wants(data):
                event = event or sse(kind, data)
                stream.put(event)

    def response(
        self,
        request: Request,
        wants: Callable[[Any], bool] = lambda _data: True,
        first: Iterable[tuple[str, Any]] = (),
    ) -> "EventStream":
        """`first` are events that only this listener gets."""
        if len(self._streams) >= MOST_STREAMS:
            raise HTTPException(503, "too many listeners")
        stream = Stream()
        self._streams[stream] = wants
        for kind, data in first:
            stream.put(sse(kind, data))

        async def pieces() -> AsyncIterator[bytes]:
            try:
                async for piece in stream.pieces(request.state.allowed):
                    yield piece
            finally:
                self._streams.pop(stream, None)

        return EventStream(request, pieces(), on_end=lambda: self._streams.pop(stream, None))


class EventStream(StreamingResponse):
    """Of which each piece must be taken in time."""

    def __init__(
        self, request: Request, pieces: AsyncIterator[bytes], on_end: Callable[[], Any] = lambda: None
    ) -> None:
        headers = {"cache-control": "no-store", "x-accel-buffering": "no"}
        super().__init__(pieces, media_type="text/event-stream", headers=headers)
        self._on_end = on_end
        self._abort: Callable[[], None] = getattr(request.state, "abort", lambda: None)

    async def stream_response(self, send: Send) -> None:
        async def in_time(message: Any) -> None:
            async with asyncio.timeout(SEND_SECONDS):
                await send(message)

        try:
            await super().stream_response(in_time)
        except TimeoutError:
            self._abort()  # a close would wait until everything was read
            await asyncio.sleep(0)
        finally:
            self._on_end()
