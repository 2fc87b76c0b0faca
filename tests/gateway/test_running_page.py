"""Every row of "when something is degraded" has a test, and says what the gateway says."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "running.md"

PROOFS = {
    "`server NAME`": "tests/gateway/test_degraded.py::test_server",
    "`mqtt`": "tests/mqtt/test_mqtt_door.py::"
    "test_without_a_broker_the_gateway_answers_and_says_what_is_missing",
    "`mqtt` (login)": "tests/gateway/test_degraded.py::test_broker_login",
    "`mqtt` (TLS)": "tests/mqtt/test_link.py::test_a_certificate_that_nobody_vouches_for_is_called_so",
    "`brain ollama`": "tests/gateway/test_degraded.py::test_model_server",
    "`brain ollama` (model)": "tests/gateway/test_degraded.py::test_model_that_was_never_there",
    "`brain anthropic`": "tests/gateway/test_degraded.py::test_cloud_key",
    "`brain anthropic` (no key)": "tests/gateway/test_degraded.py::test_no_cloud_key",
    "`search`": "tests/gateway/test_degraded.py::test_internet",
    "`memory`": "tests/gateway/test_degraded.py::test_memory",
    "data folder": "tests/gateway/test_degraded.py::test_data_folder",
    "commands": "tests/gateway/test_start_and_stop.py::"
    "test_a_second_gateway_says_so_and_takes_over_when_the_first_ends",
    "`voice`": "tests/voice/test_voice_start.py::test_engines_that_cannot_be_loaded_are_told_of",
    "`microphone`": "tests/unit/doors/voice/test_transcriber.py::"
    "test_a_microphone_that_fails_is_opened_again",
    "`transcriber`": "tests/unit/doors/voice/test_transcriber.py::test_an_engine_that_raises_costs_one_turn",
    "`speech`, `speaker`": "tests/unit/doors/voice/test_transcriber.py::test_what_cannot_be_spoken_is_shown",
}


def rows() -> list[list[str]]:
    """The cells of each row of the table."""
    text = PAGE.read_text().split("## When something is degraded")[1].split("\n## ")[0]
    lines = [line for line in text.splitlines() if line.startswith("|")][2:]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def test_each_row_has_a_test_and_each_test_a_row():
    assert [row[0] for row in rows()] == list(PROOFS)
    assert all(len(row) == 5 and all(row) for row in rows())


@pytest.mark.parametrize("proof", PROOFS.values())
def test_the_proof_is_there(proof):
    path, name = proof.split("::")
    functions = [
        node.name
        for node in ast.walk(ast.parse((ROOT / path).read_text()))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    assert name in functions


def test_the_sentences_are_those_of_the_gateway():
    """Each quoted sentence stands in the source, except for the names that it is made with."""
    source = "\n".join(path.read_text() for path in (ROOT / "src").rglob("*.py"))
    quoted = [sentence for row in rows() for sentence in re.findall(r'"([^"]+)"', row[1])]
    known = [
        part
        for sentence in quoted
        for part in re.split(r"…|Without it|The zwave server|Web search", sentence)
    ]
    missing = [part for part in known if len(part.strip()) > 8 and part.strip() not in source]

    assert len(quoted) >= len(PROOFS)
    assert missing == []
