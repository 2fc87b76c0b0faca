"""What a tool gave back, or raised, as text that a model may read."""

import asyncio
import base64
import json
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from voice_gateway.artifacts import (
    KINDS,
    as_json,
    bytes_in,
    description_of,
    kind_of,
    read_blocks,
    size_of,
    without_artifacts,
)
from voice_gateway.errors import ErrorKind, LinkError, ToolError, first_error
from voice_gateway.logs import ANSI
from voice_gateway.tools.masking import hide_logins, safe, shorten
from voice_gateway.turn import Artifact, encodable

SHORTEST_ENCODED = 256  # characters: no word, number or name is as long
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_DECLARED = re.compile(r"\bdata:([\w.+-]{1,60}/[\w.+-]{1,60})[^,\s]{0,100};base64,([A-Za-z0-9+/_-]+={0,2})")
# Each run is matched once, from its beginning.
_RUN = re.compile(rf"(?<![A-Za-z0-9+/_-])([A-Za-z0-9+/_-]{{{SHORTEST_ENCODED},}}={{0,2}})")
_SAMPLE = 4096
_FAILING = re.compile(r"[\W_]{0,8}(?:error|traceback \(most recent call last\))\s?[:：–-]", re.IGNORECASE)
LONGEST_FACTS = 20_000  # characters of JSON in a text that are read


@dataclass(slots=True)
class Result:
    text: str
    structured: Any = None
    artifacts: tuple[Artifact, ...] = ()

    def tells_failure(self, *, acts: bool) -> bool:
        """Whether a tool that did not mark its result as an error says that it failed."""
        facts = self.structured
        if _FAILING.match(self.text):
            return True
        if facts is None and self.text.startswith("{"):
            with suppress(ValueError, RecursionError):
                facts = json.loads(self.text[:LONGEST_FACTS])
        if not isinstance(facts, Mapping) or "outcome" in facts:
            return False
        denied = any(str(facts.get(key)).lower() in ("false", "0") for key in ("success", "ok"))
        failed = acts and str(facts.get("status")).lower() in ("error", "failed")  # a look tells a device's
        return denied or failed or bool(facts.get("error") or facts.get("isError"))


def read(raw: Any, artifact: Any = None) -> Result:
    """Text blocks joined by newlines, else structured content; objects as JSON (MSG-5)."""
    structured, blobs, artifacts = _artifact(artifact)
    if isinstance(raw, str) and not blobs and raw.strip():
        return _result(raw, structured, artifacts)
    lines, own_blobs, own_artifacts = _text_and_blobs(raw)
    blobs, artifacts = [*own_blobs, *blobs], [*own_artifacts, *artifacts]
    if not any(line.strip() for line in lines):
        lines = []
        if structured is not None:
            shown, inside, says_more = without_artifacts(structured)
            artifacts += inside
            if says_more or not inside:
                lines = [as_json(shown)]
            elif not blobs:
                blobs = [description_of(item) for item in inside]
    text = "\n".join([*lines, *(f"[{blob}]" for blob in blobs)])
    if structured is None and artifact is None and isinstance(raw, dict):
        structured = _plain(raw)
    return _result(text, structured, artifacts)


def _result(text: str, structured: Any = None, artifacts: Sequence[Artifact] = ()) -> Result:
    text, inside = plain_text(text)
    # Structured content may repeat what the other content has.
    once = {item.data or item.uri: item for item in reversed([*artifacts, *inside])}
    return Result(encodable(text) if text.strip() else "", structured, tuple(reversed(once.values())))


def capped(text: str, cap: int) -> str:
    """Head and tail with a marker between, at most `cap` characters."""
    if len(text) <= cap:
        return text
    marker = f"\n[… {len(text) - cap:,} of {len(text):,} characters left out …]\n"
    room = max(cap - len(marker), 0)
    tail = room // 3
    return text[: room - tail] + marker + (text[-tail:] if tail else "")


def _artifact(artifact: Any) -> tuple[Any, list[str], list[Artifact]]:
    """The link's `{"structured": …, "blobs": […]}`; another tool's artifact counts when JSON can say it."""
    if isinstance(artifact, dict) and "structured" in artifact:
        blobs, kept = artifact.get("blobs") or [], artifact.get("artifacts") or ()
        artifacts = [item for item in kept if isinstance(item, Artifact)]
        return artifact["structured"], [str(blob) for blob in blobs], artifacts
    return _plain(artifact), [], []


def _text_and_blobs(raw: Any) -> tuple[list[str], list[str], list[Artifact]]:
    if raw is None:
        return [], [], []
    if isinstance(raw, str):
        return [raw], [], []
    if isinstance(raw, bytes | bytearray | memoryview):
        kept = Artifact("file", data=base64.b64encode(raw).decode())
        return [], [f"binary data, {size_of(len(raw))}"], [kept]
    block = _as_block(raw)
    if block is not None:
        raw = [block]
    if not isinstance(raw, list | tuple):
        return [as_json(raw)], [], []
    blocks = [{"type": "text", "text": item} if isinstance(item, str) else _as_block(item) for item in raw]
    if not all(blocks) or all(isinstance(item, str) for item in raw):
        return ([as_json(raw)] if raw else []), [], []
    return read_blocks([block for block in blocks if block is not None])


def _as_block(item: Any) -> Mapping[str, Any] | None:
    if not isinstance(item, Mapping):
        kind = getattr(item, "type", None)
        if not (isinstance(kind, str) and kind in KINDS and hasattr(item, "model_dump")):
            return None
        item = item.model_dump(mode="json", exclude_none=True)
    kind = item.get("type")
    return item if isinstance(kind, str) and kind in KINDS and len(item) > 1 else None


def _plain(value: Any) -> Any:
    """The value, if JSON can say it."""
    if value is None or isinstance(value, str | int | float | bool):
        return value
    try:
        json.dumps(value)
    except Exception:
        return None
    return value


# --- without control characters, encoded data and logins


def is_plain(text: str) -> bool:
    """A quick check that nearly every text passes."""
    return (
        len(text) < SHORTEST_ENCODED and text.isprintable() and "://" not in text and ";base64," not in text
    )


def plain_text(text: str) -> tuple[str, list[Artifact]]:
    """(the text, the data that stood in it)."""
    if is_plain(text):
        return text, []
    artifacts: list[Artifact] = []
    if not text.isprintable():
        text = _CONTROL.sub("", ANSI.sub("", text).replace("\r\n", "\n").replace("\r", "\n"))
    if ";base64," in text:
        text = _DECLARED.sub(lambda match: _taken(match[0], match[2], match[1], artifacts), text)
    if len(text) >= SHORTEST_ENCODED:
        text = _RUN.sub(lambda match: _taken(match[0], match[1], "", artifacts), text)
    return hide_logins(text), artifacts


def _taken(whole: str, data: str, mime_type: str, artifacts: list[Artifact]) -> str:
    """The description of data that has a type or looks encoded; anything else unchanged."""
    if not mime_type and not _looks_encoded(data):
        return whole
    artifact = Artifact(kind_of(mime_type), mime_type, "", data)
    artifacts.append(artifact)
    return f"[{description_of(artifact) if mime_type else f'encoded data of {size_of(bytes_in(data))}'}]"


def _looks_encoded(data: str) -> bool:
    """Encoded bytes mix all letters and digits; a path, a long number or a line of dashes does not."""
    sample = data[:_SAMPLE]
    count = len(sample)
    upper, lower = sum(map(str.isupper, sample)), sum(map(str.islower, sample))
    return min(upper, lower) > count * 0.15 and sum(map(str.isdigit, sample)) > count * 0.04


# --- what it raised: by type, not by words

LONGEST_MESSAGE = 500  # characters of an error that was not written for a model
LONGEST_CAUSE = 2500  # of what lies behind it, in the log
# Kinds of OSError that speak of files and processes; the rest speak of a network or a device.
_LOCAL_TROUBLE = (
    FileNotFoundError, FileExistsError, PermissionError, IsADirectoryError, NotADirectoryError,
    ChildProcessError, ProcessLookupError, BlockingIOError, InterruptedError,
)  # fmt: skip
# Errors of libraries that need not be loaded, by package and name.
_UNREACHABLE = frozenset(
    "httpx.TransportError httpx2.TransportError mcp.MCPError anyio.ClosedResourceError "
    "anyio.BrokenResourceError anyio.EndOfStream".split()
)
_STATUS_ERRORS = frozenset({"httpx.HTTPStatusError", "httpx2.HTTPStatusError"})
_INVALID_PARAMS = -32602


def describe(error: BaseException, tool: str, source: str) -> tuple[ErrorKind, str]:
    """(kind, text behind "Error: ")."""
    error = first_error(error)
    if isinstance(error, ToolError):
        return error.kind, safe(str(error)) or f"{tool} failed."
    if isinstance(error, asyncio.CancelledError):
        return ErrorKind.FAILED, f"{tool} was cancelled from inside."
    if isinstance(error, SystemExit | KeyboardInterrupt | GeneratorExit):
        return ErrorKind.FAILED, f"{tool} tried to end the program ({type(error).__name__})."
    message, kinds = _message(error), _kinds(error)
    refused = "mcp.MCPError" in kinds and getattr(error, "code", None) == _INVALID_PARAMS
    if refused or "pydantic_core.ValidationError" in kinds:
        return ErrorKind.BAD_ARGUMENTS, message
    if _is_unreachable(error, kinds):
        return ErrorKind.UNAVAILABLE, f"{_service(error, tool, source)} is unavailable: {message}"
    gave_up = f"{tool} gave up waiting: " if isinstance(error, TimeoutError) else ""
    return ErrorKind.FAILED, gave_up + message


def cause_of(error: BaseException) -> str | None:
    """What lies behind a failure that was put into words, such as a dead server's last; for the log alone."""
    cause = error.__cause__ if isinstance(error, ToolError) else None
    text = _message(cause, LONGEST_CAUSE) if cause is not None else None
    return None if text == str(error) else text


def _message(error: BaseException, longest: int = LONGEST_MESSAGE) -> str:
    name = type(error).__name__
    try:
        text = str(error).strip()
    except Exception:  # an error whose own text fails
        text = ""
    if isinstance(error, KeyError) and text:  # its text is the bare key
        text = f"{name}: {text}"
    return shorten(safe(text[: 20 * longest]), longest) or name


def _kinds(error: BaseException) -> set[str]:
    return {f"{kind.__module__.partition('.')[0]}.{kind.__name__}" for kind in type(error).__mro__}


def _is_unreachable(error: BaseException, kinds: set[str]) -> bool:
    if isinstance(error, TimeoutError):
        return error.errno is not None  # the system's own; a bare one is the tool's clock
    if isinstance(error, OSError):
        return not isinstance(error, _LOCAL_TROUBLE)
    status = getattr(getattr(error, "response", None), "status_code", 0) if kinds & _STATUS_ERRORS else 0
    return isinstance(error, LinkError) or bool(kinds & _UNREACHABLE) or status >= 500 or status == 429


def _service(error: BaseException, tool: str, source: str) -> str:
    """Which service: the server of an MCP tool, the host of a web request, else the one behind the tool."""
    if source != "builtin":
        return f'The server "{source}"'
    request: Any = None
    with suppress(RuntimeError):  # httpx raises when there was none
        request = getattr(error, "request", None)
    host = getattr(getattr(request, "url", None), "host", None)
    return f"The service {host} that {tool} needs" if host else f"The service that {tool} needs"
