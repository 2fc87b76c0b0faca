"""Stand-ins on the loopback for a SearXNG instance and for DuckDuckGo's HTML page."""

import asyncio
import html
import json
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, urlsplit

NOT_UNIT = "a web server on the loopback address"

Row = Mapping[str, str]  # title, content, url


@dataclass(frozen=True)
class Request:
    """What a client really sent."""

    method: str
    path: str
    values: dict[str, str]  # of the query and of a form
    headers: dict[str, str]


@dataclass
class Engine:
    """What it will answer, and what it was asked."""

    rows: Sequence[Row] = ()
    status: int = 200
    json_enabled: bool = True
    unresponsive: Sequence[Sequence[str]] = ()
    body: bytes | None = None  # instead of everything else
    silent: bool = False  # takes the request and says nothing
    port: int = 0
    requests: list[Request] = field(default_factory=list)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def answer(self, request: Request) -> tuple[int, str, bytes]:
        if self.body is not None or self.status != 200:
            return self.status, "text/html", self.body or b"<h1>no</h1>"
        if request.path == "/html/":
            return 200, "text/html", duckduckgo_page(self.rows)
        if request.path != "/search":
            return 404, "text/html", b"not found"
        if request.values.get("format") != "json" or not self.json_enabled:
            return 403, "text/html", b"Forbidden"  # what an instance does that has no json in its formats
        return 200, "application/json", json.dumps(searxng_answer(request, self)).encode()


def searxng_answer(request: Request, engine: Engine) -> dict[str, Any]:
    """The keys of a real answer, so that nobody relies on a short list of them."""
    query = request.values["q"]
    results = [
        {
            **row,
            "engine": "wikipedia",
            "parsed_url": list(urlsplit(row["url"])),
            "template": "default.html",
            "engines": ["wikipedia"],
            "positions": [place],
            "score": 1.0 / place,
            "category": "general",
            "publishedDate": None,
            "thumbnail": "",
        }
        for place, row in enumerate(engine.rows, start=1)
    ]
    return {
        "query": query,
        "number_of_results": 0,
        "results": results,
        "answers": [],
        "corrections": [],
        "infoboxes": [],
        "suggestions": [],
        "unresponsive_engines": [list(pair) for pair in engine.unresponsive],
    }


def duckduckgo_page(rows: Sequence[Row]) -> bytes:
    """The shape of the results of html.duckduckgo.com that `ddgs` reads."""
    blocks = "".join(
        '<div class="result results_links web-result"><div class="links_main links_deep result__body">'
        f'<h2 class="result__title"><a href="{html.escape(row["url"])}">{row["title"]}</a></h2>'
        f'<a class="result__snippet" href="{html.escape(row["url"])}">{row["content"]}</a>'
        "</div></div>"
        for row in rows
    )
    return f'<html><body><div id="links" class="results">{blocks}</div></body></html>'.encode()


@asynccontextmanager
async def search_engine(**script: Any) -> AsyncIterator[Engine]:
    engine = Engine(**script)
    hanging = asyncio.Event()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            request = await _read(reader)
            engine.requests.append(request)
            if engine.silent:
                await hanging.wait()
            status, kind, body = engine.answer(request)
            head = f"HTTP/1.1 {status} X\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n"
            writer.write(head.encode() + b"Connection: close\r\n\r\n" + body)
            await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError):
            pass  # the client has gone, which is what some tests want
        finally:
            writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    engine.port = server.sockets[0].getsockname()[1]
    try:
        yield engine
    finally:
        hanging.set()
        server.close()
        await server.wait_closed()


async def _read(reader: asyncio.StreamReader) -> Request:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    method, target, _ = head[0].split(" ")
    headers = {
        name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:] if line)
    }
    form = await reader.readexactly(int(headers.get("content-length", 0)))
    address = urlsplit(target)
    return Request(method, address.path, dict(parse_qsl(address.query) + parse_qsl(form.decode())), headers)
