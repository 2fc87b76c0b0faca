"""Lists in a file that several processes share, and the publisher of their changes."""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, TypeVar

from voice_gateway.backoff import LOOK_SECONDS, look_again
from voice_gateway.errors import ToolUnavailable
from voice_gateway.problems import LISTS_LOST
from voice_gateway.shared.rows import FileRows, Rows, RowStore
from voice_gateway.sqlite_file import BUSY_SECONDS, Damage

MAX_ITEMS = 5000  # of all lists; a model in a loop must not fill the disk

_TABLE = """
CREATE TABLE IF NOT EXISTS items (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  list TEXT NOT NULL,
  text TEXT NOT NULL,
  done INTEGER NOT NULL DEFAULT 0
)
"""

T = TypeVar("T")


class Row(NamedTuple):
    list: str
    text: str
    done: bool = False


@dataclass(frozen=True, slots=True)
class Item:
    id: int
    list: str  # "shopping"
    text: str
    done: bool = False


class ListStore(RowStore[Row, Item]):
    """Shopping, to-do and other lists."""

    def __init__(self, path: Path, *, on_damage: Callable[[Damage], None] = lambda _damage: None) -> None:
        rows = FileRows(
            path, "items", Row, (_TABLE,), LISTS_LOST, busy_seconds=BUSY_SECONDS, on_damage=on_damage
        )
        super().__init__(rows, lambda number, row: Item(number, row.list, row.text, bool(row.done)))

    def all(self) -> list[Item]:
        """Of all lists, in the order in which they were added."""
        return sorted(self.read(), key=lambda item: item.id)

    def of(self, name: str) -> list[Item]:
        return [item for item in self.all() if item.list == name]

    def add(self, name: str, texts: Sequence[str]) -> list[Item]:
        """Add texts; returns the items that are new or were ticked off before."""
        known = {item.text.casefold(): item for item in self.of(name)}
        there = {text for text, item in known.items() if not item.done}
        fresh = [text for text in dict.fromkeys(texts) if text.casefold() not in there]

        def work(rows: Rows[Row]) -> list[Item]:
            if rows.count + len(fresh) > MAX_ITEMS:
                raise ToolUnavailable(f"There are {rows.count} things on my lists already. Clear some first.")
            rows.clear()
            return [Item(rows.add(Row(name, text)), name, text) for text in fresh]

        ticked_off = [known[text.casefold()].id for text in fresh if text.casefold() in known]
        return self.changed(work, ticked_off)

    def tick(self, ids: Iterable[int]) -> list[Item]:
        """Returns the items that were still there."""

        def work(rows: Rows[Row]) -> list[Item]:
            rows.update({number: row._replace(done=True) for number, row in rows.items()})
            return self.parsed(rows)

        return self.changed(work, ids)


class ListPublisher:
    """Calls `tell` with a list's name and its items: first for every list, then for those that change."""

    def __init__(
        self,
        store: ListStore,
        tell: Callable[[str, Sequence[Item]], None],
        *,
        look_seconds: float = LOOK_SECONDS,
    ) -> None:
        self._store, self._tell, self._look_seconds = store, tell, look_seconds
        self._known: dict[str, list[Item]] = {}
        self._stamp: object = None

    def again(self) -> None:
        """Publish all lists again, for a new subscriber."""
        for name, items in self._known.items():
            self._tell(name, items)

    async def run(self) -> None:
        await look_again([self._store.listen], self._look, self._look_seconds)

    async def _look(self) -> None:
        """Read the file if it has changed."""
        stamp = await asyncio.to_thread(self._store.stamp)
        if stamp is None or stamp == self._stamp:
            return
        try:
            items = await asyncio.to_thread(self._store.all)
        except ToolUnavailable:
            return  # the next request for a list reports it
        self._stamp = stamp
        lists: dict[str, list[Item]] = {name: [] for name in self._known}
        for item in items:
            lists.setdefault(item.list, []).append(item)
        for name, content in lists.items():
            if self._known.get(name) != content:
                self._known[name] = content
                self._tell(name, content)
