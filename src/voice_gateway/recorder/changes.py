"""How devices changed: a row for each new state, in a file bounded by age and by rows.

States that differ in a number only ("on, 40 %", "21.4 °C") are one state here: a file of them would be a
file of readings. One thread writes; a question reads in the thread that plans it.
"""

import json
import logging
import re
import sqlite3
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from voice_gateway.integrations.device import Device
from voice_gateway.sqlite_file import SqliteFile

log = logging.getLogger(__name__)

CHANGES_FILE: Final = "changes.sqlite"
MOST_ROWS: Final = 80_000  # of about 200 bytes with the index: at most 20 MB
TRIM_EVERY: Final = 500  # rows
MOST_READ: Final = 2_000  # rows of one device
_NUMBER: Final = re.compile(r"-?\d+(?:\.\d+)?")
_MIGRATIONS: Final = (
    "CREATE TABLE changes (seq INTEGER PRIMARY KEY, at REAL, device TEXT, before TEXT, after TEXT)",
    "CREATE INDEX of_device ON changes (device, at)",
    "CREATE TABLE began (at REAL)",
)


@dataclass(frozen=True, slots=True)
class Changed:
    at: float
    before: str
    after: str


def kind_of_state(state: str) -> str:
    """The state without its numbers."""
    return _NUMBER.sub("#", state)


class ChangeStore:
    """`days` is how long a change is kept; 0 keeps none."""

    def __init__(self, path: Path, days: float, now: Callable[[], float] = time.time) -> None:
        self._file = SqliteFile(path, _MIGRATIONS, durable=False, overwrites=True)
        self._days, self._now = days, now
        self._thread = ThreadPoolExecutor(1, "changes")
        self._since_trim = TRIM_EVERY

    def note(self, device: Device, before: str, after: str) -> None:
        """Returns at once; a thread writes the row."""
        if self._days and kind_of_state(before) != kind_of_state(after):
            self._thread.submit(self._write, device, self._now(), before, after)

    def of(self, device: Device, since: float = 0.0) -> tuple[Changed, ...]:
        """The changes of a device, the latest first."""
        asked = "SELECT at, before, after FROM changes WHERE device = ? AND at >= ? ORDER BY at DESC LIMIT ?"
        since = max(since, self._now() - self._days * 86_400)
        rows = self._read(asked, (_key(device), since, MOST_READ))
        return tuple(Changed(float(at), str(before), str(after)) for at, before, after in rows)

    def began(self) -> float | None:
        """From when on changes were noted; None before the first one."""
        rows = self._read("SELECT MIN(at) FROM began", ())
        first = rows[0][0] if rows else None
        return None if first is None else max(float(first), self._now() - self._days * 86_400)

    def written(self) -> None:
        """Returns when all that was noted is in the file."""
        self._thread.submit(lambda: None).result()

    def close(self) -> None:
        self._thread.shutdown()

    def _read(self, asked: str, values: tuple[object, ...]) -> list[tuple[Any, ...]]:
        try:
            return self._file.run(lambda file: file.execute(asked, values).fetchall(), write=False)
        except (sqlite3.Error, OSError) as error:
            log.warning("the history of changes could not be read", extra={"reason": str(error)})
            return []

    def _write(self, device: Device, at: float, before: str, after: str) -> None:
        row = (at, _key(device), before, after)

        def work(file: sqlite3.Connection) -> None:
            file.execute("INSERT INTO began SELECT ? WHERE NOT EXISTS (SELECT 1 FROM began)", (at,))
            file.execute("INSERT INTO changes (at, device, before, after) VALUES (?, ?, ?, ?)", row)
            if self._since_trim >= TRIM_EVERY:
                file.execute("DELETE FROM changes WHERE at < ?", (at - self._days * 86_400,))
                last = "SELECT MAX(seq) FROM changes"
                file.execute(f"DELETE FROM changes WHERE seq <= ({last}) - ?", (MOST_ROWS,))

        try:
            self._file.run(work)
            self._since_trim = 1 if self._since_trim >= TRIM_EVERY else self._since_trim + 1
        except (sqlite3.Error, OSError) as error:
            log.warning("a change of a device could not be kept", extra={"reason": str(error)})


def _key(device: Device) -> str:
    return json.dumps([device.source, device.room, device.name, device.domain, device.endpoint])
