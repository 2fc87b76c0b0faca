"""The JSON objects on a line of a server's output; tolerant of anything else printed there."""

import json
import re
from dataclasses import dataclass
from typing import Any

from voice_gateway.mcp_client.connection import SHOWN, shorten

RECOVERY_TRIES = 100  # places on a line where a frame may begin

_FRAME_START = re.compile(r'\{\s*"(?:jsonrpc|id|result|error|method)"\s*:')


_decoder = json.JSONDecoder()


@dataclass(frozen=True, slots=True)
class Parsed:
    """The JSON objects of one line, and what else stood on it."""

    frames: list[dict[str, Any]]
    noise: str = ""


def parse(line: bytes) -> Parsed:
    """The frames of one line. Invalid UTF-8 is replaced; text glued to a frame is separated from it."""
    text = line.decode("utf-8", "replace").strip("\ufeff \t\r\n")
    if not text:
        return Parsed([])
    try:
        value = _decoder.decode(text)
    except (ValueError, RecursionError):  # RecursionError: nested too deeply to be meant
        return _recover(text)
    if isinstance(value, dict):
        return Parsed([value])
    if isinstance(value, list) and value and all(isinstance(item, dict) for item in value):
        return Parsed(value)  # a batch, as the protocol of 2025-03-26 allowed
    return Parsed([], text)


def shown(line: bytes) -> str:
    """The beginning of a line, for a log."""
    text = line[: 4 * SHOWN].decode("utf-8", "replace").strip()
    return shorten(text) if len(line) <= 4 * SHOWN else f"{text[:SHOWN]}… ({len(line)} bytes)"


def _recover(text: str) -> Parsed:
    frames: list[dict[str, Any]] = []
    noise: list[str] = []
    rest = search = 0
    for _ in range(RECOVERY_TRIES):
        start = _FRAME_START.search(text, search)
        if start is None:
            break
        try:
            value, end = _decoder.raw_decode(text, start.start())
        except (ValueError, RecursionError):
            search = start.end()  # cut off; a whole one may follow
            continue
        frames.append(value)
        noise.append(text[rest : start.start()])
        rest = search = end
    noise.append(text[rest:])
    return Parsed(frames, " ".join(part.strip() for part in noise if part.strip()))
