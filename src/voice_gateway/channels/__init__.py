"""Channels: each makes an `Utterance`, awaits its answer, and delivers the `Reply`."""

import json
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Any

from voice_gateway.events import Answered, EventBus
from voice_gateway.turn import Part, PartSource, Reply

MOST_REPLIES = 32

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


def unsaid(streamed: str, reply: Reply) -> list[Part]:
    """What is not yet said of the reply, by source; the model's if any of it is."""
    if not streamed:
        return list(reply.parts)
    rest = not_yet_said(streamed, reply.text)
    by_model = any(part.source is PartSource.MODEL for part in reply.parts)
    return [Part(PartSource.MODEL if by_model else PartSource.GATEWAY, rest)] if rest else []


class ModelReplies:
    """The last replies with words of a model, for clients that send a reply's text back to be spoken."""

    def __init__(self, events: EventBus) -> None:
        self._replies: deque[Reply] = deque(maxlen=MOST_REPLIES)
        events.subscribe(self._answered, Answered)

    def _answered(self, event: Answered) -> None:
        if any(part.source is PartSource.MODEL for part in event.reply.parts):
            self._replies.append(event.reply)

    def parts(self, text: str, before: str = "") -> list[Part]:
        """The text by source; `before` is what was sent of the same reply already."""
        whole = before + text
        reply = next((known for known in reversed(self._replies) if known.text.startswith(whole)), None)
        if reply is None:
            return [Part(PartSource.GATEWAY, text)]
        pieces, start = [], 0
        for part in reply.parts:
            end = start + len(part.text) + 1
            pieces.append(Part(part.source, whole[max(start, len(before)) : end]))
            start = end
        return [piece for piece in pieces if piece.text]
