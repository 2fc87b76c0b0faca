"""What Home Assistant says went wrong: never a word of Python."""

import json
import re
from pathlib import Path

import pytest

from voice_gateway.integrations.home_assistant.wording import explain
from voice_gateway.turn import OutcomeStatus

TESTS = Path(__file__).parents[3]
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


@pytest.mark.parametrize(
    ("text", "args", "status", "sentence"),
    [
        ("Error calling tool: <X no_match_reason=<MatchFailedReason.NAME: 1>, …>", {"name": "Disco Ball"},
         OutcomeStatus.NOT_FOUND, 'Home Assistant has no such device called "Disco Ball".'),
        ("Error calling tool: <X no_match_reason=<MatchFailedReason.INVALID_AREA: 9>>", {"area": "Attic"},
         OutcomeStatus.NOT_FOUND, 'Home Assistant has no area called "Attic".'),
        ("Error calling tool: <X no_match_reason=<MatchFailedReason.DUPLICATE_NAME: 11>>", {"name": "Lamp"},
         OutcomeStatus.AMBIGUOUS,
         'Home Assistant has several devices called "Lamp"; it needs to know the area.'),
        ("Error calling tool: <X no_match_reason=<MatchFailedReason.SOMETHING_NEW: 99>>", {"area": "Hall"},
         OutcomeStatus.NOT_FOUND, "Home Assistant has no such device in the Hall."),
        ("Input validation error: 130 is greater than the maximum of 100", {},
         OutcomeStatus.INVALID, "Home Assistant cannot use what it was given for that."),
        ("Error calling tool: KeyError('x') in foo_bar(3)", {},
         OutcomeStatus.FAILED, "Home Assistant could not do that."),
        ("", {}, OutcomeStatus.FAILED, "Home Assistant could not do that."),
    ],
)  # fmt: skip
def test_an_error_is_said_in_plain_words(
    text: str, args: dict[str, str], status: OutcomeStatus, sentence: str
):
    failure = explain(text, "HassTurnOn", args)
    assert (failure.status, failure.sentence) == (status, sentence)


def test_what_an_old_version_lacks_is_named():
    failure = explain('Error calling tool: Tool "HassStopMoving" not found', "HassStopMoving", {})
    assert failure.sentence == "This Home Assistant does not offer a way to stop what moves."
    assert failure.status is OutcomeStatus.UNSUPPORTED
