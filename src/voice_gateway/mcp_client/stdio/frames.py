"""A server's output, cut into lines and parsed into JSON objects; tolerant of anything else printed there."""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from json.scanner import py_make_scanner  # type: ignore[attr-defined]  # typeshed leaves it out
from typing import Any

from pydantic_core import from_json

from voice_gateway.mcp_client.connection import REPLY_LIMIT, SHOWN, shorten

HEAD_KEPT = 256  # bytes of a line that is skipped
RECOVERY_TRIES = 100  # places on a line where a frame may begin
UNTERMINATED_LIMIT = 64 * 1024  # a frame without its newline is looked for up to here

_FRAME_START = re.compile(r'\{\s*"(?:jsonrpc|id|result|error|method)"\s*:')


class _PythonDecoder(json.JSONDecoder):
    """The C scanner holds the interpreter for a whole document; this one lets the event loop run."""

    def __init__(self) -> None:
        super().__init__()
        self.scan_once = py_make_scanner(self)  # single strings are still scanned in C, which is quick


_decoder, _patient_decoder = json.JSONDecoder(), _PythonDecoder()


@dataclass(frozen=True, slots=True)
class Parsed:
    """The JSON objects of one line, and what else stood on it."""

    frames: list[dict[str, Any]]
    noise: str = ""


class LineBuffer:
    """Cuts chunks into lines. Every byte is joined once, so a long line costs no more than its length.

    A line over the limit is skipped; `on_too_long` gets its first bytes as soon as it passes the limit.
    """

    def __init__(self, on_too_long: Callable[[bytes], None], limit: int = REPLY_LIMIT) -> None:
        self._on_too_long = on_too_long
        self._limit = limit
        self._parts: list[bytes] = []
        self._size = 0

    def feed(self, chunk: bytes) -> list[bytes]:
        if not self._size and chunk.find(b"\n") == len(chunk) - 1 <= self._limit:
            return [chunk[:-1]]  # one whole line, as usual
        *complete, rest = chunk.split(b"\n")
        lines: list[bytes] = []
        for part in complete:
            self._keep(part)
            if self._size <= self._limit:
                lines.append(b"".join(self._parts))
            self.drop()
        self._keep(rest)
        return lines

    def unterminated(self) -> bytes | None:
        """What waits for its newline, if it looks like a whole frame."""
        if not self._parts or self._size > UNTERMINATED_LIMIT or not self._parts[-1].endswith(b"}"):
            return None
        return b"".join(self._parts)

    def drop(self) -> None:
        self._parts, self._size = [], 0

    def _keep(self, part: bytes) -> None:
        before, self._size = self._size, self._size + len(part)
        if self._size <= self._limit:
            if part:
                self._parts.append(part)
        elif before <= self._limit:
            head = b"".join([*self._parts, part])[:HEAD_KEPT]
            self._parts = []
            self._on_too_long(head)


def whole_frame(line: bytes) -> dict[str, Any] | None:
    """The JSON object that the line is; None for anything else, which `parse` looks at."""
    try:
        value = from_json(line)
    except ValueError:
        return None
    return value if type(value) is dict else None


def parse(line: bytes, *, patient: bool = False) -> Parsed:
    """The frames of one line. Invalid UTF-8 is replaced; text glued to a frame is separated from it."""
    text = line.decode("utf-8", "replace").strip("\ufeff \t\r\n")
    if not text:
        return Parsed([])
    decoder = _patient_decoder if patient else _decoder
    try:
        value = decoder.decode(text)
    except (ValueError, RecursionError):  # RecursionError: nested too deeply to be meant
        return _recover(text, decoder)
    if isinstance(value, dict):
        return Parsed([value])
    if isinstance(value, list) and value and all(isinstance(item, dict) for item in value):
        return Parsed(value)  # a batch, as the protocol of 2025-03-26 allowed
    return Parsed([], text)


def shown(line: bytes) -> str:
    """The beginning of a line, for a log."""
    text = line[: 4 * SHOWN].decode("utf-8", "replace").strip()
    return shorten(text) if len(line) <= 4 * SHOWN else f"{text[:SHOWN]}… ({len(line)} bytes)"


def _recover(text: str, decoder: json.JSONDecoder) -> Parsed:
    frames: list[dict[str, Any]] = []
    noise: list[str] = []
    rest = search = 0
    for _ in range(RECOVERY_TRIES):
        start = _FRAME_START.search(text, search)
        if start is None:
            break
        try:
            value, end = decoder.raw_decode(text, start.start())
        except (ValueError, RecursionError):
            search = start.end()  # cut off; a whole one may follow
            continue
        frames.append(value)
        noise.append(text[rest : start.start()])
        rest = search = end
    noise.append(text[rest:])
    return Parsed(frames, " ".join(part.strip() for part in noise if part.strip()))
