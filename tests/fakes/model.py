"""A scripted model for the loop: each reply is a text, a list of calls, a message, or an error."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.tools import BaseTool

from voice_gateway.llm.offer import Offer


@dataclass
class Calls:
    """A message that calls tools: `Calls(("clock", {}), text="Let me see.")`."""

    calls: tuple[tuple[str, Any], ...]
    text: str = ""

    def __init__(self, *calls: tuple[str, Any], text: str = "") -> None:
        self.calls, self.text = calls, text


@dataclass
class FakeModel:
    script: list[str | Calls | AIMessage | Exception] = field(default_factory=list)
    tools: Sequence[BaseTool] = ()
    several_steps: bool = False
    hold_on: asyncio.Event | None = None  # set in mid-answer; then the reply never ends
    asked: list[list[BaseMessage]] = field(default_factory=list)

    stage = "fake"
    model_name = "scripted"

    @property
    def offer(self) -> Offer:
        return Offer(tuple(self.tools))

    async def reply(self, messages: Sequence[BaseMessage], on_text: Callable[[str], None]) -> AIMessage:
        self.asked.append(list(messages))
        step = self.script.pop(0) if self.script else "All right."
        if isinstance(step, Exception):
            raise step
        message = _message(step, len(self.asked))
        for piece in _pieces(str(message.text)):
            on_text(piece)
        if self.hold_on is not None:
            self.hold_on.set()
            await asyncio.Event().wait()
        return message


def _message(step: str | Calls | AIMessage, number: int) -> AIMessage:
    if isinstance(step, AIMessage):
        return step
    if isinstance(step, str):
        return AIMessage(content=step)
    calls = [
        {"id": f"r{number}c{place}", "name": name, "args": args}
        for place, (name, args) in enumerate(step.calls)
    ]
    return AIMessage(content=step.text, tool_calls=calls)


def _pieces(text: str) -> list[str]:
    """Uneven pieces, as tokens are."""
    return [text[start : start + 3] for start in range(0, len(text), 3)]
