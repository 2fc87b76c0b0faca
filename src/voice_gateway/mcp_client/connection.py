"""What stdio and HTTP connections share: calls, limits, errors, the result of the handshake."""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, Self

from voice_gateway.config import ServerSettings
from voice_gateway.errors import BadArguments, LinkError, ToolError, ToolUnavailable

NOT_UNDERSTOOD = "The server's reply was not understood."
# The version that we ask for, and those that a server may answer with.
PROTOCOL_VERSION = "2025-11-25"
PROTOCOL_VERSIONS = frozenset({"2024-11-05", "2025-03-26", "2025-06-18", PROTOCOL_VERSION})
TOOLS_CHANGED = "notifications/tools/list_changed"
MAX_PAGES = 1000  # of one tools/list
INVALID_PARAMS, CONNECTION_CLOSED = -32602, -32000  # codes of JSON-RPC and of the SDK
SUSPECT_AFTER = 3  # calls in a row that were given up without an answer
REPLY_LIMIT = 64 * 1024 * 1024  # bytes of one message: a longer one is skipped whole, and fails its call
SHOWN = 300  # characters of a foreign text that a log shows


@dataclass(frozen=True, slots=True)
class LinkTimeouts:
    """When a silent or short-lived server is doubted."""

    ping_seconds: float = 2.0  # a server that is alive answers a ping at once
    # Without a process to watch, only asking tells that a server is gone (`status` asks at once).
    ping_every_seconds: float = 5.0
    list_every_seconds: float = 30.0  # a server that announces no changes is listed again; sooner at first
    short_run_seconds: float = 5.0  # one that ends sooner counts as a failed attempt: a crash loop slows down


@dataclass(frozen=True, slots=True)
class InitializeResult:
    """What a server says of itself in the handshake."""

    instructions: str = ""  # for a model, in the server's words
    capabilities: frozenset[str] = frozenset()  # "resources", "prompts", "logging", …
    announces: bool = False  # it tells when its tools change

    @classmethod
    def of(cls, result: Mapping[str, Any]) -> Self:
        instructions, offered = result.get("instructions"), mapping(result.get("capabilities"))
        return cls(
            instructions if isinstance(instructions, str) else "",
            frozenset(offered),
            bool(mapping(offered.get("tools")).get("listChanged")),
        )


class Refused(LinkError):
    """A server that is reached by its address said no: with this HTTP status, and these words."""

    def __init__(self, message: str, status: int, words: str) -> None:
        super().__init__(message)
        self.status = status
        self.words = words


class CallLost(ToolUnavailable):
    """No answer to this call will come. `not_run`: the server surely did nothing for it. `replaced`: the
    connection is over, and a new one is on its way."""

    def __init__(self, message: str, *, not_run: bool, replaced: bool) -> None:
        unsure = "" if not_run else " What was asked of it may or may not have happened."
        super().__init__(message + unsure)
        self.not_run = not_run
        self.replaced = replaced


class ConnectionEvents(Protocol):
    """What a connection tells its owner, from the event loop; each returns at once."""

    def ended(self) -> None: ...
    def suspect(self) -> None: ...
    def notified(self, method: str, params: Mapping[str, Any]) -> None: ...


# A tool's name and arguments, or a method and its parameters → the result.
Requester = Callable[[str, Mapping[str, Any]], Awaitable[Mapping[str, Any]]]
# The entries on the page behind a cursor, and the cursor of the next page.
Page = Callable[[str | None], Awaitable[tuple[list[Mapping[str, Any]], Any]]]


class Connection(ABC):
    """One life of a server. Opened and closed by its owner; calls come from any task."""

    def __init__(
        self,
        name: str,
        settings: ServerSettings,
        events: ConnectionEvents,
        *,
        stop_seconds: float,
        timeouts: LinkTimeouts,
        hide: Callable[[str], str],
    ) -> None:
        self._name, self._settings, self._events, self._hide = name, settings, events, hide
        self._timeouts, self._stop_seconds = timeouts, stop_seconds
        self._unanswered = 0  # calls in a row that were given up
        self.initialized = InitializeResult()
        self.end: str | None = None  # why it is over

    @abstractmethod
    async def open(self) -> None:
        """Connected, or a LinkError that says why not. `close` is due in either case."""

    @abstractmethod
    async def close(self, *, broken: bool) -> None:
        """`broken`: the server misbehaved, and gets no long farewell."""

    @abstractmethod
    async def request(self, method: str, params: Mapping[str, Any]) -> Mapping[str, Any]:
        """The result; an error reply is raised. Cancelling it tells the server, and does not wait for it."""

    @abstractmethod
    def post(self, method: str, params: Mapping[str, Any]) -> None:
        """A request whose reply is ignored."""

    @abstractmethod
    async def list_tools(self) -> list[Mapping[str, Any]]:
        """The tools, as the server describes them."""

    @abstractmethod
    async def is_alive(self) -> bool: ...

    def stderr_tail(self) -> str:
        return ""

    async def call(self, tool: str, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        """The result of a tool call. Several in a row that were given up make the server suspect."""
        try:
            result = await self.request("tools/call", {"name": tool, "arguments": arguments})
        except asyncio.CancelledError:
            self._unanswered += 1
            if self._unanswered >= SUSPECT_AFTER:
                self._events.suspect()
            raise
        except ToolError:
            self._unanswered = 0
            raise
        self._unanswered = 0
        return result

    def _works(self, under_way: int) -> bool:
        """False for a server that may talk, but answers no calls."""
        return self._unanswered < 2 * SUSPECT_AFTER or under_way > 0


async def all_pages(page: Page) -> list[Mapping[str, Any]]:
    entries: list[Mapping[str, Any]] = []
    cursor: str | None = None
    for _ in range(MAX_PAGES):
        more, following = await page(cursor)
        entries += more
        if not isinstance(following, str) or following == cursor:
            return entries
        cursor = following
    raise LinkError(f"its list of tools has more than {MAX_PAGES} pages")


def error_reply(code: Any, message: Any, facts: Any) -> ToolError:
    """The server's own words, unchanged (NORM-7)."""
    has_words = isinstance(message, str) and message.strip()
    kind = BadArguments if code == INVALID_PARAMS else ToolError
    return kind(message if has_words else "The server reported an error without a message.", structured=facts)


def mapping(value: Any) -> Mapping[str, Any]:
    """The value, or nothing where it is no mapping."""
    return value if isinstance(value, Mapping) else {}


def shorten(text: str, limit: int = SHOWN) -> str:
    return text if len(text) <= limit else f"{text[:limit]}… ({len(text)} characters)"
