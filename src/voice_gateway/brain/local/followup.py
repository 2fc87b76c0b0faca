"""Follow-ups: the answer to a question of ours, and "and the bedroom"."""

import re
from collections.abc import Sequence
from dataclasses import replace

from voice_gateway.brain.local.answers import ALL, NO, ORDINALS, WONT, YES
from voice_gateway.brain.local.grammar import Frame
from voice_gateway.brain.local.home import Device, build_home, name_key
from voice_gateway.brain.local.memory import Memory
from voice_gateway.brain.local.normalise import Said
from voice_gateway.brain.local.places import room_named
from voice_gateway.brain.local.plan_builtin import is_clock, is_duration
from voice_gateway.brain.local.resolve import Found, Resolver
from voice_gateway.brain.local.speech_act import not_a_command
from voice_gateway.brain.local.timer_talk import settle_timer
from voice_gateway.brain.local.understanding import Clarification, Context, Step
from voice_gateway.brain.local.wording import MOST_CHOICES, rooms_asked, which

QUESTION_SECONDS = 60.0  # an answer later than this answers nothing

_CHOSEN = re.compile(
    r"^(?:no )?(?:i (?:mean|meant|want|would like) )?(?:yes )?(?:the )?(?:one |ones )?"
    r"(?:in |on |at |from )?(?:the )?"
)
_ALSO = re.compile(
    r"^(?:and|also|what about|how about|and what about|(?:do )?the same (?:for|in|with|to)|same (?:for|in)) "
    r"(?=\S)|^(?:no|sorry|no sorry|i meant) (?:i (?:mean|meant|said) )?(?=(?:the|my|our) )"
)


_ASKING = re.compile(r"^(?:and )?(?:what|how) about |^(?:no|sorry|i meant) ")


def settle(said: Said, asked: Clarification, context: Context) -> Step | Clarification | Frame | None:
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


def _agreed(asked: Clarification, context: Context) -> Clarification | Frame | None:
    if asked.frame.intent == "Scene":
        return asked.frame
    return clear(asked, asked.candidates, context) if asked.confirm else asked


def _picked(said: Said, asked: Clarification, context: Context) -> Step | Clarification | Frame | None:
    text = said.text
    enough = len(asked.candidates) == 2 if text.startswith("both") else len(asked.candidates) > 1
    if ALL.match(text) and enough and not asked.confirm:
        return clear(asked, asked.candidates, context)
    words = _CHOSEN.sub("", text).strip()
    if words not in ORDINALS:
        words = re.sub(r" ones?$", "", words)
    if not words or len(words.split()) > 5 or not_a_command(text) or said.question:
        return None
    return _chosen(words, asked, context)


def _chosen(words: str, asked: Clarification, context: Context) -> Step | Clarification | Frame | None:
    if words in ORDINALS:
        return _counted(ORDINALS[words], asked, context)
    parts = re.split(r" and (?:the )?", words)
    if len(parts) > 1:
        return _each(parts, asked, context)
    return _placed(room_named(words, context.home), asked, context) or _named(words, asked, context)


def _each(parts: Sequence[str], asked: Clarification, context: Context) -> Frame | None:
    """ "The kitchen and the office one": each must be clear."""
    chosen: list[Device] = []
    for part in parts:
        room = room_named(part, context.home)
        inside = [device for device in asked.candidates if room and name_key(device.room) == name_key(room)]
        found = Resolver(build_home(asked.candidates)).resolve(part)
        named = list(found.devices) if isinstance(found, Found) else []
        if len(inside) != 1 and len(named) != 1:
            return None
        chosen += inside if len(inside) == 1 else named
    return clear(asked, chosen, context)


def _counted(place: int, asked: Clarification, context: Context) -> Clarification | Frame | None:
    """ "The second one" is the second that was named: a room, where rooms were asked for."""
    rooms = rooms_asked(asked.candidates) if asked.text.endswith(which(asked.candidates)) else []
    shown = len(rooms or asked.candidates)
    if not -shown <= place < min(shown, MOST_CHOICES if not rooms else shown):
        return None
    if rooms:
        return _placed(rooms[place], asked, context)
    return clear(asked, (asked.candidates[place],), context)


def _placed(room: str | None, asked: Clarification, context: Context) -> Clarification | Frame | None:
    inside = tuple(device for device in asked.candidates if room and name_key(device.room) == name_key(room))
    if len(inside) == 1:
        return clear(asked, inside, context)
    if len(inside) > 1:
        return replace(asked, text=which(inside), candidates=inside)
    return None


def _named(words: str, asked: Clarification, context: Context) -> Frame | None:
    found = Resolver(build_home(asked.candidates)).resolve(words)
    return clear(asked, found.devices, context) if isinstance(found, Found) else None


def _when(text: str, asked: Clarification) -> Step | Frame | None:
    if NO.match(text):
        return Step("No", say=WONT)
    when = re.sub(r"^(?:for|in|at) ", "", text)
    if is_duration(when):
        return Frame(asked.frame.intent, {**asked.frame.slots, "duration": when})
    return Frame(asked.frame.intent, {**asked.frame.slots, "clock": when}) if is_clock(when) else None


def clear(asked: Clarification, devices: Sequence[Device], context: Context) -> Frame | None:
    """The same wish for exactly these devices, and for those that were clear before."""
    if not devices:
        return None
    names = " and ".join(context.home.address(device) for device in (*asked.clear, *devices))
    slots = {name: value for name, value in asked.frame.slots.items() if name != "place"}
    return Frame(asked.frame.intent, {**slots, "thing": names}, asked.frame.literal)


def asks_also(said: Said) -> bool:
    """ "What about the bedroom" and "no, the bedroom" never act by themselves: it is asked what was meant."""
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
