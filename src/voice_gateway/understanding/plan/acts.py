"""Commands: which devices, which call for each, and with which value."""

from collections.abc import Callable, Sequence
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
    Everyday,
    Item,
    Look,
    Place,
    Value,
    Which,
    altered,
    closed,
)
from voice_gateway.understanding.nodes import bare as bare_node
from voice_gateway.understanding.plan import Context, Plan, Question, Refused, Say, Step, plan, plans
from voice_gateway.understanding.resolver import Doubt, Meant, Resolved, Resolver, Unknown, sort_of

STEP, SMALL, LARGE = 20, 10, 40  # percent of "brighter", "a bit brighter" and "a lot brighter"
COLDEST, WARMEST = 5, 35  # degrees that a heating is set to
INSTEAD: Final = {
    ("mower", "on"): "start", ("mower", "off"): "dock", ("mower", "stop"): "dock", ("chime", "on"): "ring",
    ("vacuum", "on"): "start", ("vacuum", "off"): "dock", ("vacuum", "stop"): "dock",
}  # fmt: skip
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
    if command.condition is not None:
        unmet, devices = _unmet(command.condition, command, context)
        if unmet is not None:
            return Step(closed(command), say=unmet)  # nothing is done, so the rest need not be read
        context = replace(context, last=devices or context.last)
    if command.do == "scene":
        return _scene(command, context)
    return _devices(_onward(command, context), context)


def _onward(command: Command, context: Context) -> Command:
    """A bare "more" goes on as before: behind "dimmer" it is dimmer still."""
    amount, before = command.amount, context.command
    plain = amount is None or bare_node(amount) in (Amount(small=True), Amount(large=True))
    if not (command.bare and command.do == "change" and command.way > 0 and not command.of and plain):
        return command
    if not isinstance(before, Command) or direction(before) >= 0:
        return command
    return altered(command, way=-1.0)


def direction(command: Command) -> int:
    """Whether the last command made more or less of it."""
    if command.do == "change":
        return 1 if command.way > 0 else -1
    closing = command.do in ("close", "down") or (command.value is not None and command.value.closed)
    return -1 if closing else 1 if command.do in ("open", "up", "on") else 0


def _fixed(command: Command, context: Context) -> Plan:
    """ "Off, no wait, on": what was said last replaces what it is about."""
    fixed = altered(command, fix=())
    for fix in command.fix:
        said = {
            name: value
            for name in ("do", "which", "value", "amount", "way", "of")
            if (value := getattr(fix, name)) not in ("", None, 0.0)
        }
        if "value" in said and fixed.value is not None:
            _ = fixed.value.percent
        fixed = altered(fixed, **said)
    return act(fixed, context)


def _volume(command: Command, context: Context) -> Plan | None:
    """ "Make it 40", where the volume was spoken of."""
    which, value = command.which, command.value
    pronoun = which is not None and len(which.item) == 1 and which.item[0].pronoun
    if command.do != "set" or value is None or not (command.bare or pronoun):
        return None
    level = next((one for one in (value.percent, value.level, value.number) if one is not None), None)
    if level is None:
        return None
    return plan(Everyday(tool="control_speaker_volume", action="set", level=level), context)


def _heats(command: Command) -> bool:
    """ "The heating at 23": no hour."""
    named = command.which is not None and all(item.kind == "thermostat" for item in command.which.item)
    number = command.value.number if command.value is not None else None
    return named and number is not None and COLDEST + 7 < number <= WARMEST


def _could_be_a_time(value: Value, context: Context) -> bool:
    """ "… and the lamp at seven"."""
    return value.number is not None and value.number <= (12 if context.alone else 24)


# --- which devices


def _devices(command: Command, context: Context) -> Plan:
    """Resolves the devices of a command, then plans what each of them does."""
    if context.topic == "volume" and (volume := _volume(command, context)) is not None:
        return volume
    command = _checked(_of_the_room_asked(command, context), context)
    measured = [part.degrees for part in (command.value, command.amount) if part is not None]
    warmth = command.of == "heat" or any(degrees is not None for degrees in measured)
    spoken_of = context.last and not context.idle
    if command.bare and not (spoken_of or warmth or (command.of and (context.here or command.place))):
        return Question(Say("ask.what_device"), bare_node(command))
    if command.aside:
        context = _named_before(command, context)
    able = _able(command)
    found = _resolved(command, context, able)
    if not isinstance(found, Meant):
        return _ask(command, found) if isinstance(found, Doubt) else _not_known(command, found, context)
    if command.of == "heat" and command.do not in ("set", "change"):
        raise Refused("an act on the heating that is none")
    _check_instead(command, found, context)
    if command.hint and not context.alone:
        raise Refused("a hint beside an order")
    if command.hint:
        say = Say("ask.shall_i", {"devices": found.devices, "do": command.do})
        return Question(say, bare_node(command), found.devices, "yes", doubts=True)
    return _acts(command, found, context, able)


def _of_the_room_asked(command: Command, context: Context) -> Command:
    """ "Make it 21", behind "how warm is it in the snug"."""
    asked, which, value = context.inquiry, command.which, command.value
    unnamed = which is None or all(item.pronoun for item in which.item)
    if context.last or not unnamed or value is None or command.do != "set":
        return command
    if not (isinstance(asked, Look) and asked.measure == "temperature" and asked.place):
        return command
    if value.number is None or not COLDEST <= value.number <= WARMEST:
        return command
    return altered(command, which=Which(item=(Item(kind="thermostat", place=asked.place),)), bare=False)


def _checked(command: Command, context: Context) -> Command:
    """Without a pronoun that means nothing yet; a number behind "at" must be no time."""
    spoken_of = command.which is not None and all(item.pronoun for item in command.which.item)
    warmth = command.value is not None and command.value.degrees is not None
    which = command.which
    chosen = which is not None and (which.without or which.state or which.some or which.one or which.either)
    alone = not (context.last or command.aside or chosen)
    if spoken_of and (command.of or warmth) and alone:  # "make it warmer in here"
        command = altered(command, which=None, bare=True)
    if (
        command.at
        and command.value is not None
        and not spoken_of
        and _could_be_a_time(command.value, context)
        and not _heats(command)
    ):
        raise Refused("a number that could be a time")
    return command


def _what_with(command: Command, context: Context) -> Plan:
    """ "Coffee, please": a thing, and not what shall be done with it."""
    _ = command.text  # "set the lamp to purple elephant": what nobody knows
    found = _resolved(command, context, _anything)
    if not isinstance(found, Meant) or not context.alone:
        raise Refused("nothing was asked for")
    say = Say("ask.what_with", {"text": found.devices[0].name})
    return Question(say, replace(bare_node(command), text=""), found.devices, "act")


def _resolved(command: Command, context: Context, able: Callable[[Device], bool]) -> Resolved:
    """The devices; the only heating, and the player that plays, need no name."""
    last, acted = context.last, tuple(one for done in context.steps for one in done.devices)
    if last and all(one.kind == "sensor" for one in last) and not any(map(able, last)):
        last = acted  # "it" is no sensor that was only looked at
    resolver = Resolver(context.home, context.here, last, context.recent)
    found = resolver.which(_subject(command, replace(context, last=last)), command.do, able)
    if isinstance(found, Unknown) and found.what in ("here", "kind_here") and command.of == "heat":
        return Resolver(context.home).which(Which(item=(Item(kind="thermostat"),)), command.do, able)
    if isinstance(found, Unknown) and found.what in ("here", "kind_here"):
        kind = PLAYED.get(command.of) or found.text
        if kind in PLAYED.values():
            found = Resolver(context.home).which(Which(item=(Item(kind=kind),)), command.do, able)
    if isinstance(found, Doubt) and command.of == "player":
        playing = tuple(one for one in found.candidates if context.home.is_so(one, "playing"))
        return Meant(playing) if len(playing) == 1 else found
    return found


def _check_instead(command: Command, found: Meant, context: Context) -> None:
    """ "Rather than the floor lamp": it must be known, and be another one."""
    for item in command.instead:
        other = Resolver(context.home).item(item, command.do, _anything)
        if not isinstance(other, Meant) or set(other.devices) & set(found.devices):
            raise Refused("what is meant instead is not clear")


def _named_before(command: Command, context: Context) -> Context:
    """ "The lamp by the bed, the bedside lamp, switch it on": what is named last is meant."""
    which = command.which
    if which is not None and not all(item.pronoun for item in which.item):
        raise Refused("another thing was named before the order")
    for item in command.aside[:-1]:
        closed(item)  # the same thing in other words
    resolver = Resolver(context.home, context.here, context.last, context.recent)
    named = resolver.which(Which(item=command.aside[-1:]), command.do, _able(command))
    return replace(context, last=named.devices if isinstance(named, Meant) else ())


def _subject(command: Command, context: Context) -> Which:
    """What the command is about, with the place and the exceptions that stand around it."""
    which = command.which if command.which is not None else _implied(command, context)
    if which is None:
        raise Refused("no device was named", Say("ask.what_device"))
    return _framed(which, command, context)


def _implied(command: Command, context: Context) -> Which | None:
    """What is meant where no device was named."""
    around = command.place or (context.here and not context.last)
    if command.lights or (command.of == "light" and around):
        here = (Place(here=True),) if context.here and command.of == "light" else ()
        return Which(item=(Item(kind="light", plural=True, quant="all", place=command.place or here),))
    degrees = [part.degrees for part in (command.value, command.amount) if part is not None]
    if command.of == "heat" or any(one is not None for one in degrees):
        return Which(item=(Item(kind="thermostat", place=command.place),))
    if command.of in PLAYED:
        return Which(item=(Item(kind=PLAYED[command.of], place=command.place),))
    if command.sweep:
        return Which(item=(Item(everything="all"),))
    if context.last or command.of == "light":
        return Which(item=(Item(pronoun=True),))
    return None


def _framed(which: Which, command: Command, context: Context) -> Which:
    """With the place and the exceptions around the order; "everything" may mean lights."""
    degrees = command.value is not None and command.value.degrees is not None
    lit = {"all"} if command.of == "light" or (command.do in ("set", "change") and not degrees) else set()
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


def _ask(command: Command, found: Doubt) -> Plan:
    candidates = tuple(filter(_able(command), found.candidates))
    if not candidates:
        raise Refused("nothing there can do that", _cannot(found.candidates))
    if len(candidates) == 1:
        return Question(
            Say("ask.did_you_mean", {"devices": candidates}), bare_node(command), candidates, "yes"
        )
    return Question(Say("ask.which", {"devices": candidates}), bare_node(command), candidates)


def _cannot(devices: Sequence[Device]) -> Say:
    """What is there instead, if it is of one kind."""
    alike = devices and len({device.kind for device in devices}) == 1
    return Say("cannot.device", {"devices": tuple(devices)}) if alike else Say("cannot.there")


def _not_known(command: Command, found: Unknown, context: Context) -> Plan:
    """A question that names the unknown thing and the nearest names, or why there is none."""
    if found.what == "exception":
        return Question(Say("ask.exception"), bare_node(command), expects="exception")
    if command.of in PLAYED and not any(one.kind == PLAYED[command.of] for one in context.home.devices):
        raise Refused(f"there is no {command.of}", Say(f"cannot.{command.of}"))
    if found.what == "it":
        return Question(Say("ask.what_device"), bare_node(command))
    if found.what == "floor" and (step := _by_floor(command, found.text, context)) is not None:
        return step
    if found.what in ("room", "floor", "there", "kind_here") and (near := _elsewhere(command, context)):
        facts = {"text": found.text, "here": context.here, "devices": near}
        return Question(Say(f"unknown.{found.what}_which", facts), bare_node(command), near, unknown=True)
    if found.what == "name" and (near := _nearest(found.text, command, context)):
        facts = {"text": found.text, "devices": near}
        return Question(Say("unknown.name_which", facts), bare_node(command), near, unknown=True)
    key = f"unknown.{found.what}"
    raise Refused(
        f"unknown {found.what}: {found.text}",
        Say(key, {"text": found.text, "here": context.here}),
        unknown=True,
    )


def _by_floor(command: Command, floor: str, context: Context) -> Step | None:
    """A call for a whole floor, where a server knows its floors and tells nobody what is on them."""
    whole = closed(command)
    items = whole.which.item if whole.which is not None else ()
    places = (*whole.place, *(place for item in items for place in item.place))
    if len(items) != 1 or places != (Place(floor=floor),):
        return None
    item = replace(items[0], place=(), plural=False, quant="", definite=False)
    order = replace(whole, which=None, place=(), lights=False, polite=False)
    if item != Item(kind=item.kind) or order != Command(do=whole.do):
        return None
    sources = context.home.sources
    calls = [source.on_floor(floor, whole.do, str(sort_of(item.kind))) for source in sources]
    requests = tuple(
        Request.of(call, source=source.name) for source, call in zip(sources, calls, strict=True) if call
    )
    return Step(whole, requests, acts=True) if requests else None


def _nearest(text: str, command: Command, context: Context) -> tuple[Device, ...]:
    """Devices whose names are alike, where no word of it means something else."""
    never = context.reader and context.reader.language.group(
        "talk_never", "remark_never", "cut_off", "no_thing"
    )
    if never is None or not never.isdisjoint(text.split()):
        return ()
    return tuple(filter(_able(command), context.home.names.nearest(text, ALIKE)))


def _elsewhere(command: Command, context: Context) -> tuple[Device, ...]:
    """What could be meant where the place is unknown: the same words without it."""
    which = bare_node(command.which)
    if which is None or len(which.item) != 1 or not (which.item[0].kind or which.item[0].name):
        return ()
    item = replace(which.item[0], place=(), room="", quant="any" if which.item[0].kind else "all")
    able = _able(command)
    found = Resolver(context.home).which(Which(item=(item,)), command.do, able)
    devices = (
        found.candidates if isinstance(found, Doubt) else found.devices if isinstance(found, Meant) else ()
    )
    return tuple(filter(able, devices))


# --- what each of them does


def _acts(command: Command, found: Meant, context: Context, able: Callable[[Device], bool]) -> Plan:
    home, devices = context.home, found.devices
    fit = tuple(filter(able, devices))
    if not devices:
        return Step(bare_node(command), say=Say("nothing_left"))
    if not fit or (not found.group and len(fit) < len(devices)):
        if found.group:
            raise Refused("nothing there can do that", _cannot(devices))
        return Step(closed(command), say=Say("cannot.device", {"devices": devices[:1]}), devices=devices[:1])
    if any(one.kind in ENTRANCES for one in fit) and _is_vague(command, found):
        return Question(Say("ask.did_you_mean", {"devices": fit}), bare_node(command), fit, "yes")
    if found.group and command.do in RELATIVE and all(one.is_light for one in fit):
        fit = tuple(one for one in fit if home.is_so(one, "on")) or fit
    made = [(device, act_for(device, command, home)) for device in fit]
    told = [one for _, one in made if isinstance(one, Say)]
    if told and (not found.group or len(told) == len(made)):
        return _told(command, told[0], fit)
    requests = []
    for device, wish in made:
        if isinstance(wish, Say):
            continue
        call = home.source_of(device).act(device, wish, home)
        if isinstance(call, str):
            return Step(closed(command), say=Say("text", {"text": call}), devices=fit)
        requests.append(Request.about(call, device, home, wish))
    done = tuple(request.device for request in requests if request.device is not None)
    return Step(bare_node(command), tuple(requests), done, acts=True)


def _told(command: Command, say: Say, devices: tuple[Device, ...]) -> Plan:
    if say.key.startswith("ask."):
        return Question(say, bare_node(command), devices, "value")
    return Step(closed(command), say=say, devices=devices)


def _is_vague(command: Command, found: Meant) -> bool:
    """ "Open them", "close the door": which way in, the words alone do not say."""
    items = command.which.item if command.which is not None else ()
    if command.do in OPENING:
        return not found.exact or (len(found.devices) > 1 and all(item.pronoun for item in items))
    return command.do == "close" and not found.exact and any(item.kind == "door" for item in items)


def _able(command: Command) -> Callable[[Device], bool]:
    return lambda device: bool(action_of(device, command))


def action_of(device: Device, command: Command) -> str:  # noqa: PLR0911 (one for each sort of act)
    """What the command is for this device; "" where it can do nothing of the kind."""
    do, value, amount = command.do, command.value, command.amount
    if do in ("set", "change") and device.is_light and not device.can("dim") and _is_brighter(command):
        return "on"
    if do in ("set", "change"):
        return _setting_of(device, command, value, amount)
    if do == "stop" and device.kind in ("fan", "switch", "plug"):
        return "off"
    if do == "start":
        return next((one for one in ("start", "on") if device.can(one)), "")
    if do in ("up", "down"):
        moved = {"up": "open", "down": "close"}[do]
        if device.kind == "thermostat":
            return "set"
        return next((one for one in (moved, "dim", "volume", "speed") if device.can(one)), "")
    if bool(command.text) != (do in ("search", "clean")):
        return ""
    action = INSTEAD.get((device.kind, do), do)
    return action if device.can(action) else ""


def _is_brighter(command: Command) -> bool:
    """More light, or all of it: a light that is only switched can do that by going on."""
    if command.of not in ("", "light"):
        return False
    if command.amount is not None:
        return command.way > 0 and (command.amount.small or command.amount.large)
    return command.way > 0 if command.value is None else command.value.level == FULL


def _setting_of(device: Device, command: Command, value: Value | None, amount: Amount | None) -> str:
    odd = value is not None and (_several_values(value) or (value.closed and not device.is_cover))
    if odd or (value is not None and command.do == "change"):
        return ""
    degrees = (value is not None and value.degrees is not None) or (
        amount is not None and amount.degrees is not None
    )
    mode = value is not None and bool(value.mode)
    if device.kind == "thermostat":
        return "" if _is_for_lights(command, value) else "set"
    odd = command.of == "light" and not device.is_light
    if (
        odd
        or degrees
        or mode
        or command.of == "heat"
        or (command.of == "volume" and not device.can("volume"))
    ):
        return ""
    if value is not None and (value.colour or value.kelvin is not None):
        action = "colour" if value.colour else "kelvin"
        return action if device.can(action) else ""
    if device.is_cover and command.do == "change" and amount is None:
        return ""
    return next((one for one in ("dim", "speed", "volume") if device.can(one)), "")


def _is_for_lights(command: Command, value: Value | None) -> bool:
    """Whether the aspect, the value, or a room with a number that is no temperature rules out heating."""
    if command.of == "light" or value is None:
        return command.of == "light"
    room = command.which is not None and all(item.alone for item in command.which.item)
    number = room and value.number is not None and not COLDEST <= value.number <= WARMEST
    return number or bool(
        value.level is not None or value.percent is not None or value.colour or value.kelvin
    )


def _several_values(value: Value) -> bool:
    """ "To half 20 percent": one device gets one value."""
    numbers = (value.number, value.percent, value.level, value.degrees, value.kelvin)
    bright = bool(value.colour) and value.percent is not None  # "red at 40 percent"
    return sum(one is not None for one in numbers) + bool(value.mode) + bool(value.colour) > 1 + bright


def act_for(device: Device, command: Command, home: Home) -> Act | Say:  # noqa: PLR0911 (one for each act)
    """The act, or what to say instead."""
    action, state = action_of(device, command), home.state_of(device)
    if device.kind == "thermostat":
        return _warmth(device, command, state)
    if action in ("search", "clean"):
        return Act(action, text=command.text)
    if action in ("dim", "speed", "volume"):
        level = _level(device, command, state)
        return level if isinstance(level, Say) else Act(action, level=level)
    if action == "on" and command.do in ("set", "change") and home.is_so(device, "on"):
        return Say("already.full", {"devices": (device,)})
    if action == "colour" and command.value is not None:
        bright = command.value.percent
        return Act("colour", colour=command.value.colour, level=None if bright is None else round(bright))
    if action == "kelvin" and command.value is not None and command.value.kelvin is not None:
        return Act("kelvin", kelvin=round(command.value.kelvin))
    return Act(action)


def _level(device: Device, command: Command, state: str) -> int | Say:  # noqa: PLR0911 (one for each answer)
    value, amount = command.value, command.amount
    if command.do == "set":
        if value is None:
            return Say("ask.level")
        said = (value.level, value.percent, value.number)
        level = next((one for one in said if one is not None), None)
        if level is None or value.negative:
            return Say("ask.level")
        level = 100 - level if value.closed and device.is_cover else level
        return round(level) if 0 <= level <= 100 else Say("ask.level")
    now = {"open": 100, "closed": 0}.get(state, level_of(state)) if device.is_cover else level_of(state)
    if now is None:
        key = "ask.volume_now" if device.can("volume") else "ask.level_now"
        return Say(key, {"devices": (device,)})
    up = _is_up(command)
    if command.of == "all":
        return 100 if up else 0 if device.is_cover else 1
    wanted = _changed(now, amount, up=up)
    if device.is_cover:
        return max(0, min(100, wanted))
    if now == 0 and amount is not None and amount.factor is not None:
        return Say("ask.level_off", {"devices": (device,)})
    if now >= 100 and wanted > now:
        return Say("already.full", {"devices": (device,)})
    return max(1, min(100, wanted))


def _changed(now: int, amount: Amount | None, *, up: bool) -> int:
    way = 1 if up else -1
    if amount is None:
        return now + way * STEP
    if amount.factor is not None:
        return round(now * amount.factor)
    if amount.share is not None:
        return now + way * round(now * amount.share / 100)
    steps = amount.percent if amount.percent is not None else amount.number
    if steps is not None:
        return now + way * round(steps)
    return now + way * (SMALL if amount.small else LARGE if amount.large else STEP)


def _is_up(command: Command) -> bool:
    return command.do == "up" or (command.do == "change" and command.way > 0)


def _degrees_by(amount: Amount | None) -> float:
    if amount is None or amount.small:
        return 1.0
    share = None if amount.share is None else amount.share / 100
    said = (amount.degrees, amount.number, share, 3.0 if amount.large else 1.0)
    return next(one for one in said if one is not None)


def _warmth(device: Device, command: Command, state: str) -> Act | Say:  # noqa: PLR0911 (one for each answer)
    value, amount = command.value, command.amount
    if command.do in ("on", "off"):
        return Act(command.do)
    if value is not None and value.mode:
        return Act("set", mode=value.mode)
    limits = {"devices": (device,), "lowest": COLDEST, "highest": WARMEST}
    if command.do in ("change", "up", "down"):
        now = degrees_of(state)
        if now is None:
            return Say("ask.degrees_now", limits)
        by = _degrees_by(amount)
        degrees = now + (by if _is_up(command) else -by)
    elif value is None or value.negative:
        return Say("ask.degrees", limits)
    else:
        said = value.degrees if value.degrees is not None else value.number
        if said is None:
            return Say("ask.degrees", limits)
        degrees = said
        if value.unit == "F":
            return (
                Act("set", temperature=degrees, unit="F")
                if 41 <= degrees <= 95
                else Say("ask.degrees", limits)
            )
    if not COLDEST <= degrees <= WARMEST:
        return Say("ask.degrees", limits)
    return Act("set", temperature=int(degrees) if degrees == int(degrees) else degrees)


# --- scenes and conditions


def _scene(command: Command, context: Context) -> Plan:
    home, name = context.home, command.scene
    known = home.scenes.get(name, name)
    if command.bare and not context.polite:
        return Question(Say("ask.scene", {"text": known}), bare_node(command), expects="yes")
    call = home.scene_source(known).scene(known)
    if call is None:
        raise Refused("no scenes", Say("unknown.scene", {"text": name}))
    return Step(bare_node(command), (Request.of(call, scene=known),), acts=True)


def _unmet(condition: Condition, command: Command, context: Context) -> tuple[Say | None, tuple[Device, ...]]:
    """Why the condition does not hold now, and what it is about. What nobody can tell never holds."""
    home = context.home
    resolver = Resolver(home, context.here, context.last)
    limit = condition.below if condition.below is not None else condition.above
    if limit is not None:
        rooms = resolver.places(condition.place)
        if isinstance(rooms, Unknown):
            raise Refused(
                f"unknown room: {rooms.text}", Say("unknown.room", {"text": rooms.text}), unknown=True
            )
        inside = [
            one for one in home.devices if one.room in (rooms or (context.here,)) and one.kind == "sensor"
        ]
        now = next((d for one in inside if (d := degrees_of(home.state_of(one))) is not None), None)
        if now is None:
            raise Refused("nothing there measures the temperature", Say("unknown.measure"))
        holds = now < limit if condition.below is not None else now > limit
        return (None if holds != condition.unless else Say("unmet.degrees", {"degrees": now})), ()
    assert condition.which is not None
    about = condition.which
    if about.item[0].pronoun and command.which is not None and not command.which.item[0].pronoun:
        about, able = command.which, _able(command)
    else:
        able = _anything
    found = resolver.which(about, "look", able)
    if not isinstance(found, Meant):
        raise Refused("the condition is about an unknown thing", Say("unknown.condition"))
    state = {"up": "open", "down": "closed"}.get(condition.state, condition.state)
    holds = all(home.is_so(one, state) for one in found.devices) != condition.negated
    if holds != condition.unless:
        return None, found.devices
    return Say("unmet.state", {"devices": found.devices}), found.devices


def _anything(_device: Device) -> bool:
    return True
