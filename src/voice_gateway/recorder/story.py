"""A turn for people who read: every step with its time, one line each."""

from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from typing import Any

from voice_gateway.tools.masking import shorten
from voice_gateway.turn import NOT_MADE

Event = Mapping[str, Any]

LONGEST = 300  # characters of a message in one line; --json has all of it


def told(turn: Mapping[str, Any]) -> Iterator[str]:
    at = f"{datetime.fromtimestamp(turn['at']).astimezone():%Y-%m-%d %H:%M:%S}"
    place = f", {turn['room']}" if turn["room"] else ""
    yield f"{turn['id']}  {at}  {turn['door']}{place}, conversation {turn['conversation_id']}"
    for event in turn["events"]:
        line = _LINES.get(event["type"], _other)(event)
        if line:
            yield f"{(event['at'] - turn['at']) * 1000:>7.0f} ms  {line}"
            for more in _messages(event):
                yield f"{'':>12}{more}"


def arguments(args: Any) -> str:
    if not isinstance(args, Mapping):
        return str(args)
    return ", ".join(f"{name}={value!r}" for name, value in args.items())


def _heard(event: Event) -> str:
    times = {"endpoint": event["endpoint_seconds"], "transcript": event["transcript_seconds"]}
    spoken = ", ".join(f"{name} {1000 * took:.0f} ms" for name, took in times.items() if took is not None)
    by = f" (by {event['heard_by']}{', ' + spoken if spoken else ''})" if event["heard_by"] else ""
    asked = f', in answer to "{event["in_answer_to"]}"' if event["in_answer_to"] else ""
    return f'heard "{event["text"]}"{by}{asked}'


def _staged(event: Event) -> str:
    did = "answered" if event["taken"] else "passed"
    why = f": {event['reason']}" if event["reason"] else ""
    words = f" (the words are {event['words']})" if event["words"] else ""
    return f"{event['stage']} {did} in {1000 * event['seconds']:.0f} ms{why}{words}"


def _round(event: Event) -> str:
    tokens = f", {event['input_tokens']} tokens in, {event['output_tokens']} out"
    calls = ", ".join(call["tool"] for call in event["calls"])
    said = f': "{_short(event["text"])}"' if event["text"] else ""
    wants = f": wants {calls}" if calls else f": {event['error']}" if event["error"] else said
    took = f"{1000 * event['seconds']:.0f} ms"
    return (
        f"{event['model']}, round {event['number']}, {took}{tokens if event['input_tokens'] else ''}{wants}"
    )


def _messages(event: Event) -> Iterator[str]:
    """What a model was sent in a round, and not in the round before."""
    if event.get("earlier"):
        yield f"it read {event['earlier']} earlier messages of this conversation"
    for one in event.get("sent", ()):
        who = f"tool {one['tool']}" if one["role"] == "tool" else one["role"]
        calls = ", ".join(f"{call['tool']}({arguments(call['args'])})" for call in one.get("calls", ()))
        yield _short(
            f"it read from {who}: {' '.join(filter(None, [one['text'], calls and f'calls {calls}']))}"
        )


def _short(text: str) -> str:
    return shorten(" ".join(text.split()), LONGEST)


def _judged(event: Event) -> str:
    return f"permission for {event['tool']}: {event['decision']}, because {event['reason'] or 'nobody asks'}"


def _started(event: Event) -> str:
    return f"calls {event['tool']}({arguments(event['args'])})"


def _acted(event: Event) -> str:
    if event["outcome"] in NOT_MADE:
        return ""  # the permission says it
    return f"{event['tool']} {event['outcome']} in {1000 * event['seconds']:.0f} ms: {event['text']}"


def _answered(event: Event) -> str:
    model = f" with {event['model']}" if event["model"] else ""
    return f'answered by {event["stage"]}{model}: "{event["text"]}"'


def _other(event: Event) -> str:
    return str(event.get("text", ""))


_LINES: dict[str, Callable[[Event], str]] = {
    "heard": _heard,
    "staged": _staged,
    "round": _round,
    "judged": _judged,
    "started": _started,
    "acted": _acted,
    "answered": _answered,
}
