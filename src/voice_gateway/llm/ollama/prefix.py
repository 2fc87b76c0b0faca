"""What every request begins with, and how long the model server remembers that it has read it."""

import hashlib
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from langchain_core.messages import BaseMessage, HumanMessage

from voice_gateway.llm.offer import Offer
from voice_gateway.llm.ollama.qwen_format import to_qwen_tools
from voice_gateway.llm.prompt import SYSTEM_PROMPT, note_tokens

_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}
FOR_EVER = float("inf")


def seconds_of(keep_alive: str) -> float:
    """Ollama's durations: "30m", "1h30m", "90" (seconds), "-1" (for ever)."""
    text = keep_alive.strip()
    if text.startswith("-"):
        return FOR_EVER
    if text.isdigit():
        return float(text)
    return sum(
        float(number) * _UNITS[unit] for number, unit in re.findall(r"(?<![\d.])([\d.]+)(ms|s|m|h)", text)
    )


@dataclass(frozen=True)
class Prefix:
    """What every request begins with: the tools as they were offered and as they are sent, then the home.

    The home stands behind the tools, before the first words of a conversation: templates put a system prompt
    before the tools, and a renamed lamp would make the server read all of them again.
    """

    offer: Offer
    tools: list[dict[str, Any]]
    tools_key: str
    home: str = ""

    @classmethod
    def of(cls, offer: Offer) -> "Prefix":
        tools = to_qwen_tools(offer.tools)
        text = json.dumps([SYSTEM_PROMPT, tools], ensure_ascii=False)
        return cls(offer, tools, hashlib.sha256(text.encode()).hexdigest())

    @property
    def tokens(self) -> int:
        return self.offer.tokens + note_tokens(self.home)

    def before(self, messages: Sequence[BaseMessage]) -> list[BaseMessage]:
        """The conversation as it is sent. One message, because many templates want the roles to alternate."""
        if not self.home:
            return list(messages)
        if messages and isinstance(messages[0], HumanMessage):
            first, *rest = messages
            return [HumanMessage(content=f"{self.home}\n{first.text}"), *rest]
        return [HumanMessage(content=self.home), *messages]


class PrefixCache:
    """Which prefix the model server has read last, and until when it keeps it."""

    def __init__(self, keep_alive: str, now: Callable[[], float]) -> None:
        self._keep = seconds_of(keep_alive)
        self._now = now
        self._prefix: Prefix | None = None
        self._until = 0.0

    def read(self, prefix: Prefix) -> None:
        """A request with this prefix was answered: it starts the time again."""
        self._prefix, self._until = prefix, self._now() + self._keep

    def lost(self) -> None:
        self._prefix = None

    def knows(self, prefix: Prefix) -> bool:
        return self.knows_tools(prefix) and self._prefix is not None and self._prefix.home == prefix.home

    def knows_tools(self, prefix: Prefix) -> bool:
        """The long part of it; only the home behind it may be another."""
        known = self._prefix is not None and self._prefix.tools_key == prefix.tools_key
        return known and self._now() < self._until
