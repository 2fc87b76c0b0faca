"""What is called held out stands nowhere that code was made by: not in source, docs or tests."""

import re
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
from tests.eval.cases import read_cases
from tests.eval.first_cases import HELD_OUT, SEEN, read_first
from tests.eval.later_eval import read_later_cases
from tests.eval.wish_cases import read_wishes

ROOT = Path(__file__).resolve().parents[2]
PLACES = (
    "src/**/*.py", "src/**/*.yaml", "src/**/*.toml", "src/**/*.js", "src/**/*.html", "docs/**/*.md", "*.md",
    "bench/**/*.py", "scripts/**/*.py", "tests/unit/**/*.py", "tests/spec/**/*.py", "tests/fakes/**/*.py",
    "tests/cli/**/*.py", "tests/gateway/**/*.py", "tests/home_assistant/**/*.py", "tests/live/**/*.py",
    "tests/mqtt/**/*.py", "tests/others/**/*.py", "tests/soak/**/*.py", "tests/voice/**/*.py",
    "tests/zwave_mqtt/**/*.py", "tests/zwave_server/**/*.py",
)  # fmt: skip
SHORT = 3  # words: so few may stand in any sentence, and count only as a whole quotation
_QUOTED = re.compile(r'"([^"\n]{2,300})"|\'([^\'\n]{2,300})\'')


def plain(text: str) -> str:
    return " ".join(re.findall(r"[\w'%°]+", text.casefold().replace("’", "'")))


@cache
def read() -> dict[str, tuple[str, frozenset[str]]]:
    """Of each file its words, and its quotations."""
    texts = {
        str(path.relative_to(ROOT)): path.read_text("utf-8") for place in PLACES for path in ROOT.glob(place)
    }
    return {
        name: (f" {plain(text)} ", frozenset(plain(one or other) for one, other in _QUOTED.findall(text)))
        for name, text in texts.items()
    }


def found(said: str) -> list[str]:
    words = plain(said)
    long = len(words.split()) > SHORT
    return [
        name for name, (text, quoted) in read().items() if words in quoted or (long and f" {words} " in text)
    ]


def held_out_utterances() -> list[str]:
    return [" ".join(case.turns) for case in read_cases() if case.held_out]


def held_out_wishes() -> list[str]:
    return [" ".join(wish.turns) for wish in read_wishes() if wish.held_out]


def held_out_first() -> list[str]:
    return [" ".join(case.turns) for case in read_first(HELD_OUT)]


def held_out_later() -> list[str]:
    return [case.said for case in read_later_cases() if case.held_out]


def test_no_newcomer_s_held_out_words_are_seen_ones() -> None:
    seen = {plain(" ".join(case.turns)) for case in read_first(SEEN)}
    assert [said for said in held_out_first() if plain(said) in seen] == []


def test_no_held_out_wish_is_a_seen_one() -> None:
    seen = {plain(" ".join(wish.turns)) for wish in read_wishes() if not wish.held_out}
    seen |= {plain(" ".join(case.turns)) for case in read_cases()}
    assert [said for said in held_out_wishes() if plain(said) in seen] == []


@pytest.mark.slow
@pytest.mark.parametrize("held_out", [held_out_utterances, held_out_wishes, held_out_first, held_out_later])
def test_what_is_held_out_stands_nowhere_else(held_out: Callable[[], list[str]]) -> None:
    """Give up the star of the case, or say it otherwise where it was found."""
    starred = held_out()
    assert len(starred) >= 75, "they are found at all"
    assert {said: where for said in starred if (where := found(said))} == {}
