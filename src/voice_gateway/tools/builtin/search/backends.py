"""The search backends: DuckDuckGo, through the `ddgs` library, or a SearXNG instance of one's own."""

import asyncio
import contextlib
import json
import logging
import math
from collections.abc import AsyncIterator, Sequence
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import urlsplit

from voice_gateway.errors import ToolTimeout, ToolUnavailable
from voice_gateway.tools.builtin.search.tool import Hit
from voice_gateway.tools.threads import DaemonThreads

if TYPE_CHECKING:
    import httpx

log = logging.getLogger(__name__)

Safe = Literal["off", "moderate", "strict"]
MISSING = "Web search is not installed: run `pip install 'voice-gateway[search]'`, or set tools.searxng_url."
_MAX_ANSWER = 5_000_000  # bytes; a page of results has some ten thousand
_OK, _FORBIDDEN, _TOO_MANY = 200, 403, 429
# DuckDuckGo's own parameter `kp`. The library takes a safe-search argument and drops it for this engine.
_DUCKDUCKGO_SAFE = {"strict": "1", "moderate": "-1", "off": "-2"}
_SEARXNG_SAFE = {"off": 0, "moderate": 1, "strict": 2}


@contextlib.asynccontextmanager
async def _in_time(service: str, seconds: float) -> AsyncIterator[None]:
    try:
        async with asyncio.timeout(seconds) as limit:
            yield
    except TimeoutError as error:
        if not limit.expired():
            raise
        raise _too_late(service, seconds) from error


def _too_late(service: str, seconds: float) -> ToolTimeout:
    return ToolTimeout(f"{service} did not answer within {seconds:g} seconds.")


class DuckDuckGo:
    """Asks one engine directly: the library's own front asks others too, and calls a refusal "no results"."""

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
        # Name resolution can hang, so this is not the pool that everybody shares.
        self._threads = DaemonThreads(limit=4)

    async def search(self, query: str, count: int) -> Sequence[Hit]:
        async with _in_time(self.label, self._timeout_seconds):
            found: list[Hit] = await self._threads.run("search_web", lambda: self._ask(query))
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
    """Speaks `/search?format=json`, which the instance must have switched on."""

    label = "SearXNG"

    def __init__(self, url: str, *, region: str, safe: Safe, timeout_seconds: float) -> None:
        self._url = url.rstrip("/").removesuffix("/search") + "/search"
        self._service = f"SearXNG at {_host(url)}"  # for errors: who has several needs to know which
        self._parameters: dict[str, str | int] = {
            "format": "json",
            "safesearch": _SEARXNG_SAFE[safe],
            "language": language(region),
        }
        self._timeout_seconds = timeout_seconds

    async def search(self, query: str, count: int) -> Sequence[Hit]:
        import httpx

        try:
            async with _in_time(self._service, self._timeout_seconds):
                answer = await self._ask(query)
        except httpx.TimeoutException as error:
            raise _too_late(self._service, self._timeout_seconds) from error
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            log.info("search failed", extra={"service": self._service, "reason": type(error).__name__})
            raise ToolUnavailable(
                f"{self._service} cannot be reached, so I could not search the web."
            ) from error
        return self._hits(answer)[:count]

    async def _ask(self, query: str) -> Any:
        import httpx

        limits = httpx.Timeout(self._timeout_seconds)
        async with (
            httpx.AsyncClient(timeout=limits, follow_redirects=True) as client,
            client.stream("GET", self._url, params={"q": query, **self._parameters}) as response,
        ):
            if response.status_code != _OK:
                raise ToolUnavailable(f"{self._service} {_refusal(response.status_code)}")
            try:
                return json.loads(await _body(response))
            except (ValueError, RecursionError) as error:
                raise ToolUnavailable(
                    f"{self._service} gave an answer that is not a list of results."
                ) from error

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
            # Nothing found because nobody was asked successfully: that is a failure, not an empty result.
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
    """Without user name and password: this is shown and said. The settings have checked it."""
    parts = urlsplit(url)
    return f"{parts.hostname}{f':{parts.port}' if parts.port else ''}"


def _refusal(status: int) -> str:
    if status == _FORBIDDEN:
        return "refuses JSON answers; add json to search.formats in its settings.yml."
    if status == _TOO_MANY:
        return "has had too many searches from here. Try again later."
    return f"could not search (HTTP {status})."


async def _body(response: "httpx.Response") -> bytes:
    parts, size = [], 0
    async for part in response.aiter_bytes():
        parts.append(part)
        size += len(part)
        if size > _MAX_ANSWER:
            raise ValueError("answer too long")
    return b"".join(parts)
