"""README's table "when something is degraded" explains every part and sentence that the code can produce."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pytest
from tests.gateway.test_running_page import PROOFS as OF_PARTS

from voice_gateway.config.tree import Provider
from voice_gateway.errors import BrainError
from voice_gateway.parts import _OUTSIDE, outside_parts
from voice_gateway.turn import ToolOutcome, Utterance
from voice_gateway.watch import Acted, State, Watch

ROOT = Path(__file__).parents[2]
SOURCES = {
    path: ast.parse(path.read_text(encoding="utf-8"))
    for path in sorted((ROOT / "src" / "voice_gateway").rglob("*.py"))
}
CLIENTS = "tests/unit/brain/llm/test_ollama_client.py"
CLOUD = "tests/unit/brain/llm/test_anthropic_client.py"
# Rows that stand only here: the other page has those of the parts most people meet.
PROOFS = OF_PARTS | {
    "`mqtt` (TLS)": "tests/mqtt/test_link.py::test_a_certificate_that_nobody_vouches_for_is_called_so",
    "`brain ollama`, `brain anthropic` (answer)": f"{CLIENTS}::test_silence_has_a_limit",
    "`brain anthropic` (busy)": f"{CLOUD}::test_every_trouble_is_one_clear_error",
    "`brain anthropic` (model)": f"{CLOUD}::test_an_unknown_model_is_named",
    "`volume`": "tests/gateway/test_readme_table.py::test_the_volume_control_is_judged_by_how_calls_end",
    "`wyoming`": "tests/voice/test_wyoming.py::test_a_port_that_is_taken_is_told_and_tried_again",
    "a failed start": "tests/spec/test_mcp.py::"
    "test_the_final_message_says_what_failed_why_what_to_check_and_what_remains",
    "a Z-Wave tool": "tests/zwave_mqtt/test_mqtt_faults.py::test_without_a_broker_a_call_says_so_at_once",
    "a tool": "tests/spec/test_exe.py::test_a_timeout_says_that_a_side_effect_may_still_happen",
    "a reply (claim)": "tests/unit/brain/test_receipts_loop.py::test_then_the_gateway_says_it_itself",
    "a reply (length)": f"{CLIENTS}::test_an_answer_that_is_not_whole_is_an_error",
}
# A part's name that is a variable where it is reported, and what it can be.
VARIABLE = {
    ("parts.py", "part"): [part for part, _, _ in _OUTSIDE.values()],
    ("speech_output.py", "part"): ["speech", "speaker"],
    ("app.py", "part"): ["brain …"],
}
BRAINS = [f"brain {name}" for name in get_args(Provider) if name != "local"]


def rows() -> list[list[str]]:
    text = (ROOT / "README.md").read_text(encoding="utf-8").split("## When something is degraded")[1]
    lines = [line for line in text.split("\n## ")[0].splitlines() if line.startswith("|")][2:]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def calls(tree: ast.AST) -> Iterator[tuple[str, ast.Call]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            yield getattr(node.func, "attr", getattr(node.func, "id", "")), node


def reported_parts() -> set[str]:
    found: set[str] = set()
    for path, tree in SOURCES.items():
        for name, call in calls(tree):
            if name != "report" or not call.args:
                continue
            part = call.args[0]
            written = texts(part, tree)
            if isinstance(part, ast.Name) and (path.name, part.id) in VARIABLE:
                written = VARIABLE[path.name, part.id]
            assert written, f"{path.name}:{call.lineno}: add this part's possible names to VARIABLE"
            found.update(written)
    return found


def texts(value: ast.expr, tree: ast.Module) -> list[str]:
    """What an expression can say, with … for what is put in; nothing when it is made elsewhere."""
    if isinstance(value, ast.Constant):
        return [value.value] if isinstance(value.value, str) else []
    if isinstance(value, ast.JoinedStr):
        return ["".join(part.value if isinstance(part, ast.Constant) else "…" for part in value.values)]
    if isinstance(value, ast.Name):
        given = [
            node.value for node in ast.walk(tree) if isinstance(node, ast.Assign) and _sets(node, value.id)
        ]
        return [text for inner in given if not isinstance(inner, ast.Name) for text in texts(inner, tree)]
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Name):
        made = [n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name == value.func.id]
        returned = [n.value for one in made for n in ast.walk(one) if isinstance(n, ast.Return) and n.value]
        return [text for inner in returned for text in texts(inner, tree)]
    return []


def _sets(node: ast.Assign, name: str) -> bool:
    return any(isinstance(target, ast.Name) and target.id == name for target in node.targets)


def _is_degraded(node: ast.expr) -> bool:
    return isinstance(node, ast.Attribute) and node.attr == "DEGRADED"


def degraded_sentences() -> set[str]:
    found = {BrainError.default_spoken}
    for tree in SOURCES.values():
        for name, call in calls(tree):
            if name == "report" and len(call.args) > 2 and _is_degraded(call.args[1]):
                found.update(texts(call.args[2], tree))
            if name in ("BrainError", "LinkError"):  # what is spoken of them becomes the part's sentence
                spoken = [keyword.value for keyword in call.keywords if keyword.arg == "spoken"]
                found.update(text for value in spoken for text in texts(value, tree))
        for node in ast.walk(tree):
            if isinstance(node, ast.Tuple) and node.elts and _is_degraded(node.elts[0]):
                found.update(texts(node.elts[1], tree))
    return found


def test_each_row_has_a_test_and_each_test_a_row():
    assert sorted(row[0] for row in rows()) == sorted(PROOFS)
    assert all(len(row) == 5 and all(row) for row in rows())


@pytest.mark.parametrize("proof", [proof for row, proof in PROOFS.items() if row not in OF_PARTS])
def test_the_proof_is_there(proof):
    path, name = proof.split("::")

    assert re.search(rf"^(async )?def {name}\(", (ROOT / path).read_text(encoding="utf-8"), re.MULTILINE)


def test_every_part_that_can_be_degraded_has_a_row():
    explained = {part for row in rows() for part in re.findall(r"`([^`]+)`", row[0])}
    parts = reported_parts()
    assert {"mqtt", "volume", "wyoming", "speaker", "server …", "brain …"} <= parts, "they are found at all"

    wanted = {part.replace("server …", "server NAME") for part in parts} - {"brain …"} | set(BRAINS)

    assert explained == wanted


def test_every_sentence_of_a_degraded_part_is_explained():
    shown = "\n".join(row[1] for row in rows())
    sentences = degraded_sentences()
    assert len(sentences) > 15, "they are found at all"

    missing = [
        sentence
        for sentence in sorted(sentences)
        if any(piece.strip() not in shown for piece in sentence.split("…") if len(piece.strip()) > 2)
    ]

    assert missing == []


def test_the_volume_control_is_judged_by_how_calls_end():
    watch = Watch()
    watch.subscribe(outside_parts(watch))

    failed = ToolOutcome("1", "control_speaker_volume", "Error: no", False, 0.1, error="unavailable")
    watch.tell(Acted(Utterance("x"), failed))
    (lost,) = watch.parts()
    watch.tell(Acted(Utterance("x"), ToolOutcome("2", "control_speaker_volume", "30", True, 0.1)))

    assert lost.sentence == "The volume control did not work last time; I try again the next time I need it."
    assert f'"{lost.sentence}"' in {row[0]: row[1] for row in rows()}["`volume`"]
    assert "the sound server" in lost.advice
    assert watch.state("volume") is State.OK
