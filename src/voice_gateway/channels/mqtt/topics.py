"""MQTT topics and payloads."""

import itertools
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from voice_gateway import __version__
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
    Planned,
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
ORIGIN = {"name": "voice-gateway", "sw_version": __version__}
SWITCHES = {"listening": ("Listening", "mdi:microphone"), "mute": ("Mute", "mdi:volume-mute")}
PUSH_TO_TALK, SAY = "push-to-talk", "say"
PLANS = {"timer": ("due", "mdi:timer-outline"), "routine": ("next", "mdi:calendar-clock")}
LONGEST_NAME = 60
MOST_PLANS = 50  # of each kind, the next ones
OFFLINE = "{{ 'offline' if value_json.state == 'offline' else 'online' }}"


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
    language: str | None = None
    correlation: bytes | None = None
    problem: str = ""
    delivery: str = ""  # the broker's number and a digest, of a request that it may deliver again
    delivered_again: bool = False

    def utterance(self, room: str | None) -> Utterance:
        """`room` is the gateway's own, for a request that names none."""
        return Utterance(
            self.text,
            "mqtt",
            self.conversation_id,
            room=self.room or room,
            id=self.id,
            language=self.language,
        )


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
        language=str(fields["language"]) if fields.get("language") else None,
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


def discovery_messages(settings: MqttSettings, switches: Sequence[str] = ()) -> list[Message]:
    """The fixed entities. `switches` are those of the voice channel, if there is one."""
    alive = _availability(settings)
    status = _state(settings, "status", "state") | {"entity_category": "diagnostic"}
    heard, answer = (
        _state(settings, name, "text[:255]") | alive for name in ("transcription", "ai-response")
    )
    ask = _command(settings, "req", command_template="{{ {'text': value} | tojson }}", max=255)
    entities = [
        ("sensor", "status", "Status", "mdi:heart-pulse", status),
        ("sensor", "last_transcript", "Last transcript", "mdi:microphone", heard),
        ("sensor", "last_answer", "Last answer", "mdi:message-reply-text", answer),
        ("text", "ask", "Ask", "mdi:chat-question", ask),
        ("notify", "say", "Say", "mdi:bullhorn", _command(settings, SAY)),
    ]
    if switches:
        press = _command(settings, PUSH_TO_TALK)
        entities.append(("button", "push_to_talk", "Push to talk", "mdi:microphone-message", press))
    for name in switches:
        facts = _command(settings, f"{name}/set", state_topic=topic(settings, name), entity_category="config")
        entities.append(("switch", name, *SWITCHES[name], facts))
    return [
        config_message(settings, platform, name, {"name": label, "icon": icon, **facts})
        for platform, name, label, icon, facts in entities
    ]


def _command(settings: MqttSettings, name: str, **more: Any) -> dict[str, Any]:
    return {"command_topic": topic(settings, name), **more, **_availability(settings)}


def plan_config(settings: MqttSettings, kind: str, number: str, name: str) -> Message:
    """A timer or routine as a sensor: the next time it is due."""
    field, icon = PLANS[kind]
    facts = {"name": name[:LONGEST_NAME], "icon": icon, **_state(settings, f"{kind}s/{number}", field)}
    facts |= {"device_class": "timestamp", **_availability(settings)}
    return config_message(settings, "sensor", f"{kind}_{number}", facts)


def config_message(settings: MqttSettings, platform: str, name: str, facts: Mapping[str, Any]) -> Message:
    key = device_key(settings)
    device = {
        "identifiers": [f"voice_gateway_{key}"],
        "name": settings.name,
        "manufacturer": "voice-gateway",
        "model": "Voice gateway",
        "sw_version": __version__,
        **({"suggested_area": settings.room} if settings.room else {}),
    }
    body = {**facts, "unique_id": f"voice_gateway_{key}_{name}", "device": device, "origin": ORIGIN}
    return Message(config_topic(settings, platform, name), json_text(body), retain=True)


def config_topic(settings: MqttSettings, platform: str, name: str) -> str:
    # Without discovery still Home Assistant's usual prefix, to delete earlier messages there.
    prefix = settings.discovery_prefix or "homeassistant"
    return f"{prefix}/{platform}/voice_gateway_{device_key(settings)}/{name}/config"


def device_key(settings: MqttSettings) -> str:
    return re.sub(r"[^a-z0-9]+", "_", settings.prefix.lower()).strip("_") or "voice"


def _availability(settings: MqttSettings) -> dict[str, Any]:
    return {"availability": [{"topic": topic(settings, "status"), "value_template": OFFLINE}]}


def _state(settings: MqttSettings, name: str, field: str) -> dict[str, Any]:
    state = topic(settings, name)
    template = f"{{{{ value_json.{field} }}}}"
    return {"state_topic": state, "value_template": template, "json_attributes_topic": state}


class Retained:
    """Retained messages: renewed when they change, and deleted when they no longer apply."""

    def __init__(self, settings: MqttSettings, switches: Sequence[str]) -> None:
        self._settings = settings
        self._switches = tuple(switches)
        self._plans: dict[str, dict[str, Message]] = {}  # kind → topic → message
        self._kept: set[str] = set()  # topics that the broker may have
        # Subscribed to see what an earlier gateway left. Gateways that share a prefix have timers of their
        # own, and must not delete each other's.
        plans = [topic(settings, f"{kind}s/+") for kind in PLANS]
        self.topics = () if settings.share_group else (config_topic(settings, "+", "+"), *plans)

    def messages(self) -> list[Message]:
        """All of them, for a new connection and for a Home Assistant that has just started."""
        fixed = discovery_messages(self._settings, self._switches) if self._settings.discovery_prefix else []
        return [*fixed, *itertools.chain.from_iterable(plans.values() for plans in self._plans.values())]

    def planned(self, event: Planned) -> list[Message]:
        """What to send now that these are the plans of this kind."""
        if self._settings.share_group:
            return []
        before = self._plans.get(event.kind, {})
        now = self._plans[event.kind] = self._messages(event)
        self._kept |= before.keys()
        return [message for name, message in now.items() if before.get(name) != message] + self._outdated()

    def seen(self, name: str) -> list[Message]:
        """Called for each topic where the broker keeps something."""
        self._kept.add(name)
        return self._outdated()

    def _outdated(self) -> list[Message]:
        """Deletions of what the broker keeps and does not apply, once all plans are known."""
        if len(self._plans) < len(PLANS):
            return []
        outdated = self._kept - {message.topic for message in self.messages()}
        self._kept.clear()
        return [Message(name, "", retain=True) for name in sorted(outdated)]

    def _messages(self, event: Planned) -> dict[str, Message]:
        messages: list[Message] = []
        for number, facts in itertools.islice(event.plans.items(), MOST_PLANS):
            name = topic(self._settings, f"{event.kind}s/{number}")
            messages.append(Message(name, json_text(facts), retain=True))
            if self._settings.discovery_prefix:
                text = str(facts.get("text") or "plan")
                messages.append(plan_config(self._settings, event.kind, number, text))
        return {message.topic: message for message in messages}
