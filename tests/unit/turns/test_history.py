"""Whatever happened to a conversation, what is sent has one result for each call."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from tests.fakes.anthropic_server import complaint_about

from voice_gateway.turn import ToolCall, ToolOutcome
from voice_gateway.turns.history import NO_RESULT, History, pair

IDS = st.sampled_from(["", "a", "b", "c", "a-2", "call"])


def ai(*ids: str, text: str = "") -> AIMessage:
    return AIMessage(content=text, tool_calls=[{"id": i, "name": "lamp", "args": {}} for i in ids])


def result(call_id: str, text: str = "on") -> ToolMessage:
    return ToolMessage(content=text, tool_call_id=call_id)


MESSAGES = st.lists(
    st.one_of(
        st.builds(lambda text: HumanMessage(content=text), st.sampled_from(["hi", "on"])),
        st.builds(
            lambda ids, text: ai(*ids, text=text), st.lists(IDS, max_size=4), st.sampled_from(["", "ok"])
        ),
        st.builds(result, IDS, st.sampled_from(["x", "y"])),
    ),
    max_size=12,
)


def assert_paired(messages: list[BaseMessage]) -> None:
    """Every call is answered at once, in order, by exactly one result; no id is used twice."""
    used: set[str] = set()
    expected: list[str] = []
    for message in messages:
        if isinstance(message, ToolMessage):
            assert expected
            assert message.tool_call_id == expected.pop(0)
            continue
        assert not expected
        if isinstance(message, AIMessage):
            expected = [call["id"] or "" for call in message.tool_calls]
            assert all(expected)
            assert not used & set(expected)
            assert len(set(expected)) == len(expected)
            used |= set(expected)
    assert not expected


@settings(deadline=None)
@given(MESSAGES)
def test_any_messages_become_paired_and_stay_so(messages: list[BaseMessage]) -> None:
    before = [message.model_copy(deep=True) for message in messages]

    fixed = pair(messages)

    assert_paired(fixed)
    assert pair(fixed) == fixed
    assert messages == before
    spoken = [m.text for m in messages if isinstance(m, HumanMessage)]
    assert [m.text for m in fixed if isinstance(m, HumanMessage)] == spoken


@settings(deadline=None)
@given(MESSAGES)
def test_a_history_survives_being_stored(messages: list[BaseMessage]) -> None:
    history = History(messages, {"last": "lamp"})

    again = History.from_json(json.loads(json.dumps(history.to_json())))

    assert again.paired() == history.paired()
    assert again.state == {"last": "lamp"}


@settings(deadline=None)
@given(MESSAGES, st.integers(0, 400))
def test_trimming_never_splits_a_call_from_its_result(messages: list[BaseMessage], budget: int) -> None:
    for trim in (lambda kept: kept.trim(budget), lambda kept: kept.trim_to_keep(10 * budget)):
        history = History(pair([HumanMessage(content="first"), *messages]))
        newest = [m for m in history.messages if isinstance(m, HumanMessage)][-1]
        trim(history)
        assert_paired(history.messages)
        assert history.paired() == history.messages
        assert isinstance(history.messages[0], HumanMessage)
        assert newest in history.messages


def test_a_message_that_is_right_is_the_very_same_object() -> None:
    messages = [HumanMessage(content="hi"), ai("a", "b"), result("a"), result("b"), AIMessage(content="done")]

    assert all(one is other for one, other in zip(pair(messages), messages, strict=True))


def test_a_missing_result_is_explained_and_late_ones_come_before_the_users_next_words() -> None:
    fixed = pair(
        [ai("a", "b"), HumanMessage(content="well?"), result("b"), result("b", "again"), result("z")]
    )

    assert [m.text for m in fixed] == ["", NO_RESULT, "on", "well?"]
    assert isinstance(fixed[1], ToolMessage)
    assert fixed[1].status == "error"


def test_blocks_of_one_provider_become_plain_text() -> None:
    blocks: list[Any] = [
        {"type": "text", "text": "Let me see."},
        {"type": "tool_use", "id": "a", "name": "x", "input": {}},
    ]
    message = AIMessage(content=blocks, tool_calls=[{"id": "a", "name": "x", "args": {}}])

    fixed = pair([message, result("a")])

    assert fixed[0].content == "Let me see."


def test_what_the_stages_add_is_a_valid_history() -> None:
    history = History()
    history.add_user("lamp on")
    history.add_ai("", [ToolCall("1", "lamp", "not a dict"), ToolCall("2", "lamp", {"on": True})])
    history.add_outcomes(
        [ToolOutcome("1", "lamp", "Error: no", False, 0.1), ToolOutcome("2", "lamp", "on", True, 0.1)]
    )
    history.add_ai("One of two.")

    assert history.paired() == history.messages
    assert [m.status for m in history.messages if isinstance(m, ToolMessage)] == ["error", "success"]
    assert history.call_ids() == {"1", "2"}


def test_over_budget_the_oldest_turns_go_together_and_rarely() -> None:
    history = History()
    gone = []
    for number in range(60):
        history.add_user(f"question {number} " + "word " * 20)
        history.add_ai("answer " * 20)
        gone.append(history.trim(1000))

    assert history.messages[-2].text.startswith("question 59")
    assert isinstance(history.messages[0], HumanMessage)
    assert 0 < sum(1 for count in gone if count) < 15  # not at every turn: each time, everything is read anew


def test_a_turn_that_is_too_long_alone_keeps_head_and_tail_of_its_results() -> None:
    history = History()
    history.add_user("search")
    history.add_ai("", [ToolCall("1", "search", {})])
    history.add_outcomes([ToolOutcome("1", "search", "head " + "x" * 9000 + " tail", True, 0.1)])

    history.trim(500)

    text = history.messages[-1].text
    assert text.startswith("head")
    assert text.endswith("tail")
    assert len(text) < 1000
    assert_paired(history.messages)


@pytest.mark.slow
@settings(deadline=None)
@given(MESSAGES)
def test_the_messages_api_accepts_every_paired_history(messages: list[BaseMessage]) -> None:
    """Against the fake that refuses what the real API refuses, through LangChain's own formatting."""
    from langchain_anthropic.chat_models import _format_messages

    from voice_gateway.llm.anthropic.client import sendable

    fixed = pair([HumanMessage(content="hello"), *messages, HumanMessage(content="next")])

    _, formatted = _format_messages([*map(sendable, fixed)], model="claude-haiku-4-5")

    assert complaint_about({"messages": formatted}) is None
