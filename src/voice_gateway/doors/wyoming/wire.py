"""Wyoming's wire: a line of JSON, then more JSON, then bytes. Sizes are limited before anything is read."""

import asyncio
import json
from dataclasses import dataclass, field
from typing import Any

from voice_gateway.errors import LinkError

MOST_DATA = 256 * 1024  # bytes of JSON; a transcript has some hundred
MOST_PAYLOAD = 4 * 1024 * 1024  # two minutes of sound in one piece
VERSION = "1.10.2"


@dataclass(frozen=True, slots=True)
class Message:
    type: str
    data: dict[str, Any] = field(default_factory=dict)
    payload: bytes = b""


async def read_message(reader: asyncio.StreamReader) -> Message | None:
    """None at the end; LinkError for what is not Wyoming."""
    try:
        line = await reader.readline()
        if not line:
            return None
        head = json.loads(line)
        data = dict(head.get("data") or {})
        if length := _length(head, "data_length", MOST_DATA):
            data |= json.loads(await reader.readexactly(length))
        payload = await reader.readexactly(_length(head, "payload_length", MOST_PAYLOAD))
        return Message(str(head["type"]), data, payload)
    except (asyncio.IncompleteReadError, ConnectionError):
        return None  # the client has gone in the middle of it
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise LinkError(f"this is not the Wyoming protocol: {error!r}") from error


def _length(head: dict[str, Any], name: str, most: int) -> int:
    length = head.get(name) or 0
    if not isinstance(length, int) or not 0 <= length <= most:
        raise ValueError(f"{name} must be at most {most}")
    return length


async def write_message(writer: asyncio.StreamWriter, message: Message) -> None:
    head: dict[str, Any] = {"type": message.type, "version": VERSION}
    data = json.dumps(message.data, ensure_ascii=False).encode() if message.data else b""
    if data:
        head["data_length"] = len(data)
    if message.payload:
        head["payload_length"] = len(message.payload)
    writer.write(json.dumps(head).encode() + b"\n" + data + message.payload)
    await writer.drain()
