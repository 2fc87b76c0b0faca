"""What may be spoken, and what is not an answer."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from voice_gateway.llm.prompt import SYSTEM_PROMPT
from voice_gateway.llm.streaming import clean, unusable

TOOL = "REQUIRED for the time and date: you MUST call this, because you cannot know them."


def reason(text: str, said: str = "turn on the kitchen light") -> str | None:
    return unusable(clean(text), prompt=[SYSTEM_PROMPT, TOOL], said=said)


@pytest.mark.parametrize(
    "text",
    [
        "It is ten o'clock.",
        "4",
        "Ja, gerne.",
        "現在は十時です。",
        "The kitchen light is on.",
        "The set is [1, 2, 3].",
        "x is < 3 and y is > 4.",
        "It is 21.5 °C (sensor: hall).",
        'You said "turn it on", is that right?',
        "Turn on the kitchen light? It is on already.",
        "The time is 10:32; the date is 15 November.",
        "I'm sorry, I can't do that.",
    ],
)
def test_an_answer_is_an_answer(text: str) -> None:
    assert reason(text) is None
    assert clean(text) == text


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "nothing"),
        (" \n ", "nothing"),
        ("...", "nothing"),
        ("<think>the user wants", "nothing"),
        ('{"name": "function_name", "arguments": {"parameter": "value"}}', "json"),
        ('{"name": "control', "json"),
        ("[1, 2]", "json"),
        ('["a", "b"', "json"),
        ('```json\n{"a": 1}\n```', "json"),
        ('Sure! {"name": "x", "arguments": {}}', "json"),
        ("<tools></tools>", "tags"),
        ('<tools>{"type":"function","function":{"clock"}}</tools>', "json"),
        ("<tool_call>clock</tool_call>", "tags"),
        ("Fine. </tool_call>", "tags"),
        ("<|im_start|>assistant", "tags"),
        ("The time is {time}.", "placeholder"),
        ("Hello [your name]!", "placeholder"),
        ("{{ .Prompt }} is what I got", "json"),
        ("It is {{ .Prompt }}", "placeholder"),
        ("Call function_name now.", "placeholder"),
        ("Here:\n```python\nprint(1)\n```", "code"),
        ("Answer in one or two short plain sentences, in the user's language.", "echo"),
        (TOOL, "echo"),
        ("Turn on the kitchen light!", "echo"),
        ("[Monday 15 November 2026, 10:32] turn on the kitchen light", "echo"),
    ],
)
def test_what_is_not_an_answer_is_named(text: str, why: str) -> None:
    assert reason(text) == why


@pytest.mark.parametrize(
    ("text", "spoken"),
    [
        ("<think>hm, ten</think>It is ten.", "It is ten."),
        ("It is ten.<|im_end|>", "It is ten."),
        ("<answer>It is ten.</answer>", "It is ten."),
        ("```\nIt is ten.\n```", "It is ten."),
        ('"It is ten."', "It is ten."),
    ],
)
def test_one_wrapper_is_taken_off(text: str, spoken: str) -> None:
    assert clean(text) == spoken
    assert reason(text) is None


def test_a_short_greeting_may_come_back() -> None:
    assert reason("Hello!", said="hello") is None


@settings(deadline=None)
@given(st.text(alphabet=st.characters(codec="utf-8"), max_size=80))
def test_no_text_breaks_it_and_cleaning_is_stable(text: str) -> None:
    reason(text)
    assert unusable(clean(text)) == unusable(clean(clean(text)))
