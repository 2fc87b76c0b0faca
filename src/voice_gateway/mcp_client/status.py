"""The status of a server, and the report about one that cannot be reached."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from typing import Literal
from urllib.parse import urlsplit

from voice_gateway.config import ServerSettings

State = Literal["connecting", "connected", "degraded", "stopped"]

_NO_TOKEN, _NOT_THERE = (401, 403), 404  # HTTP statuses
# Where Home Assistant's MCP server is; what it says there while its integration is not set up or disabled.
_HOME_ASSISTANT, _NOT_CONFIGURED = ("/api/mcp", "/mcp_server/sse"), "not configured"
STILL_STARTING = 30  # refusals in a row: two minutes, with the waits that a start gets


class Refusal(Enum):
    """Why a server that is there refuses us."""

    TOKEN = auto()
    LOGIN = auto()  # it has none
    STARTING = auto()  # Home Assistant, before its parts are loaded
    NOT_SET_UP = auto()  # Home Assistant without its MCP server


def refusal(settings: ServerSettings, status: int, words: str, failures: int) -> Refusal | None:
    if status in _NO_TOKEN:
        return Refusal.TOKEN if settings.has_token or settings.is_home else Refusal.LOGIN
    if status != _NOT_THERE or not urlsplit(settings.url or "").path.rstrip("/").endswith(_HOME_ASSISTANT):
        return None
    starting = _NOT_CONFIGURED not in words and failures <= STILL_STARTING
    return Refusal.STARTING if starting else Refusal.NOT_SET_UP


@dataclass(frozen=True, slots=True)
class ServerStatus:
    name: str
    state: State
    attempts: int
    last_error: str | None
    stderr_tail: str  # for the log and the doctor, never for a model
    tools: tuple[str, ...]
    restarts: int
    simulated: bool
    refusal: Refusal | None = None
    installing: bool = False  # its first start takes long: it may have to be installed first


# From a server's settings to a function that removes its secrets from a text.
Hide = Callable[[ServerSettings], Callable[[str], str]]


def hide_nothing(_server: ServerSettings) -> Callable[[str], str]:
    return str


def address(settings: ServerSettings) -> str:
    """The command or URL without arguments, login or query, which may hold secrets."""
    if settings.url is None:
        return settings.command or ""
    parts = urlsplit(settings.url)
    host = parts.hostname or ""
    return f"{parts.scheme}://{host}{f':{parts.port}' if parts.port else ''}{parts.path}"


def failure_report(
    status: ServerStatus, settings: ServerSettings, local_tools: Sequence[str], other_servers: Sequence[str]
) -> str:
    """What failed, why, the server's stderr, what to check, and what still works."""
    output = "".join(f"\n    {status.name}| {line}" for line in status.stderr_tail.splitlines()) or " nothing"
    local, others = ", ".join(local_tools) or "none", ", ".join(other_servers)
    left = (
        f"local tools: {local}; and with the tools of: {others}" if others else f"local tools only: {local}"
    )
    return (
        f"MCP connection failed after {status.attempts} attempts\n"
        f"  server: {status.name} ({address(settings)})\n"
        f"  reason: {status.last_error}\n"
        f"  the server's stderr:{output}\n"
        f"  check: {what_to_check(settings)}\n"
        f"  continuing with {left}\n"
        "  the connection is tried again in the background"
    )


def what_to_check(settings: ServerSettings) -> str:
    if settings.url is not None:
        return f"that {address(settings)} is running and reachable from here, and that its headers are right"
    return (
        f"that {settings.command} is installed and starts by hand with the same arguments, and that what it"
        " needs is running (for a Z-Wave server: the MQTT broker)"
    )
