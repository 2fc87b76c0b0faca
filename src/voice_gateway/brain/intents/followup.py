"""What a conversation remembers between turns: what "it" means, and a question that waits for its answer."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from voice_gateway.brain.intents.grammar import Frame
from voice_gateway.brain.intents.guard import guard
from voice_gateway.brain.intents.home import Device, Home, build_home, name_key
from voice_gateway.brain.intents.normalise import Said
from voice_gateway.brain.intents.places import room_named
from voice_gateway.brain.intents.plan_builtin import is_clock, is_duration
from voice_gateway.brain.intents.resolve import Found, Resolver
from voice_gateway.brain.intents.understanding import Ask, Context, Step
from voice_gateway.brain.intents.wording import which

KEY = "local"  # our corner of the conversation's state
QUESTION_SECONDS = 60.0  # an answer later than this answers nothing

_YES = re.compile(
    r"^(?:yes|yeah|yep|yup|sure|correct|right|exactly|of course|do it|do that|go ahead|please do|that one|"
    r"i do|yes i do|yes do it|yes do that|yes go ahead|yes that one|affirmative|ok|okay)$"
)
_NO = re.compile(
    r"^(?:no|nope|nah|neither|none|none of them|no do not|do not|never mind|forget it|cancel|stop|leave it|"
    r"no thanks|no thank you|negative|nothing)$"
)
_ALL = re.compile(r"^(?:both|both of them|all|all of them|all of those|every one|everything)$")
_CHOSEN = re.compile(
    r"^(?:no )?(?:i (?:mean|meant|want|would like) )?(?:yes )?(?:the )?(?:one |ones )?"
    r"(?:in |on |at |from )?(?:the )?"
)
_ORDINALS = {
    "first": 0,
    "first one": 0,
    "second": 1,
    "second one": 1,
    "third": 2,
    "third one": 2,
    "last": -1,
    "last one": -1,
}
_ALSO = re.compile(
    r"^(?:and|also|what about|how about|and what about|(?:do )?the same (?:for|in|with|to)|same (?:for|in)) "
    r"(?=\S)"
)


@dataclass(frozen=True, slots=True)
class Memory:
    """Read from, and written to, the conversation's state as plain JSON."""

    last: tuple[Device, ...] = ()
    topic: str = ""
    frame: Frame | None = None
    asked: Ask | None = None
    asked_at: float = 0.0

    def to_json(self) -> dict[str, Any]:
        stored: dict[str, Any] = {"last": [list(device.key) for device in self.last], "topic": self.topic}
        if self.frame is not None:
            stored["frame"] = {"intent": self.frame.intent, "slots": dict(self.frame.slots)}
        if self.asked is not None:
            stored["asked"] = {
                "text": self.asked.text,
                "intent": self.asked.frame.intent,
                "slots": dict(self.asked.frame.slots),
                "candidates": [list(device.key) for device in self.asked.candidates],
                "confirm": self.asked.confirm,
                "clear": [list(device.key) for device in self.asked.clear],
                "slot": self.asked.slot,
                "at": self.asked_at,
            }
        return stored


def recall(state: Mapping[str, Any], home: Home) -> Memory:
    """Devices that are gone meanwhile are forgotten, and so is what another version wrote."""
    stored = state.get(KEY)
    try:
        return _recalled(stored, home) if isinstance(stored, Mapping) else Memory()
    except (KeyError, TypeError, ValueError):
        return Memory()


def _recalled(stored: Mapping[str, Any], home: Home) -> Memory:
    frame, asked = stored.get("frame"), stored.get("asked")
    return Memory(
        _devices(stored.get("last"), home),
        str(stored.get("topic", "")),
        Frame(str(frame["intent"]), dict(frame["slots"])) if isinstance(frame, Mapping) else None,
        _ask(asked, home) if isinstance(asked, Mapping) else None,
        float(asked["at"]) if isinstance(asked, Mapping) else 0.0,
    )


def _ask(stored: Mapping[str, Any], home: Home) -> Ask:
    frame = Frame(str(stored["intent"]), dict(stored["slots"]))
    return Ask(
        str(stored["text"]),
        frame,
        _devices(stored["candidates"], home),
        bool(stored["confirm"]),
        _devices(stored.get("clear"), home),
        str(stored.get("slot") or ""),
    )


def _devices(keys: object, home: Home) -> tuple[Device, ...]:
    found = (home.find(key) for key in keys) if isinstance(keys, Sequence) else ()
    return tuple(device for device in found if device is not None)


def settle(said: Said, asked: Ask, context: Context) -> Step | Ask | Frame | None:
    """The answer to our question: a clear frame, the question again, or None: it was no answer."""
    text = said.text
    if asked.slot:
        return _when(text, asked)
    if _NO.match(text) or _NO.match(said.whole):
        return Step("No", say="Okay, I won't.")
    if _YES.match(text) or _YES.match(said.whole):
        if asked.frame.intent == "Scene":
            return asked.frame
        return clear(asked, asked.candidates, context) if asked.confirm else asked
    enough = len(asked.candidates) == 2 if text.startswith("both") else len(asked.candidates) > 1
    if _ALL.match(text) and enough and not asked.confirm:
        return clear(asked, asked.candidates, context)
    words = _CHOSEN.sub("", text).strip()
    if not words or len(words.split()) > 5 or guard(text) or said.question:
        return None
    return _chosen(words, asked, context)


def _chosen(words: str, asked: Ask, context: Context) -> Step | Ask | Frame | None:
    if words in _ORDINALS and len(asked.candidates) > max(_ORDINALS[words], 0):
        return clear(asked, (asked.candidates[_ORDINALS[words]],), context)
    room = room_named(words, context.home)
    inside = tuple(device for device in asked.candidates if room and name_key(device.room) == name_key(room))
    if len(inside) == 1:
        return clear(asked, inside, context)
    if len(inside) > 1:
        return replace(asked, text=which(inside), candidates=inside)
    found = Resolver(build_home(asked.candidates)).resolve(words)
    return clear(asked, found.devices, context) if isinstance(found, Found) else None


def _when(text: str, asked: Ask) -> Step | Frame | None:
    if _NO.match(text):
        return Step("No", say="Okay, I won't.")
    when = re.sub(r"^(?:for|in|at) ", "", text)
    if is_duration(when):
        return Frame(asked.frame.intent, {**asked.frame.slots, "duration": when})
    return Frame(asked.frame.intent, {**asked.frame.slots, "clock": when}) if is_clock(when) else None


def clear(asked: Ask, devices: Sequence[Device], context: Context) -> Frame | None:
    """The same wish for exactly these devices, and for those that were clear before."""
    if not devices:
        return None
    names = " and ".join(context.home.address(device) for device in (*asked.clear, *devices))
    slots = {name: value for name, value in asked.frame.slots.items() if name != "place"}
    return Frame(asked.frame.intent, {**slots, "thing": names}, asked.frame.literal)


def also(said: Said, memory: Memory, context: Context) -> Frame | None:
    """ "And the bedroom": the last wish once more, for something else."""
    match = _ALSO.match(said.whole)
    if match is None or memory.frame is None or "thing" not in memory.frame.slots:
        return None
    rest = (
        re.sub(r"^(?:in|for|on|with) ", "", said.whole[match.end() :])
        .removesuffix(" too")
        .removesuffix(" please")
    )
    room = context.home.rooms.get(name_key(re.sub(r"^(?:the|my|our) ", "", rest)))
    slots = {name: value for name, value in memory.frame.slots.items() if name != "place"}
    if room is None:
        return Frame(memory.frame.intent, {**slots, "thing": rest})
    if memory.last and all(device.is_light for device in memory.last):
        return Frame(memory.frame.intent, {**slots, "thing": f"lights in {room}"})
    if memory.last and all(device.kind == "blind" for device in memory.last):
        return Frame(memory.frame.intent, {**slots, "thing": f"blinds in {room}"})
    return None
