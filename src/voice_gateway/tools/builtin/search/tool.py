"""The tool `search_web`, independent of the backend."""

import html
import re
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, Protocol

from langchain_core.tools import BaseTool

from voice_gateway.errors import BadArguments
from voice_gateway.tools.builtin.zones import local_zone
from voice_gateway.tools.gateway_tool import GatewayTool
from voice_gateway.turn import ToolTraits

DEFAULT_RESULTS = 5
MAX_RESULTS = 10
MAX_QUERY = 400  # characters; search engines cut longer ones anyway
_MAX_TITLE = 150
_MAX_SNIPPET = 400


@dataclass(frozen=True, slots=True)
class Hit:
    """One result of a search."""

    title: str
    snippet: str
    url: str


class SearchBackend(Protocol):
    """Searches the web; failures are raised as ToolError and name the service."""

    label: str  # its name in descriptions and sentences

    async def search(self, query: str, count: int) -> Sequence[Hit]: ...


class SearchTool(GatewayTool):
    """Its examples carry a year, so what it offers grows old; `renew` brings it up to date."""

    label: str
    year: int

    def renew(self, year: int) -> bool:
        """Put `year` into what is offered. True when that changed something."""
        if year == self.year:
            return False
        self.year = year
        self.args_schema = parameters(year)
        return True


def search_tool(backend: SearchBackend, *, now: Callable[[], datetime], timeout_seconds: float) -> BaseTool:
    """`timeout_seconds` is the backend's own limit; the executor's lies a little above it."""

    async def search_web(query: str, max_results: int = DEFAULT_RESULTS) -> tuple[str, dict[str, Any]]:
        wanted = " ".join(query.split())
        if not wanted or len(wanted) > MAX_QUERY:
            raise BadArguments(f"query must have 1 to {MAX_QUERY} characters.")
        if not 1 <= max_results <= MAX_RESULTS:
            raise BadArguments(f"max_results must be 1 to {MAX_RESULTS}.")
        found = await backend.search(wanted, max_results)
        hits = [hit for hit in map(_clean, found) if hit.title and hit.url][:max_results]
        facts = {"query": wanted, "source": backend.label, "results": [asdict(hit) for hit in hits]}
        return _text(wanted, backend.label, hits), {"structured": facts}

    year = now().astimezone(local_zone()[0]).year
    return SearchTool(
        name="search_web",
        description=description(backend.label),
        args_schema=parameters(year),
        coroutine=search_web,
        label=backend.label,
        year=year,
        metadata={
            "traits": ToolTraits(
                title="Web search",
                summary="Looks something up on the internet.",
                read_only=True,
                idempotent=True,
                timeout_seconds=timeout_seconds + 1,
                words_from_outside=True,
            )
        },
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


def parameters(year: int) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {
            "query": {
                "type": "string",
                "description": f"1 to {MAX_QUERY} characters. "
                f"For current events you MUST put in the year {year}. "
                f'Good: "US president {year}", "weather Paris {year}". '
                'Bad: "who is president" (no year). '
                "Avoid mathematics, definitions, timeless facts",
            },
            "max_results": {
                "type": "integer",
                "minimum": 1,
                "maximum": MAX_RESULTS,
                "description": f"1 to {MAX_RESULTS}, for example 3; {DEFAULT_RESULTS} if left out",
            },
        },
        "required": ["query"],
    }


def _clean(hit: Hit) -> Hit:
    address = hit.url.strip()
    web = address.startswith(("http://", "https://"))
    return Hit(_plain(hit.title, _MAX_TITLE), _plain(hit.snippet, _MAX_SNIPPET), address if web else "")


def _plain(text: str, limit: int) -> str:
    """Snippets come with markup and entities; what is spoken and shown to a model has neither."""
    words = " ".join(html.unescape(re.sub(r"<[^<>]{0,200}>", "", text)).split())
    return words if len(words) <= limit else words[: limit - 1].rstrip() + "…"


def _text(query: str, label: str, hits: Sequence[Hit]) -> str:
    if not hits:
        return f'{label} found nothing for "{query}".'
    lines = [f"{number}. {hit.title}\n{hit.snippet}\n{hit.url}" for number, hit in enumerate(hits, start=1)]
    return f'Results of {label} for "{query}":\n' + "\n\n".join(lines)
