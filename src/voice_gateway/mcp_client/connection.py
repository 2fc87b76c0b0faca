"""What stdio and HTTP connections share: their interface, limits, errors, the result of the handshake."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, Self

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
    subscribes: bool = False  # it takes `resources/subscribe`
    server_name: str = ""

    @classmethod
    def of(cls, result: Mapping[str, Any]) -> Self:
        said, info = result.get("instructions"), result.get("serverInfo")
        offered = result.get("capabilities")
        offered = offered if isinstance(offered, Mapping) else {}

        def offers(part: str, what: str) -> bool:
            return isinstance(offered.get(part), Mapping) and bool(offered[part].get(what))

        return cls(
            said if isinstance(said, str) else "",
            frozenset(offered),
            offers("tools", "listChanged"),
            offers("resources", "subscribe"),
            str(info.get("name", "")) if isinstance(info, Mapping) else "",
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


class Connection(Protocol):
    """What the owner of a server needs of a way to reach it."""

    definitions: list[Mapping[str, Any]]  # the tools, as the server describes them
    initialized: InitializeResult
    end: str | None  # why it is over

    async def open(self) -> None: ...
    async def close(self, *, broken: bool) -> None: ...
    async def call(self, tool: str, arguments: Mapping[str, Any], /) -> Mapping[str, Any]: ...
    async def request(self, method: str, params: Mapping[str, Any], /) -> Mapping[str, Any]: ...
    def post(self, method: str, params: Mapping[str, Any], /) -> None: ...  # the reply is ignored
    def stderr_tail(self) -> str: ...
    async def list_tools(self) -> list[Mapping[str, Any]]: ...
    async def is_alive(self) -> bool: ...


# The entries on the page behind a cursor, and the cursor of the next page.
Page = Callable[[str | None], Awaitable[tuple[list[Mapping[str, Any]], Any]]]


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


def shorten(text: str, limit: int = SHOWN) -> str:
    return text if len(text) <= limit else f"{text[:limit]}… ({len(text)} characters)"


def client_version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("voice-gateway")
    except PackageNotFoundError:
        return "0"
