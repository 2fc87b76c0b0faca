"""Small steps with the SDK's session: the greeting, what became of a request, and its progress."""

from collections.abc import Awaitable
from typing import TYPE_CHECKING, Any, TypeVar

from voice_gateway.mcp_link.http.exchange import Exchange, exchange_under_way
from voice_gateway.progress import OnProgress, read_progress

if TYPE_CHECKING:
    from mcp.client.session import ClientSession

T = TypeVar("T")


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
