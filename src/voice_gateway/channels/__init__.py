"""Channels: each makes an `Utterance`, awaits its answer, and delivers the `Reply`."""

import json
from collections.abc import Awaitable, Callable
from typing import Any

from voice_gateway.turn import Reply

# `Conversation.answer`: takes the utterance and, by name, `say` for streamed text and `interruption`.
Answer = Callable[..., Awaitable[Reply]]


def json_text(value: Any) -> str:
    """The value as valid JSON: NaN and infinities become null, lone surrogates become escapes."""
    try:
        text = json.dumps(value, ensure_ascii=False, default=str, allow_nan=False)
    except ValueError:
        known = json.loads(json.dumps(value, default=str), parse_constant=lambda _name: None)
        text = json.dumps(known, ensure_ascii=False, allow_nan=False)
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode()


def not_yet_said(streamed: str, reply: str) -> str:
    """The rest of the reply after the streamed text, ignoring white space; all of it if they differ."""
    begun, position = "".join(streamed.split()), 0
    for character in begun:
        while reply[position : position + 1].isspace():
            position += 1
        if reply[position : position + 1] != character:
            return reply
        position += 1
    return reply[position:].strip()
