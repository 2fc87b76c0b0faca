"""The calls that wait for the user's yes, as the conversation's state keeps them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from voice_gateway.conversation.choices import ProposedThing
from voice_gateway.turn import ToolCall, new_id

QUESTION = "confirmation"  # where the open question stands in a conversation's state
DECLINED = "confirmation declined"  # there too: the calls that the turn before said no to


@dataclass(frozen=True, slots=True)
class Pending:
    """Calls that wait for the user, until a moment in wall-clock time."""

    calls: tuple[ToolCall, ...]
    question: str
    expires: float
    sensitive: bool = True  # only then a PIN is wanted, and the door matters
    things: tuple[ProposedThing, ...] = ()  # what each of the calls is about
    said: str = ""  # the words after which it was asked

    def to_json(self) -> dict[str, Any]:
        return {
            "calls": calls_json(self.calls),
            "question": self.question,
            "expires": self.expires,
            "sensitive": self.sensitive,
            "things": [[thing.name, thing.room, thing.kind] for thing in self.things],
            "said": self.said,
        }


def open_question(state: Mapping[str, Any]) -> Pending | None:
    raw = state.get(QUESTION)
    if not isinstance(raw, Mapping):
        return None
    calls = tuple(ToolCall(id=new_id(), name=c["name"], args=c["args"]) for c in raw["calls"])
    sensitive = bool(raw.get("sensitive", True))
    things = tuple(ProposedThing(name, room, kind) for name, room, kind in raw.get("things", ()))
    said = str(raw.get("said", ""))
    return Pending(calls, str(raw["question"]), float(raw["expires"]), sensitive, things, said)


def calls_json(calls: Sequence[ToolCall]) -> list[Any]:
    return [{"name": call.name, "args": call.args} for call in calls]


def declined(state: Mapping[str, Any], pending: Pending | None, text: str) -> tuple[Any, ...]:
    """What was proposed in the turn before, and met with a no or with other words. Who says the same again
    means it."""
    if pending is not None:
        return () if pending.said == text else tuple(calls_json(pending.calls))
    return tuple(state.get(DECLINED, ()))
