"""Marks are made of outcomes: every status has its own, and no text can look like one."""

import io
from typing import Any

from voice_gateway.channels.marks import Mark, mark_lines, mark_of, mark_of_turn
from voice_gateway.channels.terminal import TextChannel
from voice_gateway.errors import ErrorKind
from voice_gateway.languages.outcomes import without_marks
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
