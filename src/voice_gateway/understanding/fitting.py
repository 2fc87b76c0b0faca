"""Whether a model's call is what the user's words mean, by the grammar's own reading of them.

An error costs a question: what is not surely meant is asked about.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from home_names.kinds import DeviceClass, HomeDevice
from home_names.names import loose_words
from voice_gateway.integrations.device import Device
from voice_gateway.integrations.home import Home, Request
from voice_gateway.tools.builtin.times import Times
from voice_gateway.tools.permission.gate import Fit
from voice_gateway.tools.permission.risk import name_words
from voice_gateway.tools.permission.target import Reach
from voice_gateway.turn import ToolCall, ToolTraits, Words
from voice_gateway.turns.stage import HomeFacts
from voice_gateway.understanding.dialogue import Memory
from voice_gateway.understanding.interpreter import Interpreter
from voice_gateway.understanding.leaves import PARTIAL, UtteranceLeaves
from voice_gateway.understanding.lexer import PAUSES, Tokens
from voice_gateway.understanding.nodes import Chat
from voice_gateway.understanding.plan import Context
from voice_gateway.understanding.plan.foreign import tool_words
from voice_gateway.understanding.resolver import sort_of
from voice_gateway.understanding.talk import bearing, kinds_in, names_something


def devices_in(text: str, home: Home) -> tuple[Device, ...]:
    """The devices that a conversation has named: what "it" may be."""
    spoken = loose_words(text)
    return tuple(device for device in home.devices if loose_words(device.name) <= spoken)


@dataclass(frozen=True)
class Fitting:
    """Judges calls by the words of one turn, and by what they would reach."""

    raw: str
    grammar: Interpreter
    context: Context  # `last`: what the conversation was about
    reach_of: Callable[[Request], Reach | None] = lambda _request: None

    def __call__(self, call: ToolCall, traits: ToolTraits, reach: Reach | None) -> Fit:
        if self._said.cut:
            return Fit.FAR
        if self._means(call, traits, reach):
            return Fit.MEANT
        devices = reach.devices if reach else ()
        # The gate knows by which words the built-in tools are spoken of.
        near = traits.source == "builtin" or any(map(self._is_near, devices))
        return Fit.NEAR if near or (not devices and self._names(call, traits, reach)) else Fit.FAR

    @cached_property
    def _said(self) -> Tokens:
        return self.grammar.reader(self.context.home).tokens(self.raw)

    def _group(self, *names: str) -> frozenset[str]:
        return self.grammar.language.group(*names)

    @cached_property
    def _spoken(self) -> frozenset[str]:
        return loose_words(self.raw)

    @cached_property
    def _forbidden(self) -> bool:
        """Whether a denial, report or condition is in the words, so that only a whole reading is an order."""
        return not self._group("denial", "report", "condition").isdisjoint(self._said.words)

    @cached_property
    def _requests(self) -> tuple[Request, ...]:
        """The calls of the grammar for the whole words, else for the parts that it can read."""
        if (whole := self._planned(self.raw)) or self._forbidden or self._said.question:
            return whole
        parts = [" ".join(part.words) for part in self._parts]
        return tuple(one for part in parts for one in self._planned(part)) if len(parts) > 1 else ()

    def _planned(self, text: str) -> tuple[Request, ...]:
        memory = Memory(last=self.context.last, recent=self.context.last)
        return self.grammar.understand(text, self.context, memory).requests

    @property
    def _parts(self) -> list[Tokens]:
        return self._said.parts(PAUSES | self.grammar.language.groups["joins"])

    def _means(self, call: ToolCall, traits: ToolTraits, reach: Reach | None) -> bool:
        """Whether the words mean this call: by the grammar's calls; where it has none, of a trusted server's
        scene or tool by its name."""
        if self._requests:
            return any(self._is_same(request, call, traits, reach) for request in self._requests)
        by_name = traits.trusted and traits.source != "builtin" and not (reach and reach.devices)
        return by_name and not self._forbidden and self._names(call, traits, reach)

    def _names(self, call: ToolCall, traits: ToolTraits, reach: Reach | None) -> bool:
        """Whether the words name the scene, the tool or the unknown device that the call is about."""
        tool = " ".join(name_words(traits.original_name or call.name))
        return not loose_words((reach and (reach.said or reach.scene)) or tool).isdisjoint(self._spoken)

    @cached_property
    def _leaves(self) -> UtteranceLeaves:
        reader = self.grammar.reader(self.context.home)
        return UtteranceLeaves(self._said, reader.language, reader.index, PARTIAL)

    def _is_same(self, request: Request, call: ToolCall, traits: ToolTraits, reach: Reach | None) -> bool:
        """Whether two calls do the same: in a home to the same devices, elsewhere by the same arguments."""
        if reach is not None:
            meant = self.reach_of(request)
            return meant is not None and _touched(meant) == _touched(reach)
        if request.tool != (traits.original_name or call.name):
            return False
        return _values(request.args) == _values(call.arguments)

    def _is_near(self, device: HomeDevice) -> bool:
        """Whether the words name the device. One word of its name, or its kind, counts only if something
        must be wanted."""
        name, room = loose_words(device.name), loose_words(device.room)
        if len(name) > 1 and name <= self._spoken:
            return True
        asks = any(part.words[0] in self._group("asking") for part in self._parts)
        wanted = asks or self._said.question or self._said.polite
        wanted = wanted or not self._group("deeds", "wishing").isdisjoint(self._said.words)
        words = kinds_in(self._leaves, self._said)
        kinds = [DeviceClass(sort_of(word), word, plural=True) for word in words]
        own = (name | room) & self._spoken - loose_words(" ".join(self._group("common")))
        near = bool(own) or device in self.context.last
        return wanted and (near or any(kind.has(device) for kind in kinds))


def home_facts(text: str, grammar: Interpreter, context: Context, servers: frozenset[str]) -> HomeFacts:
    """Words are about the home if a reading of them is, or if they name a device, a room or a kind of it."""
    names = frozenset(name for device in context.home.devices for name in (device.name, device.room) if name)
    understood, reader = grammar.understand(text, context, Memory()), grammar.reader(context.home)
    read = understood.refused is None or understood.refused.say is not None
    facts = HomeFacts(names, servers, read=read)
    if understood.refused is None:
        talk = bool(understood.steps) and all(isinstance(step.node, Chat) for step in understood.steps)
        return replace(facts, meant=not talk, talk=talk)
    if understood.refused.talk:
        return replace(facts, talk=True)
    said = reader.tokens(text)
    found = bearing(reader, said, tool_words(context.voices.values(), looks=True))
    if found.words is Words.TALK:
        return replace(facts, talk=True)
    return replace(facts, meant=found.words is Words.WISH or found.home or names_something(reader, said))


def _touched(reach: Reach) -> tuple[object, ...]:
    things = frozenset((one.name, one.room, one.kind) for one in reach.devices)
    how = tuple(_value("", word) for word in reach.how.split())  # "to 40.0 percent" is "to 40 percent"
    return things, reach.action, how, reach.scene.casefold()


def _values(args: Mapping[str, Any]) -> dict[str, object]:
    """The arguments in a form to compare: "600" is ten minutes."""
    return {key: _value(key, value) for key, value in args.items()}


def _value(key: str, value: Any) -> object:
    if key == "duration" and (seconds := Times().length(str(value))) is not None:
        return seconds
    try:
        return float(value)
    except (TypeError, ValueError):
        return loose_words(str(value))
