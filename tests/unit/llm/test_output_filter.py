"""What may be spoken, what is not an answer, and what is a call. The texts are in texts.yaml."""

import json
from pathlib import Path

import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from voice_gateway.llm.prompt import SYSTEM_PROMPT
from voice_gateway.llm.streaming import clean, text_tool_calls, unusable

TEXTS = yaml.safe_load(Path(__file__).with_name("texts.yaml").read_text())
TOOL = "REQUIRED for the time and date: you MUST call this, because you cannot know them."
OFFERED = {"clock", "control", "zwave__control"}
LAMP = [("control", {"device": "lamp"})]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
ANY_TEXT = st.text(alphabet=st.characters(codec="utf-8"), max_size=80)


def reason(text: str, said: str = "turn on the kitchen light") -> str | None:
    return unusable(clean(text), prompt=[SYSTEM_PROMPT, TOOL], said=said)


def calls(text: str) -> list[tuple[str, dict[str, object]]]:
    return [(call.name, call.args) for call in text_tool_calls(text, OFFERED)]


def test_an_answer_passes_unchanged() -> None:
    assert {text: (reason(text), clean(text)) for text in TEXTS["answers"]} == {
        text: (None, text) for text in TEXTS["answers"]
    }
    assert reason("Hello!", said="hello") is None  # a short greeting may come back


def test_what_is_not_an_answer_is_named() -> None:
    wrong = {why: [text for text in texts if reason(text) != why] for why, texts in TEXTS["unusable"].items()}
    assert not any(wrong.values()), wrong


def test_one_wrapper_is_taken_off() -> None:
    assert {text: clean(text) for text in TEXTS["cleaned"]} == TEXTS["cleaned"]
    assert [reason(text) for text in TEXTS["cleaned"] if reason(text)] == []


@settings(deadline=None)
@given(ANY_TEXT)
def test_cleaning_any_text_is_stable(text: str) -> None:
    reason(text)
    assert unusable(clean(text)) == unusable(clean(clean(text)))


def test_a_whole_text_that_is_a_call_of_an_offered_tool_is_a_call() -> None:
    assert [text for text in TEXTS["calls_of_control"] if calls(text) != LAMP] == []
    assert [text for text in TEXTS["calls_of_control"] if calls(f"\n  {text}\n") != LAMP] == []
    assert [text for text in TEXTS["calls_of_clock"] if calls(text) != [("clock", {})]] == []


def test_any_other_text_is_no_call() -> None:
    long = ["{" * 40_000, "`" * 40_000, "<tool_call>" * 3_000, '{"name": "clock"}' + " " * 60_000 + "x"]
    assert [text[:60] for text in [*TEXTS["no_calls"], *long] if calls(text)] == []


def test_several_calls_in_one_text() -> None:
    clock = '<tool_call>{"name": "clock"}</tool_call>'
    control = '<tool_call>{"name": "control", "arguments": {"on": true}}</tool_call>'

    assert calls(clock + "\n" + control) == [("clock", {}), ("control", {"on": True})]
    assert calls('[{"name": "clock"}, {"name": "zwave__control"}]') == [("clock", {}), ("zwave__control", {})]
    assert len({call.id for call in text_tool_calls(clock + clock, OFFERED)}) == 2


@settings(deadline=None)
@given(st.dictionaries(st.text(min_size=1, max_size=6), JSON, max_size=3))
def test_arguments_come_through_unchanged(arguments: dict[str, object]) -> None:
    text = json.dumps({"name": "control", "arguments": arguments}, ensure_ascii=False)
    schema_like = arguments.get("type") == "object" and "properties" in arguments

    assert calls(text) == ([] if schema_like else [("control", arguments)])


@settings(deadline=None)
@given(ANY_TEXT | JSON.map(json.dumps))
def test_only_offered_tools_are_called_by_any_text(text: str) -> None:
    assert {name for name, _ in calls(text)} <= OFFERED
