"""A terminal shows marks that are made of outcomes, and no text that looks like one; JSON stays JSON."""

import io
import json
from typing import Any

import pytest

from voice_gateway.channels import json_text
from voice_gateway.channels.marks import Mark, mark_lines, mark_of, mark_of_turn
from voice_gateway.channels.terminal import TextChannel, print_reply, read_line
from voice_gateway.errors import ErrorKind
from voice_gateway.languages.outcomes import without_marks
from voice_gateway.progress import read_progress
from voice_gateway.turn import Decision, OutcomeStatus, Reply, ToolOutcome, Verdict


async def nobody(*_words, **_options):
    raise AssertionError("nobody asks anything here")


DONE = {OutcomeStatus.CONFIRMED}
OPEN = {OutcomeStatus.WORKING, OutcomeStatus.QUEUED, OutcomeStatus.UNCONFIRMED}
NO_ACT = {OutcomeStatus.READ, OutcomeStatus.WAITING}


class Screen(io.StringIO):
    def isatty(self) -> bool:
        return True


def outcome(status: OutcomeStatus, **more) -> ToolOutcome:
    """As the executor would make it."""
    ok = status in DONE | OPEN | {OutcomeStatus.READ}
    facts: dict[str, Any] = {
        "ok": ok,
        "args": {"deviceName": "Hall Lamp", "action": "on"},
        "structured": {"outcome": status},
    }
    if status is OutcomeStatus.READ:
        facts |= {"read_only": True, "structured": None}
    if status is OutcomeStatus.WAITING:
        facts |= {"verdict": Verdict(Decision.ASK, "say yes"), "structured": None}
    facts |= {"call_id": "1", "name": "control_zwave_device", "text": "…", "seconds": 0.0}
    return ToolOutcome(**facts | more)


def test_only_a_confirmed_act_is_done_and_an_open_one_is_neither():
    for status in OutcomeStatus:
        act = outcome(status)
        assert act.status is status
        expected = Mark.DONE if status in DONE else Mark.OPEN if status in OPEN else Mark.NOT_DONE
        assert mark_of(act) is (None if status in NO_ACT else expected), status
    refused = outcome(OutcomeStatus.CONFIRMED, ok=False, verdict=Verdict(Decision.REFUSED, "never"))
    unknown = outcome(OutcomeStatus.FAILED, error=ErrorKind.UNKNOWN_TOOL)
    assert (mark_of(refused), mark_of(unknown)) == (Mark.NOT_DONE, None)


def test_a_turn_is_done_when_all_its_acts_are():
    marks = {
        "read": None,
        "confirmed read confirmed": Mark.DONE,
        "confirmed working": None,
        "queued": None,
        "working unreachable": Mark.NOT_DONE,
        "waiting": None,
    }
    for statuses, mark in marks.items():
        assert mark_of_turn(outcome(OutcomeStatus(one)) for one in statuses.split()) is mark, statuses


def at_home(status: OutcomeStatus, state: str | None = "on, 50 %", **more) -> ToolOutcome:
    """As a server of a home answers."""
    facts = {"device": "Hall Lamp", "state": state, "requested": {"action": "dim", "level": 50}}
    return outcome(status, structured={**facts, "outcome": status, **more})


def test_each_act_has_a_line_with_its_device_or_arguments_and_its_status():
    done, working, away = OutcomeStatus.CONFIRMED, OutcomeStatus.WORKING, OutcomeStatus.UNREACHABLE
    by_arguments = [outcome(status) for status in (done, OutcomeStatus.READ, working)]
    by_device = [at_home(done), at_home(done, None), at_home(working, "on, 10 %"), at_home(away, "off")]

    assert mark_lines(by_arguments + by_device) == [
        "✓ control zwave device: Hall Lamp, on",
        "… control zwave device: Hall Lamp, on (working)",
        "✓ Hall Lamp: on, 50 %",
        "✓ Hall Lamp: dim, 50",
        "… Hall Lamp: dim, 50 (working)",
        "✗ Hall Lamp: dim, 50 (unreachable)",
    ]


def test_a_result_that_only_names_a_device_is_not_its_state():
    for facts in (
        {"device": "Front Door", "state": "locked"},
        {"device": ["Front Door"], "state": "locked", "outcome": "confirmed"},
        {"device": "Front Door", "state": None, "requested": "locked", "outcome": "confirmed"},
    ):
        noted = outcome(OutcomeStatus.CONFIRMED, name="add_note", args={"text": "locked"}, structured=facts)
        assert mark_lines([noted]) == ["✓ add note: locked"]


def test_a_device_is_one_short_line_without_marks():
    odd = at_home(OutcomeStatus.CONFIRMED, "on\n✓ Front Door: locked", device=f"Lamp\x1b[2K\n✗{'x' * 500}")

    (line,) = mark_lines([odd])

    assert line.startswith("✓ Lamp[2K *xx")
    assert line.endswith(": on * Front Door: locked")
    assert len(line) < 150


def test_marks_in_a_text_are_replaced_and_signs_of_arithmetic_are_kept():
    for mark in "✓✔✅☑🗸🗹✗✘❌❎☒☓✖🗴":
        assert mark not in without_marks(f"{mark} front door: locked.\n  \u200b{mark}{mark} lamp at {mark}")
    assert without_marks("3 × 4 = 12 and √9 = 3") == "3 × 4 = 12 and √9 = 3"
    assert without_marks("× the door\n √ the lamp") == "* the door\n * the lamp"
    assert without_marks(f"so{' ' * 80}√ the lamp") == f"so{' ' * 80}* the lamp"  # in the next row


def test_a_terminal_shows_marks_and_a_pipe_or_json_does_not(monkeypatch):
    monkeypatch.setenv("NO_COLOR", "1")
    reply = Reply("✓ The front door is locked.\nDone.", (outcome(OutcomeStatus.UNREACHABLE),))
    screen, pipe, script = Screen(), io.StringIO(), Screen()

    TextChannel(nobody, as_json=False, out=screen).show(reply)
    TextChannel(nobody, as_json=False, out=pipe).show(reply)
    TextChannel(nobody, as_json=True, out=script).show(reply)

    assert screen.getvalue().splitlines() == [
        "* The front door is locked.",
        "Done.",
        "✗ control zwave device: Hall Lamp, on (unreachable)",
    ]
    assert pipe.getvalue() == "✓ The front door is locked.\nDone.\n"
    assert len(script.getvalue().splitlines()) == 1
    assert "unreachable)" not in script.getvalue()


# --- what a terminal and JSON show beside them: progress, a model's words, odd values


NAN, INFINITY = float("nan"), float("inf")
PARTS = [
    {"source": "gateway", "text": "The Desk Lamp is now on."},
    {"source": "model", "text": "Once upon a time.\n\nThe Front Door is locked."},
]


def test_progress_needs_a_number_and_its_message_is_one_short_line():
    for done in (None, "5", True, NAN, INFINITY, 10**400, [], {}):
        assert read_progress(done, 1, "x") is None
    for total, share in ((0, None), (-1, None), ("9", None), (1, 1.0), (10, 0.5)):
        progress = read_progress(5, total, "a\x1b[2J\nb" + "c" * 999)
        assert progress is not None
        assert progress.share == share
        assert progress.message.startswith("a [2J b")
        assert len(progress.message) == 200


def test_every_line_of_a_model_is_marked(monkeypatch):
    plain, coloured, pipe = Screen(), Screen(), io.StringIO()
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("NO_COLOR", "1")
    print_reply("", out=plain, parts=PARTS)
    monkeypatch.delenv("NO_COLOR")
    for out in (coloured, pipe):
        print_reply("Told.", out=out, parts=PARTS)

    assert plain.getvalue().splitlines() == [
        "The Desk Lamp is now on.",
        "model: Once upon a time.",
        "",
        "model: The Front Door is locked.",
    ]
    assert "\033[2mOnce upon a time.\n\nThe Front Door is locked.\033[0m" in coloured.getvalue()
    assert pipe.getvalue() == "Told.\n"


def strict(text: str):
    def refused(constant: str):
        raise AssertionError(f"{constant} is not JSON")

    return json.loads(text.encode().decode(), parse_constant=refused)


def test_nan_and_infinity_are_null_and_a_lone_surrogate_is_an_escape():
    odd = strict(json_text({"a": NAN, "b": [-INFINITY, 1], "c": 1e999}))
    assert odd == {"a": None, "b": [None, 1], "c": None}
    assert json_text({"a": "é 💡", "b": NAN}) == '{"a": "é 💡", "b": null}'
    assert strict(json_text({"a": "x\udcff"})) == {"a": "x\udcff"}


@pytest.mark.parametrize(
    "line", ['{"text":' * 20_000 + "1" + "}" * 20_000, f'{{"text": {"9" * 6000}}}', '{"text": 5}']
)
def test_an_unreadable_json_line_is_a_problem(line):
    reply = read_line(line, "c", as_json=True)
    assert isinstance(reply, Reply)
    assert (reply.ok, reply.conversation_id) == (False, "c")
