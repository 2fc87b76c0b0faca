"""Keeps acts for undo: in a SQLite file that processes share, in a Redis, or in memory."""

import asyncio
import json
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar
from urllib.parse import quote

from voice_gateway.conversation.place import SHARED_DOORS
from voice_gateway.conversation.store import Store
from voice_gateway.errors import LinkError
from voice_gateway.sqlite_file import Damage, SqliteFile
from voice_gateway.turns.acts import KEPT_SECONDS, Acts, UndoEntry, Where

if TYPE_CHECKING:
    from voice_gateway.shared.store import RedisStore

T = TypeVar("T")
MOST_ACTS = 500  # of all channels; a model in a loop must not fill the disk

_TABLE = """
CREATE TABLE IF NOT EXISTS acts (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  at REAL NOT NULL,
  door TEXT NOT NULL,
  room TEXT NOT NULL,
  conversation TEXT NOT NULL,
  text TEXT NOT NULL
)
"""


def _act(text: str) -> UndoEntry | None:
    try:
        return UndoEntry.from_text(text)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None  # of another version, or damaged


class SqliteActs:
    """One short transaction for each call, in a thread. Old acts go with the next write."""

    def __init__(
        self,
        file: Path,
        now: Callable[[], float] = time.time,
        *,
        on_damage: Callable[[Damage], None] = lambda _damage: None,
    ) -> None:
        # A reply waits for the write, and acts need not survive a power cut.
        self._file = SqliteFile(file, (_TABLE,), on_damage=on_damage, durable=False)
        self._now = now

    async def add(self, act: UndoEntry, where: Where) -> None:
        row = (act.at, where.channel, where.room or "", where.conversation or "", act.to_text())

        def insert(connection: sqlite3.Connection) -> None:
            columns = "at, door, room, conversation, text"
            connection.execute(f"INSERT INTO acts ({columns}) VALUES (?, ?, ?, ?, ?)", row)
            connection.execute("DELETE FROM acts WHERE at <= ?", (self._now() - KEPT_SECONDS,))
            keep = "SELECT id FROM acts ORDER BY id DESC LIMIT ?"
            connection.execute(f"DELETE FROM acts WHERE id NOT IN ({keep})", (MOST_ACTS,))

        await self._run(insert, write=True)

    async def newest(self, where: Where, *, take: bool) -> UndoEntry | None:
        wanted = {"room": where.room, "conversation": where.conversation}
        rules = ["door = :door", "at > :since"]
        rules += [f"{key} = :{key}" for key, value in wanted.items() if value is not None]
        values = {"door": where.channel, "since": self._now() - KEPT_SECONDS, **wanted}
        select = f"SELECT id, text FROM acts WHERE {' AND '.join(rules)} ORDER BY id DESC LIMIT 1"

        def read(connection: sqlite3.Connection) -> str | None:
            row = connection.execute(select, values).fetchone()
            if row is not None and take:
                connection.execute("DELETE FROM acts WHERE id = ?", (row[0],))
            return row[1] if row else None

        text = await self._run(read, write=take) if self._file.path.exists() else None
        return _act(text) if text is not None else None

    async def _run(self, work: Callable[[sqlite3.Connection], T], *, write: bool) -> T:
        try:
            return await asyncio.to_thread(self._file.run, work, write=write)
        except (sqlite3.Error, OSError) as error:
            raise LinkError(f"the file with the acts cannot be used: {error}") from error


class MemoryActs:
    """Forgets with the process."""

    def __init__(self, now: Callable[[], float] = time.time) -> None:
        self._acts: list[tuple[Where, UndoEntry]] = []
        self._now = now

    async def add(self, act: UndoEntry, where: Where) -> None:
        self._acts = [*self._acts[-MOST_ACTS + 1 :], (where, act)]

    async def newest(self, where: Where, *, take: bool) -> UndoEntry | None:
        since = self._now() - KEPT_SECONDS
        for place in reversed(range(len(self._acts))):  # by place, because two may be equal
            kept, act = self._acts[place]
            if act.at > since and _is_of(kept, where):
                if take:
                    del self._acts[place]
                return act
        return None


class RedisActs:
    """In the Redis that gateways share: a list for each channel, newest first."""

    def __init__(self, store: "RedisStore", gateway: str, now: Callable[[], float] = time.time) -> None:
        self._store = store
        self._gateway = gateway
        self._now = now

    def _key(self, channel: str) -> str:
        stands_in = "" if channel in SHARED_DOORS else self._gateway
        return f"acts:{quote(stands_in, safe='')}:{quote(channel, safe='')}"

    async def add(self, act: UndoEntry, where: Where) -> None:
        text = _entry(act, where)
        await self._store.push(self._key(where.channel), text, most=MOST_ACTS, expiry_seconds=KEPT_SECONDS)

    async def newest(self, where: Where, *, take: bool) -> UndoEntry | None:
        key, since = self._key(where.channel), self._now() - KEPT_SECONDS
        for text in await self._store.pushed(key):
            entry = _read_entry(text)
            if entry is None or entry[1].at <= since or not _is_of(entry[0], where):
                continue
            if not take or await self._store.drop(key, text):  # otherwise another gateway took it
                return entry[1]
        return None


def _entry(act: UndoEntry, where: Where) -> str:
    return json.dumps([where.channel, where.room, where.conversation, act.to_text()])


def _read_entry(text: str) -> tuple[Where, UndoEntry] | None:
    try:
        door, room, conversation, written = json.loads(text)
    except (ValueError, TypeError):
        return None
    act = _act(written)
    return (Where(door, room, conversation), act) if act is not None else None


def _is_of(kept: Where, wanted: Where) -> bool:
    return (
        kept.channel == wanted.channel
        and wanted.room in (None, kept.room)
        and wanted.conversation in (None, kept.conversation)
    )


def acts_from(store: Store, file: Path, gateway: str, *, on_damage: Callable[[Damage], None]) -> Acts:
    """In the shared store of the conversations; without one in a file, which commands share."""
    if not store.shared:
        return SqliteActs(file, on_damage=on_damage)
    from voice_gateway.shared.store import RedisStore

    assert isinstance(store, RedisStore)  # the only one that is shared
    return RedisActs(store, gateway)
