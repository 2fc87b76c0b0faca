"""What the gateway keeps is for its owner alone: under any umask, and also what was there before."""

import os
import sqlite3
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from voice_gateway.private_files import changeable_by_others, close_folder, private_file, private_folder
from voice_gateway.sqlite_file import SqliteFile


@pytest.fixture(params=[0o000, 0o022, 0o027, 0o077], ids=oct, autouse=True)
def _umask(request) -> Iterator[None]:
    before = os.umask(request.param)
    yield
    os.umask(before)


def rights(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def all_rights(folder: Path) -> dict[str, int]:
    return {path.name: rights(path) for path in folder.iterdir()}


def test_folders_are_made_for_their_owner_and_what_was_open_is_closed_and_stays(tmp_path):
    folder = private_folder(tmp_path / "above" / "data")
    assert rights(folder.parent) == rights(folder) == 0o700
    folder.chmod(0o777)
    for name in ("a.sqlite", "a.sqlite-wal", "a.sqlite-shm"):
        (folder / name).write_text("kept")
        (folder / name).chmod(0o755)

    private_file(folder / "a.sqlite")

    assert rights(folder) == 0o700
    assert set(all_rights(folder).values()) == {0o600}
    assert (folder / "a.sqlite").read_text() == "kept"


def test_everything_in_the_folder_is_closed_at_the_start_but_links_lead_nowhere(tmp_path):
    folder, outside = tmp_path / "data", tmp_path / "outside"
    outside.write_text("")
    outside.chmod(0o644)
    (folder / "run").mkdir(parents=True)
    (folder / "run").chmod(0o755)
    (folder / "old.json").write_text("")
    (folder / "old.json").chmod(0o666)
    (folder / "link").symlink_to(outside)
    folder.chmod(0o755)

    close_folder(folder)

    assert rights(folder) == 0o700
    assert (rights(folder / "run"), rights(folder / "old.json")) == (0o700, 0o600)
    assert rights(outside) == 0o644


def test_sqlite_and_the_files_beside_it(tmp_path):
    file = SqliteFile(tmp_path / "x.sqlite", ("CREATE TABLE t (a)",))

    def look(connection: sqlite3.Connection) -> dict[str, int]:
        connection.execute("INSERT INTO t VALUES (1)")
        return all_rights(tmp_path)

    assert file.run(look) == {"x.sqlite": 0o600, "x.sqlite-journal": 0o600}


@pytest.mark.parametrize(
    ("above", "itself", "safe"),
    [
        (0o755, 0o755, True),
        (0o700, 0o700, True),
        (0o1777, 0o755, True),  # as below /tmp
        (0o777, 0o755, False),
        (0o775, 0o755, False),
        (0o755, 0o775, False),
        (0o755, 0o757, False),
        (0o755, 0o1777, False),  # /tmp itself
    ],
)
def test_a_folder_that_others_can_replace_is_reported(tmp_path, above, itself, safe):
    folder = tmp_path / "above" / "itself"
    folder.mkdir(parents=True)
    folder.chmod(itself)
    folder.parent.chmod(above)

    found = changeable_by_others(folder.resolve())

    assert (found is None) is safe, found


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
@pytest.mark.parametrize("whose", ["above", "above/itself"])
def test_a_folder_of_another_user_is_reported(tmp_path, whose):
    private_folder(tmp_path / "above" / "itself")
    os.chown(tmp_path / whose, 12345, 12345)

    assert "belongs to another user" in str(changeable_by_others(tmp_path.resolve() / "above" / "itself"))
