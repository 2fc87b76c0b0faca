"""Outcomes in words: from facts where there are any, else the tool's own text; raw data is summarised."""

from pathlib import Path
from typing import Any

import pytest

from voice_gateway.languages import LanguageFile, say
from voice_gateway.languages.outcomes import LONGEST, told
from voice_gateway.turn import ToolOutcome

ACTS = Path(__file__).with_name("outcomes.yaml")


def outcome(text: str, **facts: Any) -> ToolOutcome:
    return ToolOutcome("1", facts.pop("name", "control_lamp"), text, facts.pop("ok", True), 0.1, **facts)


def act(facts: dict[str, Any]) -> ToolOutcome:
    structured = {"requested": {"action": "on"}, "outcome": "confirmed", **facts}
    good = structured["outcome"] in ("confirmed", "working", "queued")
    return outcome("The tool's own sentence.", ok=good, structured=structured)


TEXTS = (
    (outcome("The lamp is on"), "The lamp is on."),
    (outcome("Error: no paper", ok=False), "That didn't work: no paper."),
    (outcome("Error: Nothing is ringing.", ok=False), "Nothing is ringing."),
    (outcome("", ok=False), say("not.worked")),
    (outcome('{"on": true}', structured={"on": True}), "Done."),
    (outcome('{"message": "x"}', structured={"message": "The lamp is on."}), "The lamp is on."),
    (outcome('{"n": 3}', read_only=True), say("results.shown")),
    (outcome('[{"name": "Ann"}, {"name": "Ben"}]', read_only=True), "2 results: Ann and Ben."),
    (outcome('{"items": ["a", "b", "c", "d", "e"]}', read_only=True), "5 results: a, b, c and 2 more."),
    (outcome('[{"x": {}}, {"x": {}}]', read_only=True), "2 results."),
    (outcome("- a: 1\n- b: 2", read_only=True, structured={"summary": "Two things."}), "Two things."),
)


def test_acts_are_worded_from_facts() -> None:
    table = LanguageFile("outcomes.yaml", f"rows:\n{ACTS.read_text('utf-8')}").read()["rows"]
    said = [(right, told([act(facts) for facts in each])) for right, *each in table]
    assert [pair for pair in said if pair[0] != pair[1]] == []


def test_other_tools_keep_their_words_and_raw_data_is_summarised() -> None:
    wrong = [(told([one]), right) for one, right in TEXTS if told([one]) != right]
    assert wrong == []


def test_the_same_is_said_once() -> None:
    assert (
        told([outcome("On."), outcome("On."), outcome("Error: no", ok=False)]) == "On. That didn't work: no."
    )


@pytest.mark.parametrize("text", ["This is a sentence. " * 100, "word " * 1000])
def test_a_long_text_is_cut(text: str) -> None:
    assert len(told([outcome(text)])) <= LONGEST + 2


def test_nothing_was_done() -> None:
    assert told([]) == say("not_understood")
