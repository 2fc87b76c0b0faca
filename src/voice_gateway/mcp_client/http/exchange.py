"""What is known of one request over HTTP and its answer (the SDK tells only that something failed); and small
steps with its session: the greeting, and the progress of a call."""

from collections.abc import Awaitable
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from voice_gateway.progress import OnProgress, read_progress

if TYPE_CHECKING:
    from mcp.client.session import ClientSession

T = TypeVar("T")

REFUSED, FAULTY = 400, 500  # these HTTP statuses, and all above
TOO_MANY = 429
JSON, EVENTS = "application/json", "text/event-stream"


@dataclass(slots=True)
class Exchange:
    """Filled in by the HTTP client, in the context of whoever asks."""

    status: int = 0  # 0: no answer came
    kind: str = ""  # its content type
    words: str = ""  # what it said, if that was a no
    reached: bool = True  # the server may have read the request
    broken: str = ""  # why no answer came, or only half of one

    def clear(self) -> None:
        """A redirect, or a login before it, makes several requests of one."""
        self.status, self.kind, self.words, self.reached, self.broken = 0, "", "", True, ""

    @property
    def refused(self) -> bool:
        return self.status >= REFUSED

    @property
    def answered(self) -> bool:
        """By something that speaks JSON-RPC, and to its end."""
        return not self.broken and self.kind in ((JSON,) if self.refused else (JSON, EVENTS))

    @property
    def surely_not_run(self) -> bool:
        """Nobody read it, or it was turned away before any tool was looked for. What a server (or a proxy
        before it) reports with 500 and above may have happened."""
        return not self.reached or REFUSED <= self.status < FAULTY


# A context variable: the SDK stands between who asks and the HTTP client that fills it in.
exchange_under_way: ContextVar[Exchange | None] = ContextVar("exchange", default=None)


def progress_callback(told: OnProgress | None) -> Any:
    """With one, the SDK sends a progress token."""
    if told is None:
        return None

    async def moved(done: float, total: float | None, message: str | None) -> None:
        if (progress := read_progress(done, total, message)) is not None:
            told(progress)

    return moved


async def greeted(session: "ClientSession") -> tuple[Any, bool]:
    """What the server says of itself, and whether by the handshake that all servers had until 2025-11-25.

    That one comes first: it settles any older version by itself, and there are servers that never answer a
    method which they do not know. One that has only the newest (2026-07-28) refuses it, and is asked anew.
    """
    from mcp.shared.exceptions import MCPError
    from mcp_types import METHOD_NOT_FOUND, UNSUPPORTED_PROTOCOL_VERSION

    try:
        return await session.initialize(), True
    except MCPError as error:
        exchange = exchange_under_way.get()
        own = exchange is not None and exchange.answered
        if not own or error.code not in (METHOD_NOT_FOUND, UNSUPPORTED_PROTOCOL_VERSION):
            raise
    return await session.discover(), False


async def noting(exchange: Exchange, work: Awaitable[T]) -> T:
    """The HTTP client fills it in: the SDK sends in the context of whoever asks."""
    before = exchange_under_way.set(exchange)
    try:
        return await work
    finally:
        exchange_under_way.reset(before)
