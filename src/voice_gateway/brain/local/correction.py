"""What was meant instead of what was just done: "no, I meant the desk lamp", "the other one"."""

import re
from dataclasses import dataclass, replace

from home_names.names import name_key, plain_words, singular
from home_words.undo_words import ALSO, BEHIND, CORRECTION, OTHER, REGRET
from voice_gateway.brain.local.command.when import instead_of
from voice_gateway.brain.local.followup import repeated_wish
from voice_gateway.brain.local.grammar import Frame
from voice_gateway.brain.local.meaning import Clarification, Request, Step
from voice_gateway.brain.local.memory import Memory
from voice_gateway.brain.local.normalise import NormalisedText, normalise, strip_politeness
from voice_gateway.brain.local.speech_act import not_a_command
from voice_gateway.brain.local.understand import Reader
from voice_gateway.brain.local.wording import which
from voice_gateway.integrations.device import Device
from voice_gateway.integrations.home import Home
from voice_gateway.routines.model import MAKE
from voice_gateway.turns.acts import Call, UndoEntry

VOLUME, TIMER = "control_speaker_volume", "set_timer"
_MOST_WORDS = 12
_SAYS_NO = re.compile(r"(?:no|nope|nah|oops|whoops)\b")  # "sorry, …" and "wait, …" may begin another wish
_NAMES = re.compile(r"(?:in |on )?(?:the|my|our) ")


@dataclass(frozen=True, slots=True)
class Correction:
    """What is said to have been meant instead."""

    rest: str
    opening: str
    plain: bool  # "I meant …": nothing else can be meant; "no …" may begin other talk


def correction_in(said: NormalisedText) -> Correction | None:
    text = said.whole
    if said.question or len(text.split()) > _MOST_WORDS or ALSO.search(text):
        return None
    if OTHER.fullmatch(said.text):
        return Correction(said.text, "", plain=True)
    behind, opening = BEHIND.search(text), CORRECTION.match(text)
    meant = behind is not None and behind["meant"] is not None
    if opening is None and not meant:
        return None
    rest = BEHIND.sub("", strip_politeness(text[opening.end() :] if opening else text)[0])
    bare = opening is None or opening["bare"] is not None
    parted = len(said.parts) > 1 and bool(REGRET.fullmatch(said.parts[0]))
    return Correction(rest, text, plain=meant or parted or not bare) if rest else None


def device_of(call: Call, home: Home) -> Device | None:
    return home.device_of(str(call["name"]), call["args"])


def _with_value(rest: str, act: UndoEntry, reader: Reader) -> list[Request]:
    """The same calls with another value ("50 percent", "off", "15 minutes"); empty when it is none."""
    made = [_valued(re.sub(r"^(?:at|to|for|in|by) ", "", rest), call, reader) for call in act.did]
    return [one for one in made if one is not None] if None not in made else []


def _valued(value: str, call: Call, reader: Reader) -> Request | None:
    """As if it had been said of the same thing."""
    if call["name"] == MAKE:  # the same at another time
        when = instead_of(str(call["args"].get("when", "")), normalise(value).text)
        return Request(MAKE, {**call["args"], "when": when}) if when else None
    tool, device = str(call["name"]), device_of(call, reader.context.home)
    named = reader.context.home.called(device) if device else ""
    thing = named or {VOLUME: "the volume", TIMER: "a timer"}.get(tool, "")
    minutes = f"set {thing} for {value} minutes" if tool == TIMER and value.isdecimal() else ""
    ways = (minutes, f"set {thing} to {value}", f"set {thing} for {value}", f"{thing} {value}")
    for said in filter(None, ways) if thing else ():
        step = reader.clause(" ".join(plain_words(said)))
        requests = step.requests if isinstance(step, Step) and step.acts else ()
        same = len(requests) == 1 and requests[0].device == device
        if same and (device is not None or requests[0].tool == tool):
            kept = {key: call["args"][key] for key in ("name", "message") if key in call["args"]}
            return replace(requests[0], args={**kept, **requests[0].args})
    return None


def _the_other(rest: str, act: UndoEntry, home: Home) -> tuple[Device, ...] | None:
    """Those that "the other one" can be: of the same sort, in the same room. None: it is not said."""
    match = OTHER.fullmatch(rest)
    if match is None:
        return None
    done = [device for call in act.did if (device := device_of(call, home)) is not None]
    if not done:
        return ()
    noun = singular(match["noun"]) if match["noun"] else ""
    rooms = {name_key(device.room) for device in done}
    alike = [
        device
        for device in home.devices
        if device not in done
        and name_key(device.room) in rooms
        and (noun in plain_words(device.name) if noun else _same_sort(device, done[0]))
    ]
    return tuple(alike)


def _same_sort(one: Device, other: Device) -> bool:
    return one.kind == other.kind or (one.is_light and other.is_light)


def meant_instead(
    correction: Correction, act: UndoEntry, memory: Memory, reader: Reader
) -> tuple[Request, ...] | Clarification:
    """The calls that do what was meant, or a question which device it is; none: it was no correction."""
    rest = correction.rest
    if valued := _with_value(rest, act, reader):
        return tuple(valued)
    understood = reader.read(normalise(rest))
    if understood.steps:
        says_no = correction.plain or _SAYS_NO.match(correction.opening)
        acting = all(step.acts and step.requests for step in understood.steps)
        return understood.requests if acting and says_no else ()
    frame = _same_wish(correction, act, memory, reader)
    if frame is None or isinstance(frame, Clarification):
        return frame or ()
    planned = reader.planned(frame)
    if planned.clarification is not None and planned.clarification.candidates:
        return planned.clarification
    return planned.requests


def _same_wish(
    correction: Correction, act: UndoEntry, memory: Memory, reader: Reader
) -> Frame | Clarification | None:
    """The last wish, for another device."""
    rest, context = correction.rest, reader.context
    ours = any(device_of(call, context.home) in memory.last for call in act.did)
    if memory.frame is None or not ours or not_a_command(rest):
        return None
    others = _the_other(rest, act, context.home)
    if others is not None:
        if len(others) == 1:
            slots = {key: value for key, value in memory.frame.slots.items() if key != "place"}
            return Frame(memory.frame.intent, {**slots, "thing": context.home.called(others[0])})
        return Clarification(which(others), memory.frame, others) if others else None
    if not correction.plain and not _NAMES.match(rest):
        return None
    return repeated_wish(normalise(f"and {rest}"), memory, context)
