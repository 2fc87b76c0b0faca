"""The file of the routines: what is damaged is left out, what an older gateway wrote is read."""

import json
import os
import sqlite3
import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import yaml

from voice_gateway.errors import ToolUnavailable
from voice_gateway.routines.model import LastRun, Once, ResourceState, Routine, to_record
from voice_gateway.routines.store import RoutineStore, kept_in

TABLES = Path(__file__).with_name("tables.yaml")
NOW = datetime(2026, 11, 16, 7, tzinfo=UTC)
LAMP = {"name": "control_zwave_device", "args": {"deviceName": "Floor Lamp", "action": "on"}}


def once(seconds: float = 60, **more) -> Routine:
    due = NOW + timedelta(seconds=seconds)
    return Routine("lamp on", Once(due), (LAMP,), next=due, made=NOW, **more)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "routines.sqlite3"


@pytest.fixture
def store(tmp_path: Path) -> RoutineStore:
    return kept_in(None, tmp_path)[0]


def test_two_changes_within_a_tick_of_the_clock_are_two(store, path):
    [made] = store.add([once()], 10)
    now = time.time()
    os.utime(path, (now, now))
    before = store.stamp()
    store.replace([replace(made, paused=True)])
    os.utime(path, (now, now))
    assert store.stamp() != before


def test_a_file_that_took_the_place_of_another_is_seen(store, path):
    store.add([once()], 10)
    before = store.stamp()
    path.unlink()
    assert store.stamp() is None
    store.add([once()], 10)
    assert store.stamp() not in {before, None}


def test_a_file_of_the_first_version_is_read(store, path):
    """There, what became of a routine stood in its body."""
    with sqlite3.connect(path) as connection:
        connection.execute(
            "CREATE TABLE routines (id INTEGER PRIMARY KEY AUTOINCREMENT, body TEXT NOT NULL, "
            "is_event INTEGER NOT NULL, next REAL, paused INTEGER NOT NULL DEFAULT 0, claimed REAL, "
            "claimed_by TEXT)"
        )
        made = once(last=LastRun(NOW, True, "Done."))
        row = (json.dumps(to_record(made)), made.next.timestamp())
        connection.execute("INSERT INTO routines (body, is_event, next) VALUES (?, 0, ?)", row)
        connection.execute("PRAGMA user_version = 1")
    assert store.all() == [replace(made, id=1)]


def test_a_damaged_row_is_left_out_and_the_others_stay(store, path):
    kept, spoilt = store.add([once(), once()], 10)
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE routines SET body = '{}' WHERE id = ?", (spoilt.id,))
    assert [one.id for one in store.all()] == [kept.id]


def test_a_disk_that_takes_nothing_is_said(tmp_path):
    (tmp_path / "a file").write_text("")
    with pytest.raises(ToolUnavailable, match="Routines"):
        kept_in(None, tmp_path / "a file")[0].add([once()], 1)


def test_what_a_state_is():
    for becomes, state, readings, so in yaml.safe_load(TABLES.read_text())["states"]:
        assert (ResourceState(state, tuple(readings)).tells(becomes) is True) is so, (becomes, state)
