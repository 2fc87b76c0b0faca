"""What a conversation remembers for the local brain between turns."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from voice_gateway.brain.local.grammar import Frame
from voice_gateway.brain.local.meaning import Clarification, TimerChoice
from voice_gateway.integrations.device import Device
from voice_gateway.integrations.home import Home

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
        written: dict[str, Any] = {"last": _keys(self.last), "topic": self.topic}
        if self.timer:
            written["timer"] = {"timer": self.timer, "timer_at": self.timer_at}
        if self.frame is not None:
            written["frame"] = {"intent": self.frame.intent, "slots": dict(self.frame.slots)}
        if (asked := self.asked) is not None:
            kept = {name: getattr(asked, name) for name in ("text", "confirm", "slot")}
            frame = {"intent": asked.frame.intent, "slots": dict(asked.frame.slots)}
            devices = {"candidates": _keys(asked.candidates), "clear": _keys(asked.clear)}
            timers = [asdict(timer) for timer in asked.timers]
            written["asked"] = {**kept, **devices, "frame": frame, "timers": timers, "at": self.asked_at}
        return written


def recall(state: Mapping[str, Any], home: Home) -> Memory:
    """Devices that are gone meanwhile are forgotten, and so is what another version wrote."""
    written = state.get(KEY)
    try:
        return _recalled(written, home) if isinstance(written, Mapping) else Memory()
    except (KeyError, TypeError, ValueError):
        return Memory()


def _recalled(written: Mapping[str, Any], home: Home) -> Memory:
    memory = Memory(
        _devices(written["last"], home), **{"topic": str(written["topic"]), **written.get("timer", {})}
    )
    if "frame" in written:
        memory = replace(memory, frame=Frame(**written["frame"]))
    if "asked" not in written:
        return memory
    asked = dict(written["asked"])
    at, frame = float(asked.pop("at")), Frame(**asked.pop("frame"))
    candidates, clear = _devices(asked.pop("candidates"), home), _devices(asked.pop("clear"), home)
    timers = tuple(TimerChoice(**timer) for timer in asked.pop("timers"))
    question = Clarification(**asked, candidates=candidates, clear=clear, frame=frame, timers=timers)
    return replace(memory, asked=question, asked_at=at)


def _keys(devices: Sequence[Device]) -> list[list[object]]:
    return [list(device.key) for device in devices]


def _devices(keys: object, home: Home) -> tuple[Device, ...]:
    found = (home.find(key) for key in keys) if isinstance(keys, Sequence) else ()
    return tuple(device for device in found if device is not None)
