"""Readings that change something in the home: each device that is meant becomes one request."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from voice_gateway.brain.intents.grammar import Frame
from voice_gateway.brain.intents.home import SWITCHED, Device, Home
from voice_gateway.brain.intents.places import room_named
from voice_gateway.brain.intents.plan_builtin import volume_it
from voice_gateway.brain.intents.resolve import IT, Found, Resolver, Unclear, Unknown
from voice_gateway.brain.intents.understanding import Ask, Context, Meaning, No, Request, Step
from voice_gateway.brain.intents.wording import ABLE, DOING, capital, choice, the

STEP = 20  # points that "brighter" means
SMALL_STEP = 10  # "a bit brighter"
_ENTRANCE = frozenset({"unlock", "open"})  # of a lock or a garage door: only by its own name
# Words that no name of a device has: whoever says them is not naming one.
_CLAUSE = re.compile(
    r"\b(?:your|yourself|me|you|us|i|is|was|are|were|who|what|because|about|someone|somebody|"
    r"turn|switch|set|dim|close|unlock|mute|increase|then|and|them|it|on|off|by|in the)\b"
)

CONTROL, LOCK, THERMOSTAT, SCENE = (
    "control_zwave_device", "control_zwave_lock", "set_zwave_thermostat", "activate_zwave_scene",
)  # fmt: skip

_TAKES: dict[str, Callable[[Device], bool]] = {
    "on": lambda d: d.kind in SWITCHED or d.kind in ("light", "fan", "other", "thermostat"),
    "off": lambda d: d.kind in SWITCHED or d.kind in ("light", "fan", "other", "thermostat"),
    "toggle": lambda d: d.kind in SWITCHED or d.kind in ("light", "fan", "other"),
    "dim": lambda d: d.kind in ("dimmer", "blind", "light"),
    "brighten": lambda d: d.kind in ("dimmer", "light"),
    "open": lambda d: d.kind in ("blind", "garage_door"),
    "close": lambda d: d.kind in ("blind", "garage_door"),
    "stop": lambda d: d.kind in ("blind", "garage_door"),
    "lock": lambda d: d.kind == "lock",
    "unlock": lambda d: d.kind == "lock",
    "set": lambda d: d.kind == "thermostat",
}


def act(frame: Frame, context: Context, action: str) -> Meaning:
    phrase = _phrase(frame)
    if not context.home.devices:
        return No("the home is not known", spoken="I can't reach the home at the moment.")
    resolver = Resolver(context.home, context.room, context.last, _TAKES[action])
    found = resolver.resolve(phrase)
    if isinstance(found, Unclear):
        return _which(found, frame, action)
    if isinstance(found, Unknown):
        return _unknown(found, frame)
    return _for_found(found, frame, action, context)


def _phrase(frame: Frame) -> str:
    thing, place = frame.text("thing") or "it", frame.text("place")
    return f"{thing} in {place}" if place else thing


def _which(found: Unclear, frame: Frame, action: str) -> Meaning:
    able = tuple(device for device in found.candidates if _TAKES[action](device))
    if not able:
        return No(f"there is nothing to {DOING[action]}", forbid=True)
    if len(able) == 1:
        return Ask(f"Do you mean {the(able[0], room=True)}?", frame, able, confirm=True, clear=found.clear)
    if len({(device.name, device.room) for device in able}) == 1:
        return No("two devices have one name", forbid=True, spoken=_namesakes(able))
    return Ask(f"Which one do you mean: {choice(able)}?", frame, able, clear=found.clear)


def _namesakes(devices: Sequence[Device]) -> str:
    where = f" in the {devices[0].room}" if devices[0].room else ""
    return f"There are {len(devices)} devices called {devices[0].name}{where}. I can't tell them apart."


def _unknown(found: Unknown, frame: Frame) -> Meaning:
    if found.phrase in IT:
        return No(
            "nothing was talked of that 'it' could mean",
            forbid=True,
            spoken="I don't know what you mean by that.",
        )
    if _CLAUSE.search(found.phrase) or len(found.phrase.split()) > 5:
        return No("those words name no device", forbid=True)
    note = found.note or f"I don't know a device called {found.phrase}."
    if not found.near:
        return No(f"unknown device or room: {found.phrase}", forbid=True, spoken=note)
    if len(found.near) == 1:
        return Ask(f"{note} Did you mean {the(found.near[0], room=True)}?", frame, found.near, confirm=True)
    return Ask(f"{note} Did you mean {choice(found.near)}?", frame, found.near)


def _for_found(found: Found, frame: Frame, action: str, context: Context) -> Meaning:
    able = tuple(device for device in found.devices if _TAKES[action](device))
    unable = [device for device in found.devices if not _TAKES[action](device)]
    if not able and found.group:
        return No(f"there is nothing to {DOING[action]}", forbid=True)
    if unable and not (able and found.group):
        device = unable[0]
        return Step(frame.intent, frame=frame, say=_cannot(device, action), devices=found.devices[:1])
    if not found.exact and action in _ENTRANCE and any(d.kind in ("lock", "garage_door") for d in able):
        return Ask(f"Did you mean {the(able[0], room=True)}?", frame, able, confirm=len(able) == 1)
    requests = [_request(device, frame, action, context) for device in able]
    if (late := next((request for request in requests if isinstance(request, str)), None)) is not None:
        return Step(frame.intent, frame=frame, say=late, devices=able)
    made = tuple(request for request in requests if isinstance(request, Request))
    return Step(frame.intent, made, acts=True, frame=frame, devices=able, by_room=found.by_room)


def _cannot(device: Device, action: str) -> str:
    able = ABLE.get(device.kind)
    if able is None:
        return f"I can't {DOING[action]} {the(device)}."
    return f"{capital(the(device))} {able}."


def _request(device: Device, frame: Frame, action: str, context: Context) -> Request | str:
    """The call for one device, or what to say instead."""
    name = context.home.address(device)
    if device.kind == "thermostat":
        return _thermostat(device, name, frame, action, context.home)
    if action in ("lock", "unlock"):
        return Request(LOCK, {"deviceName": name, "action": action}, device)
    if action in ("dim", "brighten"):
        return _dim(device, name, frame, context)
    return Request(CONTROL, {"deviceName": name, "action": action}, device)


def _dim(device: Device, name: str, frame: Frame, context: Context) -> Request | str:
    level = frame.number("level")
    if level is not None and not 0 <= level <= 100:
        return "I can set that from 0 to 100 percent."
    wanted = int(level) if level is not None else _stepped(device, frame, context.home)
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
    args = {"deviceName": name, "temperature": int(degrees) if degrees == int(degrees) else degrees}
    if unit := frame.text("unit"):
        args["unit"] = unit
    return Request(THERMOSTAT, args, device)


def _warmed(state: str, frame: Frame) -> float | None:
    """One degree more or less than it is set to: "heat, set to 21 °C, now 20.5 °C"."""
    match = re.search(r"(-?\d+(?:\.\d+)?) ?°", state)
    step = frame.number("amount") or 1
    return (float(match[1]) + (step if frame.intent == "Warmer" else -step)) if match else None


def known_level(state: str) -> int | None:
    """The percent that a state tells: "on, 40 %", "off", "50 % open"."""
    if state == "off":
        return 0
    match = re.search(r"(\d+) ?%", state)
    return int(match[1]) if match else None


def _stepped(device: Device, frame: Frame, home: Home) -> int | str:
    now = known_level(home.state_of(device))
    if now is None:
        return f"I don't know how bright {the(device)} is. Tell me a percentage."
    amount = frame.number("amount")
    step = int(amount) if amount is not None else SMALL_STEP if frame.slots.get("small") else STEP
    wanted = now + step if frame.intent == "Brighter" else now - step
    if frame.intent == "Brighter" and now >= 100:
        return f"{capital(the(device))} is already at full brightness."
    if frame.intent == "Dimmer" and now <= 1:
        return f"{capital(the(device))} is already {'off' if now == 0 else 'as dim as it gets'}."
    return max(1, min(100, wanted))  # dimmer is never off


def _set_temperature(frame: Frame, context: Context) -> Meaning:
    if not frame.text("thing"):
        frame = replace(frame, slots={**frame.slots, "thing": "thermostat"})
    room = room_named(frame.text("thing"), context.home)
    if room:
        frame = replace(frame, slots={**frame.slots, "thing": f"thermostat in the {room}"})
    return act(frame, context, "set")


def _scene(frame: Frame, _context: Context) -> Meaning:
    return Step(frame.intent, (Request(SCENE, {"sceneName": frame.text("scene")}),), acts=True, frame=frame)


def _dimmed(frame: Frame, context: Context) -> Meaning:
    """Lights in a group that cannot be dimmed are left alone."""
    if frame.text("thing") in IT and context.topic == "volume" and frame.number("level") is not None:
        args = {"action": "set", "level": int(frame.number("level") or 0)}
        return Step("VolumeSet", (Request("control_speaker_volume", args),), acts=True, frame=frame)
    return act(frame, context, "dim")


def _up_down_it(frame: Frame, context: Context) -> Meaning:
    """ "Turn it down" means the lamp while a lamp is talked of, and the sound otherwise."""
    lamps = context.topic == "device" and context.last and all(d.kind == "dimmer" for d in context.last)
    if not lamps:
        return volume_it(frame, context)
    intent = "Brighter" if frame.slots.get("direction") == "up" else "Dimmer"
    return act(replace(frame, intent=intent, slots={"thing": "it"}), context, "brighten")


def _acting(action: str) -> Callable[[Frame, Context], Meaning]:
    return lambda frame, context: act(frame, context, action)


HOME_ACTS: dict[str, Callable[[Frame, Context], Meaning]] = {
    "TurnOn": _acting("on"),
    "TurnOff": _acting("off"),
    "Toggle": _acting("toggle"),
    "SetLevel": _dimmed,
    "Brighter": _acting("brighten"),
    "Dimmer": _acting("brighten"),
    "Open": _acting("open"),
    "Close": _acting("close"),
    "Stop": _acting("stop"),
    "Lock": _acting("lock"),
    "Unlock": _acting("unlock"),
    "SetTemperature": _set_temperature,
    "Warmer": _set_temperature,
    "Cooler": _set_temperature,
    "SetMode": _acting("set"),
    "Scene": _scene,
    "UpDownIt": _up_down_it,
}
