"""A SQLite file is migrated, shared by processes, backed up, and restored when it is damaged."""

import os
import sqlite3
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from voice_gateway.sqlite_file import Damage, SqliteFile, is_damage

PAGE = 4096
ROWS = 600  # on some fifty pages
TABLE = "CREATE TABLE IF NOT EXISTS notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL)"


class Notes:
    """A file of ours, and the damage it reported."""

    def __init__(self, path: Path, *more: str, overwrites: bool = False) -> None:
        self.damages: list[Damage] = []
        self.file = SqliteFile(path, (TABLE, *more), on_damage=self.damages.append, overwrites=overwrites)

    def add(self, number: int, text: str = "x" * 300) -> None:
        self.file.run(lambda c: c.execute("INSERT INTO notes (id, text) VALUES (?, ?)", (number, text)))

    def ids(self) -> list[int]:
        select = "SELECT id, text FROM notes ORDER BY id"
        return [row[0] for row in self.file.run(lambda c: c.execute(select).fetchall(), write=False)]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "notes.sqlite"


@pytest.fixture
def notes(path: Path) -> Notes:
    notes = Notes(path)
    rows = [(number, "x" * 300) for number in range(1, ROWS + 1)]
    notes.file.run(lambda c: c.executemany("INSERT INTO notes (id, text) VALUES (?, ?)", rows))
    return notes


def backup_of(path: Path) -> Path:
    return path.with_name(f"{path.name}.backup")


def aged(path: Path, seconds: float) -> None:
    then = time.time() - seconds
    os.utime(backup_of(path), (then, then))


def overwrite(path: Path, start: int, content: bytes) -> None:
    with path.open("r+b") as file:
        file.seek(start)
        file.write(content)


def test_the_files_are_private(notes: Notes, path: Path) -> None:
    assert path.stat().st_mode & 0o777 == 0o600
    assert backup_of(path).stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700


# --- damage


@pytest.mark.parametrize("content", [b"this is no database " * 500, b"\0" * 9000, b"SQLite format 3\0" * 300])
def test_without_a_backup_a_file_that_is_no_database_is_replaced_by_a_new_one(path, content) -> None:
    path.parent.mkdir()
    path.write_bytes(content)
    notes = Notes(path)

    notes.add(1)

    assert notes.ids() == [1]
    [damage] = notes.damages
    assert damage.minutes_lost is None
    assert damage.aside.read_bytes() == content
    assert "began a new one" in damage.report("notes")[0]


@pytest.mark.parametrize(
    ("place", "filling"), [(0, b"\0"), (10 * PAGE, b"\xff"), (25 * PAGE, b"\0"), (40 * PAGE, b"\x0d")]
)
def test_a_damaged_file_is_set_aside_and_the_backup_restored(notes, path, place, filling) -> None:
    aged(path, 5 * 60)
    notes.add(ROWS + 1)
    overwrite(path, place, filling * PAGE)

    assert notes.ids() == list(range(1, ROWS + 1)), "as it was at the backup"

    [damage] = notes.damages
    assert damage.minutes_lost == 5
    assert "the last 5 minutes is lost" in damage.report("notes")[0]
    assert damage.aside.exists()
    notes.add(ROWS + 2)
    assert len(notes.damages) == 1


def test_a_file_that_is_only_read_after_a_restore_can_be_restored_again(notes: Notes, path: Path) -> None:
    for _ in range(2):
        overwrite(path, 0, b"\0" * PAGE)
        assert notes.ids() == list(range(1, ROWS + 1))


def test_damage_met_by_a_write_restores_the_backup_and_writes(notes: Notes, path: Path) -> None:
    overwrite(path, path.stat().st_size - PAGE, b"\xff" * PAGE)  # the last page, which a write reads

    notes.add(ROWS + 100)

    assert {1, ROWS, ROWS + 100} <= set(notes.ids())
    assert len(notes.damages) == 1


def test_bytes_that_are_no_text_are_damage(notes: Notes, path: Path) -> None:
    with closing(sqlite3.connect(path)) as other, other:
        other.execute("UPDATE notes SET text = CAST(x'ff4141' AS TEXT) WHERE id = 5")

    assert notes.ids() == list(range(1, ROWS + 1))
    assert len(notes.damages) == 1


@pytest.mark.parametrize("place", [0, 16, 19, 21, 28, 47, 59, 100, 101, 105])
@pytest.mark.parametrize("value", [0x00, 0x7F, 0xFF])
def test_a_damaged_byte_of_the_first_page_stops_nothing(notes, path, place, value) -> None:
    overwrite(path, place, bytes([value]))

    notes.add(ROWS + 1)

    assert notes.ids() == list(range(1, ROWS + 2))


def test_of_several_processes_that_meet_the_damage_only_the_first_restores(notes: Notes, path: Path) -> None:
    overwrite(path, 25 * PAGE, b"\xff" * PAGE)
    others = [Notes(path) for _ in range(8)]

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(lambda pair: pair[1].ids() and pair[1].add(1000 + pair[0]), enumerate(others)))

    assert sum(len(other.damages) for other in others) == 1
    assert set(range(1000, 1008)) <= set(notes.ids())


def test_a_write_to_a_file_that_is_replaced_meanwhile_is_made_again(notes: Notes, path: Path) -> None:
    saved = path.with_name("saved")
    saved.write_bytes(path.read_bytes())

    def write(connection: sqlite3.Connection) -> None:
        connection.execute("INSERT INTO notes (id, text) VALUES (5000, 'x')")
        if saved.exists():  # another process restores the file
            saved.replace(path)

    notes.file.run(write)

    assert 5000 in notes.ids()


INSERT = "INSERT INTO notes VALUES (9000, hex(zeroblob(100000)))"


@pytest.mark.parametrize(
    ("file", "held", "before", "step"),
    [
        ("", True, "SELECT 1", INSERT),
        ("", False, "PRAGMA max_page_count = 1", INSERT),  # a full disk
        ("?mode=ro", False, "SELECT 1", INSERT),
        ("/below", False, "SELECT 1", "SELECT 1 FROM notes"),
        ("", False, "SELECT 1", "SELECT ?"),  # a mistake of ours
    ],
)
def test_a_locked_or_full_disk_and_our_own_mistakes_are_no_damage(notes, path, file, held, before, step):
    def meet() -> None:
        with closing(sqlite3.connect(f"file:{path}{file}", timeout=0, uri=True)) as other:
            other.execute(before)
            other.execute(step)

    with closing(sqlite3.connect(path, isolation_level=None)) as holder:
        holder.execute("BEGIN EXCLUSIVE" if held else "SELECT 1")
        with pytest.raises(sqlite3.DatabaseError) as raised:
            meet()

    assert not is_damage(raised.value)


# --- backups


def test_a_backup_is_made_once_a_day(notes: Notes, path: Path) -> None:
    first = backup_of(path).read_bytes()
    notes.add(ROWS + 1)
    assert backup_of(path).read_bytes() == first

    aged(path, 25 * 3600)
    notes.add(ROWS + 2)
    assert backup_of(path).read_bytes() != first


def test_a_damaged_file_does_not_replace_a_good_backup(notes: Notes, path: Path) -> None:
    first = backup_of(path).read_bytes()
    aged(path, 25 * 3600)
    overwrite(path, 25 * PAGE, b"\xff" * PAGE)

    notes.file.run(lambda c: c.execute("DELETE FROM notes WHERE id = 1"))  # does not read that page

    assert backup_of(path).read_bytes() == first


def test_a_file_that_overwrites_keeps_no_backup_of_what_is_deleted(path: Path) -> None:
    notes = Notes(path, overwrites=True)
    notes.add(1, "a secret sentence")
    notes.file.run(lambda c: c.execute("DELETE FROM notes"))

    assert not backup_of(path).exists()
    assert not any(b"a secret" in file.read_bytes() for file in path.parent.iterdir())


def test_an_older_file_is_migrated_step_by_step_and_an_older_program_reads_it(notes, path) -> None:
    newer = Notes(
        path,
        "ALTER TABLE notes ADD COLUMN colour TEXT NOT NULL DEFAULT 'red'",
        "UPDATE notes SET colour = 'blue' WHERE id = 2",
    )

    select = "SELECT colour FROM notes WHERE id < 4 ORDER BY id"
    assert newer.file.run(lambda c: c.execute(select).fetchall()) == [("red",), ("blue",), ("red",)]
    assert len(notes.ids()) == ROWS
    assert not notes.damages + newer.damages
