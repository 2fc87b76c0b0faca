"""Publishes every list that changes, whoever changed it."""

import asyncio
from collections.abc import Callable, Sequence

from voice_gateway.errors import ToolUnavailable
from voice_gateway.file_watch import LOOK_SECONDS, identity, look_again
from voice_gateway.tools.builtin.lists.store import Item, ListStore

Tell = Callable[[str, Sequence[Item]], None]


class ListPublisher:
    """`tell` gets a list's name and all that is on it: first of every list, then of those that change."""

    def __init__(self, store: ListStore, tell: Tell, *, look_seconds: float = LOOK_SECONDS) -> None:
        self._store, self._tell, self._look_seconds = store, tell, look_seconds
        self._known: dict[str, tuple[Item, ...]] = {}
        self._file: tuple[int, int, int] | None = None

    def again(self) -> None:
        """Somebody has come who knows none of them."""
        for name, items in self._known.items():
            self._tell(name, items)

    async def run(self) -> None:
        await look_again([self._store.listen], self._look, self._look_seconds)

    async def _look(self) -> None:
        """The file is read only when it is another one than before."""
        now = identity(self._store.path)
        if now is None or now == self._file:
            return
        try:
            items = await asyncio.to_thread(self._store.all)
        except ToolUnavailable:
            return  # whoever asks for a list is told
        self._file = now
        lists: dict[str, list[Item]] = {name: [] for name in self._known}
        for item in items:
            lists.setdefault(item.list, []).append(item)
        for name, found in lists.items():
            if self._known.get(name) != tuple(found):
                self._known[name] = tuple(found)
                self._tell(name, found)
