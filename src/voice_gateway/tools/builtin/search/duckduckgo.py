"""Web search through DuckDuckGo, with the engine of the `ddgs` library."""

import asyncio
import logging
import math
from collections.abc import Sequence
from typing import Any, Literal

from voice_gateway.errors import ToolTimeout, ToolUnavailable
from voice_gateway.tools.builtin.search.tool import Hit
from voice_gateway.tools.runner import DaemonThreads

log = logging.getLogger(__name__)

# DuckDuckGo's own parameter `kp`. The library takes a safe-search argument and drops it for this engine.
_SAFE = {"strict": "1", "moderate": "-1", "off": "-2"}
_OK = 200


class DuckDuckGo:
    """Asks one engine directly: the library's own front asks others too, and calls a refusal "no results"."""

    label = "DuckDuckGo"

    def __init__(
        self,
        *,
        region: str,
        safe: Literal["off", "moderate", "strict"],
        timeout_seconds: float,
        address: str | None = None,
    ) -> None:
        self._region, self._safe, self._address = region, safe, address
        self._timeout_seconds = timeout_seconds
        # Name resolution can hang, so this is not the pool that everybody shares.
        self._threads = DaemonThreads(limit=4)

    async def search(self, query: str, count: int) -> Sequence[Hit]:
        try:
            async with asyncio.timeout(self._timeout_seconds) as limit:
                found: list[Hit] = await self._threads.run("search_web", lambda: self._ask(query))
        except TimeoutError as error:
            if not limit.expired():
                raise
            raise ToolTimeout(
                f"{self.label} did not answer within {self._timeout_seconds:g} seconds."
            ) from error
        return found[:count]

    def _ask(self, query: str) -> list[Hit]:
        from ddgs.engines.duckduckgo import Duckduckgo
        from ddgs.exceptions import DDGSException

        safe = _SAFE[self._safe]

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
