"""What the simulated devices do, kept in an SQLite file that several servers may share.

A value is kept as a movement: from where, to where, since when, how long. So every process computes the same
present from the same file, and nothing has to run meanwhile.
"""

import json
import logging
import sqlite3
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from zwave_mcp.home import is_number
from zwave_mcp.options import data_folder

log = logging.getLogger(__name__)

_BUSY_SECONDS: Final = 5.0
_TABLE: Final = "create table if not exists tracks (key text primary key, track text not null) without rowid"


@dataclass(frozen=True, slots=True)
class Track:
    """A movement of a value; until `wish_until` the gateway shows `wish` instead."""

    start: Any
    end: Any
    since: float = 0.0  # seconds since 1970
    seconds: float = 0.0
    wish: Any = None
    wish_until: float = 0.0

    def at(self, now: float) -> Any:
        """The value that the device has."""
        if now < self.since:
            return self.start
        if now >= self.since + self.seconds:
            return self.end
        if not (is_number(self.start) and is_number(self.end)):
            return self.start
        return round(self.start + (self.end - self.start) * (now - self.since) / self.seconds)

    def shown(self, now: float) -> Any:
        """The value that the gateway shows."""
        return self.wish if now < self.wish_until else self.at(now)

    def settled_at(self) -> float:
        return max(self.since + self.seconds, self.wish_until)


class StateFile:
    """The kept movements; the last writer of a value wins. Path None: in memory."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._base = _open(path)
        self._seen: int | None = None
        self._tracks: dict[str, Track] = {}
        self._passing: dict[str, Track] = {}  # of this process only
        self.version = 0

    def read(self) -> Mapping[str, Track]:
        """The present movements; of a kept and a passing one the later."""
        (changed,) = self._base.execute("pragma data_version").fetchone()
        if changed != self._seen:  # another process has written
            self._seen = changed
            rows = self._base.execute("select key, track from tracks")
            self._tracks = {key: Track(**json.loads(track)) for key, track in rows}
            self.version += 1
        passing = {
            key: track
            for key, track in self._passing.items()
            if key not in self._tracks or self._tracks[key].since <= track.since
        }
        return {**self._tracks, **passing}

    def write_passing(self, changes: Mapping[str, Track]) -> None:
        """Keep changes until the end of this process."""
        self.version += 1
        self._passing.update(changes)

    def write(self, changes: Mapping[str, Track]) -> None:
        self.version += 1
        for key in changes:
            self._passing.pop(key, None)
        rows = [(key, json.dumps(asdict(track))) for key, track in changes.items()]
        with self._base:
            self._base.execute("begin immediate")
            self._base.executemany("insert or replace into tracks values (?, ?)", rows)
        self._tracks.update(changes)


def _open(path: Path | None) -> sqlite3.Connection:
    """A connection to the file; to a new one where it is damaged, to memory where it cannot be written."""
    try:
        return _connected(path)
    except sqlite3.OperationalError as error:
        problem: Exception = error
    except sqlite3.DatabaseError as error:
        log.warning("simulated state is unreadable", extra={"file": str(path), "error": str(error)})
        if path is not None:
            path.unlink()
            return _connected(path)
        raise
    except OSError as error:
        problem = error
    log.warning("simulated state is not kept", extra={"file": str(path), "error": str(problem)})
    return _connected(None)


def _connected(path: Path | None) -> sqlite3.Connection:
    if path is not None:  # for its owner alone, with any umask
        for above in reversed([path.parent, *path.parent.parents]):
            if not above.exists():
                above.mkdir(mode=0o700, exist_ok=True)
        path.touch(mode=0o600)
        path.chmod(0o600)
        if path.parent == data_folder():
            path.parent.resolve().chmod(0o700)
    base = sqlite3.connect(
        path or ":memory:", timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False
    )
    try:
        base.execute("pragma synchronous = off")
        base.execute(_TABLE)
    except BaseException:
        base.close()
        raise
    return base
