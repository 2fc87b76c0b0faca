"""A whole text that is a call of an offered tool is a call; anything else is not."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from voice_gateway.llm.text_tool_calls import text_tool_calls

OFFERED = {"clock", "control", "zwave__control"}
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


def found(text: str) -> list[tuple[str, dict[str, object]]]:
    return [(call.name, call.args) for call in text_tool_calls(text, OFFERED)]


@pytest.mark.parametrize(
    "text",
    [
        '{"name": "control", "arguments": {"device": "lamp"}}',
        '{"name": "control", "parameters": {"device": "lamp"}}',
        '{"name": "control", "arguments": "{\\"device\\": \\"lamp\\"}"}',
        '{"type": "function", "function": {"name": "control", "arguments": {"device": "lamp"}}}',
        '{"function": "control", "arguments": {"device": "lamp"}, "id": "1"}',
        '{"tool_calls": [{"name": "control", "arguments": {"device": "lamp"}}]}',
        '```json\n{"name": "control", "arguments": {"device": "lamp"}}\n```',
        '```\n{"name": "control", "arguments": {"device": "lamp"}}\n```',
        '<tool_call>\n{"name": "control", "arguments": {"device": "lamp"}}\n</tool_call>',
        '<tool_call>{"name": "control", "arguments": {"device": "lamp"}}',
        '<tools>{"name": "control", "arguments": {"device": "lamp"}}</tools>',
        '<function=control>{"device": "lamp"}</function>',
        '<function>{"name": "control", "arguments": {"device": "lamp"}}</function>',
        '```xml\n<tool_call>{"name": "control", "arguments": {"device": "lamp"}}</tool_call>\n```',
        '[TOOL_CALLS] [{"name": "control", "arguments": {"device": "lamp"}}]',
    ],
)
def test_every_form_that_models_write(text: str) -> None:
    assert found(text) == [("control", {"device": "lamp"})]
    assert found(f"\n  {text}\n") == [("control", {"device": "lamp"})]


@pytest.mark.parametrize(
    "text",
    [
        '{"name": "clock"}',
        '<tools>{"type":"function","function":{"clock"}}</tools>',
        '{"tool": "clock"}',
    ],
)
def test_a_call_without_arguments(text: str) -> None:
    assert found(text) == [("clock", {})]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "clock",
        "It is ten o'clock.",
        'Sure! {"name": "clock"}',
        '{"name": "clock"} is what I would call.',
        '{"name": "function_name", "arguments": {"parameter": "value"}}',
        '{"name": "unlock_everything", "arguments": {}}',
        '{"name": "control", "arguments": {"device": "la',
        '{"name": "control", "arguments": ["lamp"]}',
        '{"name": "control", "device": "lamp"}',
        '{"name": "clock", "description": "Tells the time.", "parameters": {}}',
        '{"name": "clock", "parameters": {"type": "object", "properties": {"zone": {"type": "string"}}}}',
        '[{"name": "clock"}, "and more"]',
        "<tools></tools>",
        "<tool_call></tool_call>",
        '<tool_call>{"name": "clock"}</tool_call> I did it.',
        "control(lamp)",
        "{" * 40_000,
        "`" * 40_000,
        "<tool_call>" * 3_000,
        '{"name": "clock"}' + " " * 60_000 + "x",
    ],
)
def test_what_is_no_call_stays_text(text: str) -> None:
    assert found(text) == []


def test_several_calls_in_one_text() -> None:
    one = '<tool_call>{"name": "clock"}</tool_call>'
    other = '<tool_call>{"name": "control", "arguments": {"on": true}}</tool_call>'

    assert found(one + "\n" + other) == [("clock", {}), ("control", {"on": True})]
    assert found('[{"name": "clock"}, {"name": "zwave__control"}]') == [("clock", {}), ("zwave__control", {})]
    assert len({call.id for call in text_tool_calls(one + one, OFFERED)}) == 2


@settings(deadline=None)
@given(st.dictionaries(st.text(min_size=1, max_size=6), JSON, max_size=3))
def test_arguments_come_through_unchanged(arguments: dict[str, object]) -> None:
    text = json.dumps({"name": "control", "arguments": arguments}, ensure_ascii=False)
    schema_like = arguments.get("type") == "object" and "properties" in arguments

    assert found(text) == ([] if schema_like else [("control", arguments)])


@settings(deadline=None)
@given(st.text(alphabet=st.characters(codec="utf-8"), max_size=60) | JSON.map(json.dumps))
def test_no_text_breaks_it(text: str) -> None:
    for call in text_tool_calls(text, OFFERED):
        assert call.name in OFFERED
