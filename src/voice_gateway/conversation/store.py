"""Where conversations and answered requests are kept: in memory, in a SQLite file, or in a Redis; and their
keys. A conversation's name counts only on its channel, so no other channel can answer for it."""

import asyncio
import contextlib
import os
import sqlite3
import time
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Protocol
from urllib.parse import quote

from voice_gateway.private_files import private_folder
from voice_gateway.shared import is_redis
from voice_gateway.sqlite_file import Damage, SqliteFile
from voice_gateway.turn import Utterance, new_id

MOST_ENTRIES = 10_000  # in memory: about 3000 answered requests, or some ten megabytes
TIDY_SECONDS = 60.0


class Store(Protocol):
    """Texts by key, each forgotten after its time. The defaults are those of a store of one gateway."""

    shared: bool = False  # several gateways use it, so a lock of this process is not enough

    def lock(self, key: str) -> AbstractAsyncContextManager[None]:
        """Held by one caller of all gateways; does nothing in a store that is not shared."""
        return contextlib.nullcontext()

    def on_change(self, tell: Callable[[Exception | None], None]) -> None:
        """Calls `tell` with the error when a shared store is lost, and with None when it is back."""
        return

    async def get(self, key: str) -> str | None: ...

    async def put(self, key: str, text: str, *, expiry_seconds: float) -> None: ...

    async def exchange(self, key: str, old: str | None, text: str, *, expiry_seconds: float) -> bool:
        """Replaces `old`, or puts where there is nothing; False if another text is there."""
        ...

    async def aclose(self) -> None:
        """Closes what is open."""
        return


class MemoryStore(Store):
    """Forgets with the process, and drops the oldest entries above a limit."""

    def __init__(self, now: Callable[[], float] = time.time, *, most_entries: int = MOST_ENTRIES) -> None:
        self._entries: dict[str, tuple[float, str]] = {}
        self._now = now
        self._most_entries = most_entries
        self._tidy_at = 0.0

    async def get(self, key: str) -> str | None:
        expires, text = self._entries.get(key, (0.0, ""))
        return text if expires > self._now() else None

    async def put(self, key: str, text: str, *, expiry_seconds: float) -> None:
        now = self._now()
        self._entries.pop(key, None)  # so that it becomes the newest
        self._entries[key] = (now + expiry_seconds, text)
        if now >= self._tidy_at or len(self._entries) > self._most_entries:
            self._tidy_at = now + TIDY_SECONDS
            fresh = [(name, entry) for name, entry in self._entries.items() if entry[0] > now]
            self._entries = dict(fresh[-self._most_entries :])

    async def exchange(self, key: str, old: str | None, text: str, *, expiry_seconds: float) -> bool:
        if await self.get(key) not in (old, None):
            return False
        await self.put(key, text, expiry_seconds=expiry_seconds)
        return True


_ENTRIES = "CREATE TABLE IF NOT EXISTS entries (key TEXT PRIMARY KEY, expires REAL, text TEXT)"
_EXPIRY = "CREATE INDEX IF NOT EXISTS entries_by_expiry ON entries (expires)"


class SqliteStore(Store):
    """A file that commands share with the gateway. Every call opens its own connection, in a thread."""

    def __init__(
        self,
        file: Path,
        now: Callable[[], float] = time.time,
        *,
        on_damage: Callable[[Damage], None] = lambda _damage: None,
        durable: bool = True,
    ) -> None:
        steps = (_ENTRIES, _EXPIRY)
        self._file = SqliteFile(file, steps, on_damage=on_damage, durable=durable, overwrites=True)
        self._now = now

    async def get(self, key: str) -> str | None:
        def read(connection: sqlite3.Connection) -> str | None:
            select = "SELECT text FROM entries WHERE key = ? AND expires > ?"
            row = connection.execute(select, (key, self._now())).fetchone()
            return row[0] if row else None

        if not self._file.path.exists():
            return None
        return await asyncio.to_thread(self._file.run, read, write=False)

    async def put(self, key: str, text: str, *, expiry_seconds: float) -> None:
        expires = self._now() + expiry_seconds
        await self._write("INSERT OR REPLACE INTO entries VALUES (?, ?, ?)", key, expires, text)

    async def exchange(self, key: str, old: str | None, text: str, *, expiry_seconds: float) -> bool:
        upsert = (
            "INSERT INTO entries VALUES (?, ?, ?) ON CONFLICT (key) "
            "DO UPDATE SET expires = excluded.expires, text = excluded.text WHERE text = ?"
        )
        return await self._write(upsert, key, self._now() + expiry_seconds, text, old) == 1

    async def _write(self, statement: str, *values: str | float | None) -> int:
        """The number of rows changed, in one transaction that also removes what has expired."""

        def write(connection: sqlite3.Connection) -> int:
            connection.execute("DELETE FROM entries WHERE expires <= ?", (self._now(),))
            return connection.execute(statement, values).rowcount

        return await asyncio.to_thread(self._file.run, write)


def store_from(
    setting: str, file: Path, *, on_damage: Callable[[Damage], None] = lambda _damage: None
) -> Store:
    """`memory`, `sqlite`, or the address of a Redis. `on_damage` is called when a file was replaced."""
    if is_redis(setting):
        from voice_gateway.shared.store import RedisStore

        return RedisStore(setting)
    return SqliteStore(file, on_damage=on_damage) if setting == "sqlite" else MemoryStore()


# --- keys

# The one channel whose requests reach any gateway of a shared store. Other channels belong to one gateway.
SHARED_CHANNELS = frozenset({"mqtt"})
LONGEST_NAME = 64  # of a gateway


def conversation_key(utterance: Utterance, gateway: str) -> str:
    """A client chooses the conversation's name, and names are published; it cannot choose the channel."""
    stands_in = "" if utterance.channel in SHARED_CHANNELS else gateway
    channel, satellite = utterance.channel, utterance.satellite or ""
    return key_of("conversation", stands_in, channel, satellite, utterance.conversation_id)


def key_of(kind: str, *names: str) -> str:
    """Quoted, so that no name can form the key of another conversation or of another kind of entry."""
    return ":".join([kind, *(quote(name, safe="") for name in names)])


def gateway_id(file: Path) -> str:
    """The name of this gateway among those that share a store; the file keeps it through restarts."""
    with contextlib.suppress(OSError):
        private_folder(file.parent)
        if file.exists() and _name_in(file) is None:  # damaged, or cut off
            file.unlink()
        with contextlib.suppress(FileExistsError):
            descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(descriptor, "w") as opened:
                opened.write(new_id())
        if known := _name_in(file):
            return known
    return new_id()  # for as long as this process lives


def _name_in(file: Path) -> str | None:
    name = file.read_bytes().strip()
    return name.decode() if name.isalnum() and len(name) <= LONGEST_NAME else None
