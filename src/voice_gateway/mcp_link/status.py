"""How a server is doing, and whom its owner tells."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from voice_gateway.config import ServerSettings

if TYPE_CHECKING:
    from langchain_core.tools import BaseTool

State = Literal["connecting", "connected", "degraded", "stopped"]


@dataclass(frozen=True, slots=True)
class ServerStatus:
    """How one server is doing."""

    name: str
    state: State
    attempts: int
    last_error: str | None
    stderr_tail: str  # for the log and the doctor, never for a model
    tools: tuple[str, ...]
    restarts: int
    simulated: bool


@dataclass(frozen=True, slots=True)
class Listeners:
    """Whom the owner tells."""

    on_tools: "Callable[[str, Sequence[BaseTool]], None]"
    on_status: Callable[[ServerStatus], None]
    local_tools: Callable[[], Sequence[str]]
    connected: Callable[[], Sequence[str]]  # the servers whose tools can be called
    sleep: Callable[[float], Awaitable[None]]


# Makes of a server's settings what takes its secrets out of a text.
Hide = Callable[[ServerSettings], Callable[[str], str]]


def hide_nothing(_server: ServerSettings) -> Callable[[str], str]:
    return str
