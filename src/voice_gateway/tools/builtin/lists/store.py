"""Lists in a file that several processes share, and the publisher of their changes."""

import asyncio
import sqlite3
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from voice_gateway.errors import ToolUnavailable
from voice_gateway.file_watch import LOOK_SECONDS, identity, look_again
from voice_gateway.problems import LISTS_LOST
from voice_gateway.sqlite_file import Damage, SharedTable, UnreadableRow

MAX_ITEMS = 5000  # of all lists; a model in a loop must not fill the disk

_TABLE = """
CREATE TABLE IF NOT EXISTS items (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  list TEXT NOT NULL,
  text TEXT NOT NULL,
  done INTEGER NOT NULL DEFAULT 0
)
"""
_NAMES = ("id", "list", "text", "done")
_COLUMNS = ", ".join(_NAMES)


@dataclass(frozen=True, slots=True)
class Item:
    id: int
    list: str  # "shopping"
    text: str
    done: bool = False


class ListStore:
    """Every method is one short transaction; call it through `asyncio.to_thread`."""

    def __init__(self, path: Path, *, on_damage: Callable[[Damage], None] = lambda _damage: None) -> None:
        self._table = SharedTable(path, (_TABLE,), LISTS_LOST, on_damage=on_damage)
        self.path, self.listen = path, self._table.listen

    def all(self) -> list[Item]:
        """Of all lists, in the order in which they were added."""
        return self._table.run(lambda connection: _read(connection, "", ()), write=False)

    def of(self, name: str) -> list[Item]:
        return self._table.run(lambda connection: _read(connection, "WHERE list = ?", (name,)), write=False)

    def add(self, name: str, texts: Sequence[str]) -> list[Item]:
        """Add texts; returns the items that are new or were ticked off before."""

        def work(connection: sqlite3.Connection) -> list[Item]:
            known = {item.text.casefold(): item for item in _read(connection, "WHERE list = ?", (name,))}
            [(count,)] = connection.execute("SELECT count(*) FROM items")
            added: list[Item] = []
            for text in dict.fromkeys(texts):
                old = known.get(text.casefold())
                if old is not None and not old.done:
                    continue
                if count + len(added) >= MAX_ITEMS:
                    raise ToolUnavailable(f"There are {count} things on my lists already. Clear some first.")
                if old is not None:
                    connection.execute("DELETE FROM items WHERE id = ?", (old.id,))
                insert = f"INSERT INTO items (list, text) VALUES (?, ?) RETURNING {_COLUMNS}"
                added += [_item(row) for row in connection.execute(insert, (name, text)).fetchall()]
            return added

        return self._table.change(work)

    def remove(self, ids: Iterable[int]) -> list[Item]:
        return self._each("DELETE FROM items", ids)

    def tick(self, ids: Iterable[int]) -> list[Item]:
        return self._each("UPDATE items SET done = 1", ids)

    def _each(self, change: str, ids: Iterable[int]) -> list[Item]:
        """Change items by number; returns the items that were still there."""
        statement, wanted = f"{change} WHERE id = ? RETURNING {_COLUMNS}", list(ids)
        return self._table.change(
            lambda connection: [
                _item(row) for number in wanted for row in connection.execute(statement, (number,)).fetchall()
            ]
        )


def _read(connection: sqlite3.Connection, where: str, values: tuple[Any, ...]) -> list[Item]:
    rows = connection.execute(f"SELECT {_COLUMNS} FROM items {where} ORDER BY id", values).fetchall()
    return [_item(row) for row in rows]


def _item(row: tuple[Any, ...]) -> Item:
    number, name, text, done = row
    if not isinstance(number, int) or not isinstance(name, str) or not isinstance(text, str) or not name:
        raise UnreadableRow("not a thing on a list")
    return Item(number, name, text, bool(done))


Tell = Callable[[str, Sequence[Item]], None]


class ListPublisher:
    """Calls `tell` with a list's name and its items: first for every list, then for those that change."""

    def __init__(self, store: ListStore, tell: Tell, *, look_seconds: float = LOOK_SECONDS) -> None:
        self._store, self._tell, self._look_seconds = store, tell, look_seconds
        self._known: dict[str, tuple[Item, ...]] = {}
        self._file: tuple[int, int, int] | None = None

    def again(self) -> None:
        """Publish all lists again, for a new subscriber."""
        for name, items in self._known.items():
            self._tell(name, items)

    async def run(self) -> None:
        await look_again([self._store.listen], self._look, self._look_seconds)

    async def _look(self) -> None:
        """Read the file if it has changed."""
        now = identity(self._store.path)
        if now is None or now == self._file:
            return
        try:
            items = await asyncio.to_thread(self._store.all)
        except ToolUnavailable:
            return  # the next request for a list reports it
        self._file = now
        lists: dict[str, list[Item]] = {name: [] for name in self._known}
        for item in items:
            lists.setdefault(item.list, []).append(item)
        for name, found in lists.items():
            if self._known.get(name) != tuple(found):
                self._known[name] = tuple(found)
                self._tell(name, found)
