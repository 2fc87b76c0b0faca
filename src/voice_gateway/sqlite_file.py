"""One SQLite file with one table: brought to its schema, shared by processes, begun anew when damaged."""

import contextlib
import fcntl
import logging
import os
import secrets
import sqlite3
import threading
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from voice_gateway.errors import ToolUnavailable
from voice_gateway.file_watch import ChangeListeners
from voice_gateway.private_files import SIDE_FILES, private_file

log = logging.getLogger(__name__)

Row = tuple[Any, ...]
T = TypeVar("T")

BUSY_SECONDS = 5.0  # another process holds the file for milliseconds
CHANGE_COUNTER = 24  # where it is in the file
MAGIC = b"SQLite format 3\0"
PAGE = 4096  # bytes, as SQLite makes them
FORMATS = frozenset({1, 2})  # with a rollback journal, or with a write-ahead log
_UNREADABLE = (sqlite3.Error, UnicodeDecodeError)
MOST_PAGES = 1 << 20  # a file of ours has a few thousand
# What says something of the moment or the disk and nothing of the file's content: it is still good. Errors of
# our own making are no damage either.
_NOT_DAMAGE = frozenset(
    {
        sqlite3.SQLITE_BUSY,
        sqlite3.SQLITE_LOCKED,
        sqlite3.SQLITE_PROTOCOL,
        sqlite3.SQLITE_INTERRUPT,
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_READONLY,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_PERM,
        sqlite3.SQLITE_AUTH,
        sqlite3.SQLITE_NOMEM,
        sqlite3.SQLITE_MISUSE,
        sqlite3.SQLITE_RANGE,
        sqlite3.SQLITE_TOOBIG,
    }
)


class UnreadableRow(sqlite3.DatabaseError):
    """SQLite gave a row that makes no sense, as a damaged page may."""


@dataclass(frozen=True, slots=True)
class Damage:
    """A file was damaged, and a new one has taken its place."""

    reason: str
    aside: Path  # where the damaged one is now
    kept: int  # rows that could still be read


@dataclass(frozen=True, slots=True)
class Schema:
    """`migrations[n]` brings version n to n + 1; the version stands in the file (`PRAGMA user_version`).

    `fits` says whether a row read from a damaged file can be one of ours.
    """

    table: str
    columns: tuple[str, ...]
    migrations: tuple[str, ...]
    fits: Callable[[Row], bool]


class ChangeCounter:
    """Tells whether an SQLite file has changed without asking SQLite, which would cost a thousand times more.

    The file stays open: closing it would free the locks that SQLite has on it in this process.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._opened: tuple[int, int] | None = None  # its inode, and by which descriptor
        self._close: Callable[[], Any] = lambda: None

    def read(self) -> object:
        """Another value after each change, also of two within a tick of the clock. None: there is no file."""
        try:
            with self._lock:
                found = self._path.stat()
                counter = os.pread(self._descriptor(found.st_ino), 4, CHANGE_COUNTER)
        except OSError:
            return None
        return found.st_ino, found.st_mtime_ns, found.st_size, counter

    def _descriptor(self, inode: int) -> int:
        if self._opened is None or self._opened[0] != inode:
            descriptor = os.open(self._path, os.O_RDONLY)
            self._close()
            self._close = weakref.finalize(self, os.close, descriptor)
            self._opened = os.fstat(descriptor).st_ino, descriptor
        return self._opened[1]


class _KeptOpen(threading.local):
    """Of each thread: a connection stays with who opened it."""

    wanted = False
    connection: sqlite3.Connection | None = None
    busy_seconds = BUSY_SECONDS
    left: tuple[int, ...] | None = None  # how its last call left the file


class SqliteFile:
    """Every call has a connection of its own, so that nobody goes on with a file that was set aside. A thread
    that writes often may keep one open.

    `on_damage` is told in the thread that met the damage; `spare` are rows that are known without the file.
    What is not `durable` does not wait for the disk: it survives every process, but not a power cut. Where it
    `overwrites`, nothing is left in the file of what was deleted.
    """

    def __init__(
        self,
        path: Path,
        schema: Schema,
        *,
        on_damage: Callable[[Damage], None] = lambda _damage: None,
        spare: Callable[[], Iterable[Row]] = lambda: (),
        durable: bool = True,
        overwrites: bool = False,
    ) -> None:
        self.path = path
        self._schema = schema
        self._on_damage = on_damage
        self._spare = spare
        self._durable, self._overwrites = durable, overwrites
        self._kept = _KeptOpen()

    def keep_open(self) -> None:
        """From now on the calls of this thread share one connection.

        Opening and closing one costs more than what is written in between. It is opened anew after every
        error, and when the file was changed or replaced by anybody else: SQLite would go on with pages that
        it knows, also where a copy was put over them.
        """
        self._kept.wanted = True

    def close(self) -> None:
        """What this thread keeps open; its next call opens it again."""
        connection, self._kept.connection = self._kept.connection, None
        if connection is not None:
            connection.close()

    def run(
        self,
        work: Callable[[sqlite3.Connection], T],
        *,
        write: bool = True,
        busy_seconds: float = BUSY_SECONDS,
    ) -> T:
        """One transaction. What is damaged is set aside, and the work done once more with a new file.

        Without `write` it works on a full or read-only disk, too.
        """
        known = self._identity()
        try:
            return self._once(work, write, busy_seconds)
        except (sqlite3.DatabaseError, UnicodeDecodeError) as error:  # what is said of damage may quote it
            if not is_damage(error) and not self._is_locked_by_its_header(error):
                raise
            self._begin_anew(known, error)
        return self._once(work, write, busy_seconds)

    def _once(self, work: Callable[[sqlite3.Connection], T], write: bool, busy_seconds: float) -> T:
        with self._connection(busy_seconds) as connection:
            connection.execute("BEGIN IMMEDIATE" if write else "BEGIN")
            result = work(connection)  # without its COMMIT, closing rolls back
            connection.execute("COMMIT")
            return result

    @contextlib.contextmanager
    def _connection(self, busy_seconds: float) -> Iterator[sqlite3.Connection]:
        if not self._kept.wanted:
            with contextlib.closing(self._connected(self.path, busy_seconds)) as connection:
                yield connection
            return
        found = self._stamp()
        if found != self._kept.left or self._kept.busy_seconds != busy_seconds:
            self.close()
            private_file(self.path)
            found = self._stamp()
        try:
            if self._kept.connection is None:
                self._kept.connection = self._connected(self.path, busy_seconds)
            yield self._kept.connection
        except BaseException:
            self.close()
            raise
        self._kept.left, self._kept.busy_seconds = self._stamp(), busy_seconds
        if self._kept.left[:2] != found[:2]:
            self.close()  # another one has its name now

    def _connected(self, path: Path, busy_seconds: float = BUSY_SECONDS) -> sqlite3.Connection:
        private_file(path)  # what people said is for nobody else to read
        connection = sqlite3.connect(path, timeout=busy_seconds, isolation_level=None)
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
        steps = self._schema.migrations
        if _version(connection) >= len(steps):
            return
        with contextlib.suppress(sqlite3.OperationalError):  # an older gateway that runs has it open
            connection.execute("PRAGMA journal_mode = DELETE")  # can be read on a disk that takes nothing
        connection.execute("BEGIN IMMEDIATE")
        version = _version(connection)  # another process may have been faster
        for step in steps[version:]:
            connection.execute(step)
        if version == 0:
            connection.execute(f"PRAGMA application_id = {secrets.randbits(31)}")
        connection.execute(f"PRAGMA user_version = {len(steps)}")
        connection.execute("COMMIT")

    def _is_locked_by_its_header(self, error: Exception) -> bool:
        """SQLite writes no file of a format that it does not know; there is none of ours."""
        if getattr(error, "sqlite_errorcode", None) != sqlite3.SQLITE_READONLY:
            return False
        with self.path.open("rb") as file:
            return not FORMATS.issuperset(file.read(20)[18:])

    def _begin_anew(self, known: tuple[int, ...] | None, error: Exception) -> None:
        with _alone_in(self.path.parent):
            if self._identity() != known:
                return  # another process has done it
            aside = self.path.with_name(f"{self.path.name}.damaged")
            self._set_aside(aside)
            rows = list(_readable(aside, self._schema)) or self._readable_with_a_new_first_page(aside)
            kept = self._put_new([*rows, *self._spare()])
        damage = Damage(str(error), aside, kept)
        facts = {"reason": damage.reason, "kept": kept, "set_aside": str(aside)}
        log.warning("a damaged file was set aside, starting a new one", extra=facts)
        self._on_damage(damage)

    def _set_aside(self, aside: Path) -> None:
        """The file keeps its name until the new one takes it: nobody finds none in between."""
        for ending in ("", *SIDE_FILES):
            Path(f"{aside}{ending}").unlink(missing_ok=True)
        try:
            aside.hardlink_to(self.path)
        except OSError:  # a file system without such links
            self.path.replace(aside)
        for ending in SIDE_FILES:  # left there, they would be taken for those of the new file
            with contextlib.suppress(FileNotFoundError):
                Path(f"{self.path}{ending}").replace(f"{aside}{ending}")

    def _readable_with_a_new_first_page(self, aside: Path) -> list[Row]:
        """There it says what is on the others, which is the same in every file of ours."""
        blank, copy = (self.path.with_name(f"{self.path.name}.{name}") for name in ("blank", "copy"))
        try:
            self._connected(blank).close()
            page, content = bytearray(blank.read_bytes()[:PAGE]), aside.read_bytes()
            page[28:32] = (len(content) // PAGE).to_bytes(4, "big")
            private_file(copy).write_bytes(page + content[PAGE:])
            return list(_readable(copy, self._schema))
        except (sqlite3.Error, OSError, OverflowError):
            return []
        finally:
            blank.unlink(missing_ok=True)
            copy.unlink(missing_ok=True)

    def _put_new(self, rows: Sequence[Row]) -> int:
        new = self.path.with_name(f"{self.path.name}.new")
        new.unlink(missing_ok=True)
        insert = (
            f"INSERT OR IGNORE INTO {self._schema.table} ({', '.join(self._schema.columns)})"
            f" VALUES ({', '.join('?' * len(self._schema.columns))})"
        )
        with contextlib.closing(self._connected(new)) as connection:
            connection.execute("BEGIN")
            kept = sum(connection.execute(insert, row).rowcount for row in rows if self._schema.fits(row))
            connection.execute("COMMIT")
        new.replace(self.path)
        return kept

    def _identity(self) -> tuple[int, ...] | None:
        return self._stamp()[:2] or None

    def _stamp(self) -> tuple[int, ...]:
        """Which file it is, and when its content or its rights were changed; empty: there is none."""
        try:
            found = self.path.stat()
        except OSError:
            return ()
        return found.st_dev, found.st_ino, found.st_ctime_ns, found.st_mtime_ns, found.st_size


class SharedTable:
    """A file of which some want to hear when it is changed here. ToolUnavailable, with the sentence `lost`:
    it was not done."""

    def __init__(
        self,
        path: Path,
        schema: Schema,
        lost: str,
        *,
        on_damage: Callable[[Damage], None] = lambda _damage: None,
    ) -> None:
        self.path = path
        self._lost = lost
        self._changes = ChangeListeners()
        self.listen = self._changes.listen
        self._file = SqliteFile(path, schema, on_damage=on_damage)

    def change(self, work: Callable[[sqlite3.Connection], T]) -> T:
        result = self.run(work)
        self._changes.tell()
        return result

    def run(self, work: Callable[[sqlite3.Connection], T], *, write: bool = True) -> T:
        """Without a word to anybody."""
        try:
            return self._file.run(work, write=write)
        except (sqlite3.Error, OSError) as error:
            raise ToolUnavailable(self._lost) from error


def is_damage(error: Exception) -> bool:
    """Whether the file's content is to blame."""
    code = getattr(error, "sqlite_errorcode", None)
    if code is None:  # of the Python module: a text that is none, or a mistake of ours
        return not isinstance(error, sqlite3.ProgrammingError | sqlite3.NotSupportedError)
    return code & 0xFF not in _NOT_DAMAGE  # the rest of the code only says more


def file_id(connection: sqlite3.Connection) -> int:
    """By which a file is told from another that has its name."""
    return int(connection.execute("PRAGMA application_id").fetchone()[0])


def _version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def _readable(path: Path, schema: Schema) -> Iterator[Row]:
    """From both ends up to what is damaged. A column that an older file does not have yet is empty."""
    _lengthen(path)
    with contextlib.suppress(*_UNREADABLE), contextlib.closing(sqlite3.connect(path)) as connection:
        connection.text_factory = lambda raw: raw.decode("utf-8", "replace")
        there = {row[1] for row in connection.execute(f"PRAGMA table_info({schema.table})")}
        columns = ", ".join(name if name in there else f"NULL AS {name}" for name in schema.columns)
        for order in ("ASC", "DESC"):
            with contextlib.suppress(*_UNREADABLE):
                yield from connection.execute(f"SELECT {columns} FROM {schema.table} ORDER BY rowid {order}")


def _lengthen(path: Path) -> None:
    """SQLite reads nothing of a file that was cut off; with empty pages for those that are gone, it does."""
    with path.open("rb") as file:
        header = file.read(32)
    page_size, pages = int.from_bytes(header[16:18], "big"), int.from_bytes(header[28:32], "big")
    believable = header.startswith(MAGIC) and page_size >= 512 and pages <= MOST_PAGES
    if believable and path.stat().st_size < page_size * pages:
        os.truncate(path, page_size * pages)


@contextlib.contextmanager
def _alone_in(folder: Path) -> Iterator[None]:
    """One process at a time."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
