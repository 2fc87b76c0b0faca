"""Server-sent events: written once for all who listen; who is slow loses its place, never holds up a turn."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterable
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection, Request
from starlette.responses import StreamingResponse
from starlette.types import Send

from voice_gateway.channels.json_text import json_text
from voice_gateway.channels.web.limits import LIMITS, Limits

FEW = 5  # listeners who get everything at once
PAUSE_SECONDS = 0.0015  # for each more: with 200 consoles a batch three times a second
_LINE_ENDS = {ord(character): f"\\u{ord(character):04x}" for character in "\x85\u2028\u2029"}


def sse(kind: str, data: Any) -> bytes:
    """One event. There are no line ends in it, not even what only some readers take for one."""
    text = json_text(data)
    if not text.isascii():
        text = text.translate(_LINE_ENDS)
    return f"event: {kind}\ndata: {text}\n\n".encode()


def limits_of(request: HTTPConnection) -> Limits:
    """Those of the server that it came to."""
    found = getattr(request.state, "limits", LIMITS)
    return found if isinstance(found, Limits) else LIMITS


class Stream:
    """What waits for one listener."""

    def __init__(self, limits: Limits = LIMITS) -> None:
        self._limits = limits
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
        if self._bytes > self._limits.unread_bytes:
            self.lost = True
            self._waiting.clear()
        self._news.set()

    def end(self) -> None:
        self._ended = True
        self._news.set()

    async def pieces(
        self, allowed: Callable[[], bool] = lambda: True, pause: Callable[[], float] = lambda: 0.0
    ) -> AsyncIterator[bytes]:
        """Everything that waits, at once. Ends when it is over, lost, or no longer allowed."""
        yield b": hello\n\n"  # so that who listens knows that it does
        while True:
            news = await self._heard()
            if not allowed():
                return
            if self._waiting:
                batch, self._bytes = b"".join(self._waiting), 0
                self._waiting.clear()
                yield batch
                if (seconds := pause()) > 0:
                    await asyncio.sleep(seconds)
            elif self._ended or self.lost:
                return
            elif not news:
                yield b": still here\n\n"

    async def _heard(self) -> bool:
        """False: nothing has come for a while."""
        if self._waiting or self._ended or self.lost:
            return True
        self._news.clear()
        try:
            async with asyncio.timeout(self._limits.heartbeat_seconds):
                await self._news.wait()
        except TimeoutError:
            return False
        return True


class Listeners:
    """All open streams of one kind."""

    def __init__(self) -> None:
        self._streams: dict[Stream, Callable[[Any], bool]] = {}

    def __bool__(self) -> bool:
        return bool(self._streams)

    def _pause(self) -> float:
        """Between two batches for one of them: with many consoles each write counts."""
        return max(0, len(self._streams) - FEW) * PAUSE_SECONDS

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
        limits = limits_of(request)
        if len(self._streams) >= limits.streams:
            raise HTTPException(503, "too many listeners")
        stream = Stream(limits)
        self._streams[stream] = wants
        for kind, data in first:
            stream.put(sse(kind, data))

        async def pieces() -> AsyncIterator[bytes]:
            try:
                async for piece in stream.pieces(request.state.allowed, self._pause):
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
        self._limits = limits_of(request)
        self._abort: Callable[[], None] = getattr(request.state, "abort", lambda: None)

    async def stream_response(self, send: Send) -> None:
        async def in_time(message: Any) -> None:
            async with asyncio.timeout(self._limits.send_seconds):
                await send(message)

        try:
            await super().stream_response(in_time)
        except TimeoutError:
            self._abort()  # a close would wait until everything was read
            await asyncio.sleep(0)
        finally:
            self._on_end()
