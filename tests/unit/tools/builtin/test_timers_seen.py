"""Who rings looks twice a second: a file that is as it was is not read anew, and no change is missed."""

import os
import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from voice_gateway.tools.builtin.timers.store import OLD_SECONDS, TimerStore

NOW = datetime(2026, 11, 16, 12, tzinfo=UTC)


@pytest.fixture
def store(tmp_path: Path) -> TimerStore:
    return TimerStore(tmp_path / "timers.db")


def add(store: TimerStore, name: str) -> None:
    """As another process does it."""
    TimerStore(store.path).add(due=NOW + timedelta(hours=1), now=NOW, name=name)


def latest(store: TimerStore) -> list[str]:
    return [timer.name for timer in store.latest()]


def written(store: TimerStore, seconds_ago: float) -> None:
    """The file says that it was last written so long ago."""
    moment = store.path.stat().st_ctime - seconds_ago
    os.utime(store.path, (moment, moment))


def test_an_old_file_that_is_as_it_was_is_not_read_anew(store: TimerStore):
    add(store, "tea")
    written(store, 60)
    assert latest(store) == ["tea"]
    before = store.path.stat()
    add(store, "egg")
    os.utime(store.path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert latest(store) == ["tea"], "only its time would have told"
    written(store, 50)
    assert latest(store) == ["tea", "egg"]


def test_of_a_young_file_its_time_says_nothing(store: TimerStore):
    add(store, "tea")
    assert latest(store) == ["tea"]
    before = store.path.stat()
    add(store, "egg")
    os.utime(store.path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert latest(store) == ["tea", "egg"], "both within a tick of the clock"


@pytest.mark.parametrize("seconds_ago", [-3600.0, OLD_SECONDS * 2])
def test_what_changes_here_or_elsewhere_is_seen(store: TimerStore, seconds_ago: float):
    add(store, "tea")
    written(store, seconds_ago)
    assert latest(store) == ["tea"]
    add(store, "egg")
    assert latest(store) == ["tea", "egg"]
    store.remove([store.all()[0].id])
    assert latest(store) == ["egg"]


def test_what_an_older_gateway_writes_beside_the_file_is_seen(store: TimerStore):
    add(store, "tea")
    with closing(sqlite3.connect(store.path, isolation_level=None)) as older:
        older.execute("PRAGMA journal_mode = WAL")
        older.execute("SELECT count(*) FROM timers").fetchall()
        written(store, 60)
        assert latest(store) == ["tea"]
        older.execute("UPDATE timers SET name = 'egg'")
        written(store, 60)
        assert latest(store) == ["egg"]
