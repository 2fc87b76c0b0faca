"""Who has joined or left the network, from one list of nodes to the next."""

from collections.abc import Callable, Iterable, Mapping
from typing import Final, Literal

from zwave_mcp.home import Node

GONE_SECONDS: Final = 8.0  # in no list for so long: one that was cut short is no farewell
_MOST_AT_ONCE: Final = 3  # more at once is another stick, or a gateway that has just been set up

Coming = Literal["joined", "left"]


class Comings:
    """`tell` is called once for each; `later` calls back after some seconds."""

    def __init__(
        self, tell: Callable[[Node, Coming], None], later: Callable[[float, Callable[[], None]], object]
    ) -> None:
        self._tell, self._later = tell, later
        self._known: dict[int, Node] = {}
        self._now: Mapping[int, Node] = {}

    def look(self, nodes: Iterable[Node]) -> None:
        now = {node.id: node for node in nodes if not node.members}
        if not now or any(node.starting for node in now.values()):
            return  # a gateway that is starting has not told all of them
        known, self._now = self._known, now
        new, gone = now.keys() - known.keys(), known.keys() - now.keys()
        if not known or max(len(new), len(gone)) > _MOST_AT_ONCE or len(gone) == len(known):
            self._known = now
            return
        self._known = {**known, **now}
        for node in sorted(new):
            self._tell(now[node], "joined")
        if gone:
            self._later(GONE_SECONDS, lambda: self._still_gone(frozenset(gone)))

    def _still_gone(self, gone: frozenset[int]) -> None:
        for number in sorted(gone - self._now.keys()):
            if (node := self._known.pop(number, None)) is not None:
                self._tell(node, "left")
