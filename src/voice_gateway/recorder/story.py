"""One recorded turn: its steps in lines, and whether it can be replayed after which earlier turns."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from voice_gateway.recorder.store import TurnStore
from voice_gateway.tools.masking import shorten
from voice_gateway.trace import is_hidden
from voice_gateway.turn import NOT_MADE, Permission

Event = Mapping[str, Any]
Turn = Mapping[str, Any]

LONGEST = 300  # characters of a message; --json has all of it
MOST_BEFORE = 20  # turns of a conversation that a turn may refer to
NOT_KEPT = "it needs what is not kept with a turn: hidden words, the tools of that time, a plan or a hand"
# Whether a plan needs a yes depends on all that is planned.
_PLANS, _YES = ("make_routine", "cancel_routine"), (Permission.SENSITIVE, Permission.AGREED)


def lines_of(turn: Turn) -> Iterator[str]:
    at = f"{datetime.fromtimestamp(turn['at']).astimezone():%Y-%m-%d %H:%M:%S}"
    place = f", {turn['room']}" if turn["room"] else ""
    yield f"{turn['id']}  {at}  {turn['door']}{place}, conversation {turn['conversation_id']}"
    for event in turn["events"]:
        if line := _line(event):
            yield f"{(event['at'] - turn['at']) * 1000:>7.0f} ms  {line}"
            yield from (f"{'':>12}{message}" for message in _messages(event))


def _line(event: Event) -> str:  # noqa: PLR0911
    took = f"{1000 * event['seconds']:.0f} ms" if event.get("seconds") is not None else ""
    match event["type"]:
        case "heard":
            by = f" (by {event['heard_by']})" if event["heard_by"] else ""
            question = f', in answer to "{event["in_answer_to"]}"' if event["in_answer_to"] else ""
            return f'heard "{event["text"]}"{by}{question}'
        case "staged":
            why = f": {event['reason']}" if event["reason"] else ""
            return f"{event['stage']} {'answered' if event['taken'] else 'passed'} in {took}{why}"
        case "round":
            tokens = f", {event['input_tokens']} tokens in, {event['output_tokens']} out"
            wants = ", ".join(call["tool"] for call in event["calls"])
            text = f"wants {wants}" if wants else event["error"] or f'"{_short(event["text"])}"'
            counted = tokens if event["input_tokens"] else ""
            return f"{event['model']}, round {event['number']}, {took}{counted}: {text}"
        case "judged":
            return f"permission for {event['tool']}: {event['decision']}, because {event['reason']}"
        case "started":
            return f"calls {event['tool']}({_arguments(event['args'])})"
        case "acted":
            made = event["outcome"] not in NOT_MADE  # else the permission has said it
            return f"{event['tool']} {event['outcome']} in {took}: {event['text']}" if made else ""
        case "answered":
            model = f" with {event['model']}" if event["model"] else ""
            return f'answered by {event["stage"]}{model}: "{event["text"]}"'
    return str(event.get("text", ""))


def _messages(event: Event) -> Iterator[str]:
    """What a model was sent in a round, and not in the round before."""
    if event.get("earlier"):
        yield f"it read {event['earlier']} earlier messages of this conversation"
    for message in event.get("sent", ()):
        sender = f"tool {message['tool']}" if message["role"] == "tool" else message["role"]
        calls = [f"calls {call['tool']}({_arguments(call['args'])})" for call in message.get("calls", ())]
        yield _short(f"it read from {sender}: {' '.join(filter(None, [message['text'], *calls]))}")


def _arguments(args: Any) -> str:
    if not isinstance(args, Mapping):
        return str(args)
    return ", ".join(f"{name}={value!r}" for name, value in args.items())


def _short(text: str) -> str:
    return shorten(" ".join(text.split()), LONGEST)


# --- replay


def can_replay(turn: Turn, before: Sequence[Turn] = ()) -> bool:
    """Whether all that decided it is in the recording of this turn, and of the earlier ones."""
    events = turn["events"]
    plans = (event for event in events if event["type"] == "judged" and event["tool"] in _PLANS)
    return (
        bool(turn["tools"])
        and not any(is_hidden(each["text"]) for each in (*before, turn))
        and not _by_hand(turn)
        and not (before and _asked(before[-1]) and _by_hand(before[-1]))
        and not any(event["reason"] in _YES for event in plans)
        and not any(event["type"] == "staged" and event["stage"] == "recorder" for event in events)
    )


def _asked(turn: Turn) -> bool:
    return any(event.get("expects_answer") for event in turn["events"])


def _by_hand(turn: Turn) -> bool:
    """A routine or a button made it: nothing was heard."""
    events = turn["events"]
    heard = any(event["type"] == "heard" for event in events)
    return not heard or any(event.get("reason") == "chosen by hand" for event in events)


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
