"""How Home Assistant learns of the gateway: one device, and its entities. Pure."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from voice_gateway import __version__
from voice_gateway.channels import json_text
from voice_gateway.channels.mqtt.topics import Message, topic
from voice_gateway.config import MqttSettings

ORIGIN = {"name": "voice-gateway", "sw_version": __version__}
SWITCHES = {"listening": ("Listening", "mdi:microphone"), "mute": ("Mute", "mdi:volume-mute")}
PUSH_TO_TALK, SAY = "push-to-talk", "say"
PLANS = {"timer": "mdi:timer-outline", "routine": "mdi:calendar-clock"}
LONGEST_NAME = 60

Entity = tuple[str, str]  # the platform of Home Assistant, and our own name


def discovery_messages(settings: MqttSettings, switches: Iterable[str] = ()) -> list[Message]:
    """`switches` are those of the voice; without any there is none."""
    entities = _always(settings) | _of_the_voice(settings, tuple(switches))
    return [config_message(settings, entity, facts) for entity, facts in entities.items()]


def _always(settings: MqttSettings) -> dict[Entity, dict[str, Any]]:
    return {
        ("sensor", "status"): {
            **_sensor(settings, "Status", "status", "state", "mdi:heart-pulse"),
            "entity_category": "diagnostic",
        },
        ("sensor", "last_transcript"): {
            **_sensor(settings, "Last transcript", "transcription", "text[:255]", "mdi:microphone"),
            **_alive(settings),
        },
        ("sensor", "last_answer"): {
            **_sensor(settings, "Last answer", "ai-response", "text[:255]", "mdi:message-reply-text"),
            **_alive(settings),
        },
        ("text", "ask"): {
            "name": "Ask",
            "icon": "mdi:chat-question",
            "command_topic": topic(settings, "req"),
            "command_template": "{{ {'text': value} | tojson }}",
            "max": 255,
            **_alive(settings),
        },
        ("notify", "say"): {
            "name": "Say",
            "icon": "mdi:bullhorn",
            "command_topic": topic(settings, SAY),
            **_alive(settings),
        },
    }


def _of_the_voice(settings: MqttSettings, switches: tuple[str, ...]) -> dict[Entity, dict[str, Any]]:
    if not switches:
        return {}
    entities: dict[Entity, dict[str, Any]] = {
        ("button", "push_to_talk"): {
            "name": "Push to talk",
            "icon": "mdi:microphone-message",
            "command_topic": topic(settings, PUSH_TO_TALK),
            **_alive(settings),
        }
    }
    for name in switches:
        called, icon = SWITCHES[name]
        entities["switch", name] = {
            "name": called,
            "icon": icon,
            "state_topic": topic(settings, name),
            "command_topic": topic(settings, f"{name}/set"),
            "entity_category": "config",
            **_alive(settings),
        }
    return entities


def plan_config(settings: MqttSettings, kind: str, number: str, name: str) -> Message:
    """A timer or a routine: when it is due next, as a time."""
    field = "due" if kind == "timer" else "next"
    return config_message(
        settings,
        ("sensor", f"{kind}_{number}"),
        {
            **_sensor(settings, name[:LONGEST_NAME], f"{kind}s/{number}", field, PLANS[kind]),
            "device_class": "timestamp",
            **_alive(settings),
        },
    )


def config_message(settings: MqttSettings, entity: Entity, facts: Mapping[str, Any]) -> Message:
    key = device_key(settings)
    known = {**facts, "unique_id": f"voice_gateway_{key}_{entity[1]}", "device": _device(settings)}
    return Message(config_topic(settings, entity), json_text({**known, "origin": ORIGIN}), retain=True)


def config_topic(settings: MqttSettings, entity: Entity) -> str:
    kind, name = entity
    return f"{settings.discovery_prefix}/{kind}/voice_gateway_{device_key(settings)}/{name}/config"


def any_config(settings: MqttSettings) -> str:
    """By which all of ours are found that the broker keeps."""
    return config_topic(settings, ("+", "+"))


def device_key(settings: MqttSettings) -> str:
    return re.sub(r"[^a-z0-9]+", "_", settings.prefix.lower()).strip("_") or "voice"


def _device(settings: MqttSettings) -> dict[str, Any]:
    area = {"suggested_area": settings.room} if settings.room else {}
    return {
        "identifiers": [f"voice_gateway_{device_key(settings)}"],
        "name": settings.name,
        "manufacturer": "voice-gateway",
        "model": "Voice gateway",
        "sw_version": __version__,
        **area,
    }


def _alive(settings: MqttSettings) -> dict[str, Any]:
    template = "{{ 'offline' if value_json.state == 'offline' else 'online' }}"
    return {"availability": [{"topic": topic(settings, "status"), "value_template": template}]}


def _sensor(settings: MqttSettings, name: str, where: str, field: str, icon: str) -> dict[str, Any]:
    state = topic(settings, where)
    return {
        "name": name,
        "icon": icon,
        "state_topic": state,
        "value_template": f"{{{{ value_json.{field} }}}}",
        "json_attributes_topic": state,
    }
