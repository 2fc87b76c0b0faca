"""What every way to reach an MCP server has in common: shape, limits, errors, introduction."""

import asyncio
import importlib
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from voice_gateway.errors import BadArguments, LinkError, ToolError, ToolUnavailable

if TYPE_CHECKING:
    from mcp.client.session import IncomingMessage, MessageHandlerFnT

NOT_UNDERSTOOD = "The server's reply was not understood."
MAX_PAGES = 1000  # of one tools/list
INVALID_PARAMS, CONNECTION_CLOSED = -32602, -32000  # codes of JSON-RPC and of the SDK
SUSPECT_AFTER = 3  # calls in a row that were given up without an answer
REPLY_LIMIT = 64 * 1024 * 1024  # bytes of one message: a longer one is skipped whole, and fails its call
SHOWN = 300  # characters of a foreign text that a log shows


@dataclass(frozen=True, slots=True)
class LinkTimeouts:
    """How long the link waits before it doubts a server."""

    ping_seconds: float = 2.0  # a server that is alive answers a ping at once
    # Without a process to watch, only asking tells that a server is gone: often in the own house, where it
    # costs nobody anything; seldom on the internet (`status` asks at once).
    ping_every_seconds: float = 3.0
    ping_far_seconds: float = 30.0
    # A server that announces no changes is listed again: soon after its start, when there may be more, and
    # then now and again.
    list_again_seconds: tuple[float, ...] = (2.0, 3.0, 5.0, 10.0)
    list_every_seconds: float = 30.0
    short_run_seconds: float = 5.0  # one that ends sooner counts as a failed attempt: a crash loop slows down


class Refused(LinkError):
    """A server that is reached by its address said no: with this HTTP status, and these words."""

    def __init__(self, message: str, status: int, words: str) -> None:
        super().__init__(message)
        self.status = status
        self.words = words


@dataclass(frozen=True, slots=True)
class Greeting:
    """What a server says of itself when we connect."""

    instructions: str = ""  # for a model, in its own words
    offers: frozenset[str] = frozenset()  # "resources", "prompts", "logging", …

    @staticmethod
    def of(result: Any) -> "Greeting":
        """Of what the SDK's `initialize` gives."""
        offered = result.capabilities.model_dump(by_alias=True, exclude_none=True)
        return Greeting(result.instructions or "", frozenset(offered))


class CallLost(ToolUnavailable):
    """No answer to this call will come. `not_run`: the server surely did nothing for it."""

    def __init__(self, message: str, *, not_run: bool, replaced: bool) -> None:
        """`replaced`: the connection is over, and a new one is on its way."""
        unsure = "" if not_run else " What was asked of it may or may not have happened."
        super().__init__(message + unsure)
        self.not_run = not_run
        self.replaced = replaced


class Events(Protocol):
    """What a connection tells its owner, from the event loop; each returns at once."""

    def ended(self) -> None: ...
    def tools_changed(self) -> None: ...
    def resource_updated(self, uri: str) -> None: ...
    def suspect(self) -> None: ...
    def logged(self, params: Mapping[str, Any]) -> None: ...


class Connection(Protocol):
    """What the owner of a server needs of a way to reach it."""

    definitions: list[Mapping[str, Any]]  # the tools, as the server describes them
    end: str | None  # why it is over

    @property
    def greeting(self) -> Greeting: ...

    async def start(self) -> None: ...
    async def open(self) -> None: ...
    async def close(self, *, broken: bool) -> None: ...
    async def call(self, tool: str, arguments: Mapping[str, Any]) -> Mapping[str, Any]: ...
    async def request(self, method: str, params: Mapping[str, Any]) -> Mapping[str, Any]: ...
    def post(self, method: str, params: Mapping[str, Any]) -> None:
        """A request whose answer nobody waits for."""
        ...

    async def list_tools(self) -> list[Mapping[str, Any]]: ...
    async def is_alive(self) -> bool: ...
    def is_installing(self) -> bool: ...
    def stderr_tail(self) -> str: ...


# The tools on the page behind a cursor, and the cursor of the next page.
Page = Callable[[str | None], Awaitable[tuple[list[Mapping[str, Any]], Any]]]


async def all_pages(page: Page) -> list[Mapping[str, Any]]:
    found: list[Mapping[str, Any]] = []
    cursor: str | None = None
    for _ in range(MAX_PAGES):
        tools, following = await page(cursor)
        found += tools
        if not isinstance(following, str) or following == cursor:
            return found
        cursor = following
    raise LinkError(f"its list of tools has more than {MAX_PAGES} pages")


def error_reply(code: Any, message: Any, facts: Any) -> ToolError:
    """The server's own words, unchanged (NORM-7)."""
    said = isinstance(message, str) and message.strip()
    kind = BadArguments if code == INVALID_PARAMS else ToolError
    return kind(message if said else "The server reported an error without a message.", structured=facts)


def shorten(text: str, limit: int = SHOWN) -> str:
    return text if len(text) <= limit else f"{text[:limit]}… ({len(text)} characters)"


async def load_sdk(*more: str) -> None:
    """Import mcp, which takes 0.7 s, without holding up the event loop."""
    for module in ("mcp.client.session", *more):
        await asyncio.to_thread(importlib.import_module, module)


def client_arguments(
    on_tools_changed: Callable[[], None],
    on_resource: Callable[[str], None],
    on_log: Callable[[Mapping[str, Any]], None] = lambda _params: None,
) -> dict[str, Any]:
    """How every session of ours introduces itself, and what it listens to."""
    import mcp_types as types

    async def on_message(message: "IncomingMessage") -> None:
        if isinstance(message, types.ToolListChangedNotification):
            on_tools_changed()
        elif isinstance(message, types.ResourceUpdatedNotification):
            on_resource(str(message.params.uri))
        elif isinstance(message, types.LoggingMessageNotification):
            on_log(message.params.model_dump(by_alias=True, mode="json"))

    handler: MessageHandlerFnT = on_message
    return {
        "message_handler": handler,
        "client_info": types.Implementation(name="voice-gateway", version=_version()),
    }


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("voice-gateway")
    except PackageNotFoundError:
        return "0"
