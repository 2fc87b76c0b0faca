"""Readings that only look: questions about state, readings and lists. They never change anything."""

import re
from collections.abc import Callable
from dataclasses import replace

from home_words.kinds import SWITCHED, DeviceClass, device_class
from home_words.phrases import listed
from voice_gateway.brain.local.grammar import Frame
from voice_gateway.brain.local.home import Device
from voice_gateway.brain.local.meaning import (
    GET,
    HEALTH,
    LIST,
    LIST_ARGS,
    READ,
    Clarification,
    Context,
    DeviceQuery,
    Meaning,
    NotHandled,
    Request,
    Step,
    home_unknown,
)
from voice_gateway.brain.local.places import plain, room_named
from voice_gateway.brain.local.resolve import Found, Resolver, Unclear, Unknown, anything
from voice_gateway.brain.local.wording import offered, unknown_device, unknown_room, which

_NOBODY = frozenset("you i he she we they me us everyone everybody anyone somebody".split())
_ANY = re.compile(r"^(?:there )?(any|some|all|every|each|both)(?: of)? (?:the |my |our )?|^(?:the |my |our )")
_MEASURES = {
    "temperature": re.compile(r"°|degree|temperature", re.I),
    "humidity": re.compile(r"humid|% rh", re.I),
}


_HAVING: dict[str, Callable[[Device], bool]] = {
    **dict.fromkeys(("on", "off"), lambda device: device.kind in SWITCHED),
    **dict.fromkeys(("open", "closed"), lambda device: device.kind in ("blind", "garage_door", "sensor")),
    **dict.fromkeys(("locked", "unlocked"), lambda device: device.kind == "lock"),
}


def _listing(frame: Frame, query: DeviceQuery) -> Step:
    return Step(frame.intent, (Request(LIST, LIST_ARGS),), frame=frame, query=query)


def _sort_and_room(phrase: str, place: str, context: Context) -> tuple[DeviceClass | None, str | None, str]:
    """The sort of device, the room as it is written, and a quantifier; a place nobody knows gives no sort."""
    match = _ANY.match(phrase)
    quantifier = (match[1] or "") if match else ""
    what = phrase[match.end() :] if match else phrase
    if not place and (inside := re.match(r"^(.+?) (?:in|on|at) (?:the |my |our )?(.+)$", what, re.DOTALL)):
        what, place = inside[1], inside[2]
    room = None
    if place in ("here", "this room", "the room"):
        room = context.room
    elif place and not re.fullmatch(r"(?:the |my |our )?(?:house|home|flat|apartment)", place):
        room = room_named(place, context.home)
        if room is None:
            return None, None, quantifier
    if not place:
        for key, name in context.home.rooms.items():
            if what.startswith(f"{key} "):
                what, room = what.removeprefix(f"{key} "), name
    return device_class(re.sub(r"^(?:the|my|our) ", "", what), by_sound=True), room, quantifier


def _is_state(frame: Frame, context: Context) -> Meaning:
    phrase, place, state = frame.text("thing"), frame.text("place"), frame.text("state")
    left = bool(frame.slots.get("left"))  # whoever left a light on wants to know of any
    phrase = re.sub(r"^an? ", "any ", phrase) if left else phrase
    full = f"{phrase} in {place}" if place else phrase
    sort, room, quantifier = _sort_and_room(phrase, place, context)
    if frame.slots.get("any"):
        quantifier = "any"
    if sort is not None and (sort.plural or quantifier):
        many = quantifier in ("any", "some") or sort.noun == "anything" or left
        # Only a lock can be locked, whatever other doors there are.
        wanted = "lock" if state in ("locked", "unlocked") else sort.sort
        return _listing(frame, DeviceQuery("any" if many else "all", wanted, sort.noun, room, state))
    return _one(frame, full, context, expect=state)


def _one(frame: Frame, phrase: str, context: Context, *, expect: str = "", tool: str = GET) -> Meaning:
    if not context.home.devices:
        return home_unknown(context)
    fits = _HAVING.get(expect, anything)
    found = Resolver(context.home, context.room, context.last, fits).resolve(phrase)
    if isinstance(found, Unclear):
        able = tuple(device for device in found.candidates if fits(device)) or found.candidates
        if len(able) > 1:
            return Clarification(which(able), frame, able)
        found = Found(able)  # to look at the only one that can be meant does no harm
    if isinstance(found, Unknown) and found.phrase in _NOBODY:
        return NotHandled("nobody's device is meant", forbid=True)
    if isinstance(found, Unknown):
        if found.near and len(found.phrase.split()) <= 5:
            note, one = found.note or f"I don't know a device called {found.phrase}.", len(found.near) == 1
            return Clarification(offered(note, found.near), frame, found.near, confirm=one)
        spoken = found.note or unknown_device(found.phrase, context.home)
        return NotHandled(f"unknown device or room: {found.phrase}", forbid=True, spoken=spoken)
    requests = tuple(
        Request(tool, {"deviceName": context.home.address(device)}, device) for device in found.devices[:8]
    )
    return Step(
        frame.intent, requests, frame=frame, devices=found.devices, by_room=found.by_room, expect=expect
    )


def _nothing_known(frame: Frame, context: Context) -> NotHandled:
    place = re.sub(r"^(?:the|my|our) ", "", frame.text("place"))
    lost = bool(place) and place not in ("here", "this room", "room") and not room_named(place, context.home)
    spoken = unknown_room(place, context.home, named=True) if lost else None
    return NotHandled("no sort of device, or no room, that I know", forbid=True, spoken=spoken)


def _which_state(frame: Frame, context: Context) -> Meaning:
    phrase, state = frame.text("thing") or "devices", frame.text("state")
    sort, room, _ = _sort_and_room(phrase, frame.text("place"), context)
    if sort is None:
        return _nothing_known(frame, context)
    mode = "count" if frame.slots.get("count") else "which"
    return _listing(frame, DeviceQuery(mode, sort.sort, sort.noun, room, state))


def _list_rooms(frame: Frame, context: Context) -> Meaning:
    sort = frame.text("sort")
    if sort == "rooms" or context.home.scenes_listed:
        return _listing(frame, DeviceQuery(sort))
    known = listed(list(context.home.scenes.values()))
    spoken = f"I know the scenes {known}." if known else "I can start scenes, but not list them."
    return NotHandled("nobody lists the scenes", forbid=True, spoken=spoken)


def _list_devices(frame: Frame, context: Context) -> Meaning:
    phrase = frame.text("thing") or "devices"
    sort, room, _ = _sort_and_room(phrase, frame.text("place"), context)
    if sort is None:
        return _nothing_known(frame, context)
    return _listing(
        frame, DeviceQuery("count" if frame.slots.get("count") else "list", sort.sort, sort.noun, room)
    )


def _device_state(frame: Frame, context: Context) -> Meaning:
    return _one(frame, frame.text("thing"), context)


def _sensor(frame: Frame, context: Context) -> Meaning:
    thing, measure = frame.text("thing"), frame.text("measure")
    if not thing or thing in ("here", "outside", "inside", "it"):
        return _sensor_somewhere(frame, context, measure)
    room = room_named(thing, context.home)
    if room:
        return Step(frame.intent, (Request(READ, {"deviceName": room}),), frame=frame, measure=measure)
    meaning = _one(frame, thing, context, tool=READ if measure else GET)
    if isinstance(meaning, NotHandled) and measure and context.home.rooms:
        spoken = unknown_room(plain(thing), context.home, named=True)
        return replace(meaning, spoken=spoken.replace("a room", "a room or device"))
    return replace(meaning, measure=measure) if isinstance(meaning, Step) else meaning


def _sensor_somewhere(frame: Frame, context: Context, measure: str) -> Meaning:
    """No place was named: the door's room, or the only one that measures it."""
    pattern = _MEASURES.get(measure)
    measuring = [
        d for d in context.home.devices if pattern and pattern.search(d.state) and d.kind == "sensor"
    ]
    here = [device for device in measuring if context.room and device.room == context.room]
    chosen = here or measuring
    if len(chosen) == 1:
        request = Request(READ, {"deviceName": context.home.address(chosen[0])}, chosen[0])
        return Step(frame.intent, (request,), frame=frame, devices=tuple(chosen), measure=measure)
    if not chosen:
        return NotHandled("nothing is known to measure that", forbid=True)
    return Clarification(which(chosen), frame, tuple(chosen))


def _health(frame: Frame, _context: Context) -> Meaning:
    return Step(frame.intent, (Request(HEALTH),), frame=frame)


LOOKS: dict[str, Callable[[Frame, Context], Meaning]] = {
    "IsState": _is_state,
    "WhichState": _which_state,
    "DeviceState": _device_state,
    "Sensor": _sensor,
    "ListDevices": _list_devices,
    "ListRooms": _list_rooms,
    "Health": _health,
}
