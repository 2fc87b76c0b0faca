"""What the broker keeps of us: it is renewed where it changed, and taken back where it is no longer so."""

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

from voice_gateway.channels import json_text
from voice_gateway.channels.mqtt.discovery import (
    PLANS,
    any_config,
    discovery_messages,
    plan_config,
)
from voice_gateway.channels.mqtt.topics import Message, topic
from voice_gateway.config import MqttSettings
from voice_gateway.events import Planned

MOST_PLANS = 50  # of each kind, those that are due first: nobody looks through more


class Retained:
    """Timers and routines, and the configs of Home Assistant. `put` sends a message."""

    def __init__(self, settings: MqttSettings, switches: Sequence[str]) -> None:
        self._settings = settings
        self._switches = tuple(switches)
        self._plans: dict[str, dict[str, Message]] = {}  # by kind: what is kept of each, by topic
        self._kept: set[str] = set()  # topics that the broker had when we came, and that may be old
        # To be read at the start of a connection, so that what is old is seen. Gateways that share a prefix
        # have timers of their own: none takes back another's.
        self.topics = () if settings.share_group else (any_config(settings), *_plan_topics(settings))

    def configs(self) -> list[Message]:
        """All of them, for a Home Assistant that has just come."""
        if not self._settings.discovery_prefix:
            return []
        of_plans = itertools.chain.from_iterable(plans.values() for plans in self._plans.values())
        fixed = discovery_messages(self._settings, self._switches)
        return fixed + [message for message in of_plans if self._is_config(message.topic)]

    def planned(self, event: Planned) -> list[Message]:
        """What is to be sent now that these are the plans of this kind."""
        if self._settings.share_group:
            return []
        before, now = self._plans.get(event.kind, {}), self._messages(event)
        self._plans[event.kind] = now
        new = [message for where, message in now.items() if before.get(where) != message]
        return new + [_nothing(where) for where in before.keys() - now.keys()] + self._old()

    def seen(self, where: str) -> list[Message]:
        """The broker keeps something there."""
        self._kept.add(where)
        return self._old()

    def again(self) -> list[Message]:
        """For a broker that may have forgotten: what it still has is told by it."""
        self._kept.clear()
        return [message for plans in self._plans.values() for message in plans.values()]

    def _old(self) -> list[Message]:
        """Once all plans are known: what is kept and is not ours any more."""
        if len(self._plans) < len(PLANS):
            return []
        ours = {message.topic for message in self.configs()}
        ours |= {where for plans in self._plans.values() for where in plans if not self._is_config(where)}
        old = self._kept - ours
        self._kept.clear()
        return [_nothing(where) for where in sorted(old)]

    def _messages(self, event: Planned) -> dict[str, Message]:
        found: list[Message] = []
        for number, facts in itertools.islice(event.plans.items(), MOST_PLANS):
            found.append(self._state(event.kind, number, facts))
            if self._settings.discovery_prefix:
                found.append(plan_config(self._settings, event.kind, number, _name(facts)))
        return {message.topic: message for message in found}

    def _state(self, kind: str, number: str, facts: Mapping[str, Any]) -> Message:
        return Message(topic(self._settings, f"{kind}s/{number}"), json_text(facts), retain=True)

    def _is_config(self, where: str) -> bool:
        return where.startswith(f"{self._settings.discovery_prefix}/")


def _plan_topics(settings: MqttSettings) -> tuple[str, ...]:
    return tuple(topic(settings, f"{kind}s/+") for kind in PLANS)


def _name(facts: Mapping[str, Any]) -> str:
    return str(facts.get("text") or "plan")


def _nothing(where: str) -> Message:
    """A retained message without words is what makes a broker forget."""
    return Message(where, "", retain=True)
