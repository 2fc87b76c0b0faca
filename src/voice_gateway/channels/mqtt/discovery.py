"""What the broker keeps of the gateway: Home Assistant's discovery messages, timers and routines."""

import itertools
import re
from collections.abc import Mapping, Sequence
from typing import Any

from voice_gateway import __version__
from voice_gateway.channels import json_text
from voice_gateway.channels.mqtt.topics import Message, topic
from voice_gateway.config import MqttSettings
from voice_gateway.events import Planned

ORIGIN = {"name": "voice-gateway", "sw_version": __version__}
SWITCHES = {"listening": ("Listening", "mdi:microphone"), "mute": ("Mute", "mdi:volume-mute")}
PUSH_TO_TALK, SAY = "push-to-talk", "say"
PLANS = {"timer": ("due", "mdi:timer-outline"), "routine": ("next", "mdi:calendar-clock")}
LONGEST_NAME = 60
MOST_PLANS = 50  # of each kind, the next ones
OFFLINE = "{{ 'offline' if value_json.state == 'offline' else 'online' }}"


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
