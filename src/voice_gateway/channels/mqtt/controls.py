"""What can be done to this machine over MQTT: say something aloud, push to talk, mute, stop listening."""

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from voice_gateway.channels.mqtt.discovery import PUSH_TO_TALK, SAY
from voice_gateway.channels.mqtt.topics import Message, topic
from voice_gateway.config import MqttSettings
from voice_gateway.turn import encodable

log = logging.getLogger(__name__)

LONGEST_SAID = 1_000  # characters
ON, OFF = b"ON", b"OFF"
ACKNOWLEDGE = "alarms/acknowledge"


@dataclass(frozen=True, slots=True)
class Switch:
    is_on: Callable[[], bool]
    turn: Callable[[bool], None]


@dataclass(frozen=True, slots=True)
class Controls:
    """`press` is the button for push to talk: empty when it listens now, else what keeps it from that."""

    say: Callable[[str], None] = lambda _text: None
    press: Callable[[], str] = lambda: ""
    switches: Mapping[str, Switch] = field(default_factory=dict)  # of the voice, if there is one
    acknowledge: Callable[[], str] = lambda: ""  # somebody has heard the alarms

    def topics(self, settings: MqttSettings) -> list[str]:
        of_the_voice = [PUSH_TO_TALK] if self.switches else []
        return [
            topic(settings, name)
            for name in (SAY, ACKNOWLEDGE, *of_the_voice, *(f"{one}/set" for one in self.switches))
        ]

    def take(self, settings: MqttSettings, where: str, payload: bytes) -> list[Message]:
        """What is to be told after it was done."""
        if where == topic(settings, SAY):
            text = encodable(payload.decode("utf-8", "replace").strip())
            if text:
                self.say(text[:LONGEST_SAID])
        elif where == topic(settings, ACKNOWLEDGE):
            self.acknowledge()
        elif where == topic(settings, PUSH_TO_TALK):
            if problem := self.press():
                log.warning("push to talk over MQTT did nothing", extra={"reason": problem})
        else:
            for name, switch in self.switches.items():
                if where == topic(settings, f"{name}/set") and payload.upper() in (ON, OFF):
                    switch.turn(payload.upper() == ON)
            return self.states(settings)
        return []

    def states(self, settings: MqttSettings) -> list[Message]:
        return [
            Message(topic(settings, name), "ON" if switch.is_on() else "OFF", retain=True)
            for name, switch in self.switches.items()
        ]
