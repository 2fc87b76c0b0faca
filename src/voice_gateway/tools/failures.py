"""Turn whatever a tool raised into a kind of failure and a safe sentence; by type, not by words."""

import asyncio
import sys
from collections.abc import Iterator
from typing import Any

from voice_gateway.errors import ErrorKind, LinkError, ToolError
from voice_gateway.tools.masking import safe, shorten

LONGEST_MESSAGE = 500  # of an error that nobody wrote for a model
LONGEST_CAUSE = 2500  # of what lies behind it, in the log

# Kinds of OSError that speak of files and processes; the rest speak of a network or a device.
_LOCAL_TROUBLE = (
    FileNotFoundError,
    FileExistsError,
    PermissionError,
    IsADirectoryError,
    NotADirectoryError,
    ChildProcessError,
    ProcessLookupError,
    BlockingIOError,
    InterruptedError,
)
_INVALID_PARAMS = -32602


def describe(error: BaseException, tool: str, source: str) -> tuple[ErrorKind, str]:
    """(kind, text behind "Error: ")."""
    error = _innermost(error)
    if isinstance(error, ToolError):
        return error.kind, safe(str(error)) or f"{tool} failed."
    if isinstance(error, asyncio.CancelledError):
        return ErrorKind.FAILED, f"{tool} was cancelled from inside."
    if isinstance(error, SystemExit | KeyboardInterrupt | GeneratorExit):
        return ErrorKind.FAILED, f"{tool} tried to end the program ({type(error).__name__})."
    return _describe_foreign(error, tool, source)


def cause_of(error: BaseException) -> str | None:
    """What lies behind a failure that was put into words, such as a dead server's last; for the log alone."""
    cause = error.__cause__ if isinstance(error, ToolError) else None
    if cause is None:
        return None
    text = _message(cause, LONGEST_CAUSE)
    return None if text == str(error) else text


def _describe_foreign(error: BaseException, tool: str, source: str) -> tuple[ErrorKind, str]:
    message = _message(error)
    if _is_invalid(error):
        return ErrorKind.BAD_ARGUMENTS, message
    if _is_unreachable(error):
        return ErrorKind.UNAVAILABLE, f"{_service(error, tool, source)} is unavailable: {message}"
    return ErrorKind.FAILED, f"{tool} gave up waiting: {message}" if isinstance(
        error, TimeoutError
    ) else message


def _innermost(error: BaseException) -> BaseException:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


def _message(error: BaseException, longest: int = LONGEST_MESSAGE) -> str:
    try:
        text = str(error).strip()
    except Exception:  # an error whose own text fails
        text = ""
    name = type(error).__name__
    if not text:
        return name
    if isinstance(error, KeyError):  # its text is the bare key
        text = f"{name}: {text}"
    return shorten(safe(text[: 20 * longest]), longest)


def _of(error: BaseException, module: str, *names: str) -> bool:
    """isinstance for a library that need not be loaded: if it is not, it raised nothing."""
    loaded = sys.modules.get(module)
    return loaded is not None and any(
        isinstance(kind := getattr(loaded, name, None), type) and isinstance(error, kind) for name in names
    )


def _is_invalid(error: BaseException) -> bool:
    if _of(error, "pydantic", "ValidationError"):
        return True
    return _of(error, "mcp.shared.exceptions", "MCPError") and getattr(error, "code", None) == _INVALID_PARAMS


def _is_unreachable(error: BaseException) -> bool:
    if isinstance(error, TimeoutError):
        return error.errno is not None  # the system's own; a bare one is the tool's clock
    if isinstance(error, OSError):
        return not isinstance(error, _LOCAL_TROUBLE)
    return (
        isinstance(error, LinkError)
        or any(_of(error, library, "TransportError") for library in ("httpx", "httpx2"))
        or _is_server_error(error)
        or _of(error, "mcp.shared.exceptions", "MCPError")
        or _of(error, "anyio", "ClosedResourceError", "BrokenResourceError", "EndOfStream")
    )


def _is_server_error(error: BaseException) -> bool:
    if not any(_of(error, library, "HTTPStatusError") for library in ("httpx", "httpx2")):
        return False
    status = getattr(getattr(error, "response", None), "status_code", 0)
    return status >= 500 or status == 429


def _service(error: BaseException, tool: str, source: str) -> str:
    """Which service: the server of an MCP tool, the host of a web request, else the one behind the tool."""
    if source != "builtin":
        return f'The server "{source}"'
    hosts = list(_hosts(error))
    return f"The service {hosts[0]} that {tool} needs" if hosts else f"The service that {tool} needs"


def _hosts(error: BaseException) -> Iterator[str]:
    try:
        request: Any = getattr(error, "request", None)  # httpx raises when there was none
    except RuntimeError:
        return
    host = getattr(getattr(request, "url", None), "host", None)
    if isinstance(host, str) and host:
        yield host
