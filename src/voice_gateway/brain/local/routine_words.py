"""Reads the words of a routine: when it starts, what it does, and what that means for this home."""

import re
from collections.abc import Sequence
from datetime import UTC, datetime

from home_names.names import plain_words
from home_names.phrases import listed
from voice_gateway.brain.local.command.when import NEVER, Watched, read_when
from voice_gateway.brain.local.normalise import normalise
from voice_gateway.brain.local.place import room_named
from voice_gateway.brain.local.resolve import Found, Resolver
from voice_gateway.integrations.device import Device
from voice_gateway.integrations.events import RESOURCE, event_resource
from voice_gateway.integrations.home import Home
from voice_gateway.routines.model import Every, Later, Missing, Once
from voice_gateway.routines.schedule import Place, check_rule, on_clock
from voice_gateway.routines.wording import say_becoming

# What a kind of device can tell of itself; a sensor tells what it measures.
_TELLS = {
    "lock": ("locked", "unlocked"),
    **dict.fromkeys(
        ("switch", "plug", "dimmer", "light", "fan", "siren", "media_player", "vacuum"), ("on", "off")
    ),
    **dict.fromkeys(("blind", "garage_door", "valve"), ("open", "closed")),
}
# Which events there are, as the server words them, and those that mean any device where none is named.
_EVENT = re.compile(
    r"(?P<button>button(?: \d)?) (?:pressed(?: \w+){0,2}|held|released)|(?:un)?locked by user \d+|"
    r"(?P<kind>doorbell|smoke|water|gas|heat|tamper|carbon_monoxide|carbon_dioxide|intrusion|emergency|lock)"
    r"(?: on| jammed)?"
)
_ANYWHERE = ("doorbell", "smoke", "water", "gas", "heat", "carbon_monoxide", "carbon_dioxide")
_METERED = ("plug", "switch", "dimmer", "light")  # kinds that may tell what they draw
_MEASURES = {"temperature": "°", "humidity": "%", "power": "W", "light": "lx"}


def resource_of(device: Device) -> str:
    """By which a device's changes are told, whoever tells them."""
    if device.node_id is not None and not device.domain:
        return f"zwave://devices/{device.node_id}/{device.endpoint}"
    return f"home://{device.domain}/{device.room}/{device.name}".replace(" ", "_").casefold()


def when_of(text: str, home: Home, room: str | None, now: datetime, place: Place) -> Later | Missing | None:
    """Said by people, or written by a program: an ISO time, or a rule."""
    if (written := _written(text.strip(), now, place)) is not None:
        return written

    def watch(thing: str, becomes: str) -> Watched | str:
        return watched(thing, becomes, home, room)

    return read_when(normalise(text).text, now, place, watch)


def _written(text: str, now: datetime, place: Place) -> Later | Missing | None:
    try:
        if text.startswith("RRULE:"):
            check_rule(text.removeprefix("RRULE:"))
            return Later(Every(text.removeprefix("RRULE:"), now.replace(microsecond=0)))
        if re.match(r"\d{4}-\d\d-\d\dT", text):
            at = datetime.fromisoformat(text)
            at = at if at.tzinfo is not None else on_clock(at, place.zone)
            return Later(Once(at.astimezone(UTC))) if at > now else Missing("That time has passed.")
    except ValueError:
        return Missing(NEVER)
    return None


# --- who tells of it


def watched(thing: str, becomes: str, home: Home, room: str | None) -> Watched | str:
    """The device whose change is meant, or a sentence that says why nobody can tell."""
    if not home.devices:
        return "I can't reach the home at the moment, so I kept nothing."
    if (event := event_needed(becomes)) is not None:
        return _told_by(thing, becomes, event, home, room)
    named = _named(thing, home, room)
    able = [device for device in named if can_tell(device, becomes)]
    if not able:  # a sensor may be called after what it watches
        able = [device for device in _near(thing, home, room) if can_tell(device, becomes)]
    sensors = [device for device in able if device.kind == "sensor"]
    chosen = able if len(able) == 1 else sensors or able
    if len(chosen) == 1:
        return Watched(chosen[0].source, resource_of(chosen[0]), becomes, chosen[0].name)
    if chosen:
        names = listed([f"the {one.name}" for one in chosen[:4]], "or")
        return f"Which one do you mean: {names}? I kept nothing."
    if named:
        return f"{_untold(named[0], becomes, _room_meant(thing, home, room))}, so I kept nothing."
    return f"I know nothing here that could tell me that{f' of {thing}' if thing else ''}, so I kept nothing."


def event_needed(becomes: str) -> str | None:
    """What a device must tell of for this: "button 2", "smoke"; None: it is a state, not an event."""
    if found := _EVENT.fullmatch(becomes):
        return found["button"] or found["kind"] or "lock"
    return None


def _tells_of(device: Device, event: str) -> bool:
    if event == "lock":
        return device.kind == "lock"
    return any(f"{told} ".startswith(f"{event} ") for told in device.events)


def _told_by(thing: str, becomes: str, event: str, home: Home, room: str | None) -> Watched | str:
    able = [one for one in home.devices if _tells_of(one, event)]
    said = "" if set(plain_words(thing)) <= {"the", "a", "my", "button", "it", "anywhere"} else thing
    if said:
        named = [*_named(said, home, room), *_near(said, home, room)]
        able = [one for one in able if one in named]
    else:  # a bell is called one
        able = [one for one in able if event.startswith("doorbell") or "doorbell" not in one.events] or able
    if not said and able and event in _ANYWHERE:
        return Watched(able[0].source, RESOURCE, becomes, "")
    if len(able) == 1:
        [one] = able
        return Watched(one.source, event_resource(one.node_id, one.endpoint), becomes, one.name)
    if able:
        names = listed([f"the {one.name}" for one in able[:4]], "or")
        return f"Which one do you mean: {names}? I kept nothing."
    return f"I know nothing here that could tell me that{f' of {thing}' if thing else ''}, so I kept nothing."


def _untold(device: Device, becomes: str, room: str | None) -> str:
    """ "The Front Door can only tell me when it is locked or unlocked" """
    measure = _measure(becomes)
    if room:
        return f"Nothing in the {room} {f'measures the {measure}' if measure else 'can tell me that'}"
    if measure:
        return f"Nothing here measures the {measure} of the {device.name}"
    if states := _TELLS.get(device.kind):
        return f"The {device.name} can only tell me when it is {listed(states, 'or')}"
    return f"Nothing here can tell me when the {device.name} {say_becoming(becomes)}"


def _room_meant(thing: str, home: Home, room: str | None) -> str | None:
    return room if thing in ("", "it", "here") else room_named(thing, home)


def _named(thing: str, home: Home, room: str | None) -> Sequence[Device]:
    if there := _room_meant(thing, home, room):
        return home.in_room(there)
    if thing in ("", "it", "here"):
        return ()
    found = Resolver(home, room, ()).resolve(thing)
    return found.devices if isinstance(found, Found) else ()


def _near(thing: str, home: Home, room: str | None) -> list[Device]:
    """Those whose name or room has all these words."""
    said = {
        word for word in plain_words(thing) if word not in ("the", "my", "our", "in", "a", "of", "sensor")
    }
    if not said:
        return [device for device in home.devices if room is None or device.room == room]
    return [one for one in home.devices if said <= {*plain_words(one.name), *plain_words(one.room)}]


def _measure(becomes: str) -> str:
    """Of "temperature < 18" the temperature."""
    return becomes.split(" ", maxsplit=1)[0] if "<" in becomes or ">" in becomes else ""


def can_tell(device: Device, becomes: str) -> bool:
    measure = _measure(becomes)
    if measure and any(one.startswith(f"{measure} ") for one in device.readings):
        return True
    if measure == "battery":
        return not device.available  # it may have one
    if measure:
        if measure == "power" and device.kind in _METERED:
            return True  # as above
        unit = _MEASURES.get(measure, "")
        return device.kind in ("sensor", "thermostat") and (unit in device.state or not device.available)
    if device.kind == "sensor":
        words = device.state.casefold()
        shown = {"open": "open|closed", "closed": "open|closed", "motion": "motion", "no motion": "motion"}
        return bool(re.search(shown.get(becomes, "$^"), words))
    return becomes in _TELLS.get(device.kind, ())
