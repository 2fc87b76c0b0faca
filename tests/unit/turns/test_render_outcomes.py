"""What was done, in the tools' own sentences."""

from datetime import UTC, datetime
from typing import Any

import pytest

from voice_gateway.tools.builtin.current_datetime import datetime_tool
from voice_gateway.tools.executor import ToolExecutor
from voice_gateway.tools.manager import ToolManager
from voice_gateway.turn import ToolCall, ToolOutcome
from voice_gateway.turns.render_outcomes import NOT_UNDERSTOOD, render_outcomes


def outcome(text: str, **facts: Any) -> ToolOutcome:
    return ToolOutcome("1", facts.pop("name", "control_lamp"), text, facts.pop("ok", True), 0.1, **facts)


@pytest.mark.parametrize(
    ("given", "text"),
    [
        (outcome("The lamp is on."), "The lamp is on."),
        (outcome("The lamp is on"), "The lamp is on."),
        (outcome("Error: it does not answer", ok=False), "That did not work: it does not answer."),
        (outcome('{"on": true}', structured={"on": True}), "The tool “control lamp” reported success."),
        (outcome('{"message": "x"}', structured={"message": "The lamp is on."}), "The lamp is on."),
        (
            outcome('{"n": 3}', read_only=True),
            "The tool “control lamp” gave an answer that I cannot read aloud.",
        ),
    ],
)
def test_one_outcome(given: ToolOutcome, text: str) -> None:
    assert render_outcomes([given]) == text


def test_several_outcomes_and_the_same_only_once() -> None:
    said = render_outcomes([outcome("On."), outcome("On."), outcome("Error: no", ok=False)])

    assert said == "On. That did not work: no."


def test_a_long_result_is_cut_at_a_sentence() -> None:
    said = render_outcomes([outcome("This is a sentence. " * 100)])

    assert len(said) <= 400
    assert said.endswith("sentence.")
    assert len(render_outcomes([outcome("word " * 1000)])) < 420


def test_nothing_was_done() -> None:
    assert render_outcomes([]) == NOT_UNDERSTOOD


def test_a_long_list_is_not_read_out_where_its_tool_has_a_sentence_for_it():
    facts = {"devices": [], "summary": "I have looked at Home Assistant's 35 devices."}
    looked = ToolOutcome(
        "1", "GetLiveContext", "Live Context:\n- names: AC", True, 0.1, structured=facts, read_only=True
    )

    assert render_outcomes([looked]) == "I have looked at Home Assistant's 35 devices."


async def test_a_call_that_does_not_fit_is_told_without_the_names_of_tool_and_parameters() -> None:
    executor = ToolExecutor(ToolManager())
    executor.tools.add(datetime_tool(lambda: datetime.now(UTC)))
    for name, args in (("get_current_datetime", {"zone_of_time": 5}), ("fly_to_moon", {})):
        outcome = await executor.execute(ToolCall("1", name, args))
        assert not outcome.ok
        words = render_outcomes([outcome])
        assert [bad for bad in (name, "zone_of_time", "timezone", "{") if bad in words] == []
