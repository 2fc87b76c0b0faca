"""Where a server may be, and how it is spoken to there."""

from dataclasses import dataclass
from enum import Enum, auto
from ipaddress import ip_address
from urllib.parse import urlsplit

from voice_gateway.config import ServerSettings

HOME_ASSISTANT = "/api/mcp"  # where its MCP server is


class Way(Enum):
    """How messages travel."""

    HTTP = auto()  # "streamable HTTP", since 2025-03-26
    SSE = auto()  # "HTTP with SSE", before


@dataclass(frozen=True, slots=True)
class Route:
    """Where a server may be. What is reported of a mere guess is only that it was not there."""

    url: str
    way: Way
    guess: bool = False


def routes(settings: ServerSettings) -> tuple[Route, ...]:
    """Where to look, in turn."""
    url = settings.url or ""
    if settings.type == "sse":
        return (Route(url, Way.SSE),)
    plain = [Route(one, Way.HTTP) for one in addresses(url)]
    if settings.type is not None:
        return tuple(plain)
    if urlsplit(url).path.rstrip("/").endswith("/sse"):
        return Route(url, Way.SSE), Route(url, Way.HTTP, guess=True)
    return *plain, Route(url, Way.SSE, guess=True)


def addresses(url: str) -> tuple[str, ...]:
    """Of Home Assistant people give the host alone, or a slash too much."""
    parts = urlsplit(url)
    if parts.path in ("", "/"):
        return url, parts._replace(path=HOME_ASSISTANT).geturl()
    if parts.path.endswith(f"{HOME_ASSISTANT}/"):
        return (parts._replace(path=parts.path.rstrip("/")).geturl(),)
    return (url,)


def is_near(url: str) -> bool:
    """In this house: an address that the internet does not know."""
    host = urlsplit(url).hostname or ""
    try:
        return not ip_address(host).is_global
    except ValueError:
        return "." not in host or host.endswith((".local", ".lan", ".home", ".internal", ".home.arpa"))
