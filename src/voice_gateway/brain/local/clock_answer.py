"""The time, the weekday, the date or the year: only what was asked for, of what the clock's tool told."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from voice_gateway.brain.local.grammar import Frame

INTENTS = frozenset({"Time", "Date"})


def clock_answer(frame: Frame, facts: Mapping[str, Any], text: str) -> str:
    """`text` is the tool's own sentence: said for what is not now, and where it told no facts."""
    try:
        now = datetime.fromisoformat(str(facts["iso"]))
    except (KeyError, ValueError):
        return text
    offset, place = frame.text("offset"), frame.text("place")
    if offset or (frame.intent == "Date" and place):
        return _some_day(frame, now) or text
    if frame.intent == "Time":
        return f"It's {clock(now)} in {place.title()}." if place else f"It's {clock(now)}."
    if asked := frame.text("weekday"):
        return f"{'Yes' if asked == f'{now:%A}'.lower() else 'No'}, it's {now:%A}."
    return f"It's {_part(frame, now)}."


def clock(moment: datetime) -> str:
    return f"{moment:%I:%M %p}".lstrip("0")


def _part(frame: Frame, moment: datetime) -> str:
    parts = {
        "weekday": f"{moment:%A}",
        "date": f"{moment:%A}, {moment.day} {moment:%B}",
        "month": f"{moment:%B}",
        "year": f"{moment.year}",
    }
    return parts[frame.text("part") or "date"]


def _some_day(frame: Frame, moment: datetime) -> str:
    """Of another day its name alone, or its date; how far it is away the tool tells better."""
    return f"{_part(frame, moment)}." if frame.text("part") in ("month", "year") else ""
