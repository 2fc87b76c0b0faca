"""`turns` as it is typed: words in any order, what is cut off is said, and no test of what nobody said."""

import json
from time import time as now

import pytest
from tests.unit.recorder.test_store import kept

from voice_gateway.cli.parser import parsed
from voice_gateway.cli.turns import MOST_SHOWN, turns
from voice_gateway.config import data_folder
from voice_gateway.recorder.recorder import TURNS_FILE
from voice_gateway.recorder.store import TurnStore


@pytest.fixture
def store(tmp_path, monkeypatch):
    for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_RUNTIME_DIR"):
        monkeypatch.setenv(name, str(tmp_path))
    monkeypatch.chdir(tmp_path)
    data_folder().mkdir(parents=True)
    return TurnStore(data_folder() / TURNS_FILE, days=100_000)


def said(text, number, *, at, heard=True, reason="", stage="local", acted=(), **more):
    events = [{"type": "heard", "text": text, "at": at}] if heard else []
    events.append(
        {"type": "staged", "at": at, "stage": stage, "taken": True, "reason": reason, "words": None}
    )
    events += [
        {"type": "acted", "at": at, "call_id": "1", "outcome": "confirmed", "error": None, **one}
        for one in acted
    ]
    return kept(text, number, at=at, events=events, **more)


@pytest.mark.parametrize(
    "words",
    [
        ["--search", "floor", "lamp"],
        ["--search", "floor lamp"],
        ["list", "--search", "floor", "lamp"],
        ["--json", "--search", "floor", "lamp"],
        ["--search", "floor", "lamp", "--json"],
        ["list", "--json", "--search", "lamp", "floor"],
        ["--search", "floor", "lamp", "--limit", "5"],
    ],
)
async def test_words_are_searched_with_and_without_quotes_and_options_in_any_order(store, capsys, words):
    store.add([kept("turn on the floor lamp", 1, at=now()), kept("turn on the desk lamp", 2, at=now())])

    assert await turns(parsed(["turns", *words])) == 0

    out = capsys.readouterr().out
    assert "turn on the floor lamp" in out
    assert "desk" not in out


@pytest.mark.parametrize("action", ["show", "export", "delete"])
async def test_what_to_do_with_a_turn_is_not_searched_for(store, capsys, action):
    store.add([kept("turn on the floor lamp", 1, at=now(), id="9d080dce5d6f")])

    assert await turns(parsed(["turns", "--search", "floor", "lamp", action, "9d080dce"])) == 2

    told = capsys.readouterr()
    assert told.out == ""
    assert f"`voice-gateway turns {action} 9d080dce`" in told.err
    assert len(store.turns()) == 1


async def test_show_is_a_word_like_others_where_no_turn_has_the_name_behind_it(store, capsys):
    store.add([kept("show the face of clock 1234", 1, at=now(), id="9d080dce5d6f")])

    for words in (["show", "1234"], ["show", "face"], ["clock", "show"]):
        assert await turns(parsed(["turns", "--search", *words])) == 0
        assert "show the face" in capsys.readouterr().out


async def test_list_is_what_turns_does_without_a_word(store, capsys):
    store.add([kept("hello", 1, at=now())])

    await turns(parsed(["turns"]))
    plain = capsys.readouterr().out
    await turns(parsed(["turns", "list"]))

    assert capsys.readouterr().out == plain != ""


async def test_each_turn_is_one_line_however_it_was_answered(store, capsys):
    store.add([kept("tell me\na poem", 1, at=now(), reply="Roses\n\nare red."), kept("hello", 2, at=now())])

    await turns(parsed(["turns"]))

    first, second = capsys.readouterr().out.splitlines()
    assert "hello" in first
    assert second.endswith("tell me a poem → Roses are red.")


@pytest.mark.parametrize(
    ("words", "shown"),
    [([], MOST_SHOWN), (["--json"], 1000), (["--json", "--limit", "1200"], 1200), (["--limit", "3"], 3)],
)
async def test_whoever_is_shown_a_part_is_told_so(store, capsys, words, shown):
    store.add([kept(f"number {one}", one, at=now()) for one in range(1300)])

    await turns(parsed(["turns", *words]))

    told = capsys.readouterr()
    assert told.out.count("number ") == shown
    assert bool(told.err) is ("--limit" not in words)
    assert ("--limit N shows more" in told.err) is ("--limit" not in words)


async def test_exactly_as_many_as_are_shown_are_all(store, capsys):
    store.add([kept(f"number {one}", one, at=now()) for one in range(MOST_SHOWN)])

    await turns(parsed(["turns"]))

    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("number", ["0", "-1", "many"])
def test_a_limit_is_a_number_from_one_on(capsys, number):
    with pytest.raises(SystemExit) as left:
        parsed(["turns", "--limit", number])
    assert left.value.code == 2
    assert "--limit" in capsys.readouterr().err


async def test_an_export_without_a_test_is_the_turn_as_json(store, capsys):
    store.add([said("hello", 1, at=now())])

    await turns(parsed(["turns", "export", "turn-00001"]))

    assert json.loads(capsys.readouterr().out)["text"] == "hello"
