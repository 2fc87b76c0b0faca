"""Where turns are kept: one SQLite file that processes share. Blocking; call it in a thread."""

import json
import re
import sqlite3
import time
import unicodedata
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from voice_gateway.errors import GatewayError
from voice_gateway.private_files import SIDE_FILES
from voice_gateway.sqlite_file import Damage, SqliteFile

MEGABYTE = 1_000_000
TRIM_EVERY = 50  # turns
TRIM_SECONDS = 3600.0  # at the latest, even if few turns are added
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
_COLUMNS = tuple(re.findall(r"^  (\w+) ", _TURNS, re.MULTILINE))
_MIGRATIONS = (
    _TURNS,
    "CREATE INDEX turns_by_id ON turns (id)",
    "CREATE INDEX turns_by_time ON turns (at)",
    "CREATE INDEX turns_by_conversation ON turns (conversation, seq)",
    # Content that many turns share, by digest: the tools, and what was known of the home.
    "CREATE TABLE shared (digest TEXT PRIMARY KEY, content BLOB NOT NULL)",
)
_SHOWN = "seq, id, at, door, room, conversation, text, reply, ok, stage, seconds, acts"


_JSON = json.JSONEncoder(ensure_ascii=False, default=str)


class RecorderLost(GatewayError):
    """The file of the turns cannot be used now."""


@dataclass(frozen=True, slots=True)
class Kept:
    """A turn as it is written: masked, and ready to be searched."""

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
    acts: Sequence[dict[str, Any]]
    named: str  # devices and tools, for the search
    events: Sequence[dict[str, Any]]
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
        self._until_trim = 0
        self._trimmed = 0.0  # when

    # --- writing

    def add(self, turns: Sequence[Kept], shared: Iterable[tuple[str, bytes]] = ()) -> None:
        def work(connection: sqlite3.Connection) -> None:
            connection.executemany("INSERT OR IGNORE INTO shared VALUES (?, ?)", shared)
            names = _COLUMNS[1:]
            places = ", ".join("?" * len(names))
            rows = map(_row, turns)
            connection.executemany(f"INSERT INTO turns ({', '.join(names)}) VALUES ({places})", rows)
            self._until_trim -= len(turns)
            if self._until_trim <= 0 or abs(self._now() - self._trimmed) >= TRIM_SECONDS:
                self._trim(connection)

        with _translated():
            self._file.run(work)

    def trim(self) -> int:
        """Deletes turns that are too old, and the oldest above the size limit; returns how many."""
        if not self._path.exists():
            return 0
        with _translated():
            return self._file.run(self._trim)

    def _trim(self, connection: sqlite3.Connection) -> int:
        self._until_trim, self._trimmed = TRIM_EVERY, self._now()
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

    def _delete(self, asked: str, *values: Any) -> int:
        """Leaves nothing of them in free pages; returns how many there were."""

        def work(connection: sqlite3.Connection) -> int:
            self._trim(connection)
            gone = connection.execute(asked, values).rowcount
            _forget_shared(connection)
            return gone

        if not self._path.exists():
            return 0
        with _translated():
            gone = self._file.run(work)
            self._forget_damaged()
        return gone

    def delete_all(self) -> int:
        return self._delete("DELETE FROM turns")

    def _forget_damaged(self) -> None:
        """Deletes damaged files that were set aside: they still have turns in them."""
        for ending in ("", *SIDE_FILES):
            Path(f"{self._path}.damaged{ending}").unlink(missing_ok=True)

    # --- reading

    def turns(
        self,
        *,
        search: str = "",
        limit: int = MOST_LISTED,
        before: str = "",
        since: float = 0.0,
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
            ("at >= ?", since),
            ("door = ?", channel),
            ("conversation = ?", conversation),
        ]
        given = [(condition, value) for condition, value in wanted if value]
        where = " AND ".join(condition for condition, _ in given)
        asked = f"SELECT {_SHOWN} FROM turns WHERE {where} ORDER BY seq DESC LIMIT ?"
        return [_shown(row) for row in self._read(asked, (*(value for _, value in given), limit))]

    def find(self, name: str) -> list[dict[str, Any]]:
        """The turns with this id, or an id that begins with it, with their events; newest first."""
        asked = f"SELECT {_SHOWN}, events, tools, home FROM turns WHERE "
        horizon = self._horizon()
        rows = self._read(asked + "id = ? AND +at >= ? ORDER BY seq DESC", (name, horizon))
        if not rows and len(name) >= SHORTEST_ID:
            pattern = "".join(f"[{c}]" if c in "*?[" else c for c in name) + "*"
            begins = "id GLOB ? AND +at >= ? ORDER BY seq DESC LIMIT 10"
            rows = self._read(asked + begins, (pattern, horizon))
        return [
            {**_shown(row), "events": _unpacked(row[-3]), "tools": row[-2], "home": row[-1]} for row in rows
        ]

    def shared(self, digest: str) -> Any:
        """None if it is not kept."""
        rows = self._read("SELECT content FROM shared WHERE digest = ?", (digest,))
        return _unpacked(rows[0][0]) if rows else None

    def _read(self, asked: str, values: Sequence[Any]) -> list[tuple[Any, ...]]:
        if not self._path.exists():
            return []

        def work(connection: sqlite3.Connection) -> list[tuple[Any, ...]]:
            connection.create_function("words", -1, lambda *texts: " ".join(_words(" ".join(texts))))
            return list(connection.execute(asked, values))

        with _translated():
            return self._file.run(work, write=False)


def public(turn: Mapping[str, Any]) -> dict[str, Any]:
    """The shape that `--json` and the API promise, without the place in the file."""
    return {name: value for name, value in turn.items() if name not in ("seq", "tools", "home")}


def packed(value: Any) -> bytes:
    return zlib.compress(_JSON.encode(value).encode("utf-8", "replace"), 1)


def _unpacked(content: bytes) -> Any:
    return json.loads(zlib.decompress(content))


def _row(turn: Kept) -> tuple[Any, ...]:
    given = {name: getattr(turn, name) for name in _COLUMNS[1:]}
    acts = json.dumps(turn.acts, ensure_ascii=False)
    return tuple({**given, "ok": int(turn.ok), "acts": acts, "events": packed(turn.events)}.values())


def _shown(row: Sequence[Any]) -> dict[str, Any]:
    facts = dict(zip(_SHOWN.replace("conversation", "conversation_id").split(", "), row, strict=False))
    return {**facts, "ok": bool(facts["ok"]), "acts": json.loads(facts["acts"])}


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


@contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except sqlite3.DataError:  # the turn is at fault, not the file: trying again does not help
        raise
    except (sqlite3.Error, OSError) as error:
        raise RecorderLost(f"the file with the turns cannot be used: {error}") from error
