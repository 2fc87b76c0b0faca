"""An utterance that names a time or an event: kept as a routine, or done for a while; never done now."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from home_words import routine_words as words
from voice_gateway.brain.local.command.when import Split, splits
from voice_gateway.brain.local.grammar import Frame
from voice_gateway.brain.local.meaning import NotHandled, Request, Step, Understanding
from voice_gateway.brain.local.normalise import Said
from voice_gateway.brain.local.routine_words import resource_of, when_of
from voice_gateway.routines.model import CANCEL, LIST, MAKE, Event, Later, Missing, calls_text

if TYPE_CHECKING:
    from voice_gateway.brain.local.understand import Reader, Reading

BACK = "Back"  # the intent of what is taken back behind a while
_SAY = re.compile(r"^(?:say|tell (?:me|us)|announce|let (?:me|us) know)(?: that)? (?P<say>.+)$")
_JOINT = re.compile(r" (?:and then|and|then|but) ")
_OPENING = frozenset({"unlock", "open"})
_ONE_BY_ONE = (
    "I don't open anything for a while. Say it, and then say when it shall be locked or closed again."
)
_MORE = "I did nothing. Tell me its whole name together with the time, please."


def read_routine(reader: "Reader", said: Said) -> Understanding | None:
    """None: the words are nothing for later, or nobody keeps routines here."""
    context = reader.context
    if context.clock is None or MAKE not in context.tools or said.question:
        return None
    if (asked := _about(said.text)) is not None:
        return Understanding.of(asked)
    steps = _planned(reader, said.text) or _one_by_one(reader, said.text)
    return Understanding(tuple(steps)) if steps else None


def _one_by_one(reader: "Reader", text: str) -> Sequence[Step]:
    """ "At 7 turn on the lamp and at 8 turn it off": each with a time of its own."""
    for joint in _JOINT.finditer(text):
        first = _planned(reader, text[: joint.start()])
        if not first or any(step.say or step.intent == BACK for step in first):
            continue
        behind = reader.after(first)
        rest = text[joint.end() :]
        second = _planned(behind, rest) or _planned(behind, f"turn it {rest}") or _one_by_one(behind, rest)
        if second and not any(step.say or step.intent == BACK for step in second):
            return [*first, *second]
    return ()


def _planned(reader: "Reader", text: str) -> Sequence[Step]:
    """What is wrong with one way to part the words is only said when no other way fits."""
    problem: Step | None = None
    for split in splits(text):
        made = _of_split(reader, split)
        if made and not made[0].say:
            return made
        problem = problem or (made[0] if made else None)
    return [problem] if problem else ()


def names_time(text: str) -> bool:
    """Whether a time stands at one of its ends."""
    return next((True for split in splits(text) if split.order), False)


def unknown_thing(reader: "Reader", text: str) -> str:
    """A sentence that says what nobody knows here, where that is all that is wrong with a wish for later."""
    if reader.context.clock is None or MAKE not in reader.context.tools:
        return ""
    orders = (reader.clause(split.order) for split in splits(text))
    found = (one.spoken for one in orders if isinstance(one, NotHandled) and one.unknown)
    return next(filter(None, found), "")


def _of_split(reader: "Reader", split: Split) -> Sequence[Step]:
    context = reader.context
    assert context.clock is not None
    order = reader.order_in(split.order) or _about_its_cause(reader, split)
    told = _SAY.match(split.order)
    if order is None and not told:
        return ()
    later = when_of(split.when, context.home, context.room, context.clock.now, context.clock.place)
    if later is None:
        return ()
    if isinstance(later, Missing):
        return [Step("MakeRoutine", say=later.text)]
    frame = Frame("MakeRoutine", {"when": split.when, "thing": split.order})
    if order is None:
        args = {"when": split.when, "say": told["say"] if told else ""}
        return [Step("MakeRoutine", (Request(MAKE, args),), acts=True, frame=frame)]
    if order.question is not None or any(step.otherwise or step.say for step in order.steps):
        return [Step("MakeRoutine", say=next((step.say for step in order.steps if step.say), _MORE))]
    return _kept(order.steps, split, later, frame)


def _about_its_cause(reader: "Reader", split: Split) -> "Reading | None":
    """ "If the garage door stays open for ten minutes, close it": what tells of it is meant."""
    context = reader.context
    assert context.clock is not None
    later = when_of(split.when, context.home, context.room, context.clock.now, context.clock.place)
    if not isinstance(later, Later) or not isinstance(later.trigger, Event):
        return None
    resource = later.trigger.resource
    cause = tuple(one for one in context.home.devices if resource_of(one) == resource)
    return replace(reader, context=replace(context, last=cause)).order_in(split.order)


def _kept(order: Sequence[Step], split: Split, later: Later, frame: Frame) -> Sequence[Step]:
    requests = [request for step in order for request in step.requests]
    devices = tuple(device for step in order for device in step.devices)
    if not requests or not all(step.acts for step in order):
        return ()
    if later.back:
        if any(request.args.get("action") in _OPENING for request in requests):
            return [Step("MakeRoutine", say=_ONE_BY_ONE)]
        return [*order, Step(BACK, frame=frame, devices=devices)]
    calls = [{"name": request.tool, "args": dict(request.args)} for request in requests]
    made = Request(MAKE, {"when": split.when, "calls": calls_text(calls)})
    return [Step("MakeRoutine", (made,), acts=True, frame=frame, devices=devices)]


# --- asking what is planned, and changing it


def _about(text: str) -> Step | None:  # noqa: PLR0911 (one for each wish)
    if words.LISTING.match(text):
        return Step("ListRoutines", (Request(LIST, {}),), frame=Frame("ListRoutines"))
    if found := words.VACATION.match(text):
        return _change({"name": "all", "action": "pause" if found["off"] else "resume"})
    if found := words.PAUSING.match(text):
        return _change({"name": _name(found), "action": "pause" if found["off"] else "resume"})
    if found := words.SKIPPING.match(text):
        return _change({"name": "last" if found["it"] else _name(found), "action": "skip"})
    if found := words.ENDING.match(text):
        return _change({"name": _name(found)})
    if found := words.MOVING.match(text):
        when = (
            found["when"]
            if re.match(r"(?:at|in|on|every|tomorrow|to)\b", found["when"])
            else f"at {found['when']}"
        )
        return _change({"name": _name(found), "action": "move", "when": when})
    return None


def _name(found: re.Match[str]) -> str:
    name = found["name"] or found["about"] or ""
    plural = re.search(r"\b(?:routines|automations|plans|schedules)\b", found[0])
    return name or ("all" if plural or re.search(r"\b(?:all|every|each)\b", found[0]) else "last")


def _change(args: dict[str, str]) -> Step:
    return Step("CancelRoutine", (Request(CANCEL, args),), acts=True, frame=Frame("CancelRoutine"))
