"""The search backends: DuckDuckGo, through the `ddgs` library, or a SearXNG instance of one's own."""

import asyncio
import logging
import math
from collections.abc import Sequence
from typing import Any, Literal
from urllib.parse import urlsplit

from voice_gateway.errors import ToolTimeout, ToolUnavailable
from voice_gateway.tools.builtin.search.tool import Hit
from voice_gateway.tools.builtin.web_json import get_json
from voice_gateway.tools.executor import DaemonThreads

log = logging.getLogger(__name__)

Safe = Literal["off", "moderate", "strict"]
MISSING = "Web search is not installed: run `pip install 'voice-gateway[search]'`, or set tools.searxng_url."
_MAX_ANSWER = 5_000_000  # bytes; a page of results has some ten thousand
_OK, _FORBIDDEN, _TOO_MANY = 200, 403, 429
# DuckDuckGo's own parameter `kp`. The library takes a safe-search argument and drops it for this engine.
_DUCKDUCKGO_SAFE = {"strict": "1", "moderate": "-1", "off": "-2"}
_SEARXNG_SAFE = {"off": 0, "moderate": 1, "strict": 2}


class DuckDuckGo:
    """Asks one engine directly: the library's own front end asks others too, and hides refusals."""

    label = "DuckDuckGo"

    def __init__(
        self,
        *,
        region: str,
        safe: Safe,
        timeout_seconds: float,
        address: str | None = None,
    ) -> None:
        self._region, self._safe, self._address = region, safe, address
        self._timeout_seconds = timeout_seconds
        # Name resolution can hang, so this is not asyncio's shared pool.
        self._threads = DaemonThreads(limit=4)

    async def search(self, query: str, count: int) -> Sequence[Hit]:
        try:
            async with asyncio.timeout(self._timeout_seconds):
                found: list[Hit] = await self._threads.run("search_web", lambda: self._ask(query))
        except TimeoutError as error:
            late = f"{self.label} did not answer within {self._timeout_seconds:g} seconds."
            raise ToolTimeout(late) from error
        return found[:count]

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
            raise ToolUnavailable("DuckDuckGo cannot be reached, so I could not search the web.") from error
        return [Hit(result.title, result.body, result.href) for result in results]


class SearXNG:
    """Uses `/search?format=json`, which the instance must have switched on."""

    label = "SearXNG"

    def __init__(self, url: str, *, region: str, safe: Safe, timeout_seconds: float) -> None:
        self._url = url.rstrip("/").removesuffix("/search") + "/search"
        self._service = f"SearXNG at {_host(url)}"
        self._parameters: dict[str, str | int] = {
            "format": "json",
            "safesearch": _SEARXNG_SAFE[safe],
            "language": language(region),
        }
        self._timeout_seconds = timeout_seconds

    async def search(self, query: str, count: int) -> Sequence[Hit]:
        status, answer = await get_json(
            self._service,
            self._url,
            {"q": query, **self._parameters},
            seconds=self._timeout_seconds,
            most_bytes=_MAX_ANSWER,
            unreachable=f"{self._service} cannot be reached, so I could not search the web.",
            unreadable=f"{self._service} gave an answer that is not a list of results.",
        )
        if status != _OK:
            raise ToolUnavailable(f"{self._service} {_refusal(status)}")
        return self._hits(answer)[:count]

    def _hits(self, answer: Any) -> list[Hit]:
        results = answer.get("results") if isinstance(answer, dict) else None
        if not isinstance(results, list):
            raise ToolUnavailable(f"{self._service} gave an answer that is not a list of results.")
        hits = [
            Hit(str(row.get("title") or ""), str(row.get("content") or ""), str(row.get("url") or ""))
            for row in results
            if isinstance(row, dict)
        ]
        if not hits and (silent := answer.get("unresponsive_engines")):
            # No engine answered: that is a failure, not an empty result.
            names = ", ".join(sorted({str(engine[0]) for engine in silent if engine})[:5])
            raise ToolUnavailable(f"{self._service} got no answer from its search engines ({names}).")
        return hits


def language(region: str) -> str:
    """DuckDuckGo's regions ("us-en") are the setting; SearXNG wants "en-US", or "all"."""
    country, _, tongue = region.partition("-")
    if not tongue or country == "wt":
        return "all"
    return f"{tongue}-{'GB' if country == 'uk' else country.upper()}"


def _host(url: str) -> str:
    """The host without user name and password: it is shown and said."""
    parts = urlsplit(url)
    return f"{parts.hostname}{f':{parts.port}' if parts.port else ''}"


def _refusal(status: int) -> str:
    if status == _FORBIDDEN:
        return "refuses JSON answers; add json to search.formats in its settings.yml."
    if status == _TOO_MANY:
        return "has had too many searches from here. Try again later."
    return f"could not search (HTTP {status})."
