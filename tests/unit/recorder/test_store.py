"""The file with the turns: found again, limited, and really forgotten."""

import contextlib
import secrets
import sqlite3
from typing import Any

import pytest

from voice_gateway.recorder.store import Kept, TurnStore

NOW = 1_800_000_000.0


def kept(text, number=0, *, at=NOW, **more):
    said = ("cli", None, "cli", text, "Done.", True, "local", 0.1, [], "")
    turn = Kept(f"turn-{number:05}", at, *said, [{"type": "heard", "text": text, "at": at}])
    return turn._replace(**more)


@pytest.fixture
def store(tmp_path):
    return TurnStore(tmp_path / "turns.sqlite", now=lambda: NOW)


def test_turns_are_listed_newest_first_and_found_by_all_words_and_beginnings(store):
    store.add([kept("turn on the floor lamp", 1), kept("what time is it", 2), kept("dim the floor lamp", 3)])

    assert [one["id"] for one in store.turns()] == ["turn-00003", "turn-00002", "turn-00001"]
    assert [one["id"] for one in store.turns(search="lamp floor")] == ["turn-00003", "turn-00001"]
    assert [one["id"] for one in store.turns(search="FLO la", limit=1)] == ["turn-00003"]
    assert [one["id"] for one in store.turns(search="lamp", before="turn-00003")] == ["turn-00001"]
    assert store.turns(search="lamp time") == []


@pytest.mark.parametrize(
    "words", ['"', "lamp OR", "*", "text:lamp", "NEAR(", "-lamp", "'; DROP TABLE turns; --"]
)
def test_whatever_is_searched_for_is_only_words(store, words):
    store.add([kept("turn on the floor lamp")])

    store.turns(search=words)

    assert len(store.turns()) == 1


def test_a_name_may_be_short_but_no_pattern(store):
    store.add([kept("one", 1), kept("two", 2), kept("three", 3, id="*odd*")])

    assert len(store.find("turn-00001")) == 1
    assert len(store.find("turn")) == 2
    assert store.find("tu") == []
    assert [one["text"] for one in store.find("*odd")] == ["three"]
    assert store.find("****") == []


def _long() -> str:
    """50 kB that cannot be packed."""
    return secrets.token_hex(25_000)


def texts_in(path):
    """Whatever is in the file, of any age."""
    with contextlib.closing(sqlite3.connect(path)) as connection:
        return [text for (text,) in connection.execute("SELECT text FROM turns ORDER BY seq")]


def test_a_gateway_that_runs_for_weeks_with_two_turns_a_day_keeps_fourteen_days(tmp_path):
    now = NOW
    store = TurnStore(tmp_path / "turns.sqlite", days=14, now=lambda: now)

    for half_day in range(80):
        now = NOW + half_day * 43_200
        store.add([kept(f"turn {half_day}", half_day, at=now)])

    assert len(texts_in(tmp_path / "turns.sqlite")) == 29


def test_nobody_reads_what_is_too_old_though_nothing_was_written_since(tmp_path):
    now = NOW
    store = TurnStore(tmp_path / "turns.sqlite", days=14, now=lambda: now)
    store.add([kept("the old lamp", 1), kept("the new lamp", 2, at=NOW + 86_400)])

    now = NOW + 14.5 * 86_400

    asked: list[dict[str, Any]] = [{}, {"search": "lamp"}, {"conversation": "cli"}]
    for how in asked:
        assert [one["id"] for one in store.turns(**how)] == ["turn-00002"]
    assert store.find("turn-00001") == []
    assert [one["text"] for one in store.find("turn-0000")] == ["the new lamp"]
    assert store.trim() == 1
    assert texts_in(tmp_path / "turns.sqlite") == ["the new lamp"]


def test_the_oldest_goes_when_it_is_too_much(tmp_path):
    store = TurnStore(tmp_path / "turns.sqlite", megabytes=1, now=lambda: NOW)

    for at in range(60):  # 50 kB each
        store.add([kept(f"turn {at}", at, named=_long())])

    texts = [one["text"] for one in store.turns()]
    assert texts[0] == "turn 59"
    assert "turn 0" not in texts
    store.add([kept(f"turn {at}", at, named=_long()) for at in range(60, 110)])
    assert (tmp_path / "turns.sqlite").stat().st_size < 8_000_000


def test_nothing_is_left_of_what_is_deleted_neither_in_the_index_nor_in_free_pages(store, tmp_path):
    for at in range(200):
        store.add([kept(f"ordinary words {at}", at)])
    store.add([kept("the xylophone sonata of zebedee", 777, named="quokka" * 300)])
    for at in range(300, 320):
        store.add([kept(f"more words {at}", at)])

    assert store.delete("turn-00777") == 1

    left = (tmp_path / "turns.sqlite").read_bytes()
    assert not [word for word in (b"xylophone", b"zebedee", b"quokka") if word in left]
    assert len(store.turns(search="ordinary")) == 200
    assert store.delete_all() == 220
    assert b"ordinary" not in (tmp_path / "turns.sqlite").read_bytes()
    assert not list(tmp_path.glob("*-journal"))


def test_what_was_set_aside_as_damaged_is_deleted_too(store, tmp_path):
    store.add([kept("secret plans", at) for at in range(100)])
    content = bytearray((tmp_path / "turns.sqlite").read_bytes())
    content[8192:12288] = b"\xff" * 4096
    (tmp_path / "turns.sqlite").write_bytes(content)
    store.add([kept("after it", 500)])
    assert store.turns()[0]["text"] == "after it"
    assert (tmp_path / "turns.sqlite.damaged").exists()

    store.delete_all()

    assert [path.name for path in tmp_path.iterdir() if b"secret" in path.read_bytes()] == []


def test_without_a_file_there_are_no_turns_and_none_is_made(store, tmp_path):
    assert store.turns() == []
    assert store.find("turn-00001") == []
    assert store.delete_all() == 0
    assert list(tmp_path.iterdir()) == []
