"""An utterance that names a time or an event: kept as a routine, or done for a while; never done now."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from home_names.risk import is_sensitive
from home_words import routine_words as words
from home_words.command_words import OPPOSITE
from voice_gateway.brain.local.command.clauses import repair_in
from voice_gateway.brain.local.command.when import Split, instead_of, repeated, splits
from voice_gateway.brain.local.grammar import Frame
from voice_gateway.brain.local.meaning import NotHandled, Request, Step, Understanding
from voice_gateway.brain.local.normalise import NormalisedText
from voice_gateway.brain.local.routine_words import resource_of, when_of
from voice_gateway.routines.model import CANCEL, LIST, MAKE, Event, Later, Missing, calls_text
from voice_gateway.routines.wording import say_news

if TYPE_CHECKING:
    from voice_gateway.brain.local.understand import Reader, Reading

BACK = "Back"  # the intent of what is taken back behind a while
_SAY = re.compile(
    r"^(?:(?:say|announce)(?: that)?|(?:tell|remind) (?:me|us) that|let (?:me|us) know that) (?P<say>.+)$"
)
_NEWS = re.compile(r"^(?:tell|notify|alert|warn|inform|message) (?:me|us)$|^let (?:me|us) know$")
_IT = re.compile(r"(?<= )it(?= (?:is|has|gets|was|stays|goes|turns|remains|opens|closes|unlocks|locks)\b)")
_JOINT = re.compile(r" (?:and then|and|then|but) ")
_ONE_BY_ONE = (
    "I don't open anything for a while. Say it, and then say when it shall be locked or closed again."
)
_MORE = "I did nothing. Tell me its whole name together with the time, please."
_WHICH_SCENE = "I did nothing. If you mean a scene, say “the scene {name}” together with the time, please."
_NO_LOOKS = "Later I can only do something or say fixed words, so I kept nothing."
_NOTICED = re.compile(
    r"(?:when|whenever|as soon as|every time|each time|the next time|the moment)(?! (?:you|i am|possible)\b)"
)
_UNNOTICED = "Nothing here can tell me when that happens, so I kept nothing."
_FROM_NOW = (
    "I can do something for a while only from now on, so I kept nothing. Say the two times one by one."
)


def read_routine(reader: "Reader", said: NormalisedText) -> Understanding | None:
    """None: the words are nothing for later, or nobody keeps routines here."""
    context = reader.context
    if context.clock is None or MAKE not in context.tools or said.question:
        return None
    if (asked := _about(said.text)) is not None:
        return Understanding.of(asked)
    steps = (
        _now_and_then(reader, said.text)
        or _planned(reader, said.text)
        or _one_by_one(reader, said.text)
        or _at_another_time(reader, said.text)
    )
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
        second = [_as_often(first[-1], step) for step in second]
        if second and not any(step.say or step.intent == BACK for step in second):
            return [*first, *second]
    return ()


def _as_often(first: Step, second: Step) -> Step:
    """ "Every day turn it on at 7 and off at 8": the days are said once."""
    if not second.requests or "when" not in second.requests[0].args:
        return second
    days, request = str(first.requests[0].args["when"]), second.requests[0]
    own = str(request.args["when"])
    if repeated(days) is None or repeated(own) is not None or not (when := instead_of(days, own)):
        return second
    return replace(second, requests=(replace(request, args={**request.args, "when": when}),))


def _now_and_then(reader: "Reader", text: str) -> Sequence[Step]:
    """ "Turn on the lamp and turn it off in ten minutes": it cannot be both, so the first is for now."""
    for joint in _JOINT.finditer(text):
        first = reader.order_in(text[: joint.start()])
        if first is None or first.question or not first.steps or not all(one.acts for one in first.steps):
            continue
        then = _planned(reader.after(first.steps), text[joint.end() :])
        kept = [one for one in then if one.intent == "MakeRoutine" and one.requests]
        same = {one.key for step in first.steps for one in step.devices} == {
            one.key for step in kept for one in step.devices
        }
        if kept and same and any(map(_opens_house, (one for step in first.steps for one in step.requests))):
            return [Step("MakeRoutine", say=_ONE_BY_ONE)]
        if kept and same and len(kept) == len(then) and _differ(first.steps, kept):
            return [*first.steps, *kept]
    return ()


def _differ(now: Sequence[Step], then: Sequence[Step]) -> bool:
    """Otherwise both may be meant for later: "dim the lamp and lock it …"."""
    done = {request.wish.action for step in now for request in step.requests if request.wish}
    later = " ".join(str(step.requests[0].args.get("calls", "")) for step in then)
    opposite = {"on": "off", "off": "on", "open": "close", "close": "open", "lock": "unlock"}
    return any(f'"{opposite[one]}"' in later for one in done if one in opposite)


def _at_another_time(reader: "Reader", text: str) -> Sequence[Step]:
    """ "At 7, no, at 8"."""
    first, instead = repair_in(text) or ("", "")
    for split in splits(first) if instead else ():
        if when := instead_of(split.when, instead):
            return _of_split(reader, Split(when, split.order))
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
    if held := words.HELD.match(split.order):
        return _held(reader, split, held)
    told, news = _SAY.match(split.order), _NEWS.match(split.order)
    order = None if told or news else reader.order_in(split.order) or _about_its_cause(reader, split)
    if order is None and not told and not news:
        return _for_a_while_then(reader, split)
    split, later = _about_what_is_done(reader, split, order)
    if isinstance(later, Missing):
        return [Step("MakeRoutine", say=later.text)]
    if later is None or (news and not isinstance(later.trigger, Event)):
        unnoticed = order is not None and order.steps and _NOTICED.match(split.when)
        return [Step("MakeRoutine", say=_UNNOTICED)] if unnoticed else ()
    if order is not None:
        return _ordered(order, split, later)
    text = told["say"] if told else say_news(later.trigger) if isinstance(later.trigger, Event) else ""
    frame = Frame("MakeRoutine", {"when": split.when, "thing": split.order})
    made = Request(MAKE, {"when": split.when, "say": text})
    return [Step("MakeRoutine", (made,), acts=True, frame=frame)]


def _ordered(order: "Reading", split: Split, later: Later) -> Sequence[Step]:
    if order.question is not None or any(step.otherwise or step.say for step in order.steps):
        tried = next((step.requests[0].scene for step in order.steps if step.otherwise), "")
        more = _WHICH_SCENE.format(name=tried) if tried else _MORE
        return [Step("MakeRoutine", say=next((step.say for step in order.steps if step.say), more))]
    return _kept(order.steps, split, later, Frame("MakeRoutine", {"when": split.when, "thing": split.order}))


def _about_what_is_done(
    reader: "Reader", split: Split, order: "Reading | None"
) -> tuple[Split, Later | Missing | None]:
    """ "Turn off the heater when it has been on for an hour": the event is the heater's. "When it gets colder
    than 18" is the air's, of the heater's room if nobody said where."""
    context = reader.context
    assert context.clock is not None
    at = context.home, context.room, context.clock.now, context.clock.place
    later = when_of(split.when, *at)
    devices = {device for step in order.steps for device in step.devices} if order else set()
    if isinstance(later, Later) or len(devices) != 1 or not _IT.search(split.when):
        return split, later
    device, of_air = devices.pop(), later is not None
    names = [device.name, *([device.room] if of_air and device.room and not context.room else [])]
    named = [replace(split, when=_IT.sub(f"the {name.casefold()}", split.when, count=1)) for name in names]
    read = [(one, when_of(one.when, *at)) for one in named]
    return next((one for one in read if isinstance(one[1], Later)), (split, later) if of_air else read[0])


def _for_a_while_then(reader: "Reader", split: Split) -> Sequence[Step]:
    """ "When the door opens turn on the lamp for five minutes": nothing starts and ends by itself yet."""
    inner = next((one for one in splits(split.order) if one.when.startswith("for ")), None)
    return [Step("MakeRoutine", say=_FROM_NOW)] if inner and reader.order_in(inner.order) else ()


def _held(reader: "Reader", split: Split, held: re.Match[str]) -> Sequence[Step]:
    """ "Keep the lamp on until 8": on now, and off then, however it was before."""
    now, then = (words.HELD_ORDERS[state] for state in (held["state"], OPPOSITE[held["state"]]))
    made = _of_split(reader, replace(split, order=f"{now} {held['thing']}"))
    behind = reader.order_in(f"{then} {held['thing']}")
    if not made or made[-1].intent != BACK or behind is None or not behind.steps:
        return made if made and made[0].say else ()
    calls = [{"name": one.tool, "args": dict(one.args)} for step in behind.steps for one in step.requests]
    frame = Frame("MakeRoutine", {"when": split.when, "thing": split.order, "calls": calls_text(calls)})
    return [*made[:-1], replace(made[-1], frame=frame)]


def _about_its_cause(reader: "Reader", split: Split) -> "Reading | None":
    """ "If the garage door stays open for ten minutes, close it": what tells of it is meant."""
    context = reader.context
    assert context.clock is not None
    later = when_of(split.when, context.home, context.room, context.clock.now, context.clock.place)
    if not isinstance(later, Later):
        return None
    told_by = later.trigger if isinstance(later.trigger, Event) else later.condition
    if told_by is None or not told_by.resource:
        return None
    cause = tuple(one for one in context.home.devices if resource_of(one) == told_by.resource)
    return replace(reader, context=replace(context, last=cause)).order_in(split.order)


def _kept(order: Sequence[Step], split: Split, later: Later, frame: Frame) -> Sequence[Step]:
    requests = [request for step in order for request in step.requests]
    devices = tuple(device for step in order for device in step.devices)
    if not requests or not all(step.acts for step in order):
        return [Step("MakeRoutine", say=_NO_LOOKS)] if requests else ()
    if later.back:
        if any(map(_opens_house, requests)):
            return [Step("MakeRoutine", say=_ONE_BY_ONE)]
        return [*order, Step(BACK, frame=frame, devices=devices)]
    calls = [{"name": request.tool, "args": dict(request.args)} for request in requests]
    made = Request(MAKE, {"when": split.when, "calls": calls_text(calls)})
    return [Step("MakeRoutine", (made,), acts=True, frame=frame, devices=devices)]


def _opens_house(request: Request) -> bool:
    device, action = request.device, request.wish.action if request.wish else ""
    names = (device.name, f"{device.room} {device.name}") if device else ()
    return device is not None and is_sensitive(device.kind, names, action)


# --- asking what is planned, and changing it


def _about(text: str) -> Step | None:  # noqa: PLR0911 (one for each wish)
    if words.LISTING.match(text):
        return Step("ListRoutines", (Request(LIST, {}),), frame=Frame("ListRoutines"))
    if found := words.VACATION.match(text):
        return _change({"name": "all", "action": "pause" if found["off"] else "resume"})
    if found := words.PAUSING.match(text):
        return _change({"name": _name(found), "action": "pause" if found["off"] else "resume"})
    if found := words.SKIPPING.match(text):
        name = "" if found["only"] else "last" if found["it"] else _name(found)
        return _change({"name": name, "action": "skip", "when": found["only"] or found["day"] or ""})
    if found := words.ENDING.match(text):
        return _change({"name": "all" if found["all"] else _name(found)})
    if found := words.MOVING.match(text):
        when = (
            found["when"]
            if re.match(r"(?:at|in|on|every|tomorrow|to)\b", found["when"])
            else f"at {found['when']}"
        )
        return _change({"name": _name(found), "action": "move", "when": when})
    return None


def _name(found: re.Match[str]) -> str:
    given = found.groupdict()
    name = next(filter(None, (given.get(key) for key in ("name", "about", "which", "whose"))), "")
    plural = re.search(r"\b(?:routines|automations|plans|schedules)\b", found[0])
    return name or ("all" if plural or re.search(r"\b(?:all|every|each)\b", found[0]) else "last")


def _change(args: dict[str, str]) -> Step:
    args = {key: value for key, value in args.items() if value}
    return Step("CancelRoutine", (Request(CANCEL, args),), acts=True, frame=Frame("CancelRoutine"))
