"""Routines survive, are claimed once, and are never half kept."""

import sqlite3
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from voice_gateway.errors import ToolUnavailable
from voice_gateway.routines.model import Condition, Event, Every, Last, Once, Routine, Sun, Trigger, is_so
from voice_gateway.routines.store import SqliteRoutines, TooMany

NOW = datetime(2026, 11, 16, 7, tzinfo=UTC)
LAMP = {"name": "control_zwave_device", "args": {"deviceName": "Floor Lamp", "action": "on"}}


def once(seconds: float = 60, **more) -> Routine:
    due = NOW + timedelta(seconds=seconds)
    return Routine("lamp on", Once(due), (LAMP,), next=due, made=NOW, **more)


@pytest.fixture
def store(tmp_path: Path) -> SqliteRoutines:
    return SqliteRoutines(tmp_path / "routines.sqlite3")


def test_each_kind_comes_back_as_it_was(store, tmp_path):
    kinds: list[Trigger] = [
        Once(NOW, 60.0),
        Every("FREQ=DAILY;BYHOUR=7", NOW),
        Sun("sunset", -1200, (0, 1), once=True),
        Event("zwave", "zwave://devices/7/0", "temperature < 18", 600.0, "Hall Sensor"),
    ]
    condition = Condition(
        (0, 4), "22:00", "sunrise", "zwave", "zwave://devices/3/0", "Lamp", "on", unless=True
    )
    last = Last(NOW, ok=False, text="It is jammed.")
    made = [
        store.add(
            Routine("x", one, (LAMP,), "hello", condition, (("Lamp", "Hall", "zwave"),), True, last=last), 10
        )
        for one in kinds
    ]
    assert SqliteRoutines(tmp_path / "routines.sqlite3").all() == made
    assert len({one.id for one in made}) == 4


def test_no_more_than_the_limit_are_kept(store):
    store.add(once(), 1)
    with pytest.raises(TooMany, match="1 routines already"):
        store.add(once(), 1)
    assert len(store.all()) == 1


def test_of_many_one_gets_the_claim(store, tmp_path):
    made = [store.add(once(), 100) for _ in range(20)]
    wanted = [(one.id, one.next) for one in made]

    def claim(name: str) -> list[int]:
        own = SqliteRoutines(tmp_path / "routines.sqlite3")
        return [one.id for pair in wanted for one in own.claim([pair], name, NOW)]

    with ThreadPoolExecutor(4) as pool:
        got = list(pool.map(claim, "abcd"))
    assert sorted(one for ids in got for one in ids) == sorted(one.id for one in made)


def test_what_was_moved_paused_or_cancelled_is_not_claimed(store):
    moved, paused, gone = (store.add(once(), 10) for _ in range(3))
    store.replace([replace(moved, next=NOW + timedelta(hours=1)), replace(paused, paused=True)])
    store.remove([gone.id])
    assert store.claim([(one.id, one.next) for one in (moved, paused, gone)], "me", NOW) == []


def test_what_a_dead_gateway_claimed_is_known_and_can_be_finished_by_another(store):
    made = store.add(once(), 10)
    store.claim([(made.id, made.next)], "dead", NOW)
    assert store.unfinished("dead") == []
    [found] = store.unfinished("me")
    assert found.id == made.id
    store.finish([], [found.id], "me")  # not ours
    assert store.unfinished("me")
    store.finish([], [found.id], None)
    assert store.all() == []


def test_what_is_finished_is_due_again(store):
    daily = Routine("x", Every("FREQ=DAILY", NOW), (LAMP,), next=NOW)
    made = store.add(daily, 10)
    [ours] = store.claim([(made.id, NOW)], "me", NOW)
    store.finish([replace(ours, next=NOW + timedelta(days=1), last=Last(NOW, True, "Done."))], [], "me")
    [kept] = store.all()
    assert (kept.next, kept.last) == (NOW + timedelta(days=1), Last(NOW, True, "Done."))
    assert store.claim([(made.id, NOW)], "me", NOW) == []


def test_every_change_changes_the_stamp(store):
    before = store.stamp()
    made = store.add(once(), 10)
    assert store.stamp() != before
    before = store.stamp()
    store.remove([made.id])
    assert store.stamp() != before


def test_a_damaged_row_is_left_out_and_the_others_stay(store, tmp_path):
    kept, spoilt = store.add(once(), 10), store.add(once(), 10)
    with sqlite3.connect(store.path) as connection:
        connection.execute("UPDATE routines SET body = '{}' WHERE id = ?", (spoilt.id,))
    assert [one.id for one in store.all()] == [kept.id]


def test_a_disk_that_takes_nothing_is_said(tmp_path):
    (tmp_path / "a file").write_text("")
    with pytest.raises(ToolUnavailable, match="Routines"):
        SqliteRoutines(tmp_path / "a file" / "routines.sqlite3").add(once(), 1)


@pytest.mark.parametrize(
    ("becomes", "state", "readings", "so"),
    [
        ("open", "open", (), True),
        ("open", "50 % open", (), True),
        ("open", "closed", (), False),
        ("unlocked", "locked", (), False),
        ("on", "on, 40 %", (), True),
        ("motion", "no motion, 21 °C", (), False),
        ("motion", "motion, 21 °C", (), True),
        ("temperature < 18", "heat, set to 21 °C, now 17.5 °C", (), True),
        ("temperature < 18", "17.5 °C, 40 % humidity", (), True),
        ("temperature > 25", "heat, set to 26 °C, now 20 °C", (), False),
        ("humidity > 60", "20 °C, 65 % humidity", (), True),
        ("battery < 20", "locked", ("battery 15 %",), True),
        ("battery < 20", "on, 10 %", (), False),
    ],
)
def test_what_a_state_is(becomes, state, readings, so):
    assert is_so(becomes, state, readings) is so
