"""Frames that change something in the home: each device that is meant becomes one request."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from home_words.kinds import SWITCHED, device_class
from home_words.names import name_key
from home_words.phrases import capital, listed
from home_words.states import degrees_of, level_of
from voice_gateway.brain.local.compose import has_state
from voice_gateway.brain.local.grammar import Frame
from voice_gateway.brain.local.home import Device, Home, build_home
from voice_gateway.brain.local.meaning import (
    CONTROL,
    LOCK,
    SCENE,
    THERMOSTAT,
    Clarification,
    Context,
    Meaning,
    NotHandled,
    Request,
    Step,
    home_unknown,
)
from voice_gateway.brain.local.normalise import Said
from voice_gateway.brain.local.places import plain, room_named
from voice_gateway.brain.local.plan.builtin import volume_step
from voice_gateway.brain.local.resolve import IT, Found, Resolution, Resolver, Unclear, Unknown
from voice_gateway.brain.local.wording import ABLE, DOING, offered, the, unknown_device, which
from voice_gateway.turn import OutcomeStatus, ToolOutcome

_ENTRANCE = frozenset({"unlock", "open"})  # of a lock or a garage door: only by its own name
_BY_NAME = "I can {} that only by its own name."
# Words that no name of a device has: whoever says them is not naming one.
_CLAUSE = re.compile(
    r"\b(?:your|yourself|me|you|us|i|is|was|are|were|who|what|because|about|someone|somebody|"
    r"turn|switch|set|dim|close|unlock|mute|increase|then|and|them|it|on|off|by|to|leave|keep|let|not|"
    r"minus|percent|half|halfway|third|quarters?|most|almost|bit|little)\b"
)
_HINT = 3  # words: behind "… on" alone, more than these are no name that was only misheard


_TAKES: dict[str, Callable[[Device], bool]] = {
    "on": lambda d: d.kind in SWITCHED or d.kind in ("light", "fan", "other", "thermostat"),
    "off": lambda d: d.kind in SWITCHED or d.kind in ("light", "fan", "other", "thermostat"),
    "toggle": lambda d: d.kind in SWITCHED or d.kind in ("light", "fan", "other"),
    "dim": lambda d: d.kind in ("dimmer", "blind", "light"),
    "brighten": lambda d: d.kind in ("dimmer", "light"),
    "move": lambda d: d.kind in ("dimmer", "light", "blind"),
    "open": lambda d: d.kind in ("blind", "garage_door"),
    "close": lambda d: d.kind in ("blind", "garage_door"),
    "stop": lambda d: d.kind in ("blind", "garage_door"),
    "lock": lambda d: d.kind == "lock",
    "unlock": lambda d: d.kind == "lock",
    "set": lambda d: d.kind == "thermostat",
}


def act(frame: Frame, context: Context, action: str) -> Meaning:
    phrase = _like_before(_phrase(frame), context)
    if action == "brighten" and phrase == "it" and not context.last and context.room:
        phrase = "lights here"
    if not context.home.devices:
        return home_unknown(context)
    sweep = bool(frame.slots.get("sweep"))
    found = Resolver(context.home, context.room, context.last, _TAKES[action], sweep).resolve(phrase)
    nobody = isinstance(found, Unknown) or (isinstance(found, Found) and not found.exact)
    if action == "on" and nobody and (name := scene_named(phrase, context.home)):
        return start_scene(frame, name)
    chosen = narrowed(found, frame, context, action)
    if isinstance(chosen, Unclear):
        return _which(chosen, frame, action)
    if isinstance(chosen, Unknown):
        return _unknown(chosen, frame, context)
    return _for_found(chosen, frame, action, context) if isinstance(chosen, Found) else chosen


def _like_before(phrase: str, context: Context) -> str:
    """ "… and close the bedroom one": the same sort of thing as before."""
    kinds = {"light" if device.is_light else device.kind for device in context.last}
    return re.sub(r"(?<=\w) one$", f" {kinds.pop()}", phrase) if len(kinds) == 1 else phrase


def _phrase(frame: Frame) -> str:
    thing, place = frame.text("thing") or "it", frame.text("place")
    return f"{thing} in {place}" if place else thing


# --- the set that is meant: without what is left out, in a state, one of them


def narrowed(
    found: Resolution, frame: Frame, context: Context, action: str
) -> Resolution | Clarification | Step:
    without, having, pick = frame.text("without"), frame.text("having"), frame.text("pick")
    if isinstance(found, Unknown) or not (without or having or pick):
        return found
    if isinstance(found, Unclear):
        found = Found(found.candidates, group=True)
    devices = tuple(device for device in found.devices if _TAKES[action](device)) or found.devices
    for said in filter(None, without.split(" | ")):
        left_out = _left_out(said, devices, context)
        if left_out is None:
            text = f'I did nothing yet: I know no "{said}". What shall I leave as it is?'
            return Clarification(text, frame, slot="without")
        devices = tuple(device for device in devices if device not in left_out)
    if having:
        devices = tuple(device for device in devices if _is_so(device, having, context))
    if not devices:
        return Step(
            frame.intent,
            frame=frame,
            say=f"Nothing there is {having}." if having else "Nothing is left to do.",
        )
    if pick == "some":
        return Unclear(devices, frame.text("thing"))
    if pick == "one":  # one that is not so yet
        devices = (next((one for one in devices if not _is_so(one, action, context)), devices[0]),)
    return replace(found, devices=devices, group=len(devices) > 1 or (found.group and not pick))


MOST_NAMED = 30  # devices: among these "the big one" is looked for; in a larger set only whole names count


def _left_out(said: str, devices: Sequence[Device], context: Context) -> tuple[Device, ...] | None:
    """What an exception names; None when nobody knows."""
    phrase = re.sub(r"^(?:(?:the )?(?:ones?|those|that) )?(?:in|for|on|at|by|from) | ones?$", "", said)
    if room := room_named(phrase, context.home):
        return context.home.in_room(room)
    few = (build_home(devices),) if len(devices) <= MOST_NAMED else ()
    for home in (*few, context.home):
        found = Resolver(home, context.room, context.last).resolve(phrase)
        if isinstance(found, Found):
            return found.devices
        if isinstance(found, Unclear) and found.candidates:
            return found.candidates
    return None


def _is_so(device: Device, state: str, context: Context) -> bool:
    if state == "dimmable":
        return device.kind == "dimmer"
    known = {"up": "open", "down": "closed", "close": "closed"}.get(state, state)
    return has_state(replace(device, state=context.home.state_of(device)), known)


def _which(found: Unclear, frame: Frame, action: str) -> Meaning:
    able = tuple(device for device in found.candidates if _TAKES[action](device))
    if not able:
        spoken = f"I know nothing there to {DOING[action]}."
        return NotHandled(f"there is nothing to {DOING[action]}", forbid=True, spoken=spoken)
    if len(able) == 1:
        return Clarification(
            f"Do you mean {the(able[0], room=True)}?", frame, able, confirm=True, clear=found.clear
        )
    if len({(device.name, device.room) for device in able}) == 1:
        return NotHandled("two devices have one name", forbid=True, spoken=_namesakes(able))
    return Clarification(which(able), frame, able, clear=found.clear)


def _namesakes(devices: Sequence[Device]) -> str:
    where = f" in the {devices[0].room}" if devices[0].room else ""
    return f"There are {len(devices)} devices called {devices[0].name}{where}. I can't tell them apart."


def _unknown(found: Unknown, frame: Frame, context: Context) -> Meaning:
    if found.phrase in IT:
        return NotHandled(
            "nothing was talked of that 'it' could mean",
            forbid=True,
            spoken="I don't know what you mean by that.",
        )
    if _CLAUSE.search(found.phrase) or len(found.phrase.split()) > 5:
        return NotHandled("those words name no device", forbid=True)
    bare = frame.own and frame.literal <= _HINT and len(found.phrase.split()) > _HINT
    if not found.near or bare:
        spoken = found.note or unknown_device(found.phrase, context.home)
        return NotHandled(f"unknown device or room: {found.phrase}", forbid=True, spoken=spoken)
    note = found.note or f"I don't know a device called {found.phrase}."
    return Clarification(
        offered(note, found.near, room=True), frame, found.near, confirm=len(found.near) == 1
    )


def _for_found(found: Found, frame: Frame, action: str, context: Context) -> Meaning:
    able = tuple(device for device in found.devices if _TAKES[action](device))
    unable = [device for device in found.devices if not _TAKES[action](device)]
    if not able and found.group:
        told = _BY_NAME if action in _ENTRANCE else "I know nothing like that to {}."
        return NotHandled(
            f"there is nothing to {DOING[action]}", forbid=True, spoken=told.format(DOING[action])
        )
    if unable and not (able and found.group):
        device = unable[0]
        return Step(frame.intent, frame=frame, say=_cannot(device, action), devices=found.devices[:1])
    vague = not found.exact and any(device.kind in ("lock", "garage_door") for device in able)
    if vague and (action in _ENTRANCE or (action == "close" and plain(frame.text("thing")) == "door")):
        return _entering(able, frame, action)
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


def _entering(able: Sequence[Device], frame: Frame, action: str) -> Clarification:
    if len(able) == 1:
        return Clarification(f"Did you mean {the(able[0], room=True)}?", frame, tuple(able), confirm=True)
    names = listed([the(device) for device in able])
    return Clarification(f"Shall I {DOING[action]} {names}?", frame, tuple(able), confirm=True)


def _cannot(device: Device, action: str) -> str:
    able = ABLE.get(device.kind)
    if able is None:
        return f"I can't {DOING[action]} {the(device)}."
    return f"I can't {DOING[action]} that: {the(device)} {able}."


def _set_temperature(frame: Frame, context: Context) -> Meaning:
    if not frame.text("thing"):
        frame = replace(frame, slots={**frame.slots, "thing": "thermostat"})
    room = room_named(frame.text("thing"), context.home)
    if room:
        frame = replace(frame, slots={**frame.slots, "thing": f"thermostat in the {room}"})
    return act(frame, context, "set")


def _start(frame: Frame, context: Context) -> Meaning:
    """ "Start movie night", "start the coffee maker": only what is called exactly that."""
    said = plain(frame.text("thing"))
    named = context.home.names.exact(said)
    if named and frame.slots.get("appliance") and not any(device.is_light for device in named):
        meaning = act(replace(frame, intent="TurnOn"), context, "on")
        return (
            meaning
            if not isinstance(meaning, Step) or meaning.requests
            else NotHandled("that cannot be started")
        )
    name = None if named else scene_named(said, context.home)
    if name:
        return start_scene(frame, name)
    no = NotHandled("nothing of that name can be started")
    if not frame.slots.get("appliance") and frame.slots.get("explicit"):  # "activate": an unknown device
        found = act(replace(frame, intent="TurnOn"), context, "on")
        no = found if isinstance(found, NotHandled) else no
    return no if named or _CLAUSE.search(said) else tried_scene(frame, said, context, no)


def _dimmed(frame: Frame, context: Context) -> Meaning:
    """Lights in a group that cannot be dimmed are left alone; a bare number is degrees for the heating."""
    level, thing = frame.number("level"), frame.text("thing")
    if level is None:
        return act(frame, context, "dim")
    if thing in ("", *IT) and context.topic == "volume":
        args = {"action": "set", "level": round(level)}
        return Step("VolumeSet", (Request("control_speaker_volume", args),), acts=True, frame=frame)
    if frame.slots.get("bare") and _is_heating(frame, context):
        warmth = replace(frame, intent="SetTemperature", slots={"thing": thing or "it", "degrees": level})
        return _set_temperature(warmth, context)
    return act(frame, context, "dim")


def _is_heating(frame: Frame, context: Context) -> bool:
    """What a bare number is for can only be warmer or colder: a thermostat, or a room that has one."""
    room = room_named(frame.text("thing"), context.home)
    if room:
        return any(device.kind == "thermostat" for device in context.home.in_room(room))
    found = Resolver(context.home, context.room, context.last).resolve(_phrase(frame))
    devices = found.devices if isinstance(found, Found) else ()
    return bool(devices) and all(device.kind == "thermostat" for device in devices)


def _up_down_it(frame: Frame, context: Context) -> Meaning:
    """ "Turn it down" means the lamp while a lamp is talked of, and the sound otherwise."""
    lamps = context.topic == "device" and context.last and all(d.kind == "dimmer" for d in context.last)
    if not lamps:
        return volume_step(frame, context)
    intent = "Brighter" if frame.slots.get("direction") == "up" else "Dimmer"
    return act(replace(frame, intent=intent, slots={**frame.slots, "thing": "it"}), context, "brighten")


def _acting(action: str) -> Callable[[Frame, Context], Meaning]:
    return lambda frame, context: act(frame, context, action)


def _stepping(frame: Frame, context: Context) -> Meaning:
    """More or less of it; a blind only where the words say by how much."""
    return act(frame, context, "move" if frame.slots.get("moves") else "brighten")


# --- the call for one device

STEP = 20  # points that "brighter" means
SMALL_STEP = 10  # "a bit brighter"


def request_for(device: Device, frame: Frame, action: str, context: Context) -> Request | str:
    """The call for one device, or what to say instead."""
    name = context.home.address(device)
    if device.kind == "thermostat":
        return _thermostat(device, name, frame, action, context.home)
    if action in ("lock", "unlock"):
        return Request(LOCK, {"deviceName": name, "action": action}, device)
    if action in ("dim", "brighten", "move"):
        return _dim(device, name, frame, context)
    return Request(CONTROL, {"deviceName": name, "action": action}, device)


def _dim(device: Device, name: str, frame: Frame, context: Context) -> Request | str:
    level = frame.number("level")
    if level is not None and not 0 <= level <= 100:
        return "I can set that from 0 to 100 percent. To how many shall I?"
    wanted = round(level) if level is not None else _stepped(device, frame, context.home)
    if isinstance(wanted, str):
        return wanted
    return Request(CONTROL, {"deviceName": name, "action": "dim", "level": wanted}, device)


def _thermostat(device: Device, name: str, frame: Frame, action: str, home: Home) -> Request | str:
    if action in ("on", "off"):
        return Request(THERMOSTAT, {"deviceName": name, "mode": "off" if action == "off" else "heat"}, device)
    if mode := frame.text("mode"):
        return Request(THERMOSTAT, {"deviceName": name, "mode": mode}, device)
    degrees = frame.number("degrees")
    if frame.intent in ("Warmer", "Cooler"):
        degrees = _warmed(home.state_of(device), frame)
    if degrees is None:
        return f"I don't know what {the(device)} is set to. Tell me a temperature."
    state = home.state_of(device)
    in_fahrenheit = (frame.text("unit") or ("F" if "°F" in state else "C" if "°C" in state else "")) == "F"
    low, high = (41, 95) if in_fahrenheit else (5, 35)
    if not low <= degrees <= high:
        return f"I can set {the(device)} from {low} to {high} degrees. To how many shall I?"
    args = {"deviceName": name, "temperature": int(degrees) if degrees == int(degrees) else degrees}
    if unit := frame.text("unit"):
        args["unit"] = unit
    return Request(THERMOSTAT, args, device)


def _warmed(state: str, frame: Frame) -> float | None:
    """One degree more or less than it is set to."""
    now, step = degrees_of(state), frame.number("amount") or 1
    return None if now is None else now + (step if frame.intent == "Warmer" else -step)


def _stepped(device: Device, frame: Frame, home: Home) -> int | str:
    state, blind = home.state_of(device), device.kind == "blind"
    now = {"open": 100, "closed": 0}.get(state, level_of(state)) if blind else level_of(state)
    if now is None:
        return f"I don't know how bright {the(device)} is. Tell me a percentage."
    wanted = now + _step(frame, now)
    if blind:
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
    step = SMALL_STEP if frame.slots.get("small") else STEP
    if share is not None:
        step = round(now * share / 100)
    elif amount is not None:
        step = int(amount)
    return step if frame.intent == "Brighter" else -step


# --- scenes: by the word for them, or by the whole name of one that the home has. None is ever guessed.

_SCENE = re.compile(r"^scene (?=\S)|(?<=\S) scene$")
_STATES = frozenset("on off up down open closed out".split())  # "set off" starts nothing
MOST_WORDS = 4  # of a scene's name that nobody listed
_NO_NAME = frozenset("the a an this that my our some any another it next first last".split())
_PLEASE = re.compile(r"^please |(?<=\S) please$")


def scene_named(words: str, home: Home) -> str | None:
    """The scene of exactly this name. A word for a sort of device is never one: "lights" are lights."""
    said = plain(_SCENE.sub("", plain(words)))
    return None if said in _STATES or device_class(said) else home.scenes.get(name_key(said))


def start_scene(frame: Frame, name: str) -> Step:
    meant = replace(frame, intent="Scene", slots={"scene": name})
    return Step("Scene", (Request(SCENE, {"sceneName": name}),), acts=True, frame=meant)


def scene(frame: Frame, context: Context) -> Meaning:
    """The word "scene" was said: what the home does not list, its server may know."""
    said = frame.text("scene")
    if said in _NO_NAME:
        known = listed(list(context.home.scenes.values()), "or")
        spoken = f"Please say which scene: {known}." if known else "Please say which scene."
        return NotHandled("no scene is named", forbid=True, spoken=spoken)
    return start_scene(frame, scene_named(said, context.home) or said)


def tried_scene(frame: Frame, said: str, context: Context, no: NotHandled) -> Step | NotHandled:
    """Where nobody lists the scenes, their own server says whether there is one of exactly this name."""
    if context.home.scenes_listed or not frame.slots.get("explicit") or SCENE not in context.tools:
        return no
    words = said.split()
    if not 0 < len(words) <= MOST_WORDS or device_class(words[-1]):
        return no
    found = Resolver(context.home, context.room).resolve(said)
    unknown = isinstance(found, Unknown) and not found.near and not found.note
    return replace(start_scene(frame, said), otherwise=no) if unknown else no


def scene_missing(outcomes: Sequence[ToolOutcome]) -> bool:
    return any(outcome.status is OutcomeStatus.NOT_FOUND for outcome in outcomes)


def unknown_scene(request: Request, home: Home) -> str:
    known = listed(list(home.scenes.values()))
    there = f" I know the scenes {known}." if known else ""
    return f"I don't know a device or scene called {request.args['sceneName']}.{there}"


def scene_alone(said: Said, home: Home) -> Step | Clarification | None:
    """ "Movie night please" asks for it; the bare name may be a thought, and is asked about."""
    name = scene_named(said.text, home)
    if name is None or home.names.exact(said.text):
        return None
    step = start_scene(Frame("Scene"), name)
    if _PLEASE.search(said.whole) and not said.question:
        return step
    return ask_for_scene(name)


def ask_for_scene(name: str) -> Clarification:
    return Clarification(f"Shall I start the scene {name}?", Frame("Scene", {"scene": name}), confirm=True)


HOME_ACTS: dict[str, Callable[[Frame, Context], Meaning]] = {
    "TurnOn": _acting("on"),
    "TurnOff": _acting("off"),
    "Toggle": _acting("toggle"),
    "SetLevel": _dimmed,
    "Brighter": _stepping,
    "Dimmer": _stepping,
    "Scale": _acting("brighten"),
    "Open": _acting("open"),
    "Close": _acting("close"),
    "Stop": _acting("stop"),
    "Lock": _acting("lock"),
    "Unlock": _acting("unlock"),
    "SetTemperature": _set_temperature,
    "Warmer": _set_temperature,
    "Cooler": _set_temperature,
    "SetMode": _acting("set"),
    "Scene": scene,
    "Start": _start,
    "UpDownIt": _up_down_it,
}
