"""The answer of `getNodes`, read piece by piece: a large home's has megabytes, and others have their turn.

A node that stands there just as in the list before is not read again, and is the same object.
"""

import asyncio
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from zwave_mcp.home import Node
from zwave_mcp.mqtt.nodes import has_groups, parse_nodes

AT_ONCE: Final = 4  # nodes that are read before others have their turn: a few milliseconds
_DECODER: Final = json.JSONDecoder()
_SPACE: Final = re.compile(r"[ \t\n\r]*")


@dataclass(frozen=True, slots=True)
class Listed:
    """One entry of the list."""

    text: str  # as it stood there; empty where its end cannot be told without reading what follows
    number: int | None
    nodes: tuple[Node, ...]  # one, or none where it is no device
    is_group: bool


class NodeLists:
    """Reads one list after the other. `received`: when the last one came in."""

    def __init__(self) -> None:
        self._before: list[Listed] = []
        self.received = float("-inf")

    async def read(self, payload: bytes, received: float) -> Mapping[str, Any]:
        """The answer, with a `Listed` for each entry of its `result`; ValueError: it is no JSON object."""
        source = _Source(payload.decode("utf-8", "surrogatepass"))
        answer: dict[str, Any] = {}
        end = source.take("{")
        while end != "}":
            key = source.name()
            whole = key != "result" or source.following() != "["
            answer[key] = source.value() if whole else await self._nodes(source)
            end = source.take(",}")
        if source.following():
            raise ValueError("more than one answer")
        self.received = received
        return answer

    async def _nodes(self, source: "_Source") -> list[Listed]:
        places = {one.number: place for place, one in enumerate(self._before)}
        listed: list[Listed] = []
        place = fresh = 0
        source.take("[")
        end = source.take("]") if source.following() == "]" else ""
        while end != "]":
            one = self._before[place] if place < len(self._before) else None
            if one is None or not source.skip(one.text):
                one, fresh = source.entry(), fresh + 1
                place = places.get(one.number, place - 1)  # a new one stands between two that are known
                if fresh % AT_ONCE == 0:
                    await asyncio.sleep(0)
            listed.append(one)
            place += 1
            end = source.take(",]")
        self._before = listed
        return listed


class _Source:
    """A text, and how far it is read."""

    def __init__(self, text: str) -> None:
        self._text, self._at = text, 0

    def following(self) -> str:
        """The next character that is no space; empty at the end."""
        found = _SPACE.match(self._text, self._at)
        self._at = found.end() if found else self._at
        return self._text[self._at : self._at + 1]

    def take(self, wanted: str) -> str:
        found = self.following()
        if not found or found not in wanted:
            raise ValueError(f"no {wanted} at {self._at}")
        self._at += 1
        return found

    def skip(self, text: str) -> bool:
        """Whether just this stands here."""
        self.following()
        same = bool(text) and self._text.startswith(text, self._at)
        self._at += len(text) if same else 0
        return same

    def value(self) -> Any:
        self.following()
        found, self._at = _DECODER.raw_decode(self._text, self._at)
        return found

    def name(self) -> str:
        """What stands before a colon."""
        found = self.value()
        self.take(":")
        if not isinstance(found, str):
            raise ValueError("a name that is none")
        return found

    def entry(self) -> Listed:
        self.following()
        began = self._at
        raw = self.value()
        if not isinstance(raw, Mapping):
            return Listed("", None, (), is_group=False)
        number = raw.get("id")
        known = number if isinstance(number, int) else None
        return Listed(self._text[began : self._at], known, parse_nodes([raw]), has_groups([raw]))
