"""What a tool gives back: one sentence, the facts, and whether it is an error."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from zwave_mcp.devices import Device

Outcome = Literal[
    "confirmed",
    "working",
    "queued",
    "unconfirmed",
    "unreachable",
    "failed",
    "ambiguous",
    "not_found",
    "unsupported",
    "invalid",
    "system_down",
]
OUTCOMES: Final[tuple[Outcome, ...]] = Outcome.__args__  # type: ignore[attr-defined]

# All others are errors: a caller must not take them for done.
_GOOD: Final = frozenset({"confirmed", "working", "queued"})
# Of several at once this one is told of all.
_WORST: Final[tuple[Outcome, ...]] = (
    "system_down",
    "invalid",
    "unsupported",
    "failed",
    "unconfirmed",
    "unreachable",
    "queued",
    "working",
    "confirmed",
)


def worst(outcomes: Iterable[Outcome]) -> Outcome:
    return min(outcomes, key=_WORST.index)


@dataclass(frozen=True, slots=True)
class Result:
    sentence: str
    structured: Mapping[str, Any]
    is_error: bool = False


@dataclass(frozen=True, slots=True)
class Facts:
    """The part that every result about one device has."""

    requested: Mapping[str, Any] = field(default_factory=dict)
    device: Device | None = None
    state: str | None = None
    candidates: Sequence[Device] = ()
    more: Mapping[str, Any] = field(default_factory=dict)


def result(sentence: str, outcome: Outcome, facts: Facts) -> Result:
    device = facts.device
    structured: dict[str, Any] = {
        "device": device.name if device else None,
        "room": device.room if device else None,
        "nodeId": device.node.id if device else None,
        "endpoint": device.endpoint if device else None,
        "requested": dict(facts.requested),
        "state": facts.state,
        "outcome": outcome,
    }
    if facts.candidates:
        structured["candidates"] = [
            {"name": hit.name, "room": hit.room, "nodeId": hit.node.id, "endpoint": hit.endpoint}
            for hit in facts.candidates
        ]
    structured.update(facts.more)
    return Result(sentence, structured, outcome not in _GOOD)
