"""Where turns are kept: one SQLite file that processes share. Blocking; call it in a thread."""

import json
import re
import sqlite3
import time
import unicodedata
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from voice_gateway.errors import GatewayError
from voice_gateway.private_files import SIDE_FILES
from voice_gateway.sqlite_file import Damage, SqliteFile

T = TypeVar("T")

MEGABYTE = 1_000_000
SHORTEST_ID = 4  # shortest beginning of an id that names a turn
MOST_LISTED = 1_000

_TURNS = """
CREATE TABLE turns (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL,
  at REAL NOT NULL,
  door TEXT NOT NULL,
  room TEXT,
  conversation TEXT NOT NULL,
  text TEXT NOT NULL,
  reply TEXT NOT NULL,
  ok INTEGER NOT NULL,
  stage TEXT NOT NULL,
  seconds REAL NOT NULL,
  acts TEXT NOT NULL,
  named TEXT NOT NULL,
  events BLOB NOT NULL,
  tools TEXT NOT NULL,
  home TEXT NOT NULL
)
"""
_MIGRATIONS = (
    _TURNS,
    "CREATE INDEX turns_by_id ON turns (id)",
    "CREATE INDEX turns_by_time ON turns (at)",
    "CREATE INDEX turns_by_conversation ON turns (conversation, seq)",
    # Content that many turns share, by digest: the tools, and what was known of the home.
    "CREATE TABLE shared (digest TEXT PRIMARY KEY, content BLOB NOT NULL)",
)
_SHOWN = "seq, id, at, door, room, conversation AS conversation_id, text, reply, ok, stage, seconds, acts"
_JSON = json.JSONEncoder(ensure_ascii=False, default=str)


class RecorderLost(GatewayError):
    """The file of the turns cannot be used now."""


class Kept(NamedTuple):
    """A row of the turns: masked, and ready to be searched."""

    id: str
    at: float
    door: str
    room: str | None
    conversation: str
    text: str
    reply: str
    ok: bool
    stage: str
    seconds: float
    acts: Any
    named: str  # devices and tools, for the search
    events: Any
    tools: str = ""  # digests of shared content
    home: str = ""


class TurnStore:
    def __init__(
        self,
        path: Path,
        *,
        days: float = 14.0,
        megabytes: float = 200.0,
        now: Callable[[], float] = time.time,
        on_damage: Callable[[Damage], None] = lambda _damage: None,
    ) -> None:
        # Not durable: after a power cut the last turns may be missing.
        self._file = SqliteFile(path, _MIGRATIONS, on_damage=on_damage, durable=False, overwrites=True)
        self._path = path
        self._days, self._megabytes = days, megabytes
        self._now = now

    def _run(self, work: Callable[[sqlite3.Connection], T], *, write: bool = True) -> T:
        try:
            return self._file.run(work, write=write)
        except sqlite3.DataError:  # the turn is at fault, not the file: trying again does not help
            raise
        except (sqlite3.Error, OSError) as error:
            raise RecorderLost(f"the file with the turns cannot be used: {error}") from error

    # --- writing

    def add(self, turns: Iterable[Kept], shared: Iterable[tuple[str, bytes]] = ()) -> None:
        rows = [
            turn._replace(acts=json.dumps(turn.acts, ensure_ascii=False), events=packed(turn.events))
            for turn in turns
        ]

        def work(connection: sqlite3.Connection) -> None:
            connection.executemany("INSERT OR IGNORE INTO shared VALUES (?, ?)", shared)
            places = ", ".join("?" * len(Kept._fields))
            insert = f"INSERT INTO turns ({', '.join(Kept._fields)}) VALUES ({places})"
            connection.executemany(insert, rows)
            self._trim(connection)

        self._run(work)

    def trim(self) -> int:
        """Deletes turns that are too old, and the oldest above the size limit; returns how many."""
        return self._run(self._trim) if self._path.exists() else 0

    def _trim(self, connection: sqlite3.Connection) -> int:
        gone = connection.execute("DELETE FROM turns WHERE at < ?", (self._horizon(),)).rowcount
        while _bytes_used(connection) > self._megabytes * MEGABYTE:
            tenth = "SELECT seq FROM turns ORDER BY seq LIMIT (SELECT COUNT(*) / 10 + 1 FROM turns)"
            more = connection.execute(f"DELETE FROM turns WHERE seq IN ({tenth})").rowcount
            gone += more
            if not more:
                break
            _forget_shared(connection)
        if gone:
            _forget_shared(connection)
        return gone

    def _horizon(self) -> float:
        """Turns before this moment are too old, and are not shown."""
        return self._now() - self._days * 86_400

    def delete(self, turn_id: str) -> int:
        return self._delete("DELETE FROM turns WHERE id = ?", turn_id)

    def delete_all(self) -> int:
        return self._delete("DELETE FROM turns")

    def _delete(self, asked: str, *values: str) -> int:
        """Leaves nothing of them in free pages nor in a damaged file; returns how many there were."""

        def work(connection: sqlite3.Connection) -> int:
            self._trim(connection)
            gone = connection.execute(asked, values).rowcount
            _forget_shared(connection)
            for ending in ("", *SIDE_FILES):
                Path(f"{self._path}.damaged{ending}").unlink(missing_ok=True)
            return gone

        return self._run(work) if self._path.exists() else 0

    # --- reading

    def turns(
        self,
        *,
        search: str = "",
        limit: int = MOST_LISTED,
        before: str = "",
        channel: str = "",
        conversation: str = "",
    ) -> list[dict[str, Any]]:
        """Newest first, older than the turn with the id `before`."""
        words = _words(search)
        if search.strip() and not words:
            return []
        wanted: list[tuple[str, Any]] = [
            *(("instr(' ' || words(text, reply, named), ?)", f" {word}") for word in words),
            ("+at >= ?", self._horizon()),  # + keeps it from the index of times, which needs a sort
            ("seq < (SELECT MAX(seq) FROM turns WHERE id = ?)", before),
            ("door = ?", channel),
            ("conversation = ?", conversation),
        ]
        given = [(condition, value) for condition, value in wanted if value]
        where = " AND ".join(condition for condition, _ in given)
        asked = f"SELECT {_SHOWN} FROM turns WHERE {where} ORDER BY seq DESC LIMIT ?"
        return self._read(asked, (*(value for _, value in given), limit))

    def find(self, name: str) -> list[dict[str, Any]]:
        """The turns with this id, or an id that begins with it, with their events; newest first."""
        asked = f"SELECT {_SHOWN}, events, tools, home FROM turns WHERE "
        horizon = self._horizon()
        rows = self._read(asked + "id = ? AND +at >= ? ORDER BY seq DESC", (name, horizon))
        if not rows and len(name) >= SHORTEST_ID:
            pattern = "".join(f"[{c}]" if c in "*?[" else c for c in name) + "*"
            begins = "id GLOB ? AND +at >= ? ORDER BY seq DESC LIMIT 10"
            rows = self._read(asked + begins, (pattern, horizon))
        return rows

    def shared(self, digest: str) -> Any:
        """None if it is not kept."""
        rows = self._read("SELECT content FROM shared WHERE digest = ?", (digest,))
        return rows[0]["content"] if rows else None

    def _read(self, asked: str, values: Sequence[Any]) -> list[dict[str, Any]]:
        def work(connection: sqlite3.Connection) -> list[dict[str, Any]]:
            connection.create_function("words", -1, lambda *texts: " ".join(_words(" ".join(texts))))
            answer = connection.execute(asked, values)
            names = [name for name, *_ in answer.description]
            rows = (zip(names, row, strict=True) for row in answer)
            return [{key: _READ[key](value) if key in _READ else value for key, value in row} for row in rows]

        return self._run(work, write=False) if self._path.exists() else []


def public(turn: Mapping[str, Any]) -> dict[str, Any]:
    """The shape that `--json` and the API promise, without the place in the file."""
    return {name: value for name, value in turn.items() if name not in ("seq", "tools", "home")}


def packed(value: Any) -> bytes:
    return zlib.compress(_JSON.encode(value).encode("utf-8", "replace"), 1)


def _unpacked(content: bytes) -> Any:
    return json.loads(zlib.decompress(content))


_READ: dict[str, Callable[[Any], Any]] = {
    "ok": bool, "acts": json.loads, "events": _unpacked, "content": _unpacked,
}  # fmt: skip


def _words(text: str) -> list[str]:
    """In small letters and without accents."""
    letters = unicodedata.normalize("NFKD", text.casefold())
    plain = "".join(letter for letter in letters if not unicodedata.combining(letter))
    return re.findall(r"\w+", plain)


def _bytes_used(connection: sqlite3.Connection) -> int:
    [pages], [free], [size] = (
        connection.execute(f"PRAGMA {name}").fetchone()
        for name in ("page_count", "freelist_count", "page_size")
    )
    return int((pages - free) * size)


def _forget_shared(connection: sqlite3.Connection) -> None:
    connection.execute(
        "DELETE FROM shared WHERE digest NOT IN (SELECT tools FROM turns UNION SELECT home FROM turns)"
    )
