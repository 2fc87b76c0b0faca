"""What a conversation remembers between turns: what "it" means, and a question that waits for its answer."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from voice_gateway.brain.intents.answers import ALL, NO, ORDINALS, WONT, YES
from voice_gateway.brain.intents.grammar import Frame
from voice_gateway.brain.intents.guard import guard
from voice_gateway.brain.intents.home import Device, Home, build_home, name_key
from voice_gateway.brain.intents.normalise import Said
from voice_gateway.brain.intents.places import room_named
from voice_gateway.brain.intents.plan_builtin import is_clock, is_duration
from voice_gateway.brain.intents.resolve import Found, Resolver
from voice_gateway.brain.intents.timer_talk import restored, settle_timer, stored
from voice_gateway.brain.intents.understanding import Ask, Context, Step
from voice_gateway.brain.intents.wording import MOST_CHOICES, rooms_asked, which

KEY = "local"  # our corner of the conversation's state
QUESTION_SECONDS = 60.0  # an answer later than this answers nothing

_CHOSEN = re.compile(
    r"^(?:no )?(?:i (?:mean|meant|want|would like) )?(?:yes )?(?:the )?(?:one |ones )?"
    r"(?:in |on |at |from )?(?:the )?"
)
_ALSO = re.compile(
    r"^(?:and|also|what about|how about|and what about|(?:do )?the same (?:for|in|with|to)|same (?:for|in)) "
    r"(?=\S)"
)


_ASKING = re.compile(r"^(?:and )?(?:what|how) about ")


@dataclass(frozen=True, slots=True)
class Memory:
    """Read from, and written to, the conversation's state as plain JSON."""

    last: tuple[Device, ...] = ()
    topic: str = ""
    frame: Frame | None = None
    asked: Ask | None = None
    asked_at: float = 0.0
    timer: str = ""  # the one that was just set: "cancel it"
    timer_at: float = 0.0

    def to_json(self) -> dict[str, Any]:
        written: dict[str, Any] = {"last": [list(device.key) for device in self.last], "topic": self.topic}
        if self.timer:
            written["timer"] = {"id": self.timer, "at": self.timer_at}
        if self.frame is not None:
            written["frame"] = {"intent": self.frame.intent, "slots": dict(self.frame.slots)}
        if self.asked is not None:
            written["asked"] = {
                "text": self.asked.text,
                "intent": self.asked.frame.intent,
                "slots": dict(self.asked.frame.slots),
                "candidates": [list(device.key) for device in self.asked.candidates],
                "confirm": self.asked.confirm,
                "clear": [list(device.key) for device in self.asked.clear],
                "slot": self.asked.slot,
                "timers": stored(self.asked.timers),
                "at": self.asked_at,
            }
        return written


def recall(state: Mapping[str, Any], home: Home) -> Memory:
    """Devices that are gone meanwhile are forgotten, and so is what another version wrote."""
    written = state.get(KEY)
    try:
        return _recalled(written, home) if isinstance(written, Mapping) else Memory()
    except (KeyError, TypeError, ValueError):
        return Memory()


def _recalled(written: Mapping[str, Any], home: Home) -> Memory:
    frame, asked, timer = written.get("frame"), written.get("asked"), written.get("timer")
    return Memory(
        _devices(written.get("last"), home),
        str(written.get("topic", "")),
        Frame(str(frame["intent"]), dict(frame["slots"])) if isinstance(frame, Mapping) else None,
        _ask(asked, home) if isinstance(asked, Mapping) else None,
        float(asked["at"]) if isinstance(asked, Mapping) else 0.0,
        str(timer["id"]) if isinstance(timer, Mapping) else "",
        float(timer["at"]) if isinstance(timer, Mapping) else 0.0,
    )


def _ask(written: Mapping[str, Any], home: Home) -> Ask:
    frame = Frame(str(written["intent"]), dict(written["slots"]))
    return Ask(
        str(written["text"]),
        frame,
        _devices(written["candidates"], home),
        bool(written["confirm"]),
        _devices(written.get("clear"), home),
        str(written.get("slot") or ""),
        restored(written.get("timers")),
    )


def _devices(keys: object, home: Home) -> tuple[Device, ...]:
    found = (home.find(key) for key in keys) if isinstance(keys, Sequence) else ()
    return tuple(device for device in found if device is not None)


def settle(said: Said, asked: Ask, context: Context) -> Step | Ask | Frame | None:
    """The answer to our question: a clear frame, the question again, or None: it was no answer."""
    if asked.timers:
        return settle_timer(said, asked)
    if asked.slot:
        return _when(said.text, asked)
    if NO.match(said.text) or NO.match(said.whole):
        return Step("No", say=WONT)
    if YES.match(said.text) or YES.match(said.whole):
        return _agreed(asked, context)
    return _picked(said, asked, context)


def _agreed(asked: Ask, context: Context) -> Ask | Frame | None:
    if asked.frame.intent == "Scene":
        return asked.frame
    return clear(asked, asked.candidates, context) if asked.confirm else asked


def _picked(said: Said, asked: Ask, context: Context) -> Step | Ask | Frame | None:
    text = said.text
    enough = len(asked.candidates) == 2 if text.startswith("both") else len(asked.candidates) > 1
    if ALL.match(text) and enough and not asked.confirm:
        return clear(asked, asked.candidates, context)
    words = _CHOSEN.sub("", text).strip()
    if words not in ORDINALS:
        words = re.sub(r" ones?$", "", words)
    if not words or len(words.split()) > 5 or guard(text) or said.question:
        return None
    return _chosen(words, asked, context)


def _chosen(words: str, asked: Ask, context: Context) -> Step | Ask | Frame | None:
    if words in ORDINALS:
        return _counted(ORDINALS[words], asked, context)
    return _placed(room_named(words, context.home), asked, context) or _named(words, asked, context)


def _counted(place: int, asked: Ask, context: Context) -> Ask | Frame | None:
    """ "The second one" is the second that was named: a room, where rooms were asked for."""
    rooms = rooms_asked(asked.candidates) if asked.text.endswith(which(asked.candidates)) else []
    shown = len(rooms or asked.candidates)
    if not -shown <= place < min(shown, MOST_CHOICES if not rooms else shown):
        return None
    if rooms:
        return _placed(rooms[place], asked, context)
    return clear(asked, (asked.candidates[place],), context)


def _placed(room: str | None, asked: Ask, context: Context) -> Ask | Frame | None:
    inside = tuple(device for device in asked.candidates if room and name_key(device.room) == name_key(room))
    if len(inside) == 1:
        return clear(asked, inside, context)
    if len(inside) > 1:
        return replace(asked, text=which(inside), candidates=inside)
    return None


def _named(words: str, asked: Ask, context: Context) -> Frame | None:
    found = Resolver(build_home(asked.candidates)).resolve(words)
    return clear(asked, found.devices, context) if isinstance(found, Found) else None


def _when(text: str, asked: Ask) -> Step | Frame | None:
    if NO.match(text):
        return Step("No", say=WONT)
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


def asks_also(said: Said) -> bool:
    """ "What about the bedroom" is a question, and never acts by itself."""
    return said.question or bool(_ASKING.match(said.whole))


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
