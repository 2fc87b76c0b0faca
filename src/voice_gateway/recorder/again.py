"""Whether a recorded turn can be said again, and behind which turns of its conversation."""

from collections.abc import Mapping, Sequence
from typing import Any

from voice_gateway.recorder.store import TurnStore
from voice_gateway.trace import is_hidden

Turn = Mapping[str, Any]

MOST_BEFORE = 20  # turns of a conversation that one may speak of
_HIDDEN = "something in it was hidden, so its words are not known any more"
_BY_HAND = "it was not said: a routine or a hand made it"
_TO_A_HAND = "it answers what a hand was asked"
_RECORD = "it asked for the record itself"


def why_not_said(turn: Turn, before: Sequence[Turn] = ()) -> str:
    """Why it cannot be said again, as it was said then; empty: it can."""
    if any(is_hidden(one["text"]) for one in (*before, turn)):
        return _HIDDEN
    if _by_hand(turn):
        return _BY_HAND
    if before and _by_hand(before[-1]) and _asks(before[-1]):
        return _TO_A_HAND
    return _RECORD if any(one["stage"] == "recorder" for one in _staged(turn)) else ""


def _by_hand(turn: Turn) -> bool:
    heard = any(one["type"] == "heard" for one in turn["events"])
    return not heard or any(one["reason"] == "chosen by hand" for one in _staged(turn))


def _asks(turn: Turn) -> bool:
    return any(one["type"] == "answered" and one.get("expects_answer") for one in turn["events"])


def _staged(turn: Turn) -> list[Mapping[str, Any]]:
    return [one for one in turn["events"] if one["type"] == "staged"]


def before_it(store: TurnStore, turn: Turn, expiry_seconds: float) -> list[dict[str, Any]]:
    """The turns of the same conversation that it may speak of, with their events, oldest first; a longer
    silence ends one."""
    one_by_one = store.turns(
        before=turn["id"], limit=MOST_BEFORE, channel=turn["door"], conversation=turn["conversation_id"]
    )
    taken: list[dict[str, Any]] = []
    after = turn["at"]
    for one in one_by_one:
        if after - one["at"] > expiry_seconds:
            break
        taken[:0] = store.find(one["id"])[:1]
        after = one["at"]
    return taken
