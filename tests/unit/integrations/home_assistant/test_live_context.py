"""The list of a Home Assistant: read as it was written, or not at all."""

import json
import re
from collections.abc import Mapping
from pathlib import Path

import pytest
import yaml

from voice_gateway.errors import ToolError
from voice_gateway.integrations.home_assistant.live_context import (
    Entity,
    overview,
    read_live_context,
    to_number,
)
from voice_gateway.integrations.home_assistant.wording import explain
from voice_gateway.turn import OutcomeStatus

TESTS = Path(__file__).parents[3]
RECORDED = (
    TESTS / "fakes/home_assistant_data/live_context.txt",
    TESTS / "home_assistant_data/live_context-2025.4.4.txt",
)
HEADING = "Live Context: An overview of the areas and the devices in this smart home:\n"


def answer(text: str) -> str:
    return json.dumps({"success": True, "result": text})


def read_overview(answered: str) -> tuple[Entity, ...]:
    return read_live_context(overview(answered))


def dumped(*entities: Mapping[str, object]) -> str:
    """As Home Assistant dumps: lines of 80 characters, null as nothing."""
    return yaml.safe_dump([dict(entity) for entity in entities], sort_keys=False, allow_unicode=True).replace(
        ": null\n", ":\n"
    )


def read(*entities: Mapping[str, object]) -> tuple[Entity, ...]:
    return read_overview(answer(HEADING + dumped(*entities)))


def test_a_recorded_list_and_a_name_with_every_mark_are_read():
    assert all(len(read_overview(answer(path.read_text()))) > 30 for path in RECORDED)
    name = """- Küche, "no": {off} 'hell' # 1"""
    lamp = {"names": name, "domain": "light", "state": "on", "attributes": {"brightness": None}}
    assert read(lamp) == (Entity(name, "light", "on", (), {"brightness": None}),)


@pytest.mark.parametrize("lines", [1, 2, 3, 5, 8, 13])
def test_a_list_that_is_cut_is_no_list(lines: int):
    whole = HEADING + dumped(
        {"names": "Bed Light", "domain": "light", "state": "off", "areas": "Bedroom"},
        {"names": "Front Door", "domain": "lock", "state": "locked"},
    )
    cut = whole[: -lines * 2 - 1]
    with pytest.raises(ToolError, match=r"cut off|cannot be read"):
        read_overview(answer(cut))


def test_an_entity_without_its_state_is_cut_off_even_at_the_end_of_a_line():
    with pytest.raises(ToolError, match="cut off"):
        read_overview(answer(HEADING + "- names: Front Door\n  domain: lock\n"))


def test_an_answer_without_a_list_is_reported():
    for text in ("", "{", "[]", "no json", '{"success": true}', '{"success": true, "result": 3}'):
        with pytest.raises(ToolError, match="cannot be read"):
            read_overview(text)
    with pytest.raises(ToolError, match="shares no devices"):
        read_overview(json.dumps({"success": False, "error": "Only if the user wants …"}))


def test_numbers_come_as_text():
    numbers = {"180": 180, "25.0": 25, "-3.5": -3.5}
    assert {text: to_number(text) for text in numbers} == numbers
    assert [to_number(text) for text in (None, "", "unknown", "nan", "inf")] == [None] * 5


PYTHON = re.compile(r"<|>|=|\bNone\b|MatchFailed|slot info|Error:|_\w+\(|is not of type")


def recorded() -> list[tuple[str, str, dict[str, object], str]]:
    rows = []
    for line in (TESTS / "fakes/home_assistant_data/calls.jsonl").read_text().splitlines():
        call = json.loads(line)
        if call["result"].get("isError"):
            text = call["result"]["content"][0]["text"]
            rows.append((f"new: {call['what']}", call["tool"], call["arguments"], text))
    for line in (TESTS / "home_assistant_data/errors-2025.4.4.jsonl").read_text().splitlines():
        call = json.loads(line)
        rows.append((f"old: {call['what']}", call["tool"], call["arguments"], call["text"]))
    return rows


def test_every_recorded_error_is_a_sentence():
    rows = recorded()
    assert len(rows) > 80
    for what, tool, args, text in rows:
        failure = explain(text, tool, args)

        assert not PYTHON.search(failure.sentence), (what, failure.sentence)
        assert failure.sentence.endswith("."), what
        assert failure.sentence != "Home Assistant could not do that.", what  # each is explained
        assert failure.status not in (OutcomeStatus.CONFIRMED, OutcomeStatus.WORKING), what


def test_an_error_is_said_in_plain_words():
    for case in yaml.safe_load(Path(__file__).with_name("cases.yaml").read_text())["errors"]:
        failure = explain(case["text"], "HassTurnOn", case["args"])
        assert (failure.status, failure.sentence) == (case["outcome"], case["sentence"])


def test_what_an_old_version_lacks_is_named():
    failure = explain('Error calling tool: Tool "HassStopMoving" not found', "HassStopMoving", {})
    assert failure.sentence == "This Home Assistant does not offer a way to stop what moves."
    assert failure.status is OutcomeStatus.UNSUPPORTED
