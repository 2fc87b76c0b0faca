"""What a tool returns: one sentence, the facts, and whether it is an error."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from zwave_mcp.devices import Device

Outcome = Literal[
    "confirmed", "working", "queued", "unconfirmed", "unreachable", "failed", "ambiguous", "not_found",
    "unsupported", "invalid", "system_down",
]  # fmt: skip
OUTCOMES: Final[tuple[Outcome, ...]] = Outcome.__args__  # type: ignore[attr-defined]
_GOOD: Final = frozenset({"confirmed", "working", "queued"})  # all others are errors
# Of several at once the first of these is the common outcome.
_WORST: Final[tuple[Outcome, ...]] = (
    "system_down", "invalid", "unsupported", "failed", "unconfirmed", "unreachable", "queued", "working",
    "confirmed",
)  # fmt: skip


class NotPossible(Exception):
    """The command cannot be sent; the text is the sentence for it."""

    def __init__(self, outcome: Outcome, sentence: str) -> None:
        super().__init__(sentence)
        self.outcome: Outcome = outcome


@dataclass(frozen=True, slots=True)
class Result:
    sentence: str
    structured: Mapping[str, Any]
    is_error: bool = False


def result(
    sentence: str,
    outcome: Outcome,
    device: Device | None = None,
    requested: Mapping[str, Any] | None = None,
    state: str | None = None,
    *,
    candidates: Sequence[Device] = (),
    more: Mapping[str, Any] | None = None,
) -> Result:
    structured: dict[str, Any] = {
        "device": device.name if device else None,
        "room": device.room if device else None,
        "nodeId": device.node.id if device else None,
        "endpoint": device.endpoint if device else None,
        "requested": dict(requested or {}),
        "state": state,
        "outcome": outcome,
    }
    if device:
        structured["kind"] = device.kind
    if candidates:
        structured["candidates"] = [
            {"name": hit.name, "room": hit.room, "nodeId": hit.node.id, "endpoint": hit.endpoint}
            for hit in candidates
        ]
    return Result(sentence, {**structured, **(more or {})}, outcome not in _GOOD)


class Refused(Exception):
    """Ends a tool call with this answer."""

    def __init__(self, answer: Result) -> None:
        super().__init__(answer.sentence)
        self.answer = answer


def worst(outcomes: Iterable[Outcome]) -> Outcome:
    return min(outcomes, key=_WORST.index)
