"""A conversation's memory, and the planners of words about it: answers, follow-ups, corrections, undo."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from typing import Any, Final

from home_names.kinds import DeviceClass
from home_names.states import degrees_of, level_of
from voice_gateway.integrations.device import Device
from voice_gateway.integrations.home import Home, Request
from voice_gateway.understanding.nodes import (
    Amount,
    Answer,
    Chat,
    Command,
    Correct,
    Everyday,
    Item,
    Later,
    Length,
    Look,
    Name,
    Node,
    Place,
    Same,
    Topic,
    Undo,
    Unread,
    Value,
    When,
    Which,
    altered,
    bare,
    closed,
    field_types,
    from_json,
)
from voice_gateway.understanding.plan import (
    Before,
    Context,
    Done,
    Plan,
    Question,
    Refused,
    Say,
    Step,
    plan,
    plans,
)
from voice_gateway.understanding.plan.acts import direction
from voice_gateway.understanding.plan.when import merged
from voice_gateway.understanding.resolver import Meant, Resolver, Unknown, devices_of, sort_of, sort_of_device

KEY: Final = "understanding"  # our corner of the conversation's state
_LAST_NUMBER: Final = re.compile(r"\d+(?:\.\d+)?(?!.*\d)")
QUESTION_SECONDS: Final = 60.0  # so long a question of ours can be answered
MOST_TOUCHED: Final = 8  # devices of the last orders
TIMER, LIST, VOLUME = "set_timer", "manage_list", "control_speaker_volume"
KINDS: Final = frozenset({"light", "blind", "thermostat", "plug", "switch", "fan", "lock"})  # of one room
TOPICS: Final = {
    "list_routines": "routine", "cancel_routine": "routine", "make_routine": "routine",
    TIMER: "timer", "cancel_timer": "timer", "extend_timer": "timer", "list_timers": "timer",
    "pause_timer": "timer",
    LIST: "list", "read_list": "list", VOLUME: "volume",
}  # fmt: skip


class Open(Node):
    """A question of ours that waits for its answer."""

    node: Node
    candidates: tuple[Device, ...] = ()
    expects: str = "device"  # device, yes, or the field of `node` that is missing
    instead: bool = False
    stale: bool = False  # something else was said since: only a plain answer counts


class Memory(Before, Node):
    """What a conversation knows of the turns before, and the question that is open."""

    asked: Open | None = None
    asked_at: float = 0.0

    def asking(self, asked: Open | None, at: float) -> "Memory":
        """The memory behind a question of ours; devices that a yes would act on count as spoken of."""
        proposed = asked.candidates if asked is not None and asked.expects == "yes" else ()
        recent = tuple(dict.fromkeys((*self.recent, *proposed)))
        return replace(self, asked=asked, asked_at=at, idle=True, acted=False, recent=recent)

    def after_nothing(self, named: tuple[Device, ...], topic: str) -> "Memory":
        """The memory behind words that were not understood: a device that they named becomes "it"."""
        asked = self.asked and replace(self.asked, stale=True)
        nothing = replace(self, command=None, steps=(), idle=True, acted=False)
        return replace(nothing, asked=asked, last=named or self.last, topic=topic)

    def begun(self, steps: Sequence[Step], *, answers: bool) -> "Memory":
        """The memory before the steps of a turn.

        An act or an answer closes our question; another topic closes what a yes would answer; talk does not.
        """
        acts = any(step.acts and step.topic == "device" for step in steps)
        talk = all(isinstance(step.node, Chat) for step in steps)
        asked = None if answers or acts else self.asked
        if asked is not None:
            by_yes = asked.expects == "yes" or len(asked.candidates) == 1
            asked = None if by_yes and not talk else replace(asked, stale=True)
        kept = self.steps if not acts or any(step.adds for step in steps) else ()
        acted = any(step.acts for step in steps) or (talk and self.acted)
        return replace(self, asked=asked, idle=self.idle and talk, steps=kept, acted=acted)

    def after(self, step: Step, shown: Sequence[Device], facts: Mapping[str, Any]) -> "Memory":
        """The memory behind one step that was carried out; `facts` are those of its last outcome."""
        node, known = step.node, tuple(device for device in shown if device.domain != "weather")
        looked = isinstance(node, Look | Everyday) and not step.acts
        memory = replace(self, inquiry=node) if looked else self
        if isinstance(node, Everyday) and (topic := TOPICS.get(node.tool)):
            return memory._after_task(node, topic, step, facts)
        if step.topic == "routine":
            return replace(memory, last=known or self.last, topic="routine", task=node)
        if known or (step.query is not None and not shown):
            within = len(known) < len(self.recent) and set(known) <= set(self.recent)
            before = self.recent if step.adds or within else self.last if step.corrects else ()
            recent = tuple(dict.fromkeys((*before, *known)))
            if step.acts:
                left = tuple(device for device in self.touched if device not in known)
                touched = (*left, *known)[-MOST_TOUCHED:]
                memory = replace(memory, touched=touched, steps=(*self.steps, Done(node, known)))
            return replace(memory, last=known, recent=recent, topic="device", command=node)
        if isinstance(node, Look) and node.ask == "measure":  # "make it 21" is no longer about the lamp
            return replace(memory, last=())
        return memory

    def _after_task(self, node: Everyday, topic: str, step: Step, facts: Mapping[str, Any]) -> "Memory":
        if node.tool in (LIST, VOLUME):
            return replace(self, topic=topic, task=node)
        timer = str(facts.get("id") or self.timer)  # one that is moved gets a new number
        if node.tool != TIMER or not step.requests:
            return replace(self, timer=timer, topic=topic)
        return replace(self, timer=timer, last=(), topic=topic, task=node)

    def undone(self) -> "Memory":
        """The memory behind an undo: "and the other one as well" takes back one more."""
        return replace(self, command=Undo(), steps=(), asked=None, idle=False, acted=False)

    def known(self) -> dict[str, Any]:
        """The fields that planners read in their context."""
        return {known.name: getattr(self, known.name) for known in fields(Before)}


def recall(state: Mapping[str, Any], home: Home, now: float) -> Memory:
    """The memory of a conversation. Devices that are gone, old questions and what another version wrote are
    left out."""
    try:
        memory = from_json(state.get(KEY), home.find)
    except (AttributeError, KeyError, TypeError, ValueError):
        memory = None
    if not isinstance(memory, Memory):
        return Memory()
    return replace(memory, asked=None) if now - memory.asked_at > QUESTION_SECONDS else memory


# --- what refers to the last turn


@plans(Undo)
def undo(node: Undo, context: Context) -> Plan:
    """Takes back the last acts; asks first if the turn before did nothing."""
    count = int(node.count)
    if node.that and not context.alone:
        raise Refused("an order that is taken back in the same breath")
    if node.that and not context.acted:
        reply = "talk.dismissed" if node.dismiss else "undo.nothing_done"
        return Step(closed(node), say=Say(reply), topic="")
    if context.idle and context.command is not None and not node.sure and count == 1:
        return Question(Say("ask.undo_before"), Undo(count=1.0, sure=True), expects="yes")
    return Step(bare(node), undo=count, acts=True)


@plans(Topic)
def topic(node: Topic, context: Context) -> Plan:
    """The devices that are named before a step, which "it" in that step means."""
    found = context.asked_about(node.which, lambda device: True)
    if not isinstance(found, Meant):
        raise Refused("the thing that is named first is not clear")
    return Step(closed(node), devices=found.devices)


@plans(Same)
def same(node: Same, context: Context) -> Plan:
    """Repeats the last command, question or task with one part replaced."""
    if isinstance(context.command, Undo):
        return undo(Undo(), context)
    if node.text or node.span:
        return _added(node.text, node.span, context)
    if node.day or node.place or node.outside or node.number is not None:
        return _asked_anew(node, context)
    if node.again or node.back or node.way:
        return _again_by(node, context)
    return _for_others(node, context)


def _for_others(node: Same, context: Context) -> Plan:
    """Repeats the last command or question for other devices or another room: "and the bedroom"."""
    last, which = context.command or context.inquiry, node.which and closed(node.which)
    if which is None or not isinstance(last, Command | Look):
        raise Refused("nothing was done that could be repeated")
    item = which.item[0] if which.item else Item()
    if isinstance(last, Look) and last.which is None and (item.alone or item.like) and not item.other:
        return plan(replace(last, place=(Place(room=(item.room,)),) if item.room else item.place), context)
    if isinstance(last, Look) and last.sense and last.which is None and item.name is not None:
        return plan(replace(last, which=which, ask="is", place=()), context)  # "is anyone home", "and Tom"
    if not (last.which or context.last):
        raise Refused("nothing was done that could be repeated")
    if isinstance(last, Command):
        left_out = (*last.without, *(last.which.without if last.which else ()))
        if left_out and all(item.pronoun and not item.quant for item in which.item):
            which = altered(which, item=left_out)
        last = replace(_with(last, context.last), bare=False)
    if node.exactly and isinstance(last, Command) and last.do == "change":
        last = replace(last, do="set", value=_value_now(context), amount=None, way=0.0, of="")
    again = replace(last, which=_like(which, context))
    made = plan(again, context)
    if isinstance(made, Step):
        made = replace(made, adds=True)
    if isinstance(made, Question) or not node.hint or isinstance(last, Look):
        return made
    return Question(Say("ask.same", {"devices": made.devices}), again, made.devices, "yes", doubts=True)


def _value_now(context: Context) -> Value:
    """The level or temperature that the last devices have in common."""
    states = {context.home.state_of(device) for device in context.last}
    state = states.pop() if len(states) == 1 else ""
    if (degrees := degrees_of(state)) is not None:
        return Value(degrees=degrees)
    if (level := level_of(state)) is None:
        raise Refused("they have no value in common")
    return Value(percent=float(level))


def _asked_anew(node: Same, context: Context) -> Plan:
    """Asks the last question with one field replaced: "and tomorrow", "and of 300"."""
    last, number, changes = context.inquiry, node.number, dict[str, Any]()
    if isinstance(last, Look) and last.ask == "weather":
        last = Everyday(tool="get_weather")
    if isinstance(last, Look) and node.outside and last.which is None:
        changes = {"outside": True, "place": ()}
    elif isinstance(last, Everyday) and node.day and last.tool == "get_weather":
        changes = {"day": node.day, "also": node.also, "ahead": True}
    elif isinstance(last, Everyday) and node.place and not last.query:
        changes = {"place": node.place}
    elif isinstance(last, Everyday) and number is not None and last.tool == "calculate":
        changes = {"query": _LAST_NUMBER.sub(f"{number:g}", last.query)}
    if last is None or not changes:
        raise Refused("the last question has no such part")
    return plan(replace(last, **changes), context)


def _again_by(node: Same, context: Context) -> Plan:
    """Repeats or turns round the last change of the same devices: "one more", "too bright"."""
    last = context.command
    if context.topic != "device" or not isinstance(last, Command) or not context.last:
        raise Refused("nothing was done that could be repeated")
    again, before, of = _with(last, context.last), direction(last), node.of
    amount = node.amount and closed(node.amount)
    if node.way or node.back:
        way = node.way or (1.0 if before < 0 else -1.0)
        again = replace(again, do="change", value=None, amount=Amount(small=True), way=way, of=of)
    elif node.one and all(device.kind == "thermostat" for device in context.last):
        again = replace(again, do="change", value=None, amount=None, way=float(before) or 1.0)
    elif last.do == "set" or (last.do not in ("change", "up", "down") and not amount):
        raise Refused("that cannot be done once more")
    else:
        again = replace(again, amount=amount or last.amount)
    return plan(again, context)


def _added(text: str, span: tuple[Length, ...], context: Context) -> Plan:
    """Adds one more timer or list item: "plus another for the eggs, five minutes", "and butter"."""
    task, asked = context.task, context.inquiry
    if context.topic == "list" and isinstance(asked, Everyday) and asked.tool == "read_list":
        task = Everyday(tool=LIST, list=asked.list)
    if isinstance(task, Everyday) and context.topic == TOPICS.get(task.tool):
        if task.tool == TIMER and span:
            return plan(replace(task, span=span, name=text, message="", when=None, more=None), context)
        if task.tool == LIST and text and not span:
            return plan(replace(task, items=text, action="add", missing=""), context)
    raise Refused("nothing was done that could be added to")


def _like(which: Which, context: Context) -> Which:
    """The devices that are meant: of a room alone ("and the bedroom") those of the last kind."""
    item = which.item[0] if which.item else Item()
    rooms = bool(item.place) and not (item.name or item.kind or item.everything or item.unknown)
    if item.like or not (item.alone or rooms):
        return which
    sorts = _sorts(context.last)
    kind = sorts.pop() if len(sorts) == 1 else ""
    if kind not in KINDS:
        return which
    return Which(item=(replace(item, alone=False, kind=kind, plural=True, quant="all"),))


# --- corrections


@plans(Correct)
def correct(node: Correct, context: Context) -> Plan:
    """Repeats the last act with the fields that were said now; other steps of that turn stay done."""
    if not context.alone or context.idle:
        raise Refused("nothing before it can be corrected")
    value = node.fix.value if node.fix is not None and node.fix.do == "set" else None
    if value is not None and node.number is None:  # "make it twenty": of a timer or a plan no level
        node = altered(node, number=value.number)
    before = context.task.when if isinstance(context.task, Later) else None
    if context.topic == "routine" and (when := _other_time(node, before)) is not None:
        return plan(Everyday(tool="cancel_routine", action="move", name="last", it=True, when=when), context)
    if context.topic in ("timer", "list"):
        return _task_corrected(node, context)
    fix = closed(node.fix) if node.fix is not None else None
    if fix is None and node.number is not None:
        fix = Command(do="set", value=Value(number=node.number))
    if fix is None or context.topic != "device":
        raise Refused("nothing before it can be corrected")
    return _steps_corrected(node, fix, context)


def _other_time(node: Correct, before: When | None) -> When | None:
    """The time with the part that was said now: "make it twenty", "no, at eight"."""
    number = node.number
    if node.when is not None or before is None:
        return node.when and closed(node.when)
    if before.after and node.span:
        return When(after=node.span)
    if number is None:
        return None
    if before.after:
        return When(after=(replace(before.after[0], number=number),))
    if before.clock:
        clock = replace(before.clock[0], hour=number, minute=0.0, before=0.0, text="", named=False)
        return When(clock=(clock,))
    return None


def _same_day(when: When, before: When) -> When:
    """The time with the day of the one before it, where only a clock time was said: "no, at eight"."""
    if when != When(clock=when.clock):
        return when
    part = () if any(clock.half for clock in when.clock) else before.part
    return replace(before, clock=when.clock, part=part)


def _steps_corrected(node: Correct, fix: Command, context: Context) -> Plan:
    """Corrects the last step of the turn that these words fit."""
    asked: Plan | None = None
    done_to = {device for done in context.steps for device in done.devices}
    if fix.which is None and done_to.isdisjoint(context.last):
        raise Refused("another thing was spoken of since")
    for done in reversed(_meant_steps(node, context)):
        try:
            made = _corrected(done, fix, context)
        except (Refused, Unread):
            continue
        if isinstance(made, Question):
            asked = asked or replace(made, instead=True)
            continue
        alike = len(context.steps) == 1 or _sorts(made.devices) & _sorts(done.devices)
        if alike and (made.requests or made.corrects):
            keeps = [device for step in context.steps if step is not done for device in step.devices]
            if node.only:  # "only that one back on" keeps what was done before
                anew = fix.do not in ("", getattr(done.node, "do", fix.do)) or fix.value or fix.amount
                keeps = [*keeps, *done.devices] if anew else []
            return replace(made, corrects=True, keeps=tuple(keeps))
    if asked is None:
        raise Refused("no step can be put right so")
    return asked


def _meant_steps(node: Correct, context: Context) -> tuple[Done, ...]:
    """The steps of the last turn that the words can be about: "not the big light, the night light"."""
    if node.wrong is None:
        return context.steps
    wrong = devices_of([Resolver(context.home).which(closed(node.wrong), "on", lambda device: True)])
    return tuple(done for done in context.steps if not set(wrong).isdisjoint(done.devices))


def _sorts(devices: Sequence[Device]) -> set[str]:
    return set(map(sort_of_device, devices))


def _corrected(done: Done, fix: Command, context: Context) -> Plan:
    """The plan of one step with the fields that were said now."""
    last, around = done.node, replace(context, last=done.devices, command=done.node)
    if not isinstance(last, Command):
        raise Refused("no command")
    changes = _deed(fix) if fix.do else {}
    item = fix.which.item[0] if fix.which is not None and len(fix.which.item) == 1 else Item()
    if item.place and item.like and not (item.other or item.room):
        fix = replace(fix, which=None, place=item.place)
    if fix.which is None or fix.without or fix.place:
        devices = _restricted(done.devices, fix, around)
        if not devices and fix.without and not changes:
            return Step(bare(last), devices=done.devices, acts=True, corrects=True)  # all of it is taken back
        if not devices:
            raise Refused("none of them is meant")
        return plan(replace(_with(last, devices), **changes, condition=None, fix=()), around)
    changes |= {"which": _like(fix.which, around), "place": (), "without": ()}
    return plan(replace(last, **changes, condition=None, hint=False, fix=()), around)


def _restricted(devices: tuple[Device, ...], fix: Command, context: Context) -> tuple[Device, ...]:
    """The devices that are left of a step: "not the kitchen", "just those in the hall"."""
    resolver = Resolver(context.home, context.here, devices)
    rooms = resolver.places(fix.place)
    if isinstance(rooms, Unknown):
        raise Refused("an unknown room")
    left = tuple(device for device in devices if not rooms or device.room in rooms)
    found = resolver.without(fix.without, left)
    if isinstance(found, Unknown) or (fix.without and found == left):
        raise Refused("none of them is named")
    return found


def _task_corrected(node: Correct, context: Context) -> Plan:
    """Corrects the item that was put on a list, or the length or time of a timer."""
    task, text = context.task, node.text
    if not isinstance(task, Everyday) or context.topic != TOPICS.get(task.tool):
        raise Refused("nothing before it can be corrected")
    if task.tool == TIMER and not node.old:
        return _timer_corrected(node, task.other[-1] if task.other else task, context)
    if not (task.tool == LIST and text and task.action == "add") or node.number is not None or node.span:
        raise Refused("that cannot be corrected")
    wrong = plan(replace(task, action="remove", items=node.old or task.items), context)
    made = plan(replace(task, items=text), context)
    return _behind(wrong.requests, made) if isinstance(wrong, Step) else wrong


def _timer_corrected(node: Correct, task: Everyday, context: Context) -> Plan:
    task = replace(task, tool=TIMER)
    before = merged(task.when, task.more) if task.when is not None else task.more
    if before is not None and not node.text and (when := _other_time(node, before)) is not None:
        later = replace(task, when=_same_day(when, before), more=None)
        return _behind(_cancelled(context.timer), plan(later, context))
    span = node.span
    if task.span and node.number is not None:
        span = (replace(task.span[0], number=node.number),)
    if not span or not task.span:
        raise Refused("no length was said")
    made = plan(replace(task, span=span, name=node.text or task.name), context)
    return _behind(_cancelled(node.text or context.timer), made)


def _cancelled(timer: str) -> tuple[Request, ...]:
    return (Request("cancel_timer", {"name": timer}),)


def _behind(wrong: tuple[Request, ...], made: Plan) -> Plan:
    """The plan, with the requests that take the wrong timer or item back before it."""
    quiet = tuple(replace(request, quiet=True) for request in wrong)
    return replace(made, requests=(*quiet, *made.requests)) if isinstance(made, Step) else made


# --- answers to a question of ours


def answered(answer: Answer, asked: Open, context: Context) -> Plan | None:
    """The plan that follows from an answer, or None if it does not answer our question."""
    if answer.kind == "no":
        return Step(answer, say=Say("no"), topic="")
    if answer.kind == "yes" or (answer.kind == "okay" and not asked.stale):
        return _yes(asked, context)
    if asked.stale and answer.kind == "text":
        return None
    if asked.expects not in ("device", "yes"):
        node = _filled(answer, asked.node, asked.expects)
        return None if node is None else _again(node, asked, context)
    if not isinstance(asked.node, Command | Look):
        return None
    every = answer.kind in ("all", "but", "several")
    return _chosen(picked(answer, asked, context), asked, context, every=every)


def _yes(asked: Open, context: Context) -> Plan | None:
    node = asked.node
    if asked.expects == "device":
        return _chosen(asked.candidates, asked, context, every=False)
    if asked.expects != "yes":
        return None
    if isinstance(node, Everyday):
        return _again(replace(node, confirm=False), asked, context)
    if isinstance(node, Command) and node.do == "scene":
        return _again(replace(node, bare=False), asked, context)
    return _again(_with(node, asked.candidates), asked, context)


def _chosen(found: tuple[Device, ...], asked: Open, context: Context, *, every: bool) -> Plan | None:
    """The plan for the candidates that an answer means, or for another device that was named instead."""
    if not found:
        return None
    if len(found) > 1 and not every:
        return Question(Say("ask.which", {"devices": found}), asked.node, found, instead=asked.instead)
    return _again(_with(asked.node, found), asked, context)


def picked(  # noqa: PLR0911 (one for each kind)
    answer: Answer, asked: Open, context: Context
) -> tuple[Device, ...]:
    """The candidates that an answer means."""
    found = asked.candidates
    named = {device: None for part in answer.part for device in picked(part, asked, context)}
    if answer.kind == "name" and answer.name is not None:
        known = tuple(filter(None, map(context.home.find, answer.name.keys)))
        return tuple(device for device in known if device in found) or known
    if answer.kind == "nth" and answer.ordinal is not None:
        return _nth(found, int(answer.ordinal), int(answer.count))
    if answer.kind in ("room", "here"):
        return tuple(device for device in found if device.room == (answer.room or context.here))
    if answer.kind == "sort":
        return DeviceClass(sort_of(answer.text), answer.text, plural=False).among(found)
    if answer.kind == "all":
        count = len(found) if answer.count == 1 else answer.count
        return found if len(found) == count else ()
    if answer.kind == "several":
        return tuple(named)
    if answer.kind in ("but", "not"):
        return tuple(device for device in found if device not in named) if named else ()
    if answer.kind == "other" and len(found) == 2:
        return tuple(device for device in found if device not in context.last)
    return found[:1] if answer.kind == "any" else ()


def _nth(found: tuple[Device, ...], place: int, count: int) -> tuple[Device, ...]:
    """Candidates by their place; where rooms were asked for, those in the room of this place."""
    rooms = list(dict.fromkeys(device.room for device in found))
    if len(found) > 4 and 0 <= place < len(rooms):
        return tuple(device for device in found if device.room == rooms[place])
    if place < 0:
        return found[max(0, len(found) - count) :]
    return found[place : place + count] if place + count <= len(found) else ()


def _with(node: Node, devices: tuple[Device, ...]) -> Any:
    """The same command for these devices."""
    if not devices or not isinstance(node, Command | Look):
        return replace(node, hint=False) if isinstance(node, Command) else node
    name = Name(tuple(device.key for device in devices), "exact", "")
    changes: dict[str, Any] = {"which": Which(item=(Item(name=name, quant="all"),)), "place": ()}
    if isinstance(node, Command):
        changes |= {"without": (), "hint": False, "lights": False, "sweep": False, "bare": False, "at": False}
        changes |= {"aside": (), "instead": ()}
    return replace(node, **changes)


def _again(node: Node, asked: Open, context: Context) -> Plan:
    made = plan(node, context)
    if not asked.instead:
        return made
    return replace(made, instead=True) if isinstance(made, Question) else replace(made, corrects=True)


def _in_room(part: Any, room: str) -> Any:
    """The same node with a room in place of "here" and "there"."""
    if isinstance(part, tuple):
        return tuple(_in_room(each, room) for each in part)
    if isinstance(part, Place) and (part.here or part.there):
        return Place(room=(room,))
    if not isinstance(part, Node):
        return part
    return replace(part, **{name: _in_room(getattr(part, name), room) for name in field_types(type(part))})


def _filled(answer: Answer, node: Node, expects: str) -> Node | None:
    """The node of our question with its missing part, or None if the answer does not give it."""
    changes: dict[str, Any] = {}
    if expects == "room":
        return _in_room(node, answer.room) if answer.kind == "room" else None
    if isinstance(node, Command) and expects in ("value", "act"):
        if answer.kind == "value" and answer.value is not None:
            changes = _deed(Command(do="set", value=answer.value))
        elif answer.kind == expects and answer.command is not None:
            changes = _deed(answer.command)
    elif isinstance(node, Everyday):
        changes = _everyday_filled(answer, node, expects)
    return replace(node, **changes) if changes else None


def _everyday_filled(answer: Answer, node: Everyday, expects: str) -> dict[str, Any]:
    kind, text = answer.kind, answer.text
    if expects == "name":  # of a timer or a routine, behind "Which one?"
        text = f"{answer.ordinal + 1:g}." if kind == "nth" and answer.ordinal is not None else text
        name = "all" if kind == "all" else text
        return {"name": name, "it": False} if name else {}
    if expects == "half_day":  # "in the afternoon", of a clock time that could be either
        when = node.when or node.more
        if kind != "half" or when is None:
            return {}
        clocks = tuple(replace(clock, half=answer.at) for clock in when.clock)
        return {"when": replace(when, clock=clocks), "more": node.more if node.when else None}
    if expects in ("at", "duration"):
        if kind == "span" and answer.span:
            return {"span": answer.span, "missing": ""}
        at = {"when" if node.when is None else "more": answer.when, "missing": ""}
        return at if kind == "at" and answer.when is not None else {}
    wanted = kind == ("list" if expects == "list" else "text") and expects in ("message", "items", "list")
    return {expects: text, "missing": ""} if wanted and text else {}


def _deed(order: Command) -> dict[str, Any]:
    """What a command does, without the devices."""
    return {name: getattr(order, name) for name in ("do", "value", "amount", "way", "of")}


def topic_of(node: Node | None, before: str) -> str:
    """The topic of a turn that did nothing; talk changes no topic."""
    if isinstance(node, Everyday):
        return TOPICS.get(node.tool, before)
    return before if isinstance(node, Chat) else ""


__all__ = ["KEY", "Memory", "Open", "answered", "recall", "topic_of"]
