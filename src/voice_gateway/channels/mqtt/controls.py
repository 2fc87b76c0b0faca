"""Commands to this machine over MQTT: say something, push to talk, mute, stop listening, hear alarms."""

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from voice_gateway.channels.mqtt.discovery import PUSH_TO_TALK, SAY
from voice_gateway.channels.mqtt.topics import Message, topic
from voice_gateway.config import MqttSettings
from voice_gateway.turn import encodable

log = logging.getLogger(__name__)

LONGEST_TEXT = 1_000  # characters
ON, OFF = b"ON", b"OFF"
ACKNOWLEDGE = "alarms/acknowledge"


@dataclass(frozen=True, slots=True)
class Switch:
    is_on: Callable[[], bool]
    turn: Callable[[bool], None]


@dataclass(frozen=True, slots=True)
class Controls:
    """`press` starts push to talk, and returns why it cannot, or ""."""

    say: Callable[[str], None] = lambda _text: None
    press: Callable[[], str] = lambda: ""
    switches: Mapping[str, Switch] = field(default_factory=dict)  # of the voice channel, if there is one
    acknowledge: Callable[[], str] = lambda: ""

    def topics(self, settings: MqttSettings) -> list[str]:
        names = [SAY, ACKNOWLEDGE, *([PUSH_TO_TALK] if self.switches else [])]
        names += [f"{name}/set" for name in self.switches]
        return [topic(settings, name) for name in names]

    def take(self, settings: MqttSettings, name: str, payload: bytes) -> list[Message]:
        """Carries out the command. Returns what to publish afterwards."""
        if name == topic(settings, SAY):
            if text := encodable(payload.decode("utf-8", "replace").strip()):
                self.say(text[:LONGEST_TEXT])
        elif name == topic(settings, ACKNOWLEDGE):
            self.acknowledge()
        elif name == topic(settings, PUSH_TO_TALK):
            if problem := self.press():
                log.warning("push to talk over MQTT did nothing", extra={"reason": problem})
        else:
            for switch_name, switch in self.switches.items():
                if name == topic(settings, f"{switch_name}/set") and payload.upper() in (ON, OFF):
                    switch.turn(payload.upper() == ON)
            return self.states(settings)
        return []

    def states(self, settings: MqttSettings) -> list[Message]:
        return [
            Message(topic(settings, name), "ON" if switch.is_on() else "OFF", retain=True)
            for name, switch in self.switches.items()
        ]
