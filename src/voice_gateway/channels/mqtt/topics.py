"""MQTT topics and payloads."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from voice_gateway.channels import json_text
from voice_gateway.config import MqttSettings
from voice_gateway.events import (
    Acted,
    AlarmsTold,
    Answered,
    Event,
    Happened,
    Heard,
    ListTold,
    Notice,
    PartState,
    Progressed,
    State,
)
from voice_gateway.trace import outcome_json, public_name
from voice_gateway.turn import Utterance, encodable, new_id

LONGEST_REQUEST = 64 * 1024  # bytes
LONGEST_PACKET = 256 * 1024  # that the broker may send; a request between both limits gets an error
MOST_TEXT = 10_000  # characters; a conversation refuses so many by itself
LONGEST_ID = 200
LONGEST_TOPIC = 1000
PRIVATE_CHANNELS = frozenset({"web", "v1"})  # whose clients choose the names of their conversations
MOST_LISTED = 200  # items of a list; `count` has all


@dataclass(frozen=True, slots=True)
class Message:
    topic: str
    payload: str
    retain: bool = False
    correlation: bytes | None = None  # by which a client matches its answer (MQTT 5)


@dataclass(eq=False, frozen=True, slots=True)
class Request:
    """A request, and the topic for its answer. With a `problem` it is refused."""

    text: str
    id: str
    conversation_id: str
    reply_to: str
    repeatable: bool  # the client gave the id, so the same id is the same request
    room: str | None = None  # of the client: one gateway may answer for many rooms
    correlation: bytes | None = None
    problem: str = ""
    delivery: str = ""  # the broker's number and a digest, of a request that it may deliver again
    delivered_again: bool = False

    def utterance(self, room: str | None) -> Utterance:
        """`room` is the gateway's own, for a request that names none."""
        return Utterance(self.text, "mqtt", self.conversation_id, room=self.room or room, id=self.id)


def topic(settings: MqttSettings, name: str) -> str:
    return f"{settings.prefix}/{name}"


def refusal(request: Request) -> Message:
    body = {"id": request.id or None, "error": request.problem, "ok": False, "timestamp": timestamp()}
    return Message(request.reply_to, json_text(body), correlation=request.correlation)


def read_request(
    settings: MqttSettings, payload: bytes, reply_to: str | None = None, correlation: bytes | None = None
) -> Request:
    """A request, from JSON or plain text. A refusal goes to the client's own topic if that is allowed."""
    answers = topic(settings, "res")
    refused = Request("", "", "", answers, repeatable=False, correlation=correlation)
    if len(payload) > LONGEST_REQUEST:
        return replace(refused, problem=f"a request may have {LONGEST_REQUEST} bytes")
    words = payload.decode("utf-8", "replace").strip()
    fields: dict[str, Any] = {"text": words}
    if words.startswith("{"):
        try:
            fields = json.loads(words)
        except json.JSONDecodeError as error:
            return replace(refused, problem=f"not valid JSON: {error}")
        except (ValueError, RecursionError):  # thousands of digits, or nested too deep
            return replace(refused, problem="JSON too deep or too big to read")
    name, room, where = fields.get("id"), fields.get("room"), fields.get("reply_to") or reply_to or answers
    wrong_place = _wrong_place(settings, where)
    problem = wrong_place or _problem(fields)
    if problem:
        shown = encodable(str(name)[:LONGEST_ID]) if isinstance(name, str | int) else ""
        return replace(refused, id=shown, reply_to=answers if wrong_place else where, problem=problem)
    return replace(
        refused,
        text=fields["text"][:MOST_TEXT],
        id=new_id() if name is None else str(name),
        conversation_id=encodable(str(fields.get("conversation_id") or "mqtt")),
        reply_to=where,
        repeatable=name is not None,
        room=room or None,
    )


def _problem(fields: Mapping[str, Any]) -> str:
    """What is wrong with the fields beside `reply_to`, or ""."""
    text, name, room = fields.get("text"), fields.get("id"), fields.get("room")
    if not isinstance(text, str) or not text.strip():
        return 'needs "text"'
    plain = isinstance(name, str | int) and 0 < len(str(name)) <= LONGEST_ID
    if name is not None and not (plain and str(name) == encodable(str(name))):  # it must come back unchanged
        return f'"id" must be a text of at most {LONGEST_ID} characters'
    if len(str(fields.get("conversation_id") or "")) > LONGEST_ID:
        return f'"conversation_id" must have at most {LONGEST_ID} characters'
    if room is not None and not (isinstance(room, str) and len(room) <= LONGEST_ID):
        return f'"room" must be a text of at most {LONGEST_ID} characters'
    return ""


def _wrong_place(settings: MqttSettings, where: Any) -> str:
    """Why the topic cannot take answers, or ""."""
    answers, more = topic(settings, "res"), settings.reply_prefix
    if not isinstance(where, str) or not is_plain_topic(where):
        return '"reply_to" must be a plain topic, without wildcards'
    if _is_below(where, answers):
        return ""
    if _is_below(where, settings.prefix):
        return f'"reply_to" must not be a topic of the gateway, except {answers} and what is below it'
    if more and _is_below(where, more):
        return ""
    allowed = f"{answers} or {more}" if more else answers
    return f'"reply_to" must be {allowed} or below it; mqtt.reply_prefix can allow another place'


def _is_below(where: str, place: str) -> bool:
    return where == place or where.startswith(f"{place}/")


def is_plain_topic(name: str) -> bool:
    """A broker disconnects a client that publishes to a topic with control characters."""
    plain = name.isprintable() and not re.search(r"[#+]", name) and not name.startswith("$")
    return plain and 0 < len(name) <= LONGEST_TOPIC


def message_for(settings: MqttSettings, event: Event) -> Message | None:
    """The message that tells of an event, or None. States of parts are in the retained status, and alarms and
    lists are retained too, for clients that connect later."""
    facts: Mapping[str, Any]
    match event:
        case Heard(utterance=said):
            seconds = None if said.heard_seconds is None else round(said.heard_seconds, 6)
            name, facts = "transcription", {"text": said.text, "model": said.heard_by, "seconds": seconds}
        case Acted():
            name, facts = "tool", {**outcome_json(event.outcome), "model": event.model}
        case Answered(reply=reply):
            names = ("text", "ok", "stage", "expects_answer", "model")
            parts = [part.to_json() for part in reply.parts]
            name, facts = "ai-response", {name: getattr(reply, name) for name in names}
            facts = {**facts, "parts": parts, "seconds": round(reply.seconds, 6)}
        case Progressed(progress=progress):
            name, facts = "progress", {"text": progress.text, **progress.to_json()}
        case Notice():
            name, facts = "notice", {"text": event.text}
        case Happened():
            name, facts = f"events/{_level(event.kind) or 'other'}", event.facts
        case AlarmsTold(alarms=alarms):
            unheard = sum(not alarm["acknowledged"] for alarm in alarms)
            listed = [dict(alarm) for alarm in alarms]
            name, facts = "alarms", {"count": len(alarms), "unacknowledged": unheard, "alarms": listed}
        case ListTold(items=items):
            first = [{"text": text, "done": done} for text, done in items[:MOST_LISTED]]
            counts = {"count": len(items), "open": sum(not done for _, done in items)}
            name = f"lists/{_level(event.name) or 'list'}"
            facts = {"list": event.name, **counts, "items": first}
        case _:
            return None
    about: dict[str, Any] = {}
    utterance: Utterance | None = getattr(event, "utterance", None)
    if utterance is not None:
        conversation, channel = utterance.conversation_id, utterance.channel
        shown = public_name(conversation) if channel in PRIVATE_CHANNELS else conversation
        about = {"id": utterance.id, "conversation_id": shown, "door": channel, "room": utterance.room}
    body = json_text({**facts, **about, "timestamp": timestamp()})
    return Message(topic(settings, name), body, retain=isinstance(event, AlarmsTold | ListTold))


def _level(name: str) -> str:
    """The name as one level of a topic."""
    return re.sub(r"[^\w-]+", "-", name).strip("-")


def status_message(
    settings: MqttSettings, state: str, parts: Sequence[PartState] = (), **more: str | None
) -> Message:
    """The retained status."""
    degraded = [part for part in parts if part.state is State.DEGRADED]
    if state == "online" and degraded:
        state = "degraded"
    body = {
        "state": state,
        "text": " ".join(part.sentence for part in degraded) or f"The gateway is {state}.",
        "parts": [part.to_json() for part in parts],
        "timestamp": timestamp(),
        **more,
    }
    return Message(topic(settings, "status"), json_text(body), retain=True)


def last_will(settings: MqttSettings) -> Message:
    """Sent by the broker when the gateway disappears; the broker cannot fill in the time."""
    return status_message(settings, "offline", timestamp=None, connected_at=timestamp())


def timestamp() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
