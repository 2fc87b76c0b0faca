"""Commands: which devices, which call for each, and with which value."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from home_names.kinds import ENTRANCES
from home_names.states import degrees_of, level_of
from voice_gateway.integrations.device import Device
from voice_gateway.integrations.home import Home, Request
from voice_gateway.integrations.source import Act
from voice_gateway.understanding.nodes import (
    Amount,
    Command,
    Condition,
    Correct,
    Everyday,
    Item,
    Look,
    Node,
    Place,
    Value,
    Which,
    altered,
    bare,
    closed,
)
from voice_gateway.understanding.plan import Context, Plan, Question, Refused, Say, Step, plan, plans
from voice_gateway.understanding.resolver import Able, Doubt, Meant, Resolved, Resolver, Unknown, sort_of

LEVEL_STEPS: Final = (10, 20, 40)  # percent of "a bit brighter", "brighter" and "a lot brighter"
VOLUME_STEPS: Final = (10, 10, 20)
DEGREE_STEPS: Final = (1, 1, 3)
COLDEST, WARMEST = 5, 35  # degrees that a heating is set to
LEVELS: Final = ("dim", "speed", "volume")
# The abilities that carry out an act, where it is not the ability of the same name.
WAYS: Final = {
    "set": LEVELS, "change": LEVELS, "start": ("start", "on"), "up": ("open", *LEVELS),
    "down": ("close", *LEVELS),
}  # fmt: skip
INSTEAD: Final = {
    **{(kind, do): "dock" for kind in ("mower", "vacuum") for do in ("off", "stop")},
    **{(kind, "on"): "start" for kind in ("mower", "vacuum")},
    **{(kind, "stop"): "off" for kind in ("fan", "switch", "plug")}, ("chime", "on"): "ring",
    ("media_player", "stop"): "pause", ("valve", "on"): "open", ("valve", "off"): "close",
}  # fmt: skip
TARGETED: Final = ("set", "change", "up", "down")  # acts that give a heating another temperature
VALUES: Final = ("number", "percent", "level", "degrees", "mode", "colour", "kelvin", "closed")
# Meant where no device is named.
PLAYED: Final = {"player": "media_player", "vacuum": "vacuum", "mower": "mower"}
ALIKE: Final = 60.0  # of 100: a name that is offered for an unknown one
FULL: Final = 100.0
RELATIVE: Final = frozenset({"change", "up", "down"})  # what is off is left alone by these
OPENING: Final = frozenset({"unlock", "open", "up"})


@plans(Command)
def act(command: Command, context: Context) -> Plan:
    """The calls of one command."""
    if not command.do:
        return _what_with(command, context)
    if command.fix:
        return _fixed(command, context)
    if command.bare and (task := _task_meant(command, context)) is not None:
        return plan(task, context)
    if command.condition is not None:
        unmet, devices = _unmet(command.condition, command, context)
        if unmet is not None:
            return Step(closed(command), say=unmet)  # nothing is done, so the rest need not be read
        context = replace(context, last=devices or context.last)
    if command.do == "scene":
        return _scene(command, context)
    return _devices(_onward(command, context), context)


def _task_meant(command: Command, context: Context) -> Node | None:
    """What a bare word means behind a timer or the volume: "actually eight", "more"."""
    number = _first(command.value, "number")
    if context.topic == "timer" and command.do == "set" and number is not None:
        return Correct(number=number)
    if context.topic != "volume" or command.do != "change" or not isinstance(context.task, Everyday):
        return None
    amount, action = _first(command.amount, "percent", "number"), context.task.action
    action = "down" if command.way < 0 else action if action in ("up", "down") else "up"
    return replace(context.task, action=action, level=amount)


def _onward(command: Command, context: Context) -> Command:
    """A bare "more" repeats the direction of the last command: behind "dimmer" it dims further."""
    amount, before = command.amount, context.command
    plain = amount is None or bare(amount) in (Amount(small=True), Amount(large=True))
    if not (command.bare and command.do == "change" and command.way > 0 and not command.of and plain):
        return command
    if not isinstance(before, Command) or direction(before) >= 0:
        return command
    return altered(command, way=-1.0)


def direction(command: Command) -> int:
    """1 where the last command increased something, -1 where it reduced it, else 0."""
    if command.do == "change":
        return 1 if command.way > 0 else -1
    closing = command.do in ("close", "down") or (command.value is not None and command.value.closed)
    return -1 if closing else 1 if command.do in ("open", "up", "on") else 0


def _fixed(command: Command, context: Context) -> Plan:
    """Applies a repair ("off, no wait, on"): its words replace their fields of the command."""
    fixed, names = altered(command, fix=()), ("do", "which", "value", "amount", "way", "of")
    for fix in command.fix:
        given = ((name, getattr(fix, name)) for name in names)
        fixed = altered(fixed, **{name: value for name, value in given if value not in ("", None, 0.0)})
    return act(fixed, context)


# --- which devices


def _devices(command: Command, context: Context) -> Plan:  # noqa: C901 (one for each doubt)
    """Resolves the devices of a command, then plans what each of them does."""
    unnamed = command.which is None or _is_pronoun(command.which)
    if context.topic == "volume" and (command.bare or (unnamed and command.which)) and command.do == "set":
        level = _first(command.value, "percent", "level", "number")
        if level is not None:
            return plan(Everyday(tool="control_speaker_volume", action="set", level=level), context)
    command = _checked(_of_the_room_asked(command, context) if unnamed else command, context)
    warm = command.of == "heat" or _has_degrees(command)
    spoken_of = context.last and not context.idle
    moving = spoken_of and all(one.is_cover for one in context.last)
    if command.bare and command.do == "stop" and not moving:
        raise Refused("nothing is moving that could be stopped")
    if command.bare and not (spoken_of or warm or (command.of and (context.here or command.place))):
        return Question(Say("ask.what_device"), bare(command))
    if command.aside:
        context = _named_before(command, context)
    able = _able(command)
    found = _resolved(command, context, able)
    if not isinstance(found, Meant):
        return _ask(command, found) if isinstance(found, Doubt) else _not_known(command, found, context)
    if command.of == "heat" and command.do not in ("set", "change"):
        raise Refused("an act on the heating that is none")
    for item in command.instead:  # "rather than the floor lamp": it must be known, and be another device
        other = Resolver(context.home).item(item, command.do, _anything)
        if not isinstance(other, Meant) or set(other.devices) & set(found.devices):
            raise Refused("what is meant instead is not clear")
    if command.hint:
        if not context.alone:
            raise Refused("a hint beside an order")
        say = Say("ask.shall_i", {"devices": found.devices, "do": command.do})
        return Question(say, bare(command), found.devices, "yes", doubts=True)
    return _acts(command, found, context, able)


def _of_the_room_asked(command: Command, context: Context) -> Command:
    """Names the heating of the room that was just asked about: "how warm is it in the snug", "make it 21"."""
    asked, number = context.inquiry, _first(command.value, "number")
    if command.do != "set" or number is None or not COLDEST <= number <= WARMEST:
        return command
    if not all(one.kind in ("sensor", "thermostat") for one in context.last):
        return command
    if not (isinstance(asked, Look) and asked.measure == "temperature") or asked.outside:
        return command
    there = tuple(place for place in command.place if not place.there)
    item = Item(kind="thermostat", place=there or asked.place)
    return altered(command, which=Which(item=(item,)), bare=False, place=())


def _checked(command: Command, context: Context) -> Command:
    """Drops a pronoun that means nothing yet; refuses a number behind "at" that could be a time."""
    which, number = command.which, _first(command.value, "number")
    pronoun = which is not None and _is_pronoun(which)
    warm = command.of or _first(command.value, "degrees") is not None
    chosen = which is not None and (which.without or which.state or which.some or which.one or which.either)
    if command.at and number is not None and not pronoun and number <= (12 if context.alone else 24):
        heating = which is not None and all(item.kind == "thermostat" for item in which.item)
        if not (heating and number > COLDEST + 7):
            raise Refused("a number that could be a time")
    if pronoun and warm and not (context.last or command.aside or chosen):  # "make it warmer in here"
        return altered(command, which=None, bare=True)
    return command


def _what_with(command: Command, context: Context) -> Plan:
    """Asks what to do with a device that was named without an act: "coffee, please"."""
    _ = command.text  # "set the lamp to purple elephant"
    found = _resolved(command, context, _anything)
    if not isinstance(found, Meant) or not context.alone:
        raise Refused("nothing was asked for")
    say = Say("ask.what_with", {"text": found.devices[0].name})
    return Question(say, replace(bare(command), text=""), found.devices, "act")


def _resolved(command: Command, context: Context, able: Able) -> Resolved:
    """The devices. The only heating needs no name, nor does the only player that plays."""
    last = context.last
    sensed = last and all(one.kind == "sensor" for one in last) and not any(map(able, last))
    if sensed and command.do != "set":
        # "it" is no sensor that was only looked at
        last = tuple(one for done in context.steps for one in done.devices)
    which = _subject(command, replace(context, last=last))
    resolver = Resolver(context.home, context.here, last, _of_many(which, context))
    found = resolver.which(which, command.do, able)
    if isinstance(found, Unknown) and found.what in ("here", "kind_here"):
        kind = "thermostat" if command.of == "heat" else PLAYED.get(command.of) or found.text
        if kind in ("thermostat", *PLAYED.values()):
            return Resolver(context.home).which(Which(item=(Item(kind=kind),)), command.do, able)
    if isinstance(found, Doubt) and (one := _spoken_of(which, found, context)) is not None:
        return Meant((one,))
    if isinstance(found, Doubt) and command.of == "player":
        state = "paused" if command.do == "play" else "playing"
        so = tuple(one for one in found.devices if context.home.is_so(one, state))
        return Meant(so) if len(so) == 1 else Doubt(so or found.devices)
    return found


def _of_many(which: Which, context: Context) -> tuple[Device, ...]:
    """The devices that "both" and "all three" mean: the last ones, if the last order had fewer."""
    item = bare(which.item[0])
    count = 2 if item.quant == "both" else int(item.number or 0)
    several = item.pronoun and count > max(len(context.recent), len(context.last))
    known = tuple(device for device in context.touched if device not in context.last)
    return (*known, *context.last)[-count:] if several else context.recent


def _spoken_of(which: Which, found: Doubt, context: Context) -> Device | None:
    """What "the lamp" means if several could be meant: the one of the last orders."""
    item = bare(which.item[0])
    if len(which.item) > 1 or which.either or which.some or item != Item(kind=item.kind):
        return None
    return next((one for one in reversed(context.touched) if one in found.devices), None)


def _named_before(command: Command, context: Context) -> Context:
    """The context with the thing named before the order as "it": "the bedside lamp, switch it on"."""
    if command.which is not None and not _is_pronoun(command.which):
        raise Refused("another thing was named before the order")
    for item in command.aside[:-1]:
        closed(item)  # the same thing in other words
    resolver = Resolver(context.home, context.here, context.last, context.recent)
    named = resolver.which(Which(item=command.aside[-1:]), command.do, _able(command))
    return replace(context, last=named.devices if isinstance(named, Meant) else ())


def _subject(command: Command, context: Context) -> Which:
    """The things that are meant, with the place and the exceptions that stand around the order."""
    which = command.which if command.which is not None else _implied(command, context)
    if which is None:
        raise Refused("no device was named", Say("ask.what_device"))
    warm = _first(command.value, "degrees") is not None
    lit = {"all"} if command.of == "light" or (command.do in ("set", "change") and not warm) else set()
    if context.last and all(device.is_light for device in context.last):
        lit.add("else")  # "the others", behind a light: the other lights

    def framed(item: Item) -> Item:
        if command.place and not item.place:
            item = altered(item, place=command.place)
        if command.without and item.everything == "else":  # "keep the desk lamp on and turn off the rest"
            item = altered(item, everything="all")
        if item.everything in lit and not (item.kind or item.name):
            other = item.everything == "else"
            item = altered(item, everything="", kind="light", plural=True, quant="all", other=other)
        return item

    items = tuple(map(framed, which.item))
    return altered(which, item=items, without=(*which.without, *command.without))


def _implied(command: Command, context: Context) -> Which | None:
    """The things that are meant where no device was named; None if nothing is."""
    around = command.place or (context.here and not context.last)
    if command.lights or (command.of == "light" and around):
        here = (Place(here=True),) if context.here and command.of == "light" else ()
        item = Item(kind="light", plural=True, quant="all", place=command.place or here)
    elif command.of == "heat" or _has_degrees(command) or command.of in PLAYED:
        kind = PLAYED.get(command.of, "thermostat")
        spoken_of = not command.place and context.last and all(one.kind == kind for one in context.last)
        item = Item(pronoun=True) if spoken_of else Item(kind=kind, place=command.place)
    elif command.sweep:
        item = Item(everything="all")
    elif context.last or command.of == "light":
        item = Item(pronoun=True)
    else:
        return None
    return Which(item=(item,))


def _ask(command: Command, found: Doubt) -> Plan:
    candidates = tuple(filter(_able(command), found.devices))
    if not candidates:
        raise Refused("nothing there can do that", _cannot(found.devices))
    key, expects = ("ask.did_you_mean", "yes") if len(candidates) == 1 else ("ask.which", "device")
    return Question(Say(key, {"devices": candidates}), bare(command), candidates, expects)


def _cannot(devices: Sequence[Device]) -> Say:
    """The reply that nothing there can do it; it names the devices if they are of one kind."""
    alike = devices and len({device.kind for device in devices}) == 1
    return Say("cannot.device", {"devices": tuple(devices)}) if alike else Say("cannot.there")


def _not_known(command: Command, found: Unknown, context: Context) -> Plan:
    """A question that names the unknown thing and the nearest names, or why there is none."""
    if found.what == "exception":
        return Question(Say("ask.exception"), bare(command), expects="exception")
    if command.of in PLAYED and not any(one.kind == PLAYED[command.of] for one in context.home.devices):
        raise Refused(f"there is no {command.of}", Say(f"cannot.{command.of}"))
    if found.what == "it":
        return Question(Say("ask.what_device"), bare(command))
    if found.what == "floor" and (step := _by_floor(command, found.text, context)) is not None:
        return step
    near: tuple[Device, ...] = ()
    if found.what in ("room", "floor", "there", "kind_here"):
        near = _elsewhere(command, context)
    elif found.what == "name":
        near = _nearest(found.text, command, context)
    if near:
        facts = {"text": found.text, "here": context.here, "devices": near}
        return Question(Say(f"unknown.{found.what}_which", facts), bare(command), near, unknown=True)
    raise context.not_here(found)


def _by_floor(command: Command, floor: str, context: Context) -> Step | None:
    """A call for a whole floor, where a server knows its floors but does not list what is on them."""
    whole = closed(command)
    items = whole.which.item if whole.which is not None else ()
    places = (*whole.place, *(place for item in items for place in item.place))
    if len(items) != 1 or places != (Place(floor=floor),):
        return None
    item = replace(items[0], place=(), plural=False, quant="", definite=False)
    order = replace(whole, which=None, place=(), lights=False, polite=False)
    if item != Item(kind=item.kind) or order != Command(do=whole.do):
        return None
    sources, sort = context.home.sources, str(sort_of(item.kind))
    calls = ((one.on_floor(floor, whole.do, sort), one.name) for one in sources)
    requests = tuple(Request.of(call, source=name) for call, name in calls if call)
    return Step(whole, requests, acts=True) if requests else None


def _nearest(text: str, command: Command, context: Context) -> tuple[Device, ...]:
    """Devices whose names are alike, where no word of it means something else."""
    groups = ("talk_never", "remark_never", "cut_off", "no_thing")
    if context.reader is None or not context.reader.language.group(*groups).isdisjoint(text.split()):
        return ()
    return tuple(filter(_able(command), context.home.names.nearest(text, ALIKE)))


def _elsewhere(command: Command, context: Context) -> tuple[Device, ...]:
    """The devices that the words mean without their place, which is unknown."""
    items: tuple[Item, ...] = bare(command.which).item if command.which is not None else ()
    if len(items) != 1 or not (items[0].kind or items[0].name):
        return ()
    item, able = replace(items[0], place=(), room="", quant="any" if items[0].kind else "all"), _able(command)
    return tuple(filter(able, Resolver(context.home).item(item, command.do, able).devices))


# --- what each of them does


def _acts(command: Command, found: Meant, context: Context, able: Able) -> Plan:
    home, devices = context.home, found.devices
    fit = tuple(filter(able, devices))
    if not devices:
        return Step(bare(command), say=Say("nothing_left"))
    if not fit and found.group:
        raise Refused("nothing there can do that", _cannot(devices))
    if not found.group and len(fit) < len(devices):
        return Step(closed(command), say=Say("cannot.device", {"devices": devices[:1]}), devices=devices[:1])
    if any(one.kind in ENTRANCES for one in fit) and _is_vague(command, found):
        return Question(Say("ask.did_you_mean", {"devices": fit}), bare(command), fit, "yes")
    if found.group and command.do in RELATIVE and all(one.is_light for one in fit):
        fit = tuple(one for one in fit if home.is_so(one, "on")) or fit
    return _calls(command, fit, home, group=found.group)


def _calls(command: Command, devices: tuple[Device, ...], home: Home, *, group: bool) -> Plan:
    """A call for each device; of a group, those that cannot do it are left out."""
    wishes = [(device, act_for(device, command, home)) for device in devices]
    why_not = [wish for _, wish in wishes if isinstance(wish, Say)]
    if why_not and (not group or len(why_not) == len(wishes)):
        if why_not[0].key.startswith("ask."):
            return Question(why_not[0], bare(command), devices, "value")
        return Step(closed(command), say=why_not[0], devices=devices)
    requests = []
    for device, wish in wishes:
        if isinstance(wish, Act):
            call = home.source_of(device).act(device, wish, home)
            if isinstance(call, str):
                return Step(closed(command), say=Say("text", {"text": call}), devices=devices)
            requests.append(Request.about(call, device, home, wish))
    done = tuple(request.device for request in requests if request.device is not None)
    return Step(bare(command), tuple(requests), done, acts=True)


def _is_vague(command: Command, found: Meant) -> bool:
    """Whether the words do not name the entrance: "open them", "close the door"."""
    items = command.which.item if command.which is not None else ()
    if command.do in OPENING:
        return not found.exact or (len(found.devices) > 1 and all(item.pronoun for item in items))
    return command.do == "close" and not found.exact and any(item.kind == "door" for item in items)


def _able(command: Command) -> Able:
    return lambda device: bool(action_of(device, command))


def action_of(device: Device, command: Command) -> str:
    """The ability of the device that carries out the command; "" if it has none."""
    do, value = command.do, command.value
    ways = WAYS.get(do) or (INSTEAD.get((device.kind, do), do),)
    if do in ("set", "change"):
        if device.is_light and not device.can("dim") and _is_brighter(command):
            return "on"
        if not _takes(device, command):
            return ""
        if value is not None and (value.colour or value.kelvin is not None):
            ways = ("colour",) if value.colour else ("kelvin",)
    if device.kind == "thermostat" and do in TARGETED:
        return "set"
    if do not in WAYS and bool(command.text) != (do in ("search", "clean")):
        return ""
    return next((way for way in ways if device.can(way)), "")


def _is_brighter(command: Command) -> bool:
    """More light, or all of it: a light without a dimmer is switched on."""
    if command.of not in ("", "light"):
        return False
    if command.amount is not None:
        return command.way > 0 and (command.amount.small or command.amount.large)
    return command.way > 0 if command.value is None else command.value.level == FULL


def _takes(device: Device, command: Command) -> bool:
    """Whether the device has what is set or changed; one device gets one value."""
    value, amount = command.value, command.amount
    given = {name for name in VALUES if value is not None and getattr(value, name) not in (None, "", False)}
    single = given - {"closed"} - ({"percent"} if "colour" in given else set())  # "red at 40 percent"
    if len(single) > 1 or (value is not None and command.do == "change"):
        return False
    if device.is_cover and command.do == "change" and amount is None:
        return False
    wanted = given | ({"degrees"} if amount is not None and amount.degrees is not None else set())
    wanted |= {command.of} & {"light", "heat", "volume"}
    if device.kind == "thermostat":
        room = command.which is not None and all(item.alone for item in command.which.item)
        bright = room and not COLDEST <= (_first(value, "number") or COLDEST) <= WARMEST  # "the office to 40"
        return wanted <= {"number", "degrees", "mode", "heat"} and not bright
    able = {"light"} if device.is_light else {"closed"} if device.is_cover else set()
    return wanted <= {*able, "number", "percent", "level", "colour", "kelvin"} | (
        {"volume"} if device.can("volume") else set()
    )


def act_for(device: Device, command: Command, home: Home) -> Act | Say:
    """The act, or what to say instead."""
    action, state, value = action_of(device, command), home.state_of(device), command.value
    if action == "set":
        return _warmth(device, command, state)
    if action in ("search", "clean"):
        return Act(action, text=command.text)
    if action in ("dim", "speed", "volume"):
        return _level(action, device, command, state)
    if action == "on" and command.do in ("set", "change") and home.is_so(device, "on"):
        return Say("already.full", {"devices": (device,)})
    if action in ("colour", "kelvin") and value is not None:
        level, kelvin = (n if n is None else round(n) for n in (value.percent, value.kelvin))
        return Act(action, colour=value.colour, level=level, kelvin=kelvin)
    return Act(action)


def _level(action: str, device: Device, command: Command, state: str) -> Act | Say:
    """Percent of brightness, speed, volume or position."""
    about, amount, value = {"devices": (device,)}, command.amount, command.value
    if command.do == "set":
        level = _first(value, "level", "percent", "number")
        level = 100 - level if level is not None and value is not None and value.closed else level
        fits = level is not None and value is not None and not value.negative and 0 <= level <= 100
        return Act(action, level=round(level)) if level is not None and fits else Say("ask.level")
    now = {"open": 100, "closed": 0}.get(state, level_of(state)) if device.is_cover else level_of(state)
    lowest = 0 if device.is_cover else 1
    if now is None:
        return Say("ask.volume_now" if device.can("volume") else "ask.level_now", about)
    if command.of == "all":
        return Act(action, level=100 if _way(command) > 0 else lowest)
    factor = amount.factor if amount is not None else None
    if factor is not None and lowest and not now:
        return Say("ask.level_off", about)
    steps = VOLUME_STEPS if action == "volume" else LEVEL_STEPS
    by = _change(command, steps, now / 100, "percent", "number")
    wanted = now + round(by) if factor is None else now * factor
    if lowest and now >= 100 and wanted > now:
        return Say("already.full", about)
    return Act(action, level=max(lowest, min(100, round(wanted))))


def _way(command: Command) -> int:
    return 1 if command.do == "up" or (command.do == "change" and command.way > 0) else -1


def _is_pronoun(which: Which) -> bool:
    return all(item.pronoun for item in which.item)


def _has_degrees(command: Command) -> bool:
    return any(_first(part, "degrees") is not None for part in (command.value, command.amount))


def _first(said: Value | Amount | None, *names: str) -> float | None:
    """The first of these fields that was said."""
    values = (getattr(said, name) for name in names if said is not None)
    return next((value for value in values if value is not None), None)


def _change(command: Command, steps: tuple[float, float, float], part: float, *names: str) -> float:
    """How much is added: the amount that was said, a share of 100 times `part`, or a usual step."""
    amount = command.amount or Amount()
    if amount.share is not None:
        return _way(command) * amount.share * part
    by = _first(amount, *names)
    step = steps[0 if amount.small else 2 if amount.large else 1] if by is None else by
    return _way(command) * step


def _warmth(device: Device, command: Command, state: str) -> Act | Say:
    value, now = command.value, degrees_of(state)
    facts = {"devices": (device,), "lowest": COLDEST, "highest": WARMEST}
    if value is not None and value.mode:
        return Act("set", mode=value.mode)
    if command.do == "set":
        degrees = _first(value, "degrees", "number")
        if degrees is None or value is None or value.negative:
            return Say("ask.degrees", facts)
        if value.unit == "F" and 41 <= degrees <= 95:
            return Act("set", temperature=degrees, unit="F")
        degrees = FULL if value.unit == "F" else degrees
    elif now is None:
        return Say("ask.degrees_now", facts)
    else:
        degrees = now + _change(command, DEGREE_STEPS, 0.01, "degrees", "number")  # "half a degree"
    if not COLDEST <= degrees <= WARMEST:
        return Say("ask.degrees", facts)
    return Act("set", temperature=int(degrees) if degrees == int(degrees) else degrees)


# --- scenes and conditions


def _scene(command: Command, context: Context) -> Plan:
    name = context.home.scenes.get(command.scene, command.scene)
    if command.bare and not context.polite:
        return Question(Say("ask.scene", {"text": name}), bare(command), expects="yes")
    call = context.home.scene_source(name).scene(name)
    if call is None:
        raise Refused("no scenes", Say("unknown.scene", {"text": command.scene}))
    return Step(bare(command), (Request.of(call, scene=name),), acts=True)


def _unmet(condition: Condition, command: Command, context: Context) -> tuple[Say | None, tuple[Device, ...]]:
    """What to say if the condition does not hold now, and its devices. An unreported state never holds."""
    home, resolver = context.home, Resolver(context.home, context.here, context.last)
    limit = condition.below if condition.below is not None else condition.above
    if limit is not None:
        rooms = resolver.places(condition.place)
        if isinstance(rooms, Unknown):
            raise context.not_here(rooms)
        inside = (one for room in rooms or (context.here,) for one in home.in_room(room or ""))
        told = (degrees_of(home.state_of(one)) for one in inside if one.kind == "sensor")
        now = next((degrees for degrees in told if degrees is not None), None)
        if now is None:
            raise Refused("nothing there measures the temperature", Say("unknown.measure"))
        holds = now < limit if condition.below is not None else now > limit
        return (None if holds != condition.unless else Say("unmet.degrees", {"degrees": now})), ()
    assert condition.which is not None
    about: Which = condition.which
    able: Able = _anything
    if about.item[0].pronoun and command.which is not None and not command.which.item[0].pronoun:
        about, able = command.which, _able(command)
    found = resolver.which(about, "look", able)
    if not isinstance(found, Meant):
        raise Refused("the condition is about an unknown thing", Say("unknown.condition"))
    state = {"up": "open", "down": "closed"}.get(condition.state, condition.state)
    holds = all(home.is_so(one, state) for one in found.devices) != condition.negated
    unmet = None if holds != condition.unless else Say("unmet.state", {"devices": found.devices})
    return unmet, found.devices


def _anything(_device: Device) -> bool:
    return True
