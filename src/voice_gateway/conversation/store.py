"""Where conversations and answered requests are kept: in memory, in a SQLite file, or in a Redis."""

import asyncio
import contextlib
import sqlite3
import time
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Protocol

from voice_gateway.shared import is_redis
from voice_gateway.sqlite_file import Damage, SqliteFile

CLAIMED = "claimed"
MOST_ENTRIES = 10_000  # in memory: about 3000 answered requests, or some ten megabytes
TIDY_SECONDS = 60.0


class Store(Protocol):
    """Texts by key, each forgotten after its time."""

    @property
    def shared(self) -> bool:
        """Several gateways use it, so a lock of this process is not enough."""
        ...

    def lock(self, key: str) -> AbstractAsyncContextManager[None]:
        """Held by one caller of all gateways; does nothing in a store that is not shared."""
        ...

    def on_change(self, tell: Callable[[Exception | None], None]) -> None:
        """`tell` gets the trouble when the store goes away by itself, and None when it is back."""
        ...

    async def get(self, key: str) -> str | None: ...

    async def put(self, key: str, text: str, *, expiry_seconds: float) -> None: ...

    async def exchange(self, key: str, old: str | None, text: str, *, expiry_seconds: float) -> bool:
        """Puts it where `old` is, or nothing; False, and nothing is put, where somebody else was faster."""
        ...

    async def claim(self, key: str, *, expiry_seconds: float, text: str = CLAIMED) -> bool:
        """True for the one who came first; nobody else gets it until it expires or is released."""
        ...

    async def release(self, key: str, text: str = CLAIMED) -> None:
        """Free again, if that text is still there: somebody else may have claimed it after it expired."""
        ...

    async def aclose(self) -> None: ...


class MemoryStore:
    """Forgets with the process, and the oldest when there is too much: a gateway stays up for months."""

    shared = False

    def lock(self, key: str) -> AbstractAsyncContextManager[None]:
        return contextlib.nullcontext()

    def __init__(self, now: Callable[[], float] = time.time, *, most_entries: int = MOST_ENTRIES) -> None:
        self._entries: dict[str, tuple[float, str]] = {}
        self._now = now
        self._most_entries = most_entries
        self._tidy_at = 0.0

    @property
    def size(self) -> int:
        """How many texts it has."""
        return len(self._entries)

    async def get(self, key: str) -> str | None:
        expires, text = self._entries.get(key, (0.0, ""))
        return text if expires > self._now() else None

    async def put(self, key: str, text: str, *, expiry_seconds: float) -> None:
        now = self._now()
        self._entries.pop(key, None)  # so that it becomes the newest
        self._entries[key] = (now + expiry_seconds, text)
        if now >= self._tidy_at or len(self._entries) > self._most_entries:
            self._tidy(now)

    async def exchange(self, key: str, old: str | None, text: str, *, expiry_seconds: float) -> bool:
        if await self.get(key) not in (old, None):
            return False
        await self.put(key, text, expiry_seconds=expiry_seconds)
        return True

    def _tidy(self, now: float) -> None:
        self._entries = {key: entry for key, entry in self._entries.items() if entry[0] > now}
        for key in list(self._entries)[: max(0, len(self._entries) - self._most_entries)]:
            del self._entries[key]
        self._tidy_at = now + TIDY_SECONDS

    async def claim(self, key: str, *, expiry_seconds: float, text: str = CLAIMED) -> bool:
        if await self.get(key) is not None:
            return False
        await self.put(key, text, expiry_seconds=expiry_seconds)
        return True

    async def release(self, key: str, text: str = CLAIMED) -> None:
        if await self.get(key) == text:
            del self._entries[key]

    def on_change(self, tell: Callable[[Exception | None], None]) -> None:
        """It is always there."""

    async def aclose(self) -> None:
        """There is nothing to close."""


_ENTRIES = "CREATE TABLE IF NOT EXISTS entries (key TEXT PRIMARY KEY, expires REAL, text TEXT)"


class SqliteStore:
    """A command may use the file beside the gateway; a turn touches it twice."""

    shared = False

    def lock(self, key: str) -> AbstractAsyncContextManager[None]:
        return contextlib.nullcontext()

    def __init__(
        self,
        file: Path,
        now: Callable[[], float] = time.time,
        *,
        on_damage: Callable[[Damage], None] = lambda _damage: None,
    ) -> None:
        self._file = SqliteFile(file, (_ENTRIES,), on_damage=on_damage, overwrites=True)
        self._now = now

    async def get(self, key: str) -> str | None:
        return await asyncio.to_thread(self._get, key)

    async def put(self, key: str, text: str, *, expiry_seconds: float) -> None:
        await asyncio.to_thread(self._put, key, text, expiry_seconds)

    async def exchange(self, key: str, old: str | None, text: str, *, expiry_seconds: float) -> bool:
        return await asyncio.to_thread(self._exchange, key, old, text, expiry_seconds)

    async def claim(self, key: str, *, expiry_seconds: float, text: str = CLAIMED) -> bool:
        return await asyncio.to_thread(self._claim, key, expiry_seconds, text)

    async def release(self, key: str, text: str = CLAIMED) -> None:
        await asyncio.to_thread(self._write, "DELETE FROM entries WHERE key = ? AND text = ?", key, text)

    def on_change(self, tell: Callable[[Exception | None], None]) -> None:
        """It goes nowhere by itself; whoever uses it sees what is wrong."""

    async def aclose(self) -> None:
        """Every call closes its own connection."""

    def _get(self, key: str) -> str | None:
        if not self._file.path.exists():
            return None
        select, values = "SELECT text FROM entries WHERE key = ? AND expires > ?", (key, self._now())
        row = self._file.run(lambda connection: connection.execute(select, values).fetchone(), write=False)
        return row[0] if row else None

    def _put(self, key: str, text: str, expiry_seconds: float) -> None:
        self._write(
            "INSERT OR REPLACE INTO entries VALUES (?, ?, ?)", key, self._now() + expiry_seconds, text
        )

    def _exchange(self, key: str, old: str | None, text: str, expiry_seconds: float) -> bool:
        upsert = (
            "INSERT INTO entries VALUES (?, ?, ?) ON CONFLICT (key) "
            "DO UPDATE SET expires = excluded.expires, text = excluded.text WHERE text = ?"
        )
        return self._write(upsert, key, self._now() + expiry_seconds, text, old) == 1

    def _claim(self, key: str, expiry_seconds: float, text: str) -> bool:
        insert = "INSERT OR IGNORE INTO entries VALUES (?, ?, ?)"
        return self._write(insert, key, self._now() + expiry_seconds, text) == 1

    def _write(self, statement: str, *values: str | float | None) -> int:
        """One transaction that also forgets what has expired; how many rows it changed."""

        def write(connection: sqlite3.Connection) -> int:
            connection.execute("DELETE FROM entries WHERE expires <= ?", (self._now(),))
            return connection.execute(statement, values).rowcount

        return self._file.run(write)


def store_from(
    setting: str, file: Path, *, on_damage: Callable[[Damage], None] = lambda _damage: None
) -> Store:
    """`memory`, `sqlite`, or the address of a Redis. `on_damage` is told when a damaged file was replaced."""
    if is_redis(setting):
        from voice_gateway.shared.store import RedisStore

        return RedisStore(setting)
    return SqliteStore(file, on_damage=on_damage) if setting == "sqlite" else MemoryStore()
