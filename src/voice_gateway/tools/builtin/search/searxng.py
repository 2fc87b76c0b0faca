"""Web search through a SearXNG instance of one's own."""

import asyncio
import json
import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import urlsplit

from voice_gateway.errors import ToolTimeout, ToolUnavailable
from voice_gateway.tools.builtin.search.tool import Hit

if TYPE_CHECKING:
    import httpx

log = logging.getLogger(__name__)

_SAFE = {"off": 0, "moderate": 1, "strict": 2}
_MAX_ANSWER = 5_000_000  # bytes; a page of results has some ten thousand
_FORBIDDEN, _TOO_MANY, _OK = 403, 429, 200


class SearXNG:
    """Speaks `/search?format=json`, which the instance must have switched on."""

    label = "SearXNG"

    def __init__(
        self, url: str, *, region: str, safe: Literal["off", "moderate", "strict"], timeout_seconds: float
    ) -> None:
        self._url = url.rstrip("/").removesuffix("/search") + "/search"
        self._service = f"SearXNG at {_host(url)}"  # for errors: who has several needs to know which
        self._parameters: dict[str, str | int] = {
            "format": "json",
            "safesearch": _SAFE[safe],
            "language": language(region),
        }
        self._timeout_seconds = timeout_seconds

    async def search(self, query: str, count: int) -> Sequence[Hit]:
        import httpx

        try:
            async with asyncio.timeout(self._timeout_seconds) as limit:
                answer = await self._ask(query)
        except (httpx.TimeoutException, TimeoutError) as error:
            if isinstance(error, TimeoutError) and not limit.expired():
                raise
            raise ToolTimeout(
                f"{self._service} did not answer within {self._timeout_seconds:g} seconds."
            ) from error
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
