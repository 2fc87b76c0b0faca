"""Whether a model's call is what the words mean: compared with what the parser reads from them.

Erring costs a question, so only what plainly stands there is meant; whose words they are is in `own_words`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from home_names.kinds import HomeDevice, classes_in
from home_names.names import loose_words, words
from home_names.resolver import ALL
from home_words.wish_words import HINTS, unwrapped
from voice_gateway.brain.local.command.what import HEATING, read_command
from voice_gateway.brain.local.meaning import Request, Step
from voice_gateway.brain.local.normalise import normalise, strip_politeness, too_long
from voice_gateway.brain.local.own_words import asked_for
from voice_gateway.brain.local.speech_act import not_a_command
from voice_gateway.brain.local.understand import Reader
from voice_gateway.integrations.device import Device
from voice_gateway.integrations.home import Home
from voice_gateway.tools.builtin.durations import parse_span
from voice_gateway.tools.permission.gate import Fit
from voice_gateway.tools.permission.risk import name_words
from voice_gateway.tools.permission.target import Reach
from voice_gateway.turn import ToolCall, ToolTraits


def devices_in(text: str, home: Home) -> tuple[Device, ...]:
    """Those that a conversation has named: what "it" may be."""
    spoken = loose_words(text)
    return tuple(device for device in home.devices if loose_words(device.name) <= spoken)


@dataclass(frozen=True)
class Fitting:
    """Judges calls by the words of one turn, and by what they would reach."""

    raw: str
    reader: Reader  # `last` of its context is what the conversation was about
    reach_of: Callable[[Request], Reach | None] = lambda _request: None

    def __call__(self, call: ToolCall, traits: ToolTraits, reach: Reach | None) -> Fit:
        if too_long(self.raw):
            return Fit.FAR
        if self._means(call, traits, reach):
            return Fit.MEANT
        devices = reach.devices if reach else ()
        # The gate knows by which words the built-in ones are spoken of.
        near = traits.source == "builtin" or any(map(self._is_near, devices))
        return Fit.NEAR if near or (not devices and self._names(call, traits, reach)) else Fit.FAR

    @cached_property
    def _requests(self) -> tuple[Request, ...]:
        """What the parser would call: for the whole of it, else for the clauses that it can read."""
        said = normalise(self.raw)
        whole = self.reader.read(said)
        if whole.steps or not_a_command(said.text):
            return whole.requests
        read = (self.reader.clause(strip_politeness(part)[0]) for part in said.parts)
        steps = [step for step in read if isinstance(step, Step) and step.acts]
        return tuple(request for step in steps for request in step.requests)

    def _means(self, call: ToolCall, traits: ToolTraits, reach: Reach | None) -> bool:
        """What the parser cannot read is compared word by word; a tool that it does not know, by its name."""
        if self._requests:
            return any(self._is_same(request, call, traits, reach) for request in self._requests)
        if not_a_command(normalise(self.raw).text):
            return False
        if (reach and reach.devices) or traits.source == "builtin":
            return asked_for(self.raw, call, traits, reach, by_name=False)
        if not traits.trusted:
            return asked_for(self.raw, call, traits, reach, by_name=True)
        return self._names(call, traits, reach)

    def _names(self, call: ToolCall, traits: ToolTraits, reach: Reach | None) -> bool:
        """What is none of our devices: a scene, a tool of another server, a device that nobody knows."""
        tool = " ".join(name_words(traits.original_name or call.name))
        about = loose_words((reach and (reach.said or reach.scene)) or tool)
        return not about.isdisjoint(loose_words(self.raw))

    def _is_same(self, request: Request, call: ToolCall, traits: ToolTraits, reach: Reach | None) -> bool:
        """In a home it is the same to do the same with the same devices, by whichever call."""
        if reach is not None:
            meant = self.reach_of(request)
            return meant is not None and _touched(meant) == _touched(reach)
        if request.tool != (traits.original_name or call.name):
            return False
        return _values(request.args) == _values(call.arguments)

    def _is_near(self, device: HomeDevice) -> bool:
        """By its whole name, or in its room. One word alone is said of other things, too: then something must
        be wanted."""
        spoken = loose_words(self.raw)
        name, room = loose_words(device.name), loose_words(device.room)
        named = name & spoken or any(sort.has(device) for sort in classes_in(words(self.raw)))
        if (len(name) > 1 and name <= spoken) or (room and room <= spoken and named):
            return True
        heated = device.kind == "thermostat" and self._wanted & HEATING
        hinted = named or heated or room & spoken or spoken & ALL or device in self.reader.context.last
        return bool(self._wanted and hinted)

    @cached_property
    def _wanted(self) -> frozenset[str]:
        """The deeds of every command that could be read from any word on."""
        said = normalise(self.raw)
        parts = [part.split() for part in said.parts]
        tails = (" ".join(part[at:]) for part in parts for at in range(len(part)))
        deeds = frozenset(command.what.action for tail in tails for command in read_command(tail))
        wished = said.question or any(
            unwrapped(part) or unwrapped(part, HINTS) for part in (said.text, *said.parts)
        )
        return deeds | {"a wish"} if wished else deeds


def _touched(reach: Reach) -> tuple[object, ...]:
    things = frozenset((one.name, one.room, one.kind) for one in reach.devices)
    return things, reach.action, _how(reach.how), reach.scene.casefold()


def _how(said: str) -> tuple[object, ...]:
    """ "to 40.0 percent" is "to 40 percent"."""
    return tuple(_value("", word) for word in said.split())


def _values(args: Mapping[str, Any]) -> dict[str, object]:
    """As they are compared: "600" is ten minutes."""
    return {key: _value(key, value) for key, value in args.items()}


def _value(key: str, value: Any) -> object:
    if key == "duration" and (span := parse_span(str(value))) is not None:
        return span.total_seconds
    try:
        return float(value)
    except (TypeError, ValueError):
        return loose_words(str(value))
