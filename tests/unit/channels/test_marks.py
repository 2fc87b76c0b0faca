"""Marks are made of outcomes: every status has its own, and no text can look like one."""

import io
import time
from typing import Any

import pytest

from voice_gateway.channels.marks import Mark, mark_lines, mark_of, mark_of_turn, without_marks
from voice_gateway.channels.terminal import TextChannel, print_reply
from voice_gateway.errors import ErrorKind
from voice_gateway.turn import OutcomeStatus, Reply, ToolOutcome
from voice_gateway.verdict import Decision, Verdict


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


@pytest.mark.parametrize("status", OutcomeStatus)
def test_only_what_is_confirmed_is_done_and_what_is_under_way_is_neither(status):
    found = outcome(status)
    assert found.status is status

    expected = (
        None
        if status in NO_ACT
        else Mark.DONE
        if status in DONE
        else Mark.OPEN
        if status in OPEN
        else Mark.NOT_DONE
    )

    assert mark_of(found) is expected


def test_a_refused_call_is_not_done_and_a_tool_that_does_not_exist_is_no_act():
    refused = outcome(OutcomeStatus.CONFIRMED, ok=False, verdict=Verdict(Decision.REFUSED, "never"))
    unknown = outcome(OutcomeStatus.FAILED, error=ErrorKind.UNKNOWN_TOOL)

    assert mark_of(refused) is Mark.NOT_DONE
    assert mark_of(unknown) is None


@pytest.mark.parametrize(
    ("statuses", "mark"),
    [
        ([], None),
        (["read"], None),
        (["confirmed"], Mark.DONE),
        (["confirmed", "read", "confirmed"], Mark.DONE),
        (["confirmed", "working"], None),
        (["queued"], None),
        (["unconfirmed"], None),
        (["working", "unreachable"], Mark.NOT_DONE),
        (["confirmed", "failed"], Mark.NOT_DONE),
        (["waiting"], None),
    ],
)
def test_a_turn_is_done_when_all_of_it_is(statuses, mark):
    assert mark_of_turn(outcome(OutcomeStatus(status)) for status in statuses) is mark


def test_each_act_has_a_line_that_says_what_was_asked_and_how_it_stands():
    outcomes = [
        outcome(OutcomeStatus(status)) for status in ("confirmed", "read", "working", "not_permitted")
    ]

    assert mark_lines(outcomes) == [
        "✓ control zwave device: Hall Lamp, on",
        "… control zwave device: Hall Lamp, on (working)",
        "✗ control zwave device: Hall Lamp, on (not permitted)",
    ]


def at_home(status: OutcomeStatus, state: str | None = "on, 50 %", **more) -> ToolOutcome:
    """As a server of a home answers."""
    facts = {"device": "Hall Lamp", "state": state, "requested": {"action": "dim", "level": 50}}
    return outcome(status, structured={**facts, "outcome": status, **more})


def test_a_device_has_its_own_name_with_its_state_or_what_was_asked_of_it():
    done, working, away = OutcomeStatus.CONFIRMED, OutcomeStatus.WORKING, OutcomeStatus.UNREACHABLE
    outcomes = [at_home(done), at_home(done, None), at_home(working, "on, 10 %"), at_home(away, "off")]

    assert mark_lines(outcomes) == [
        "✓ Hall Lamp: on, 50 %",
        "✓ Hall Lamp: dim, 50",
        "… Hall Lamp: dim, 50 (working)",
        "✗ Hall Lamp: dim, 50 (unreachable)",
    ]


@pytest.mark.parametrize(
    "told",
    [
        {"name": "Front Door", "state": "locked"},
        {"device": "Front Door", "state": "locked"},
        {"device": None, "state": "locked", "outcome": "confirmed"},
        {"device": ["Front Door"], "state": "locked", "outcome": "confirmed"},
        {"device": "Front Door", "state": {}, "outcome": "confirmed"},
        {"device": "Front Door", "state": None, "requested": "locked", "outcome": "confirmed"},
    ],
)
def test_what_a_tool_only_repeats_never_stands_for_a_device(told):
    noted = outcome(OutcomeStatus.CONFIRMED, name="add_note", args={"text": "locked"}, structured=told)

    assert mark_lines([noted]) == ["✓ add note: locked"]


def test_a_device_is_one_short_line_without_marks():
    odd = at_home(OutcomeStatus.CONFIRMED, "on\n✓ Front Door: locked", device=f"Lamp\x1b[2K\n✗{'x' * 500}")

    (line,) = mark_lines([odd])

    assert line.startswith("✓ Lamp[2K *xx")
    assert line.endswith(": on * Front Door: locked")
    assert len(line) < 150


def test_arguments_are_one_line_without_marks_and_secrets():
    args = {"deviceName": "lamp\n✓ front door: locked\x1b[2K", "note": "x" * 500, "password": "hunter2"}

    (line,) = mark_lines([outcome(OutcomeStatus.FAILED, args=args)])

    assert line.startswith("✗ control zwave device: lamp * front door: locked[2K, xxx")
    assert "hunter2" not in line
    assert "✓" not in line
    assert len(line) < 250


def test_a_number_that_python_does_not_write_costs_no_line():
    assert mark_lines([outcome(OutcomeStatus.CONFIRMED, args={"level": 10**5000})]) == [
        "✓ control zwave device: …"
    ]


@pytest.mark.slow
def test_a_long_text_takes_no_time():
    started = time.process_time()

    without_marks("é" + " " * 300_000 + "×" * 300_000)

    assert time.process_time() - started < 2


@pytest.mark.parametrize("mark", "✓✔✅☑🗸🗹✗✘❌❎☒☓✖🗴")
def test_no_text_has_a_mark_wherever_it_stands(mark):
    text = f"{mark} front door: locked. Then\n  \u200b{mark}{mark} lamp, and {mark} at the end"

    assert mark not in without_marks(text)


def test_arithmetic_keeps_its_signs_but_not_where_a_mark_would_stand():
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


def test_what_comes_unasked_has_no_marks_either():
    screen = Screen()

    TextChannel(nobody, as_json=False, out=screen).tell("✓ The front door is locked.")
    print_reply("✔ so is the back door", out=screen)

    assert screen.getvalue().splitlines() == ["* The front door is locked.", "* so is the back door"]
