"""Stand-ins on the loopback for a SearXNG instance and for DuckDuckGo's HTML page."""

import html
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from tests.fakes.loopback_http import Answer, LoopbackHttp, Request


@dataclass
class Engine(LoopbackHttp):
    """What it will answer, and what it was asked."""

    rows: Sequence[Mapping[str, str]] = ()  # title, content, url
    status: int = 200
    json_enabled: bool = True
    unresponsive: Sequence[Sequence[str]] = ()
    body: bytes | None = None  # instead of everything else
    silent: bool = False  # takes the request and says nothing
    asked: list[dict[str, str]] = field(default_factory=list)

    async def respond(self, request: Request, answer: Answer) -> None:
        address = urlsplit(request.path)
        values = dict(parse_qsl(address.query) + parse_qsl(request.raw.decode()))
        self.asked.append(values)
        if self.silent:
            return
        if self.body is not None or self.status != 200:
            await answer.whole(self.status, self.body or b"<h1>no</h1>", "text/html")
        elif address.path == "/html/":
            await answer.whole(200, duckduckgo_page(self.rows), "text/html")
        elif values.get("format") != "json" or not self.json_enabled:
            await answer.whole(403, b"Forbidden", "text/html")
        else:
            await answer.json(200, self._searxng(values["q"]))

    def _searxng(self, query: str) -> dict[str, Any]:
        results = [{**row, "engine": "wikipedia", "score": 1.0, "publishedDate": None} for row in self.rows]
        silent = [list(pair) for pair in self.unresponsive]
        return {"query": query, "results": results, "answers": [], "unresponsive_engines": silent}


def duckduckgo_page(rows: Sequence[Mapping[str, str]]) -> bytes:
    """The shape of the results of html.duckduckgo.com that `ddgs` reads."""
    blocks = "".join(
        '<div class="result results_links web-result"><div class="links_main links_deep result__body">'
        f'<h2 class="result__title"><a href="{html.escape(row["url"])}">{row["title"]}</a></h2>'
        f'<a class="result__snippet" href="{html.escape(row["url"])}">{row["content"]}</a>'
        "</div></div>"
        for row in rows
    )
    return f'<html><body><div id="links" class="results">{blocks}</div></body></html>'.encode()
