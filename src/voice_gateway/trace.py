"""Every event as JSON without secrets, the same for recorder, console and stream."""

import hashlib
import itertools
import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

from voice_gateway import events
from voice_gateway.tools.masking import (
    HIDDEN,
    SHORTEST_SECRET,
    hide_secrets,
    mask_result,
    mask_whole,
    shorten,
)
from voice_gateway.turn import ToolCall, ToolOutcome, Utterance

# Characters of one outcome: many read it, few need all of it, and a broker or a client may have little room.
LONGEST_ARGUMENTS, LONGEST_TEXT, LONGEST_STRUCTURED = 2_000, 8_000, 32_000
MOST_ARGUMENTS = 20  # of a call that has too many
MOST_MESSAGES = 40  # that were new to a model in one round

# A PIN or a code, written in digits.
_DIGITS = re.compile(r"\d{4,}")
_PASSWORD = re.compile(
    r"(\b(?:pass ?word|pass ?phrase|pass ?code|wifi key|passwort|kennwort|mot de passe|contraseña"
    r"|wachtwoord)s?(?: (?:for|für) [\w ]{1,40}?)?(?: (?:is|ist|est|es|to|auf)\b|:| =|=)\s{0,3})(\S+)",
    re.IGNORECASE,
)
_IDS = frozenset({"call_id", "conversation_id"})


def event_json(event: events.Event) -> dict[str, Any] | None:
    """`{type, turn, at, …}`; None for an event that repeats what the turn's own events have."""
    if isinstance(event, events.PartState):
        return {"type": "part", "turn": None, "at": event.since, **event.to_json(), "late": event.late}
    if isinstance(event, events.Acted):
        return None  # CallFinished has it
    kind, facts = _facts(event)
    utterance: Utterance | None = getattr(event, "utterance", None)
    if utterance is not None:
        facts = without(facts, _confided(utterance.text))
    return {"type": kind, "turn": utterance.id if utterance else None, "at": event.at, **facts}


def public_name(conversation_id: str) -> str:
    """Stands for a conversation where others read: its name is enough to go on with it."""
    return f"talk-{hashlib.sha256(conversation_id.encode('utf-8', 'replace')).hexdigest()[:12]}"


def private(text: str) -> str:
    """What was said in a turn, without passwords, tokens and runs of four or more digits."""
    return _DIGITS.sub(HIDDEN, _without_passwords(text))


def _without_passwords(text: str) -> str:
    return _PASSWORD.sub(rf"\g<1>{HIDDEN}", hide_secrets(text))


@lru_cache(maxsize=200)
def _confided(text: str) -> tuple[str, ...]:
    """What `private` hides of these words, as a call may repeat it in any argument; the longest first."""
    secrets = {password[2].rstrip(".,!?") for password in _PASSWORD.finditer(text)} | {*_DIGITS.findall(text)}
    return tuple(longest_first(secret for secret in secrets if len(secret) >= SHORTEST_SECRET))


def longest_first(secrets: Iterable[str]) -> list[str]:
    """So that no part of a longer one is left."""
    return sorted(secrets, key=len, reverse=True)


def without(value: Any, secrets: Sequence[str]) -> Any:
    """The same JSON, in which none of these stands, also not as a number; our own ids are left alone."""
    if not secrets:
        return value
    if isinstance(value, dict):
        return {name: inner if name in _IDS else without(inner, secrets) for name, inner in value.items()}
    if isinstance(value, list):
        return [without(inner, secrets) for inner in value]
    if isinstance(value, int | float) and not isinstance(value, bool):
        return HIDDEN if str(value).removesuffix(".0") in secrets else value
    if not isinstance(value, str):
        return value
    for secret in secrets:
        value = value.replace(secret, HIDDEN)
    return value


def is_hidden(text: str) -> bool:
    """Whether something was hidden in the text, so that it cannot be said again."""
    return HIDDEN in text


def outcome_json(outcome: ToolOutcome) -> dict[str, Any]:
    """The shape that `--json` promises, without secrets, and never of any size."""
    args = dict(outcome.args)
    artifacts = [artifact.to_json() for artifact in outcome.artifacts[:MOST_ARGUMENTS]]
    return {
        **outcome.to_json(),
        "args": arguments_json(args),
        "text": mask_result(outcome.text, args, LONGEST_TEXT),
        "structured": mask_whole(outcome.structured, args, LONGEST_STRUCTURED),
        **({"artifacts": mask_whole(artifacts, args, LONGEST_STRUCTURED)} if artifacts else {}),
    }


def arguments_json(args: Any) -> Any:
    """All of them; where that is too long, the first ones, with a mark in place of each long value."""
    if (whole := mask_whole(args, args, LONGEST_ARGUMENTS)) is not None or not isinstance(args, dict):
        return whole
    shown: dict[str, Any] = {}
    for name, value in itertools.islice(args.items(), MOST_ARGUMENTS):
        shown |= mask_whole({name: value}, args, LONGEST_ARGUMENTS // MOST_ARGUMENTS) or {name[:60]: "…"}
    return shown


def _as_it_is(facts: Any, *names: str) -> dict[str, Any]:
    return {name: getattr(facts, name) for name in names}


def _rounded(seconds: float | None) -> float | None:
    return None if seconds is None else round(seconds, 6)


def _facts(event: events.Event) -> tuple[str, dict[str, Any]]:  # noqa: C901, PLR0911, PLR0912
    """The kind of the event, and what it says of itself."""
    match event:
        case events.Heard(utterance=utterance):
            return "heard", {
                "text": private(utterance.text),
                "door": utterance.channel,
                "room": utterance.room,
                "conversation_id": utterance.conversation_id,
                "satellite": utterance.satellite,
                "in_answer_to": event.in_answer_to,
                "heard_by": utterance.heard_by,  # the speech engine; null: it was typed
                "audio_seconds": _rounded(utterance.audio_seconds),
                "endpoint_seconds": _rounded(utterance.endpoint_seconds),
                "transcript_seconds": _rounded(utterance.heard_seconds),
            }
        case events.Staged():
            return "staged", {
                **_as_it_is(event, "stage", "taken", "trust"),
                "reason": private(event.reason),
                "words": event.words.value if event.words else None,
                "seconds": _rounded(event.seconds),
            }
        case events.ModelRound():
            return "round", {
                **_as_it_is(event, "model", "number", "input_tokens", "output_tokens", "earlier", "prompt"),
                "seconds": _rounded(event.seconds),
                "first_token_seconds": _rounded(event.first_token_seconds),
                "calls": [_call(call) for call in event.calls[:MOST_ARGUMENTS]],
                "text": private(shorten(event.text, LONGEST_TEXT)),
                "error": hide_secrets(event.error),
                "sent": _sent(event.sent),
                "tools": list(event.tools),
            }
        case events.Judged(verdict=verdict):
            why = verdict.why.value if verdict.why else verdict.reason
            return "judged", {**_call(event.call), "decision": verdict.decision.value, "reason": why}
        case events.CallStarted(traits=traits):
            return "started", {**_call(event.call), **_as_it_is(traits, "source", "title", "read_only")}
        case events.CallFinished(outcome=outcome):
            facts = outcome_json(outcome)
            facts |= {"tool": outcome.name, "text": private(facts["text"]), "outcome": outcome.status.value}
            return "acted", facts
        case events.Said():
            return "said", {"text": private(event.text), "source": event.source.value}
        case events.Answered(reply=reply):
            acts = [{"tool": act.name, "ok": act.ok, "outcome": act.status.value} for act in reply.outcomes]
            return "answered", {
                **_as_it_is(reply, "ok", "stage", "model", "expects_answer", "trust"),
                "text": private(shorten(reply.text, LONGEST_TEXT)),
                "sources": [part.source.value for part in reply.parts],
                "asks": event.asks.value if event.asks else None,
                "conversation_id": event.utterance.conversation_id,
                "seconds": _rounded(reply.seconds),
                "understood": private(reply.understood),
                "acts": acts,  # in short; the calls' own events have the rest
            }
        case events.Waiting():
            return "waiting", {"text": event.text, "what": event.what}
        case events.Progressed(progress=progress):
            return "progress", {"text": hide_secrets(progress.text), **progress.to_json()}
        case events.Notice():
            text = _without_passwords(event.text)
            return "notice", {"text": text, "aloud": event.aloud, "alarm": event.alarm}
        case events.OwnerAsked():
            return "question", _as_it_is(event, "id", "text", "pin", "open")
        case events.Happened(facts=facts):
            own = {"happened_at": facts.get("at"), "at": event.at, "noticed": event.noticed}
            return "event", {**facts, **own}
        case events.AlarmsTold():
            return "alarms", {"alarms": [dict(alarm) for alarm in event.alarms]}
        case events.ListTold():
            items = [{"text": text, "done": done} for text, done in event.items]
            return "list", {"name": event.name, "items": items}
        case events.Planned():
            return "planned", {"kind": event.kind, "plans": dict(event.plans)}
    raise TypeError(f"not an event: {event!r}")


def _sent(messages: Sequence[events.SentMessage]) -> list[dict[str, Any]]:
    args = {call.id: call.args for message in messages for call in message.calls}
    shown = []
    for message in messages[-MOST_MESSAGES:]:
        facts: dict[str, Any] = {"role": message.role}
        if message.role == "tool":
            facts |= {"tool": message.tool, "call_id": message.call_id}
        facts["text"] = private(mask_result(message.text, args.get(message.call_id), LONGEST_TEXT))
        if message.calls:
            facts["calls"] = [_call(call) for call in message.calls[:MOST_ARGUMENTS]]
        shown.append(facts)
    return shown


def _call(call: ToolCall) -> dict[str, Any]:
    return {"call_id": call.id, "tool": call.name, "args": arguments_json(call.args)}
