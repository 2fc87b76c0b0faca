"""What a conversation remembers between turns: what "it" means, and a question that waits for its answer."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from voice_gateway.brain.local.grammar import Frame
from voice_gateway.brain.local.home import Device, Home
from voice_gateway.brain.local.timer_talk import restored, stored
from voice_gateway.brain.local.understanding import Clarification

KEY = "local"  # our corner of the conversation's state


@dataclass(frozen=True, slots=True)
class Memory:
    """Read from, and written to, the conversation's state as plain JSON."""

    last: tuple[Device, ...] = ()
    topic: str = ""
    frame: Frame | None = None
    asked: Clarification | None = None
    asked_at: float = 0.0
    timer: str = ""  # the one that was just set: "cancel it"
    timer_at: float = 0.0

    def to_json(self) -> dict[str, Any]:
        written: dict[str, Any] = {"last": [list(device.key) for device in self.last], "topic": self.topic}
        if self.timer:
            written["timer"] = {"id": self.timer, "at": self.timer_at}
        if self.frame is not None:
            written["frame"] = {"intent": self.frame.intent, "slots": dict(self.frame.slots)}
        if self.asked is not None:
            written["asked"] = {
                "text": self.asked.text,
                "intent": self.asked.frame.intent,
                "slots": dict(self.asked.frame.slots),
                "candidates": [list(device.key) for device in self.asked.candidates],
                "confirm": self.asked.confirm,
                "clear": [list(device.key) for device in self.asked.clear],
                "slot": self.asked.slot,
                "timers": stored(self.asked.timers),
                "at": self.asked_at,
            }
        return written


def recall(state: Mapping[str, Any], home: Home) -> Memory:
    """Devices that are gone meanwhile are forgotten, and so is what another version wrote."""
    written = state.get(KEY)
    try:
        return _recalled(written, home) if isinstance(written, Mapping) else Memory()
    except (KeyError, TypeError, ValueError):
        return Memory()


def _recalled(written: Mapping[str, Any], home: Home) -> Memory:
    frame, asked, timer = written.get("frame"), written.get("asked"), written.get("timer")
    return Memory(
        _devices(written.get("last"), home),
        str(written.get("topic", "")),
        Frame(str(frame["intent"]), dict(frame["slots"])) if isinstance(frame, Mapping) else None,
        _ask(asked, home) if isinstance(asked, Mapping) else None,
        float(asked["at"]) if isinstance(asked, Mapping) else 0.0,
        str(timer["id"]) if isinstance(timer, Mapping) else "",
        float(timer["at"]) if isinstance(timer, Mapping) else 0.0,
    )


def _ask(written: Mapping[str, Any], home: Home) -> Clarification:
    frame = Frame(str(written["intent"]), dict(written["slots"]))
    return Clarification(
        str(written["text"]),
        frame,
        _devices(written["candidates"], home),
        bool(written["confirm"]),
        _devices(written.get("clear"), home),
        str(written.get("slot") or ""),
        restored(written.get("timers")),
    )


def _devices(keys: object, home: Home) -> tuple[Device, ...]:
    found = (home.find(key) for key in keys) if isinstance(keys, Sequence) else ()
    return tuple(device for device in found if device is not None)
