"""The tool `search_web`, by DuckDuckGo (the library `ddgs`) or a SearXNG instance of one's own."""

import asyncio
import html
import logging
import math
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any, Literal, Protocol
from urllib.parse import urlsplit

from langchain_core.tools import BaseTool

from voice_gateway.errors import ToolTimeout, ToolUnavailable
from voice_gateway.tools.builtin.times import local_zone
from voice_gateway.tools.builtin.web_json import get_json, unreadable
from voice_gateway.tools.executor import DaemonThreads
from voice_gateway.tools.gateway_tool import GatewayTool, parameters, short_text
from voice_gateway.turn import ToolTraits

DEFAULT_RESULTS, MAX_RESULTS = 5, 10
MAX_QUERY = 400  # characters; search engines cut longer ones anyway
_MAX_TITLE, _MAX_SNIPPET = 150, 400
Safe = Literal["off", "moderate", "strict"]
Hit = tuple[str, str, str]  # title, snippet and address of one result
MISSING = "Web search is not installed: run `pip install 'voice-gateway[search]'`, or set tools.searxng_url."
_MAX_ANSWER = 5_000_000  # bytes; a page of results has some ten thousand
_OK = 200
_REFUSALS = {
    403: "refuses JSON answers; add json to search.formats in its settings.yml.",
    429: "has had too many searches from here. Try again later.",
}
# DuckDuckGo's own parameter `kp`. The library takes a safe-search argument and drops it for this engine.
_DUCKDUCKGO_SAFE = {"strict": "1", "moderate": "-1", "off": "-2"}
_SEARXNG_SAFE = {"off": 0, "moderate": 1, "strict": 2}

log = logging.getLogger(__name__)


class SearchBackend(Protocol):
    """Failures are raised as ToolError and name the service."""

    label: str  # its name in descriptions and sentences

    async def search(self, query: str, count: int) -> Sequence[Hit]: ...


class SearchTool(GatewayTool):
    """Its examples carry a year, so what it offers grows old; `renew` brings it up to date."""

    def renew(self, year: int) -> None:
        self.args_schema = _parameters(year)


def search_tool(backend: SearchBackend, *, now: Callable[[], datetime], timeout_seconds: float) -> BaseTool:
    """`timeout_seconds` is the backend's own limit; the executor's lies a little above it."""

    async def search_web(query: str, max_results: int = DEFAULT_RESULTS) -> tuple[str, dict[str, Any]]:
        wanted = " ".join(query.split())
        rows = [
            {"title": _plain(title, _MAX_TITLE), "snippet": _plain(snippet, _MAX_SNIPPET), "url": url.strip()}
            for title, snippet, url in await backend.search(wanted, max_results)
        ]
        web = ("http://", "https://")
        hits = [row for row in rows if row["title"] and row["url"].startswith(web)][:max_results]
        facts = {"query": wanted, "source": backend.label, "results": hits}
        return _text(wanted, backend.label, hits), {"structured": facts}

    traits = ToolTraits(
        title="Web search",
        summary="Looks something up on the internet.",
        read_only=True,
        idempotent=True,
        timeout_seconds=timeout_seconds + 1,
        words_from_outside=True,
    )
    return SearchTool(
        name="search_web",
        description=description(backend.label),
        args_schema=_parameters(now().astimezone(local_zone()[0]).year),
        coroutine=search_web,
        metadata={"traits": traits},
    )


def description(label: str) -> str:
    """Says what really answers (DEF-4), so it differs from one set-up to the next."""
    return (
        "REQUIRED for current events: you MUST call this whenever the user asks about current leaders, "
        "recent news, prices or weather. "
        "DO NOT use for mathematics, definitions, timeless facts or the home. "
        f"Searches with {label}; results are text snippets and may be incomplete.\n"
        'Good: "who is president", "price of gold". Bad: "what is 12 times 7".'
    )


def _parameters(year: int) -> dict[str, Any]:
    return parameters(
        "query",
        query=short_text(
            f"For current events you MUST put in the year {year}. "
            f'Good: "US president {year}", "weather Paris {year}". Bad: "who is president" (no year). '
            "Avoid mathematics, definitions, timeless facts",
            MAX_QUERY,
            pattern=r"\S",
        ),
        max_results={
            "type": "integer",
            "minimum": 1,
            "maximum": MAX_RESULTS,
            "description": f"1 to {MAX_RESULTS}, for example 3; {DEFAULT_RESULTS} if left out",
        },
    )


def _plain(text: str, limit: int) -> str:
    """Snippets come with markup and entities; what is spoken and shown to a model has neither."""
    words = " ".join(html.unescape(re.sub(r"<[^<>]{0,200}>", "", text)).split())
    return words if len(words) <= limit else words[: limit - 1].rstrip() + "…"


def _text(query: str, label: str, hits: Sequence[Mapping[str, str]]) -> str:
    if not hits:
        return f'{label} found nothing for "{query}".'
    lines = [f"{number}. " + "\n".join(hit.values()) for number, hit in enumerate(hits, start=1)]
    return f'Results of {label} for "{query}":\n' + "\n\n".join(lines)


# --- backends


class DuckDuckGo:
    """Asks one engine directly: the library's own front end asks others too, and hides refusals."""

    label = "DuckDuckGo"

    def __init__(
        self, *, region: str, safe: Safe, timeout_seconds: float, address: str | None = None
    ) -> None:
        self._region, self._safe, self._timeout_seconds = region, safe, timeout_seconds
        self._address = address
        # Name resolution can hang, so this is not asyncio's shared pool.
        self._threads = DaemonThreads(limit=4)

    async def search(self, query: str, count: int) -> Sequence[Hit]:
        try:
            async with asyncio.timeout(self._timeout_seconds):
                hits: list[Hit] = await self._threads.run("search_web", lambda: self._ask(query))
        except TimeoutError as error:
            late = f"{self.label} did not answer within {self._timeout_seconds:g} seconds."
            raise ToolTimeout(late) from error
        return hits[:count]

    def _ask(self, query: str) -> list[Hit]:
        try:
            from ddgs.engines.duckduckgo import Duckduckgo
            from ddgs.exceptions import DDGSException
        except ImportError as error:
            raise ToolUnavailable(MISSING) from error

        safe = _DUCKDUCKGO_SAFE[self._safe]

        class Engine(Duckduckgo):
            def build_payload(self, *args: Any, **kwargs: Any) -> dict[str, Any]:
                return {**super().build_payload(*args, **kwargs), "kp": safe}

            def request(self, *args: Any, **kwargs: Any) -> str:
                answer = self.http_client.request(*args, **kwargs)
                # A refusal comes as 202 or as a page with a puzzle for people.
                if answer.status_code != _OK or "anomaly-modal" in answer.text:
                    raise ToolUnavailable("DuckDuckGo refuses to search at the moment. Try again later.")
                return str(answer.text)

        engine = Engine(timeout=math.ceil(self._timeout_seconds))
        engine.search_url = self._address or engine.search_url
        try:
            results = engine.search(query, region=self._region) or []
        except DDGSException as error:
            log.info("search failed", extra={"service": self.label, "reason": str(error)})
            raise ToolUnavailable("I can't reach DuckDuckGo.") from error
        return [(result.title, result.body, result.href) for result in results]


class SearXNG:
    """Uses `/search?format=json`, which the instance must have switched on."""

    label = "SearXNG"

    def __init__(self, url: str, *, region: str, safe: Safe, timeout_seconds: float) -> None:
        self._url = url.rstrip("/").removesuffix("/search") + "/search"
        parts = urlsplit(url)  # without user name and password: it is shown and said
        self._service = f"SearXNG at {parts.hostname}{f':{parts.port}' if parts.port else ''}"
        self._parameters = {"format": "json", "safesearch": _SEARXNG_SAFE[safe], "language": language(region)}
        self._timeout_seconds = timeout_seconds

    async def search(self, query: str, count: int) -> Sequence[Hit]:
        asked, limit = {"q": query, **self._parameters}, self._timeout_seconds
        status, answer = await get_json(
            self._service, self._url, asked, seconds=limit, most_bytes=_MAX_ANSWER
        )
        if status != _OK:
            refusal = _REFUSALS.get(status, f"could not search (HTTP {status}).")
            raise ToolUnavailable(f"{self._service} {refusal}")
        results = answer.get("results") if isinstance(answer, dict) else None
        if not isinstance(results, list):
            raise ToolUnavailable(unreadable(self._service))
        rows = [row for row in results if isinstance(row, dict)]
        if not rows and (silent := answer.get("unresponsive_engines")):
            # No engine answered: that is a failure, not an empty result.
            names = ", ".join(sorted({str(engine[0]) for engine in silent if engine})[:5])
            raise ToolUnavailable(f"{self._service} got no answer from its search engines ({names}).")
        text = [[str(row.get(key) or "") for key in ("title", "content", "url")] for row in rows[:count]]
        return [(title, snippet, url) for title, snippet, url in text]


def language(region: str) -> str:
    """DuckDuckGo's regions ("us-en") are the setting; SearXNG wants "en-US", or "all"."""
    country, _, tongue = region.partition("-")
    if not tongue or country == "wt":
        return "all"
    return f"{tongue}-{'GB' if country == 'uk' else country.upper()}"
