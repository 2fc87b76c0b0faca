"""A tiny HTTP/1.1 server on 127.0.0.1 that lets a fake decide about every byte it sends, or does not send."""

import asyncio
import json
from abc import ABC, abstractmethod
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Self

NOT_UNIT = "a web server on the loopback address"


@dataclass(frozen=True)
class Request:
    method: str
    path: str
    headers: dict[str, str]
    raw: bytes

    @property
    def body(self) -> Any:
        return json.loads(self.raw) if self.raw else None


@dataclass
class LoopbackHttp(ABC):
    """Subclasses answer in `respond`. Closing it ends every connection, answered or not."""

    requests: list[Request] = field(default_factory=list)
    port: int = 0  # any free one, unless it was set before

    async def __aenter__(self) -> Self:
        self._handlers: set[asyncio.Task[None]] = set()
        self._server = await asyncio.start_server(self._connected, "127.0.0.1", self.port)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()
        for _turn in range(10):  # a connection that was just accepted gets its handler
            await asyncio.sleep(0)
        for task in list(self._handlers):
            task.cancel()
        await asyncio.gather(*self._handlers, return_exceptions=True)
        await self._server.wait_closed()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def to(self, path: str) -> list[Any]:
        """The bodies of all requests to a path, in order."""
        return [request.body for request in self.requests if request.path == path]

    @abstractmethod
    async def respond(self, request: Request, answer: "Answer") -> None: ...

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._handlers.add(task)
        try:
            while request := await _read(reader):
                self.requests.append(request)
                answer = Answer(writer, reader)
                await self.respond(request, answer)
                if answer.closed:
                    break
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            writer.transport.abort()  # what is left to send is not waited for
        finally:
            writer.close()
            with suppress(ConnectionError, asyncio.CancelledError):
                await writer.wait_closed()
            writer.transport.abort()
            self._handlers.discard(task)


class Answer:
    """One response, whole or in pieces."""

    def __init__(self, writer: asyncio.StreamWriter, reader: asyncio.StreamReader) -> None:
        self._writer = writer
        self._reader = reader
        self.closed = False

    async def until_gone(self) -> None:
        """Returns when whoever reads an open answer has hung up."""
        while await self._reader.read(1000):
            pass

    async def json(self, status: int, body: Any, headers: dict[str, str] | None = None) -> None:
        await self.whole(status, json.dumps(body).encode(), "application/json", headers)

    async def whole(
        self, status: int, payload: bytes, kind: str, headers: dict[str, str] | None = None
    ) -> None:
        more = "".join(f"{name}: {value}\r\n" for name, value in (headers or {}).items())
        head = f"HTTP/1.1 {status} X\r\ncontent-type: {kind}\r\ncontent-length: {len(payload)}\r\n{more}\r\n"
        self._writer.write(head.encode() + payload)
        await self._writer.drain()

    async def start(self, kind: str) -> None:
        self._writer.write(
            f"HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ntransfer-encoding: chunked\r\n\r\n".encode()
        )
        await self._writer.drain()

    async def piece(self, payload: bytes) -> None:
        self._writer.write(f"{len(payload):x}\r\n".encode() + payload + b"\r\n")
        await self._writer.drain()

    async def end(self) -> None:
        self._writer.write(b"0\r\n\r\n")
        await self._writer.drain()

    async def raw(self, payload: bytes) -> None:
        """Whatever it is, as it is."""
        self._writer.write(payload)
        await self._writer.drain()

    def abort(self) -> None:
        """As if the server process had died."""
        self._writer.transport.abort()
        self.closed = True


async def _read(reader: asyncio.StreamReader) -> Request | None:
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except asyncio.IncompleteReadError:
        return None
    first, *lines = head.decode("latin-1").split("\r\n")
    method, path, _ = first.split(" ", 2)
    headers = {
        name.strip().lower(): value.strip()
        for name, _, value in (line.partition(":") for line in lines if line)
    }
    raw = await reader.readexactly(int(headers.get("content-length", "0")))
    return Request(method, path, headers, raw)
