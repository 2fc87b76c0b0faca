"""Whether a recorded turn can be replayed, and after which turns of its conversation."""

from collections.abc import Mapping, Sequence
from typing import Any

from voice_gateway.recorder.store import TurnStore
from voice_gateway.trace import is_hidden

Turn = Mapping[str, Any]

MOST_BEFORE = 20  # turns of a conversation that a turn may refer to
HIDDEN = "something in it was hidden, so its words are not known any more"
BY_HAND = "it was not said: a routine or a hand made it"
TO_A_HAND = "it answers what a hand was asked"
RECORD = "it asked for the record itself"


def why_not_said(turn: Turn, before: Sequence[Turn] = ()) -> str:
    """Why it cannot be said again as it was; empty: it can."""
    if any(is_hidden(each["text"]) for each in (*before, turn)):
        return HIDDEN
    if _by_hand(turn):
        return BY_HAND
    if before and _by_hand(before[-1]) and any(event.get("expects_answer") for event in before[-1]["events"]):
        return TO_A_HAND
    return RECORD if any(event["stage"] == "recorder" for event in _staged(turn)) else ""


def _by_hand(turn: Turn) -> bool:
    heard = any(event["type"] == "heard" for event in turn["events"])
    return not heard or any(event["reason"] == "chosen by hand" for event in _staged(turn))


def _staged(turn: Turn) -> list[Mapping[str, Any]]:
    return [event for event in turn["events"] if event["type"] == "staged"]


def before_it(store: TurnStore, turn: Turn, expiry_seconds: float) -> list[dict[str, Any]]:
    """The turns of the same conversation that it may refer to, oldest first, up to a longer silence."""
    channel, conversation = turn["door"], turn["conversation_id"]
    listed = store.turns(before=turn["id"], limit=MOST_BEFORE, channel=channel, conversation=conversation)
    earlier: list[dict[str, Any]] = []
    after = turn["at"]
    for each in listed:
        if after - each["at"] > expiry_seconds:
            break
        earlier[:0] = store.find(each["id"])[:1]
        after = each["at"]
    return earlier
