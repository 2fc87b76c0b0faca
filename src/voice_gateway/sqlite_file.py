"""One SQLite file: migrated, shared by processes, backed up every day, and restored when it is damaged.

It keeps SQLite's rollback journal: connections are short, and other processes notice a change by the file's
time, which a write-ahead log would not move.
"""

import contextlib
import fcntl
import logging
import os
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from voice_gateway.backoff import identity
from voice_gateway.private_files import SIDE_FILES, private_file

log = logging.getLogger(__name__)

T = TypeVar("T")

BUSY_SECONDS = 5.0  # another process holds the file for milliseconds
BACKUP_SECONDS = 24 * 3600.0
TICK_SECONDS = 0.1  # more than between two ticks of any file system's clock
_DAMAGE = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_FORMAT, sqlite3.SQLITE_ERROR}


@dataclass(frozen=True, slots=True)
class Damage:
    """A file was damaged, and a backup or an empty file has taken its place."""

    reason: str
    aside: Path  # where the damaged file is now
    minutes_lost: int | None  # since the backup; None: there was no backup

    def report(self, what: str) -> tuple[str, str]:
        """What became of the file with my `what`, for people, and what to check."""
        minutes = "1 minute" if self.minutes_lost == 1 else f"{self.minutes_lost} minutes"
        restored = f"restored its backup; what I kept in the last {minutes} is lost"
        consequence = "began a new one" if self.minutes_lost is None else restored
        sentence = f"The file with my {what} was damaged, so I {consequence}."
        return sentence, f"the damaged file is {self.aside}; check the disk"


def stamp(path: Path) -> object:
    """A value that differs after each change of the file; None if there is no file."""
    known = identity(path)
    if known is not None and time.time() - known[1] / 1e9 < TICK_SECONDS:
        return object()  # another change in the same tick of the file's clock would not show
    return known


class SqliteFile:
    """Every call opens a connection.

    `migrations[n]` brings version n to n + 1 (`PRAGMA user_version`). `on_damage` runs in the thread that
    met the damage. A file that is not `durable` survives every process, but not a power cut. A file that
    `overwrites` keeps nothing of what was deleted, and so has no backup.
    """

    def __init__(
        self,
        path: Path,
        migrations: Sequence[str],
        *,
        on_damage: Callable[[Damage], None] = lambda _damage: None,
        durable: bool = True,
        overwrites: bool = False,
    ) -> None:
        self.path = path
        self._backup = path.with_name(f"{path.name}.backup")
        self._migrations = migrations
        self._on_damage = on_damage
        self._durable, self._overwrites = durable, overwrites

    def run(
        self,
        work: Callable[[sqlite3.Connection], T],
        *,
        write: bool = True,
        busy_seconds: float = BUSY_SECONDS,
    ) -> T:
        """One transaction. A damaged file is restored; the work is done again on a file that was replaced.

        Without `write` it also works on a full or read-only disk.
        """
        restored = False
        while True:
            known = self._inode()
            try:
                result = self._once(work, write, busy_seconds, back_up=write or restored)
            except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
                if restored or not is_damage(error):
                    raise
                self._restore(known, error)
                restored = True
            else:
                if not write or known in (None, self._inode()):
                    return result

    def _once(
        self, work: Callable[[sqlite3.Connection], T], write: bool, busy_seconds: float, *, back_up: bool
    ) -> T:
        with contextlib.closing(self._connected(busy_seconds)) as connection:
            connection.execute("BEGIN IMMEDIATE" if write else "BEGIN")
            result = work(connection)  # closing without COMMIT rolls back
            connection.execute("COMMIT")
            if back_up and not self._overwrites:
                self._back_up(connection)
            return result

    def _connected(self, busy_seconds: float) -> sqlite3.Connection:
        private_file(self.path)
        connection = sqlite3.connect(self.path, timeout=busy_seconds, isolation_level=None)
        try:
            if not self._durable:
                connection.execute("PRAGMA synchronous = OFF")
            if self._overwrites:
                connection.execute("PRAGMA secure_delete = ON")
            self._migrate(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    def _migrate(self, connection: sqlite3.Connection) -> None:
        """A file of a newer version is used as it is: columns are only ever added."""
        if _version(connection) >= len(self._migrations):
            return
        connection.execute("BEGIN IMMEDIATE")
        for step in self._migrations[_version(connection) :]:  # another process may have been faster
            connection.execute(step)
        connection.execute(f"PRAGMA user_version = {len(self._migrations)}")
        connection.execute("COMMIT")

    def _inode(self) -> int | None:
        try:
            return self.path.stat().st_ino
        except OSError:
            return None

    # --- backup and restore

    def _back_up(self, connection: sqlite3.Connection) -> None:
        """Once a day, and only of a file that is whole. A backup that fails costs nothing else."""
        with contextlib.suppress(FileNotFoundError):
            if time.time() - self._backup.stat().st_mtime < BACKUP_SECONDS:
                return
        fresh = self._backup.with_name(f"{self._backup.name}.{os.getpid()}-{threading.get_ident()}")
        try:
            if connection.execute("PRAGMA quick_check(1)").fetchone() != ("ok",):
                return
            with contextlib.closing(sqlite3.connect(private_file(fresh))) as copy:
                connection.backup(copy)
            fresh.replace(self._backup)
        except (sqlite3.Error, OSError) as error:
            fresh.unlink(missing_ok=True)
            log.warning("no backup could be made", extra={"file": str(self.path), "reason": str(error)})

    def _restore(self, known: int | None, error: Exception) -> None:
        with _alone_in(self.path.parent):
            if self._inode() != known:
                return  # another process has done it
            aside = self.path.with_name(f"{self.path.name}.damaged")
            for ending in SIDE_FILES:
                with contextlib.suppress(FileNotFoundError):
                    Path(f"{self.path}{ending}").replace(f"{aside}{ending}")
            aside.unlink(missing_ok=True)
            with contextlib.suppress(FileNotFoundError):
                os.link(self.path, aside)  # no move: others would begin an empty file meanwhile
            minutes: int | None = None
            try:
                minutes = round(max(time.time() - self._backup.stat().st_mtime, 0.0) / 60)
                self._backup.replace(self.path)
            except FileNotFoundError:
                self.path.unlink(missing_ok=True)
        damage = Damage(str(error), aside, minutes)
        facts = {"reason": damage.reason, "minutes_lost": minutes, "set_aside": str(aside)}
        log.warning("a damaged file was set aside", extra=facts)
        self._on_damage(damage)


def is_damage(error: Exception) -> bool:
    """Whether the file's content is the cause, not the moment, the disk or a mistake of ours."""
    code = getattr(error, "sqlite_errorcode", None)
    if code is None:  # raised by the Python module: a text that is none, or a mistake of ours
        return not isinstance(error, sqlite3.ProgrammingError | sqlite3.NotSupportedError)
    return code & 0xFF in _DAMAGE


def _version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


@contextlib.contextmanager
def _alone_in(folder: Path) -> Iterator[None]:
    """One process at a time."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
