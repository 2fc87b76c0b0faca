"""Where conversations are kept between turns: in memory, or in a SQLite file that outlives the process."""

import asyncio
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path
from typing import Protocol


class Store(Protocol):
    """Texts by key, each forgotten after its time."""

    async def get(self, key: str) -> str | None: ...

    async def put(self, key: str, text: str, *, expiry_seconds: float) -> None: ...


class MemoryStore:
    """Forgets with the process; expired entries go when something is written."""

    def __init__(self, now: Callable[[], float] = time.time) -> None:
        self._entries: dict[str, tuple[float, str]] = {}
        self._now = now

    async def get(self, key: str) -> str | None:
        expires, text = self._entries.get(key, (0.0, ""))
        return text if expires > self._now() else None

    async def put(self, key: str, text: str, *, expiry_seconds: float) -> None:
        now = self._now()
        self._entries = {k: entry for k, entry in self._entries.items() if entry[0] > now}
        self._entries[key] = (now + expiry_seconds, text)


class SqliteStore:
    """A connection per call: the file may be shared by several processes, and a turn touches it twice."""

    def __init__(self, file: Path, now: Callable[[], float] = time.time) -> None:
        self._file = file
        self._now = now

    async def get(self, key: str) -> str | None:
        return await asyncio.to_thread(self._get, key)

    async def put(self, key: str, text: str, *, expiry_seconds: float) -> None:
        await asyncio.to_thread(self._put, key, text, expiry_seconds)

    def _get(self, key: str) -> str | None:
        if not self._file.exists():
            return None
        connection = self._connect()
        try:
            row = connection.execute(
                "SELECT text FROM entries WHERE key = ? AND expires > ?", (key, self._now())
            ).fetchone()
        finally:
            connection.close()
        return row[0] if row else None

    def _put(self, key: str, text: str, expiry_seconds: float) -> None:
        connection = self._connect()
        try:
            with connection:
                connection.execute("DELETE FROM entries WHERE expires <= ?", (self._now(),))
                connection.execute(
                    "INSERT OR REPLACE INTO entries VALUES (?, ?, ?)",
                    (key, self._now() + expiry_seconds, text),
                )
        finally:
            connection.close()

    def _connect(self) -> sqlite3.Connection:
        self._file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        connection = sqlite3.connect(self._file, timeout=5.0)
        connection.execute(
            "CREATE TABLE IF NOT EXISTS entries (key TEXT PRIMARY KEY, expires REAL, text TEXT)"
        )
        return connection
