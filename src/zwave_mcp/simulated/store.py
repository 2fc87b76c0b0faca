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

from zwave_mcp.database import opened
from zwave_mcp.home import is_number

log = logging.getLogger(__name__)

_BUSY_SECONDS: Final = 5.0
_TABLE: Final = "create table if not exists moves (key text primary key, track text not null) without rowid"


@dataclass(frozen=True, slots=True)
class Track:
    """A movement of a value."""

    start: Any
    end: Any
    since: float = 0.0  # seconds since 1970
    seconds: float = 0.0

    def at(self, now: float) -> Any:
        if now < self.since:
            return self.start
        if now >= self.since + self.seconds:
            return self.end
        if not (is_number(self.start) and is_number(self.end)):
            return self.start
        return round(self.start + (self.end - self.start) * (now - self.since) / self.seconds, 1)


class StateFile:
    """The kept movements; the last writer of a value wins. Path None, or one that cannot be written: in
    memory."""

    def __init__(self, path: Path | None) -> None:
        self._base = _opened(path)
        self._seen: int | None = None
        self._tracks: dict[str, Track] = {}
        self.version = 0

    def read(self) -> Mapping[str, Track]:
        (changed,) = self._base.execute("pragma data_version").fetchone()
        if changed != self._seen:  # another process has written
            self._seen = changed
            rows = self._base.execute("select key, track from moves")
            self._tracks = {key: Track(**json.loads(track)) for key, track in rows}
            self.version += 1
        return self._tracks

    def write(self, changes: Mapping[str, Track]) -> None:
        self.version += 1
        rows = [(key, json.dumps(asdict(track))) for key, track in changes.items()]
        with self._base:
            self._base.execute("begin immediate")
            self._base.executemany("insert or replace into moves values (?, ?)", rows)
        self._tracks = {**self._tracks, **changes}


def _opened(path: Path | None) -> sqlite3.Connection:
    try:
        return opened(path, _TABLE, _BUSY_SECONDS)
    except (sqlite3.OperationalError, OSError) as error:
        log.warning("simulated state is not kept", extra={"file": str(path), "error": str(error)})
        return opened(None, _TABLE, _BUSY_SECONDS)
    except sqlite3.DatabaseError as error:
        log.warning("simulated state is unreadable", extra={"file": str(path), "error": str(error)})
        if path is not None:
            path.unlink()
        return opened(path, _TABLE, _BUSY_SECONDS)
