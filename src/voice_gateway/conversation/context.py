"""What a conversation asks of the gateway around it."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Protocol

from home_names.kinds import HomeDevice, classes_in
from home_names.names import words
from voice_gateway.brain.local.fitting import Fitting
from voice_gateway.brain.local.meaning import Context
from voice_gateway.brain.local.speech_act import SpeechAct, classify
from voice_gateway.brain.local.understand import Reader
from voice_gateway.integrations.zwave import ZwaveSource
from voice_gateway.tools.permission.gate import Fits
from voice_gateway.tools.permission.target import Reach
from voice_gateway.turn import ToolCall, ToolTraits, Utterance
from voice_gateway.turns.stage import HomeFacts


class GatewayContext(Protocol):
    """A gateway: its home, and the tool servers that it is linked to."""

    def reach(self, call: ToolCall, traits: ToolTraits) -> Reach | None:
        """What a call would touch in the home; None: it is no call of a home."""
        ...

    def agreed(self, call: ToolCall, traits: ToolTraits) -> None:
        """The user has said yes to this call."""
        ...

    def fitting(self, utterance: Utterance, before: str) -> Fits:
        """Whether a call is what these words mean, behind those before them."""
        ...

    def home_facts(self, text: str) -> HomeFacts:
        """The home's names and servers, and whether these words of a user are about it."""
        ...

    async def linked(self) -> None:
        """Returns when the tool servers are there, or cannot be."""
        ...


class NullContext:
    """For a conversation without a gateway around it."""

    def reach(self, call: ToolCall, traits: ToolTraits) -> Reach | None:
        """Our own tools are known by name; which devices they would reach is not."""
        return ZwaveSource().reach(traits.original_name or call.name, call.arguments)

    def agreed(self, _call: ToolCall, _traits: ToolTraits) -> None:
        """There is nothing to remember."""

    def fitting(self, utterance: Utterance, _before: str) -> Fits:
        return Fitting(utterance.text, Reader(Context()))

    def home_facts(self, text: str) -> HomeFacts:
        return home_facts(text)

    async def linked(self) -> None:
        """There is nothing to wait for."""


def home_facts(
    text: str,
    devices: Sequence[HomeDevice] = (),
    servers: frozenset[str] = frozenset(),
    tools: Sequence[Any] = (),
) -> HomeFacts:
    """Words are about the home if the local brain says so, or if they name a device, room or kind of it."""
    names = frozenset(name for device in devices for name in (device.name, device.room) if name)
    facts = HomeFacts(names, servers)
    act = classify(text, names, tools)
    if act is not SpeechAct.UNCLEAR:
        return replace(facts, meant=act is SpeechAct.HOME, talk=act is SpeechAct.TALK)
    kinds = [kind for kind in classes_in(words(text)) if any(map(kind.has, devices))]
    return replace(facts, meant=bool(kinds or facts.names_in(text)))
