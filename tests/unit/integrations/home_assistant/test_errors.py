"""What Home Assistant says went wrong: never a word of Python."""

import json
import re
from pathlib import Path

import yaml

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


def test_an_error_is_said_in_plain_words():
    for case in yaml.safe_load(Path(__file__).with_name("cases.yaml").read_text())["errors"]:
        failure = explain(case["text"], "HassTurnOn", case["args"])
        assert (failure.status, failure.sentence) == (case["outcome"], case["sentence"])


def test_what_an_old_version_lacks_is_named():
    failure = explain('Error calling tool: Tool "HassStopMoving" not found', "HassStopMoving", {})
    assert failure.sentence == "This Home Assistant does not offer a way to stop what moves."
    assert failure.status is OutcomeStatus.UNSUPPORTED
