"""What was known of a node while the gateway starts: it lists its nodes before it knows anything of them.

`ready` is the only sure sign (measured): before, a node has no values, or some, and its status is a guess.
"""

import time
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Final

from zwave_mcp.home import Node

_NEWS: Final = ("ready", "added", "removed", "dead", "alive", "interview_completed")
_NAMING: Final = b'"commandClass":119'  # a name or a room, as the gateway tells it where its events are on
STARTING_SECONDS: Final = 15.0  # after that it was never interviewed, or does not answer


class KnownNodes:
    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._ready: dict[int, Node] = {}  # as each was when it was last ready
        self._since: dict[int, float] = {}  # since when the others are not

    def complete(self, nodes: Iterable[Node]) -> tuple[Node, ...]:
        whole = tuple(self._whole(node) for node in nodes)
        there = {node.id for node in whole}
        self._ready = {node_id: node for node_id, node in self._ready.items() if node_id in there}
        self._since = {node.id: self._since[node.id] for node in whole if not node.ready}
        return whole

    def _whole(self, node: Node) -> Node:
        if node.ready:
            self._ready[node.id] = node
            return node
        since = self._since.setdefault(node.id, self._clock())
        known = self._ready.get(node.id)
        if known is not None and known.product == node.product:
            guessed = node.status == "Unknown"
            status, available = (known.status, known.available) if guessed else (node.status, node.available)
            return replace(node, values=known.values, status=status, available=available)
        if node.dead or self._clock() - since >= STARTING_SECONDS:
            return node
        return replace(node, values=(), starting=True)


def is_news_of_nodes(topic: str, payload: bytes) -> bool:
    """Whether an event of the gateway says that a node is called, or is, something else now."""
    if "/_EVENTS/" not in topic:
        return False
    event = topic.rsplit("/", 1)[-1].removeprefix("node_")
    return event in _NEWS or (event.startswith("value") and _NAMING in payload.replace(b" ", b""))
