"""`turns` as it is typed: words in any order, what is cut off is said, and each turn is one line."""

import json
from time import time as now

import pytest
from tests.unit.recorder.test_store import kept

from voice_gateway.__main__ import main
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


async def test_words_are_searched_with_and_without_quotes_and_options_in_any_order(store, capsys):
    store.add([kept("turn on the floor lamp", 1, at=now()), kept("turn on the desk lamp", 2, at=now())])
    for words in (
        ["--search", "floor lamp"],
        ["list", "--search", "floor", "lamp"],
        ["--json", "--search", "floor", "lamp"],
        ["--search", "floor", "lamp", "--limit", "5"],
    ):
        assert await turns(parsed(["turns", *words])) == 0
        out = capsys.readouterr().out
        assert "turn on the floor lamp" in out, words
        assert "desk" not in out, words


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
async def test_a_list_that_was_cut_off_says_so(store, capsys, words, shown):
    store.add([kept(f"number {one}", one, at=now()) for one in range(1300)])
    await turns(parsed(["turns", *words]))
    captured = capsys.readouterr()
    assert captured.out.count("number ") == shown
    assert ("--limit N shows more" in captured.err) is ("--limit" not in words)


@pytest.mark.parametrize("words", [["turns", "show", "nosuch"], ["replay", "nosuch"]])
def test_a_failed_command_prints_its_error_as_json(store, capsys, words):
    assert main([*words, "--json"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert told["ok"] is False
    assert "nosuch" in told["problem"]
