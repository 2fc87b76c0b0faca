"""Frames that change something in the home: each device that is meant becomes one request."""

import re
from collections.abc import Callable, Mapping
from dataclasses import replace

from home_names.kinds import ENTRANCES, device_class
from home_names.names import name_key
from home_names.phrases import capital, listed
from home_names.states import degrees_of, level_of, measured_of, setpoints_of
from voice_gateway.brain.local.command.which import Which
from voice_gateway.brain.local.grammar import Frame
from voice_gateway.brain.local.meaning import (
    Clarification,
    Context,
    Meaning,
    NotHandled,
    Request,
    Step,
    home_unknown,
)
from voice_gateway.brain.local.place import place, plain, room_named
from voice_gateway.brain.local.plan.able import LEVELS, done_by
from voice_gateway.brain.local.plan.builtin import volume_step
from voice_gateway.brain.local.plan.scene import scene, scene_named, start_scene, tried_scene
from voice_gateway.brain.local.resolve import IT, Found, Resolver, Unclear, Unknown
from voice_gateway.brain.local.wording import ABLE, BUTTON, DOING, can_be_told_apart, not_known, the, which
from voice_gateway.integrations.device import Device, is_button
from voice_gateway.integrations.home import Home
from voice_gateway.integrations.source import Act

STEP = 20  # points that "brighter" means
SMALL_STEP = 10  # "a bit brighter"
_OPENING = frozenset({"unlock", "open"})  # of a lock or a garage door: only by its own name
# Words that no name of a device has: whoever says them is not naming one.
_CLAUSE = re.compile(
    r"\b(?:your|yourself|me|you|us|i|is|was|are|were|who|what|because|about|someone|somebody|"
    r"turn|switch|set|dim|close|unlock|mute|increase|then|and|them|it|on|off|by|to|leave|keep|let|not|"
    r"minus|percent|half|halfway|third|quarters?|most|almost|bit|little)\b"
)
_HINT = 3  # words: behind "… on" alone, more than these are no name that was only misheard


def act(frame: Frame, context: Context, action: str) -> Meaning:
    if not context.home.devices:
        return home_unknown(context)
    meant = Which.of(frame)
    said = _like_before(meant.said, context)
    if action == "brighten" and said == "it" and not context.last and context.room:
        said = "lights here"

    def able(device: Device) -> bool:
        return bool(done_by(device, action))

    def by_sort(device: Device) -> bool:
        return done_by(device, action) == done_by(device, action, by_name=False)

    sweep = bool(frame.slots.get("sweep"))
    found = Resolver(context.home, context.room, context.last, able, sweep, by_sort=by_sort).evaluate(
        replace(meant, said=said), action
    )
    nobody = isinstance(found, Unknown) or (isinstance(found, Found) and not found.exact)
    if isinstance(found, Unclear):  # part of several names, and a scene's whole one
        nobody = not context.home.names.exact(plain(said)) and not room_named(plain(said), context.home)
    if action == "on" and nobody and (name := scene_named(said, context.home)):
        return start_scene(frame, name, context.home)
    if isinstance(found, Unclear):
        return _which(tuple(filter(able, found.candidates)), found.clear, frame, action, context.home)
    if isinstance(found, Unknown):
        return _unknown(found, frame, context)
    if not found.devices:
        nothing = f"Nothing there is {meant.having}." if meant.having else "Nothing is left to do."
        return Step(frame.intent, frame=frame, say=nothing)
    return _for_found(found, tuple(filter(able, found.devices)), frame, action, context)


def _like_before(phrase: str, context: Context) -> str:
    """ "… and close the bedroom one": the same sort of thing as before."""
    kinds = {"light" if device.is_light else device.kind for device in context.last}
    return re.sub(r"(?<=\w) one$", f" {kinds.pop()}", phrase) if len(kinds) == 1 else phrase


def _which(
    able: tuple[Device, ...], clear: tuple[Device, ...], frame: Frame, action: str, home: Home
) -> Meaning:
    if not able:
        nothing = f"there is nothing to {DOING[action]}"
        return NotHandled(nothing, forbid=True, spoken=f"I know nothing there to {DOING[action]}.")
    if len(able) == 1:
        text = f"Do you mean {the(able[0], room=True)}?"
        return Clarification(text, frame, able, confirm=True, clear=clear)
    if not can_be_told_apart(able):
        where = f" in the {able[0].room}" if able[0].room else ""
        spoken = f"There are {len(able)} devices called {able[0].name}{where}. I can't tell them apart."
        return NotHandled("two devices have one name", forbid=True, spoken=spoken)
    return Clarification(which(able, home), frame, able, clear=clear)


def _unknown(found: Unknown, frame: Frame, context: Context) -> Meaning:
    if found.left_out:
        text = f'I did nothing yet: I know no "{found.phrase}". What shall I leave as it is?'
        return Clarification(text, frame, slot="without")
    if found.phrase in IT:
        spoken = "I don't know what you mean by that."
        return NotHandled("nothing was talked of that 'it' could mean", forbid=True, spoken=spoken)
    placed = place(found.phrase, context.home, context.room)  # rooms may have long names
    if _CLAUSE.search(found.phrase) or len((placed.what if placed.room else found.phrase).split()) > 5:
        return NotHandled("those words name no device", forbid=True)
    bare = frame.own and frame.literal <= _HINT and len(found.phrase.split()) > _HINT
    near = () if bare else found.near
    return not_known(found.phrase, found.note, near, frame, room=True)


def _for_found(
    found: Found, able: tuple[Device, ...], frame: Frame, action: str, context: Context
) -> Meaning:
    unable = [device for device in found.devices if device not in able]
    if not able and found.group:
        by_name = "I can {} that only by its own name."
        told = by_name if action in _OPENING else "I know nothing like that to {}."
        spoken = told.format(DOING[action])
        return NotHandled(f"there is nothing to {DOING[action]}", forbid=True, spoken=spoken)
    if unable and not (able and found.group):
        return Step(frame.intent, frame=frame, say=_cannot(unable[0], action), devices=found.devices[:1])
    vague = not found.exact and any(device.kind in ENTRANCES for device in able)
    if vague and (action in _OPENING or (action == "close" and plain(frame.text("thing")) == "door")):
        names = listed([the(device) for device in able])
        one = f"Did you mean {the(able[0], room=True)}?" if len(able) == 1 else ""
        return Clarification(one or f"Shall I {DOING[action]} {names}?", frame, able, confirm=True)
    if found.group and action == "brighten":  # brighter lights are those that are on
        able = tuple(device for device in able if level_of(context.home.state_of(device)) != 0) or able
    made = [request_for(device, frame, action, context) for device in able]
    requests = tuple(request for request in made if isinstance(request, Request))
    hindered = [text for text in made if isinstance(text, str)]
    if not requests or (hindered and not found.group):
        return Step(frame.intent, frame=frame, say=hindered[0], devices=able)
    devices = tuple(request.device for request in requests if request.device)
    wide = len(devices) > 1 and "everything" in frame.text("thing")
    return Step(
        frame.intent, requests, acts=True, frame=frame, devices=devices, by_room=found.by_room, wide=wide
    )


def _cannot(device: Device, action: str) -> str:
    able = BUTTON if is_button(device) else ABLE.get(device.kind)
    if device.is_cover and action == "dim":
        return f"I can't set {the(device)} to a position: it {able}."
    if action == "colour" and device.can("kelvin"):
        return f"{capital(the(device))} can be warm or cold white, but has no colours."
    return f"I can't {DOING[action]} {f'that: {the(device)} {able}' if able else the(device)}."


# --- what an action is, where the words leave it open


def _set_temperature(frame: Frame, context: Context) -> Meaning:
    thing = frame.text("thing")
    called = len(context.home.names.exact("thermostat")) == 1  # else the word is that of all of them
    if not thing or (plain(thing) == "thermostat" and not called):
        meant = _thermostats(context)
        if len(meant) > 1 and set(meant) != set(context.last):
            return Clarification(which(meant, context.home), frame, meant)
        thing = context.home.called(meant[0]) if len(meant) == 1 else "it" if meant else "thermostat"
    elif room := room_named(thing, context.home):
        thing = f"thermostat in the {room}"
    return act(replace(frame, slots={**frame.slots, "thing": thing}), context, "set")


def _thermostats(context: Context) -> tuple[Device, ...]:
    """Where none is named: that which is talked of, else that of the door's room, else any."""
    every = tuple(device for device in context.home.devices if device.kind == "thermostat")
    here = tuple(one for one in every if context.room and name_key(one.room) == name_key(context.room))
    return tuple(one for one in every if one in context.last) or here or every


def _start(frame: Frame, context: Context) -> Meaning:
    """ "Start movie night", "start the coffee maker": only what is called exactly that."""
    said = plain(frame.text("thing"))
    named, turned_on = context.home.names.exact(said), replace(frame, intent="TurnOn")
    if named and frame.slots.get("appliance") and not any(device.is_light for device in named):
        meaning = act(turned_on, context, "on")
        told = isinstance(meaning, Step) and not meaning.requests
        return NotHandled("that cannot be started") if told else meaning
    if not named and (sort := device_class(said)) and sort.sort == "vacuum":
        return act(turned_on, context, "on")
    if not named and (name := scene_named(said, context.home)):
        return start_scene(frame, name, context.home)
    no = NotHandled("nothing of that name can be started")
    if not frame.slots.get("appliance") and frame.slots.get("explicit"):  # "activate": an unknown device
        found = act(turned_on, context, "on")
        no = found if isinstance(found, NotHandled) else no
    return no if named or _CLAUSE.search(said) else tried_scene(frame, said, context, no)


def _set_level(frame: Frame, context: Context) -> Meaning:
    """Lights in a group that cannot be dimmed are left alone; a bare number is degrees for the heating."""
    level, thing = frame.number("level"), frame.text("thing")
    if level is not None and thing in ("", *IT) and context.topic == "volume":
        args = {"action": "set", "level": round(level)}
        return Step("VolumeSet", (Request("control_speaker_volume", args),), acts=True, frame=frame)
    if level is not None and frame.slots.get("bare") and _is_heating(frame, context):
        warmth = replace(frame, intent="SetTemperature", slots={"thing": thing or "it", "degrees": level})
        return _set_temperature(warmth, context)
    return act(frame, context, "dim")


def _is_heating(frame: Frame, context: Context) -> bool:
    """What a bare number is for can only be warmer or colder: a thermostat, or a room that has one."""
    room = room_named(frame.text("thing"), context.home)
    if room:
        return any(device.kind == "thermostat" for device in context.home.in_room(room))
    found = Resolver(context.home, context.room, context.last).resolve(Which.of(frame).said)
    devices = found.devices if isinstance(found, Found) else ()
    return bool(devices) and all(device.kind == "thermostat" for device in devices)


def _up_down_it(frame: Frame, context: Context) -> Meaning:
    """ "Turn it down" means the lamp while a lamp is talked of, and the sound otherwise."""
    able = all(done_by(device, "brighten") for device in context.last)
    lamps = context.topic == "device" and context.last and able
    if not lamps:
        return volume_step(frame, context)
    intent = "Brighter" if frame.slots.get("direction") == "up" else "Dimmer"
    return act(replace(frame, intent=intent, slots={**frame.slots, "thing": "it"}), context, "brighten")


def _set_colour(frame: Frame, context: Context) -> Meaning:
    """A word that is no colour, beside the own name of something that has some, is told."""
    if not (unknown := frame.text("unknown")):
        return act(frame, context, "colour")
    named = context.home.names.exact(plain(frame.text("thing")))
    if not named or not all(device.can("colour") or device.can("kelvin") for device in named):
        return NotHandled("that is no colour of something that has one")
    return Step(frame.intent, frame=frame, say=f"I know no colour called {unknown}.", devices=named)


def _acting(action: str) -> Callable[[Frame, Context], Meaning]:
    return lambda frame, context: act(frame, context, action)


def _stepping(frame: Frame, context: Context) -> Meaning:
    """More or less of it; a blind only where the words say by how much."""
    return act(frame, context, "dim" if frame.slots.get("moves") else "brighten")


# --- the call for one device


def request_for(device: Device, frame: Frame, action: str, context: Context) -> Request | str:
    """The call for one device, or what to say instead."""
    home = context.home
    wish = _wished(device, frame, action, home)
    if isinstance(wish, str):
        return wish
    call = home.source_of(device).act(device, wish, home)
    return call if isinstance(call, str) else Request.about(call, device, home, wish)


def _wished(device: Device, frame: Frame, action: str, home: Home) -> Act | str:
    if device.kind == "thermostat":
        return _warmth(device, frame, action, home)
    meant, level = done_by(device, action), frame.number("level")
    if level is not None and not 0 <= level <= 100:
        return "I can set that from 0 to 100 percent. To how many shall I?"
    if meant == "ring":
        if level is not None and level < 1:  # to Z-Wave that means as loud as usual
            return f"I can ring {the(device)} at 1 to 100 percent. At how many shall I?"
        return Act(meant, tone=frame.text("tone"), level=_whole(level))
    if meant not in LEVELS:
        beside = _whole(level) if meant in ("colour", "kelvin") else None
        return Act(meant, beside, colour=frame.text("colour"), kelvin=_whole(frame.number("kelvin")))
    wanted = round(level) if level is not None else _stepped(device, frame, home)
    return wanted if isinstance(wanted, str) else Act(meant, level=wanted)


def _whole(number: float | None) -> int | None:
    return None if number is None else round(number)


def _warmth(device: Device, frame: Frame, action: str, home: Home) -> Act | str:
    """Mode or temperature; "warmer" is one degree more than it is set to, of two that hold together the one
    that is named or that is at work."""
    if action in ("on", "off"):
        return Act(action)
    if mode := frame.text("mode"):
        return Act("set", mode=mode)
    state, unit, degrees = home.state_of(device), frame.text("unit"), frame.number("degrees")
    kept, setpoint = setpoints_of(state), frame.text("setpoint")
    if setpoint == "cooling" and not kept and state.startswith(("heat, ", "off")):
        heated = degrees is not None and degrees > (degrees_of(state) or degrees)
        if frame.slots.get("named") or heated:  # the other temperature would be changed
            return f"{capital(the(device))} does not cool now. Set it to cool or to auto first."
    if frame.intent in ("Warmer", "Cooler"):
        setpoint = setpoint or _at_work(device, state, kept, frame.intent)
        now, step = kept.get(setpoint, degrees_of(state)), frame.number("amount") or 1
        degrees = None if now is None else now + (step if frame.intent == "Warmer" else -step)
    if degrees is None:
        return f"I don't know what {the(device)} is set to. Tell me a temperature."
    low, high = (41, 95) if (unit or ("F" if "°F" in state else "C")) == "F" else (5, 35)
    if not low <= degrees <= high:
        return f"I can set {the(device)} from {low} to {high} degrees. To how many shall I?"
    whole = int(degrees) if degrees == int(degrees) else degrees
    return Act("set", temperature=whole, unit=unit, setpoint=setpoint if kept else "")


def _at_work(device: Device, state: str, kept: Mapping[str, float], intent: str) -> str:
    """Which of the two applies: what it says, else by how warm it is; between them what would do it."""
    if len(kept) < 2:
        return next(iter(kept), "")
    if told := next((kind for kind in kept if f"operating {kind}" in device.readings), ""):
        return told
    now = measured_of(state)
    if now is not None and now >= kept.get("cooling", now + 1):
        return "cooling"
    if now is not None and now <= kept.get("heating", now - 1):
        return "heating"
    return "heating" if intent == "Warmer" else "cooling"


def _stepped(device: Device, frame: Frame, home: Home) -> int | str:
    state, blind = home.state_of(device), device.kind == "blind"
    now = {"open": 100, "closed": 0}.get(state, level_of(state)) if blind else level_of(state)
    lit = device.can("dim")
    if now is None:
        how = "how bright" if lit else "at how many percent"
        return f"I don't know {how} {the(device)} is. Tell me a percentage."
    wanted = now + _step(frame, now)
    if blind or not lit:
        return max(0, min(100, wanted))
    called = capital(the(device))
    if now == 0 and (frame.number("factor") or (frame.intent == "Brighter" and frame.number("share"))):
        return f"{called} is off. Tell me a percentage."
    if now >= 100 and wanted > now:
        return f"{called} is already at full brightness."
    if now <= 1 and wanted < now:
        return f"{called} is already {'off' if now == 0 else 'as dim as it gets'}."
    return max(1, min(100, wanted))  # dimmer is never off


def _step(frame: Frame, now: int) -> int:
    """The points that are added; "by half" and "twice as bright" count from what it is."""
    amount, share, factor = frame.number("amount"), frame.number("share"), frame.number("factor")
    if factor is not None:
        return round(now * factor) - now
    sound = frame.intent in ("PlayerLouder", "PlayerQuieter")
    step = SMALL_STEP if frame.slots.get("small") or sound else STEP
    if share is not None:
        step = round(now * share / 100)
    elif amount is not None:
        step = int(amount)
    return step if frame.intent in ("Brighter", "PlayerLouder") else -step


DEVICE_ACTS: dict[str, Callable[[Frame, Context], Meaning]] = {
    "TurnOn": _acting("on"),
    "TurnOff": _acting("off"),
    "Toggle": _acting("toggle"),
    "SetLevel": _set_level,
    "Brighter": _stepping,
    "Dimmer": _stepping,
    "Scale": _acting("brighten"),
    "Open": _acting("open"),
    "Close": _acting("close"),
    "Lock": _acting("lock"),
    "Unlock": _acting("unlock"),
    "SetTemperature": _set_temperature,
    "Warmer": _set_temperature,
    "Cooler": _set_temperature,
    "SetMode": _acting("set"),
    "Scene": scene,
    "Start": _start,
    "UpDownIt": _up_down_it,
    "SetColour": _set_colour,
    "SetKelvin": _acting("kelvin"),
    "SetSpeed": _acting("speed"),
    "Dock": _acting("dock"),
}
