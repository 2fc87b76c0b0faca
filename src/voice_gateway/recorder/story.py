"""A turn for people: every step with its time, one line each."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from voice_gateway.tools.masking import shorten
from voice_gateway.turn import NOT_MADE

Event = Mapping[str, Any]

LONGEST = 300  # characters of a message; --json has all of it


def lines_of(turn: Mapping[str, Any]) -> Iterator[str]:
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
