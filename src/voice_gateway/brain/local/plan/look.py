"""What only looks: how it is asked, which devices, and a state or a measure. It never changes anything."""

import re
from collections.abc import Callable
from dataclasses import replace

from home_names.kinds import SWITCHED, WINDOW, DeviceClass, device_class
from home_names.names import plain_words
from home_names.phrases import capital, listed
from home_words import look_words as words
from home_words.event_words import danger_kind
from voice_gateway.brain.local.grammar import Frame, Slot
from voice_gateway.brain.local.meaning import (
    Clarification,
    Context,
    DeviceQuery,
    Meaning,
    NotHandled,
    Request,
    Step,
    home_unknown,
)
from voice_gateway.brain.local.place import EVERYWHERE, place, plain, room_named
from voice_gateway.brain.local.plan.scene import scenes_not_listed
from voice_gateway.brain.local.resolve import Found, Resolver, Unclear, Unknown, anything, quantified
from voice_gateway.brain.local.wording import not_known, the, unknown_room, which
from voice_gateway.integrations.device import Device
from voice_gateway.integrations.home import Home
from voice_gateway.integrations.zwave import HEALTH

_NOBODY = frozenset("you i he she we they me us everyone everybody anyone somebody".split())
_MEASURES = {
    "temperature": re.compile(r"°|degree|temperature", re.I),
    "humidity": re.compile(r"humid|% rh", re.I),
    "light": re.compile(r"\d ?(?:lx|lux)\b", re.I),
}
_HAVING: dict[str, Callable[[Device], bool]] = {
    **dict.fromkeys(("on", "off"), lambda device: device.kind in SWITCHED),
    **dict.fromkeys(("open", "closed"), lambda device: device.kind in ("blind", "garage_door", "sensor")),
    **dict.fromkeys(("locked", "unlocked"), lambda device: device.kind == "lock"),
}


def read_looks(text: str) -> list[Frame]:
    """Every way to take it for a question about the home, the surest first."""
    found = ((intent, pattern.match(text)) for intent, pattern in words.LOOKS)
    return [Frame(intent, _slots(match), len(text)) for intent, match in found if match]


def _slots(match: re.Match[str]) -> dict[str, Slot]:
    said = {name: value for name, value in match.groupdict().items() if value}
    slots: dict[str, Slot] = {name: name in said for name in ("any", "left", "count") if name in said}
    slots |= {name: said[name] for name in ("thing", "place", "sort", "spot") if name in said}
    if found := said.get("danger") or said.get("leaks") or said.get("burns"):
        slots["danger"] = found
    if inside := said.get("inside"):
        slots["place"] = inside
    if state := said.get("state"):
        slots["state"] = words.ASKED[state]
    return slots | {"measure": words.MEASURES[said["measure"]]} if "measure" in said else slots


# --- lists, and which of them are so


def _said(frame: Frame) -> str:
    thing = frame.text("thing") or "devices"
    if frame.slots.get("left"):  # whoever left a light on wants to know of any
        thing = re.sub(r"^an? ", "any ", thing)
    return f"{thing} in {frame.text('place')}" if frame.text("place") else thing


def _sort_and_room(frame: Frame, context: Context) -> tuple[DeviceClass | None, str | None, str]:
    """The sort of device, its room, and how many; a place nobody knows gives no sort."""
    quantifier, what = quantified(_said(frame))
    quantifier = "any" if frame.slots.get("any") else quantifier
    placed = place(plain(what), context.home, context.room)
    if placed.nowhere not in ("", "here"):
        return None, None, quantifier
    room = None if placed.room == EVERYWHERE else placed.room
    if placed.what in ("window", "windows"):
        return DeviceClass(WINDOW, "windows", plural=placed.what == "windows"), room, quantifier
    return device_class(placed.what or "devices", by_sound=True), room, quantifier


def _listing(frame: Frame, query: DeviceQuery, home: Home) -> Step:
    """Every home is asked."""
    looks = [(source.name, source.look(None, home)) for source in home.asked_sources]
    requests = tuple(Request.of(call, source=name) for name, call in looks)
    return Step(frame.intent, requests, frame=frame, query=query)


def _is_state(frame: Frame, context: Context) -> Meaning:
    state = frame.text("state")
    sort, room, quantifier = _sort_and_room(frame, context)
    single = sort is None or not (sort.plural or quantifier)
    indefinite = _said(frame).startswith(("a ", "an "))
    window = sort is not None and (sort.sort == WINDOW or indefinite)
    if sort is None or (single and not window):
        return _one(frame, _said(frame), context, expect=state)
    if single and not indefinite:  # "the window": the only one of that name, else any
        meaning = _one(frame, _said(frame), context, expect=state)
        if isinstance(meaning, Step):
            return meaning
    many = quantifier in ("any", "some") or sort.noun == "anything" or frame.slots.get("left") or single
    # Only a lock can be locked, whatever other doors there are.
    wanted = "lock" if state in ("locked", "unlocked") else sort.sort
    query = DeviceQuery("any" if many else "all", wanted, sort.noun, room, state)
    return _listing(frame, query, context.home)


def _which_or_list(frame: Frame, context: Context) -> Meaning:
    sort, room, _ = _sort_and_room(frame, context)
    if sort is None:
        where = plain(frame.text("place"))
        lost = where not in ("", "here", "room") and not room_named(where, context.home)
        spoken = unknown_room(where, context.home, named=True) if lost else None
        return NotHandled("no sort of device, or no room, that I know", forbid=True, spoken=spoken)
    state = frame.text("state")
    mode = "count" if frame.slots.get("count") else "which" if state else "list"
    return _listing(frame, DeviceQuery(mode, sort.sort, sort.noun, room, state), context.home)


def _alarms(frame: Frame, context: Context) -> Meaning:
    """ "Is there smoke anywhere": only who watches for it can say no."""
    said = frame.text("danger")
    wet = any(word in said for word in ("leak", "water", "flood", "wet", "dry"))
    every = said in ("alarm", "alarms")
    kind = "" if every else "water" if wet else danger_kind(said.split(" alarm")[0])
    where = plain(frame.text("place") or frame.text("spot"))
    room = room_named(where, context.home) if where else None
    if frame.text("spot") and room is None:
        return NotHandled("a room is dry, or a thing that nobody watches")
    if where and room is None:
        spoken = unknown_room(where, context.home, named=True)
        return NotHandled("no room that I know", forbid=True, spoken=spoken)
    state = "told" if said == "dry" else ""  # where nothing is found the answer would be yes
    return _listing(frame, DeviceQuery("alarm", noun=kind, room=room, state=state), context.home)


def _list_rooms(frame: Frame, context: Context) -> Meaning:
    sort = frame.text("sort")
    if sort == "rooms" or context.home.scenes_listed:
        return _listing(frame, DeviceQuery(sort), context.home)
    return scenes_not_listed(context.home)


# --- one device


def _device_state(frame: Frame, context: Context) -> Meaning:
    return _one(frame, frame.text("thing"), context)


def _one(frame: Frame, phrase: str, context: Context, *, expect: str = "", measure: str = "") -> Meaning:
    if not context.home.devices:
        return home_unknown(context)
    fits = _measuring(measure) if measure in _MEASURES else _HAVING.get(expect, anything)
    found = Resolver(context.home, context.room, context.last, fits, looks=True).resolve(phrase)
    if isinstance(found, Unknown):
        if found.phrase in _NOBODY:
            return NotHandled("nobody's device is meant", forbid=True)
        near = found.near if len(found.phrase.split()) <= 5 else ()
        return not_known(found.phrase, found.note, near, frame)
    if isinstance(found, Unclear):
        able = tuple(filter(fits, found.candidates)) or found.candidates
        if len(able) > 1:
            return Clarification(which(able, context.home), frame, able)
        devices, by_room = able, None  # to look at the only one that can be meant does no harm
    else:
        devices, by_room = found.devices, found.by_room
    requests = tuple(_look_at(device, context.home, measure) for device in devices[:8])
    return Step(
        frame.intent, requests, frame=frame, devices=devices, by_room=by_room, expect=expect, measure=measure
    )


def _measuring(measure: str) -> Callable[[Device], bool]:
    return lambda device: _MEASURES[measure].search(device.state) is not None


def _look_at(device: Device, home: Home, measure: str = "") -> Request:
    return Request.about(home.source_of(device).look(device, home, measure), device, home)


def _sensor(frame: Frame, context: Context) -> Meaning:
    thing, measure = frame.text("thing"), frame.text("measure")
    if thing in ("", "here", "in here", "outside", "inside", "it"):
        return _sensor_somewhere(frame, context, measure)
    room = room_named(thing, context.home)
    if room:
        return Step(frame.intent, _looks_in(room, context.home), frame=frame, measure=measure, room=room)
    meaning = _one(frame, thing, context, measure=measure)
    if isinstance(meaning, NotHandled) and measure and context.home.rooms:
        spoken = unknown_room(plain(thing), context.home, named=True)
        return replace(meaning, spoken=spoken.replace("a room", "a room or device"))
    return meaning


def _looks_in(room: str, home: Home) -> tuple[Request, ...]:
    """Every home that has something there is asked."""
    having = {device.source for device in home.in_room(room)}
    asked = [source for source in home.asked_sources if source.name in having or not having]
    return tuple(Request.of(source.look_in(room), source=source.name) for source in asked)


_OUTDOORS = frozenset("outside outdoor outdoors garden balcony terrace patio porch yard weather".split())
MOST_READINGS = 6  # more than these nobody listens to


def _sensor_somewhere(frame: Frame, context: Context, measure: str) -> Meaning:
    """No place was named: the door's room, else all that measure it, in one breath."""
    pattern, outside = _MEASURES.get(measure), frame.text("thing") == "outside"
    sensors = [device for device in context.home.devices if device.kind == "sensor"]
    if outside:  # what hangs in the office tells nothing of it
        sensors = [one for one in sensors if _OUTDOORS & set(plain_words(f"{one.room} {one.name}"))]
    measuring = [device for device in sensors if pattern and pattern.search(device.state)]
    here = [device for device in measuring if context.room and device.room == context.room]
    chosen = tuple(here or measuring)[:MOST_READINGS]
    if not chosen:
        spoken = "I have no sensor outside." if outside else None
        return NotHandled("nothing is known to measure that", forbid=True, spoken=spoken)
    requests = tuple(_look_at(one, context.home, measure) for one in chosen)
    return Step(frame.intent, requests, frame=frame, devices=chosen, measure=measure)


def _health(frame: Frame, _context: Context) -> Meaning:
    return Step(frame.intent, (Request(HEALTH),), frame=frame)


def _tones(frame: Frame, context: Context) -> Meaning:
    """What it can play stands in the list of devices already."""
    found = Resolver(context.home, context.room, context.last).resolve(frame.text("thing"))
    ringing = [device for device in found.devices if device.tones] if isinstance(found, Found) else []
    if len(ringing) != 1:
        return NotHandled("nothing of that name rings")
    said = f"{capital(the(ringing[0]))} has {listed(ringing[0].tones)}."
    return Step(frame.intent, frame=frame, say=said, devices=tuple(ringing))


LOOKS: dict[str, Callable[[Frame, Context], Meaning]] = {
    "IsState": _is_state,
    "WhichState": _which_or_list,
    "DeviceState": _device_state,
    "Sensor": _sensor,
    "ListDevices": _which_or_list,
    "ListRooms": _list_rooms,
    "Health": _health,
    "Tones": _tones,
    "Alarms": _alarms,
}
