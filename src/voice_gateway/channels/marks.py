"""Marks for the acts of a turn, made from outcomes only, so that no model can forge one."""

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Any

from voice_gateway.errors import ErrorKind
from voice_gateway.languages.outcomes import without_marks
from voice_gateway.tools.masking import mask, shorten
from voice_gateway.turn import OutcomeStatus, ToolOutcome

LONGEST_VALUE = 60  # characters of a name, or of one value


class Mark(StrEnum):
    DONE = "✓"  # confirmed
    NOT_DONE = "✗"
    OPEN = "…"  # under way, queued or unconfirmed


_MARKS = {
    OutcomeStatus.CONFIRMED: Mark.DONE,
    **dict.fromkeys((OutcomeStatus.WORKING, OutcomeStatus.QUEUED, OutcomeStatus.UNCONFIRMED), Mark.OPEN),
    **dict.fromkeys((OutcomeStatus.WAITING, OutcomeStatus.READ)),
}


def mark_of(outcome: ToolOutcome) -> Mark | None:
    """None for what is no act: reading, a call that waits for confirmation, an unknown tool."""
    if outcome.read_only or outcome.error is ErrorKind.UNKNOWN_TOOL:
        return None
    return _MARKS.get(outcome.status, Mark.NOT_DONE)


def mark_of_turn(outcomes: Iterable[ToolOutcome]) -> Mark | None:
    """DONE if all acts are, NOT_DONE if any failed, else None."""
    marks = {mark for outcome in outcomes if (mark := mark_of(outcome))}
    if Mark.NOT_DONE in marks:
        return Mark.NOT_DONE
    return Mark.DONE if marks == {Mark.DONE} else None


def mark_lines(outcomes: Iterable[ToolOutcome]) -> list[str]:
    """One line for each act: its mark, its device or tool, and its status unless it is done."""
    return [f"{mark} {_about(outcome, mark)}" for outcome in outcomes if (mark := mark_of(outcome))]


def _about(outcome: ToolOutcome, mark: Mark) -> str:
    """The device and state, or the tool and arguments. Values may come from a model: one line only."""
    name, values = _device_and_values(outcome, mark) or (outcome.name.replace("_", " "), outcome.args)
    try:
        shown = ", ".join(shorten(f"{value}", LONGEST_VALUE) for value in mask(dict(values)).values())
    except ValueError:  # Python refuses to write a number of thousands of digits
        shown = "…"
    line = " ".join(f"{shorten(name, LONGEST_VALUE)}: {shown}".split()).rstrip(": ")
    stands = "" if mark is Mark.DONE else f" ({outcome.status.replace('_', ' ')})"
    return without_marks("".join(character for character in line if character.isprintable())) + stands


def _device_and_values(outcome: ToolOutcome, mark: Mark) -> tuple[str, Mapping[str, Any]] | None:
    """The device with its state, or with what was requested if that is not done.

    None unless the tool reports `device`, `outcome` and `state` or `requested`: other results may repeat a
    model's text, and a note called "Front Door" is not a door.
    """
    facts = outcome.facts
    device, state, requested = facts.get("device"), facts.get("state"), facts.get("requested")
    if not (isinstance(device, str) and device.strip() and isinstance(facts.get("outcome"), str)):
        return None
    if mark is Mark.DONE and isinstance(state, str) and state.strip():
        return device, {"state": state}
    return (device, requested) if isinstance(requested, Mapping) and requested else None
