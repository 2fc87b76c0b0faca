"""Orders with a time or an event: kept as a routine, or done for a while; never done now."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from home_names.risk import is_sensitive
from voice_gateway.integrations.home import Request
from voice_gateway.routines.model import CANCEL, LIST, MAKE, Once, calls_text, later_text
from voice_gateway.routines.model import Event as Trigger
from voice_gateway.routines.model import Later as Kept
from voice_gateway.routines.wording import say_news
from voice_gateway.understanding.nodes import Command, Everyday, Later, Node, When, altered, bare, closed
from voice_gateway.understanding.plan import Context, Plan, Question, Refused, Say, Step, plan, plans
from voice_gateway.understanding.plan.events import named_by
from voice_gateway.understanding.plan.everyday import given, plans_tool
from voice_gateway.understanding.plan.when import Unclear, gathered, meant, merged, moment_of

OPPOSITE: Final = {"on": "off", "off": "on", "open": "close", "close": "open", "lock": "unlock"}
DEGREES: Final = range(13, 36)  # numbers that are a warmth rather than an hour


@plans(Later)
def later(node: Later, context: Context) -> Plan:
    """A call of the routine tool; or the calls for now, and when they are taken back."""
    try:
        return _later(node, context)
    except Refused as refused:
        refused.later = True  # whoever understands it otherwise must not act now
        raise


def _later(node: Later, context: Context) -> Plan:
    if node.when is None:
        raise Refused("no time was said")
    if context.tools and MAKE not in context.tools:
        raise Refused("nothing keeps routines here", Say("cannot.later"))
    when, steps = merged(node.when, node.more), node.step
    if node.do:
        value, which = node.value and closed(node.value), node.which and closed(node.which)
        steps = (Command(do=node.do, which=which, value=value),)
    context = _about_its_cause(when, context)
    # "… only if the door is locked" counts then, not now.
    own = tuple(one.condition for one in steps if isinstance(one, Command) and one.condition is not None)
    when = altered(when, condition=(*when.condition, *own)) if own else when
    made = _made(steps, context)
    if isinstance(made, Question):
        return replace(made, node=bare(node), expects="device")
    kept = _kept(when, context, made)
    if node.hold:
        return _held(node, kept, made, context)
    return _taken_back(node, kept, made) if kept.back else _planned(node, kept, made)


def _made(steps: Sequence[Node], context: Context) -> list[Step] | Question:
    """The steps to keep; a question, or refused where a step only looks or depends on the present state."""
    found: list[Step] = []
    wanted: dict[Any, str] = {}
    for one in steps:
        own = altered(one, condition=None) if isinstance(one, Command) and one.condition is not None else one
        step = plan(bare(own), replace(context, alone=len(steps) == 1))
        closed(own)  # its own planner has counted what it read
        if isinstance(step, Question):
            return step
        if not step.acts or not step.requests:
            looks = Say("later.no_looks") if step.requests else step.say
            raise Refused("a part is no act", looks)
        for request in step.requests:
            if request.device is not None and request.wish is not None:
                before = wanted.setdefault(request.device.key, request.wish.action)
                if OPPOSITE.get(before) == request.wish.action:
                    raise Refused("it cannot be both then", Say("ask.both"))
        found.append(step)
        context = replace(context, last=step.devices or context.last)
    return found


def _about_its_cause(when: When, context: Context) -> Context:
    """The context with the event's device as "it": "if the garage door stays open, close it"."""
    which = when.event[0].which if when.event else when.condition[0].which if when.condition else None
    if which is None or which.item[0].pronoun:
        return context
    try:
        acting = tuple(one for one in named_by(which, context) if one.kind != "sensor")
    except Unclear:
        return context
    return replace(context, last=acting or context.last)


def _kept(when: When, context: Context, made: Sequence[Step]) -> Kept:
    """The trigger. "It" in the event is the device of the order; the air that gets colder is that of its room
    if no other is named."""
    devices = tuple(dict.fromkeys(device for step in made for device in step.devices))
    bare_hours = (
        clock.hour for clock in when.clock if not (clock.half or clock.minute or clock.named or clock.text)
    )
    heats = bool(devices) and all(device.kind == "thermostat" for device in devices)
    if heats and any(hour in DEGREES for hour in bare_hours):  # "the heating at 22"
        raise Refused("a number that could be degrees", Say("later.degrees"))
    event = when.event[0] if when.event else None
    of_air = event is not None and event.which is None and (event.below, event.above) != (None, None)
    if of_air and context.here is None and len({device.room for device in devices}) == 1:
        context = replace(context, here=devices[0].room)
    return meant(when, replace(context, last=devices or context.last))


def _planned(node: Later, kept: Kept, made: Sequence[Step]) -> Step:
    """The call that keeps a routine, with its calls and its words."""
    say, requests = " ".join(node.say), [request for step in made for request in step.requests]
    if node.news:
        if not isinstance(kept.trigger, Trigger):
            raise Refused("there is nothing to tell of")
        say = say_news(kept.trigger)
    args = {"when": later_text(kept), "calls": _text_of(requests) if requests else "", "say": say}
    devices = tuple(device for step in made for device in step.devices)
    return Step(bare(node), (Request(MAKE, given(args)),), devices, acts=True, topic="routine")


def _text_of(requests: Sequence[Request]) -> str:
    return calls_text([{"name": one.tool, "args": one.args} for one in requests])


def _taken_back(node: Later, kept: Kept, made: Sequence[Step], back_calls: str = "") -> Step:
    """The calls for now, and the time at which the previous state is restored."""
    requests = tuple(request for step in made for request in step.requests)
    if not requests or node.say or node.news:
        raise Refused("nothing to do for a while")
    if any(_opens_house(request) for request in requests):
        raise Refused("nothing is opened for a while", Say("later.one_by_one"))
    devices = tuple(device for step in made for device in step.devices)
    when = later_text(kept)
    return Step(bare(node), requests, devices, acts=True, back=when, back_calls=back_calls)


def _held(node: Later, kept: Kept, made: Sequence[Step], context: Context) -> Step:
    """Plans "keep the lamp on until 8": on now and off then, whatever its state was before."""
    if not kept.back or node.do not in OPPOSITE:
        raise Refused("it is not said how long")
    then = plan(Command(do=OPPOSITE[node.do], which=bare(node.which)), context)
    if isinstance(then, Question):
        raise Refused("what is meant is not clear")
    return _taken_back(node, kept, made, _text_of(then.requests))


def _opens_house(request: Request) -> bool:
    device, action = request.device, request.wish.action if request.wish else ""
    names = (device.name, f"{device.room} {device.name}") if device else ()
    return device is not None and is_sensitive(device.kind, names, action)


# --- what is planned


@plans_tool(LIST, CANCEL)
def change(node: Everyday, context: Context) -> Plan:
    """Looks at what is planned, or cancels, skips, moves or pauses it."""
    if node.tool == LIST:
        _ = node.day
        return Step(bare(node), (Request(LIST, {}),), topic="routine")
    if node.it and context.topic != "routine":
        raise Refused("no routine was spoken of")
    name = node.name
    if node.number is not None:
        name = "last" if node.number < 0 else f"{node.number:g}."
    args = {"name": name, "action": node.action, "when": _moved_to(node, context)}
    return Step(bare(node), (Request(CANCEL, given(args)),), acts=True, topic="routine")


def _moved_to(node: Everyday, context: Context) -> str:
    """The day that is skipped, or the new time: a bare clock time where no half of the day was said."""
    if node.when is None:
        return ""
    if node.action == "skip":
        day = gathered(node.when, moment_of(context)).day
        return day.isoformat() if day is not None else ""
    kept = meant(node.when, context)
    plain = len(node.when.clock) == 1 and not (node.when.day or node.when.part or node.when.repeat)
    clock = node.when.clock[0] if plain else None
    if clock is not None and not clock.half and not clock.named and isinstance(kept.trigger, Once):
        local = kept.trigger.at.astimezone(moment_of(context).place.zone)
        return f"{(local.hour - 1) % 12 + 1}:{local.minute:02d}"
    return later_text(kept)
