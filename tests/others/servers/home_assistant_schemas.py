"""What Home Assistant's own schemas say of MQTT discovery: lines of [topic, config] in, complaints out.

Runs on Home Assistant's Python. Its discovery drops what it does not know; here that is a complaint, too.
"""

import importlib
import json
import sys
from typing import Any

import voluptuous as vol
from homeassistant.components.mqtt.mixins import MQTT_ORIGIN_INFO_SCHEMA

# This version has no entity for it yet: what Home Assistant's page on MQTT's notify lists.
NOTIFY = (
    "availability availability_mode availability_template availability_topic command_template command_topic "
    "default_entity_id device enabled_by_default encoding entity_category entity_picture icon "
    "json_attributes_template json_attributes_topic name object_id payload_available payload_not_available "
    "platform qos retain unique_id"
).split()


def complaint(topic: str, config: dict[str, Any]) -> str:
    _, platform, *_, last = topic.split("/")
    assert last == "config", topic
    try:
        MQTT_ORIGIN_INFO_SCHEMA(config.pop("origin"))
        if platform == "notify":
            check_notify(config)
        else:
            importlib.import_module(f"homeassistant.components.mqtt.{platform}").PLATFORM_SCHEMA_MODERN(
                config
            )
    except (vol.Invalid, KeyError) as error:
        return f"{topic}: {error!r}"
    return ""


def check_notify(config: dict[str, Any]) -> None:
    """All that it shares with a button, by the button's schema."""
    schema = importlib.import_module("homeassistant.components.mqtt.button").PLATFORM_SCHEMA_MODERN
    if unknown := set(config) - set(NOTIFY):
        raise vol.Invalid(f"not documented: {', '.join(sorted(unknown))}")
    schema(config)


for line in sys.stdin:
    print(json.dumps(complaint(*json.loads(line))), flush=True)
