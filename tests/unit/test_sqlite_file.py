"""A SQLite file is migrated, shared, and replaced when it is damaged; what can be read of it is kept."""

import os
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest

from voice_gateway.sqlite_file import Damage, Schema, SqliteFile, is_damage

PAGE = 4096
ROWS = 600  # on some fifty pages
NOTES = Schema(
    "notes",
    ("id", "text"),
    ("CREATE TABLE IF NOT EXISTS notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL)",),
    lambda row: isinstance(row[0], int) and isinstance(row[1], str),
)


class Notes:
    """Our file, and what it told of damage."""

    def __init__(self, path: Path, schema: Schema = NOTES, spare: tuple[tuple[Any, ...], ...] = ()) -> None:
        self.damages: list[Damage] = []
        self.file = SqliteFile(path, schema, on_damage=self.damages.append, spare=lambda: spare)

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


def overwrite(path: Path, start: int, content: bytes) -> None:
    with path.open("r+b") as file:
        file.seek(start)
        file.write(content)


def test_nobody_else_may_read_a_new_file(notes: Notes, path: Path) -> None:
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("content", [b"this is no database " * 500, b"\0" * 9000, b"SQLite format 3\0" * 300])
def test_what_is_no_database_is_set_aside_and_a_new_one_begins(path: Path, content: bytes) -> None:
    path.parent.mkdir()
    path.write_bytes(content)
    notes = Notes(path)

    notes.add(1)

    assert notes.ids() == [1]
    [damage] = notes.damages
    assert (damage.kept, damage.aside.read_bytes()) == (0, content)


@pytest.mark.parametrize("filling", [b"\0", b"\xff", b"\x0d"])
@pytest.mark.parametrize("place", [10, 25, 40])
def test_damage_that_shows_only_when_it_is_read_costs_one_page(
    notes: Notes, path: Path, place: int, filling: bytes
) -> None:
    overwrite(path, place * PAGE, filling * PAGE)

    kept = notes.ids()

    assert ROWS - 20 <= len(kept) < ROWS
    assert {1, 2, ROWS - 1, ROWS} <= set(kept)
    assert [damage.kept for damage in notes.damages] == [len(kept)]
    assert notes.ids() == kept
    assert len(notes.damages) == 1


def test_damage_that_shows_only_when_it_is_written_to_is_met_as_well(notes: Notes, path: Path) -> None:
    overwrite(path, path.stat().st_size - PAGE, b"\xff" * PAGE)  # the last page: nobody has to read it

    notes.add(ROWS + 100)

    assert ROWS + 100 in notes.ids()
    assert 1 in notes.ids()
    assert len(notes.damages) == 1


def test_a_file_that_was_cut_off_keeps_its_beginning(notes: Notes, path: Path) -> None:
    path.write_bytes(path.read_bytes()[: 20 * PAGE])

    kept = notes.ids()

    assert kept[:100] == list(range(1, 101))
    assert len(notes.damages) == 1


def test_letters_that_are_none_are_damage(notes: Notes, path: Path) -> None:
    with closing(sqlite3.connect(path)) as other, other:
        other.execute("UPDATE notes SET text = CAST(x'ff4141' AS TEXT) WHERE id = 5")

    assert notes.ids() == list(range(1, ROWS + 1))
    assert [damage.kept for damage in notes.damages] == [ROWS]


def test_rows_that_cannot_be_ours_are_not_kept(path: Path) -> None:
    path.parent.mkdir()
    with closing(sqlite3.connect(path)) as other, other:
        other.execute("CREATE TABLE notes (id, more)")
        other.execute("INSERT INTO notes VALUES ('a', 'b')")
        other.execute("PRAGMA user_version = 1")
    notes = Notes(path)

    notes.add(1)

    assert notes.ids() == [1]
    assert [damage.kept for damage in notes.damages] == [0]


def test_what_is_known_without_the_file_is_kept_too(path: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(b"no database" * 1000)
    notes = Notes(path, spare=((7, "in memory"),))

    assert notes.ids() == [7]


def test_what_was_left_in_a_write_ahead_log_is_read_too(path: Path) -> None:
    path.parent.mkdir()
    with closing(sqlite3.connect(path)) as other:
        other.execute("PRAGMA journal_mode = WAL")
        other.execute(NOTES.migrations[0])
        other.execute("INSERT INTO notes VALUES (1, 'a')")
        other.execute("PRAGMA user_version = 1")
        other.commit()
        log = Path(f"{path}-wal").read_bytes()  # as it is when the process is killed here
    whole = path.read_bytes()
    path.write_bytes(whole[:100])
    Path(f"{path}-wal").write_bytes(log)
    notes = Notes(path)

    assert notes.ids() in ([], [1])
    notes.add(2)
    assert 2 in notes.ids()


def test_of_many_who_meet_the_damage_one_replaces_the_file_and_nothing_is_lost(
    notes: Notes, path: Path
) -> None:
    overwrite(path, 25 * PAGE, b"\xff" * PAGE)
    others = [Notes(path) for _ in range(8)]

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(lambda pair: pair[1].ids() and pair[1].add(1000 + pair[0]), enumerate(others)))

    assert sum(len(other.damages) for other in others) == 1
    assert set(range(1000, 1008)) <= set(notes.ids())


def test_an_older_file_is_brought_up_step_by_step_and_keeps_its_rows(notes: Notes, path: Path) -> None:
    steps = (
        *NOTES.migrations,
        "ALTER TABLE notes ADD COLUMN colour TEXT NOT NULL DEFAULT 'red'",
        "UPDATE notes SET colour = 'blue' WHERE id = 2",
    )
    newer = Notes(path, Schema("notes", ("id", "text", "colour"), steps, NOTES.fits))

    select = "SELECT colour FROM notes WHERE id < 4 ORDER BY id"
    assert newer.file.run(lambda c: c.execute(select).fetchall()) == [("red",), ("blue",), ("red",)]
    with closing(sqlite3.connect(path)) as other:
        assert other.execute("PRAGMA user_version").fetchone() == (3,)
    assert len(notes.ids()) == ROWS, "an older program uses a newer file as it is"
    assert not notes.damages + newer.damages


def locked(path: Path) -> None:
    with (
        closing(sqlite3.connect(path, isolation_level=None)) as holder,
        closing(sqlite3.connect(path, timeout=0)) as other,
    ):
        holder.execute("BEGIN EXCLUSIVE")
        other.execute("INSERT INTO notes VALUES (9000, 'x')")


def full(path: Path) -> None:
    with closing(sqlite3.connect(path)) as other:
        other.execute(f"PRAGMA max_page_count = {path.stat().st_size // PAGE}")
        other.executemany("INSERT INTO notes VALUES (?, ?)", [(n, "x" * PAGE) for n in range(9000, 9100)])


def read_only(path: Path) -> None:
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as other:
        other.execute("INSERT INTO notes VALUES (9000, 'x')")


def not_there(path: Path) -> None:
    with closing(sqlite3.connect(path / "below a file")) as other:
        other.execute("SELECT 1 FROM notes")


def our_mistake(path: Path) -> None:
    with closing(sqlite3.connect(path)) as other:
        other.execute("SELECT ?", (1, 2))


@pytest.mark.parametrize("trouble", [locked, full, read_only, not_there, our_mistake])
def test_trouble_of_the_moment_the_disk_or_our_own_is_no_damage(
    notes: Notes, path: Path, trouble: Callable[[Path], None]
) -> None:
    with pytest.raises(sqlite3.DatabaseError) as raised:
        trouble(path)

    assert not is_damage(raised.value)


@pytest.mark.parametrize("place", [0, 16, 18, 19, 21, 28, 47, 59, 100, 101, 105, 3900, 4000, 4090])
@pytest.mark.parametrize("value", [0x00, 0x7F, 0xFF])
def test_one_byte_of_the_first_page_costs_no_row_and_stops_nobody(
    notes: Notes, path: Path, place: int, value: int
) -> None:
    """There it says what the file is, and in what it has that is the same in all of ours."""
    overwrite(path, place, bytes([value]))

    notes.add(ROWS + 1)

    assert notes.ids() == list(range(1, ROWS + 2))


def test_a_damaged_word_of_the_schema_stops_nobody(notes: Notes, path: Path) -> None:
    """What SQLite says of it quotes the damage, which is no text."""
    overwrite(path, path.read_bytes().index(b"CREATE"), b"\xff")

    assert notes.ids() == list(range(1, ROWS + 1))
    assert len(notes.damages) == 1


def test_a_first_page_of_nothing_costs_no_row(notes: Notes, path: Path) -> None:
    overwrite(path, 0, bytes(PAGE))

    assert notes.ids() == list(range(1, ROWS + 1))


# --- a thread that keeps the file open


@pytest.fixture
def kept(path: Path) -> Iterator[Notes]:
    notes = Notes(path)
    notes.file.keep_open()
    notes.add(1)
    yield notes
    notes.file.close()


def descriptors_in(folder: Path) -> list[str]:
    links = []
    for link in Path("/proc/self/fd").iterdir():
        with suppress(FileNotFoundError):  # the one that lists them
            links.append(str(link.readlink()))
    return [link for link in links if link.startswith(str(folder))]


def test_what_is_kept_open_is_one_descriptor_until_it_is_closed(kept: Notes, path: Path) -> None:
    for number in range(2, 30):
        kept.add(number)

    assert descriptors_in(path.parent) == [str(path)]
    kept.file.close()
    assert descriptors_in(path.parent) == []
    kept.add(30)
    assert kept.ids() == list(range(1, 31))


def replaced(path: Path) -> None:
    other = path.with_name("other.sqlite")
    Notes(other).add(500)
    other.replace(path)


def gone(path: Path) -> None:
    path.unlink()


def gone_with_its_folder(path: Path) -> None:
    shutil.rmtree(path.parent)


def emptied(path: Path) -> None:
    os.truncate(path, 0)


def copied_over(path: Path) -> None:
    other = path.with_name("other.sqlite")
    Notes(other).add(500)
    shutil.copyfile(other, path)
    os.utime(path, (1, 1))  # a copy that has the time of what was copied


@pytest.mark.parametrize(
    ("befall", "left"),
    [
        (replaced, [500, 2]),
        (gone, [2]),
        (gone_with_its_folder, [2]),
        (emptied, [2]),
        (copied_over, [500, 2]),
    ],
)
def test_what_is_kept_open_is_the_file_of_this_name(
    kept: Notes, path: Path, befall: Callable[[Path], None], left: list[int]
) -> None:
    befall(path)

    kept.add(2)

    assert kept.ids() == Notes(path).ids() == sorted(left)
    assert not kept.damages
    assert path.stat().st_mode & 0o777 == 0o600
    assert descriptors_in(path.parent) == [str(path)]


def test_what_is_kept_open_and_damaged_is_set_aside(kept: Notes, path: Path) -> None:
    path.write_bytes(b"this is no database " * 500)

    kept.add(2)

    assert Notes(path).ids() == [2]
    assert len(kept.damages) == 1
    assert descriptors_in(path.parent) == [str(path)]


def test_what_another_sets_aside_is_not_written_to_any_more(notes: Notes, path: Path) -> None:
    notes.file.keep_open()
    notes.add(1000)
    overwrite(path, 25 * PAGE, b"\xff" * PAGE)
    other = Notes(path)
    assert 1000 in other.ids()
    assert len(other.damages) == 1

    notes.add(1001)

    assert {1000, 1001} <= set(other.ids())
    notes.file.close()


def test_a_disk_that_was_full_costs_only_what_did_not_fit(kept: Notes, path: Path) -> None:
    def too_much(connection: sqlite3.Connection) -> None:
        connection.execute("PRAGMA max_page_count = 3")
        connection.executemany("INSERT INTO notes VALUES (?, ?)", [(n, "x" * PAGE) for n in range(100, 120)])

    with pytest.raises(sqlite3.OperationalError, match="full"):
        kept.file.run(too_much)
    kept.add(2)

    assert Notes(path).ids() == [1, 2]
    assert not kept.damages


def test_others_write_and_delete_beside_it(kept: Notes, path: Path) -> None:
    other = Notes(path)
    other.add(2)
    other.file.run(lambda c: c.execute("DELETE FROM notes WHERE id = 1"))
    kept.add(3)

    assert kept.ids() == other.ids() == [2, 3]


def test_rights_that_somebody_gives_are_taken_again(kept: Notes, path: Path) -> None:
    path.chmod(0o644)

    kept.add(2)

    assert path.stat().st_mode & 0o777 == 0o600


def test_each_thread_keeps_its_own(kept: Notes, path: Path) -> None:
    def added(number: int) -> int:
        kept.file.keep_open()
        kept.add(number)
        kept.file.close()
        return number

    with ThreadPoolExecutor(4) as threads:
        numbers = list(threads.map(added, range(2, 40)))

    assert kept.ids() == [1, *numbers]
    assert descriptors_in(path.parent) == [str(path)]
