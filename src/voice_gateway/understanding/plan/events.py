"""`Event` and `Condition` → the device that tells of it, and what it becomes."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from home_names.names import plain_words
from voice_gateway.integrations.device import Device
from voice_gateway.integrations.events import RESOURCE, event_resource
from voice_gateway.integrations.home import Home
from voice_gateway.routines.model import Condition, Later
from voice_gateway.routines.model import Event as Trigger
from voice_gateway.understanding.nodes import Clock, Event, Item, When, Which, closed
from voice_gateway.understanding.nodes import Condition as SaidCondition
from voice_gateway.understanding.plan import Context
from voice_gateway.understanding.plan.when import Said, Unclear, hours_between, minutes_of, seconds_of
from voice_gateway.understanding.resolver import Meant, Resolver, Unknown

# What a kind of device can tell of itself; a sensor tells what it measures.
TELLS: Final = {
    "lock": ("locked", "unlocked"),
    **dict.fromkeys(
        ("switch", "plug", "dimmer", "light", "fan", "siren", "media_player", "vacuum"), ("on", "off")
    ),
    **dict.fromkeys(("blind", "garage_door", "valve"), ("open", "closed")),
}
METERED: Final = ("plug", "switch", "dimmer", "light")  # kinds that may tell what they draw
UNITS: Final = {"temperature": "°", "humidity": "%", "power": "W", "light": "lx"}
SHOWN: Final = {"open": "open|closed", "closed": "open|closed", "motion": "motion", "no motion": "motion"}
# Any device that tells of these is meant where none is named.
ANYWHERE: Final = ("doorbell", "smoke", "water", "gas", "heat", "carbon_monoxide", "carbon_dioxide")
KINDS_OF_EVENT: Final = ("lock jammed", "tamper on")
TIMES: Final = {2: " twice", 3: " three times", 4: " four times", 5: " five times"}
PART_BOUNDS: Final = {
    "morning": ("06:00", "12:00"), "afternoon": ("12:00", "18:00"), "evening": ("18:00", "23:00"),
    "night": ("22:00", "06:00"), "tonight": ("18:00", "06:00"),
}  # fmt: skip


def resource_of(device: Device) -> str:
    """By which a device's changes are told, whoever tells them."""
    if device.node_id is not None and not device.domain:
        return f"zwave://devices/{device.node_id}/{device.endpoint}"
    return f"home://{device.domain}/{device.room}/{device.name}".replace(" ", "_").casefold()


def event_of(event: Event, said: Said, context: Context) -> Later:
    """An event, with the hours and days at which it counts."""
    _ = event.is_so
    hours = _with_hours(condition_of(said.when, context), said)
    becomes, happens = _becomes(event)
    if happens:
        server, resource, name = _told_by(event, becomes, happens, context)
    else:
        device = _watched(event.which, becomes, context)
        server, resource, name = device.source, resource_of(device), device.name
    seconds = seconds_of(event.held)
    return Later(Trigger(server, resource, becomes, seconds, name, event.once), hours)


def _becomes(event: Event) -> tuple[str, str]:
    """In the words of the server; and which event it is, where it is no state."""
    if event.danger:
        return f"{event.danger} on", event.danger
    if event.user is not None:
        return f"{event.becomes} by user {event.user:g}", "lock"
    if event.becomes == "button":
        number = f" {event.button:g}" if event.button is not None else ""
        how = "held" if event.holds else f"pressed{TIMES.get(int(event.times or 1), '')}"
        return f"button{number} {how}", f"button{number}"
    if event.becomes in (*KINDS_OF_EVENT, "doorbell"):
        return event.becomes, event.becomes.split()[0]
    if event.below is not None or event.above is not None:
        sign, limit = ("<", event.below) if event.below is not None else (">", event.above)
        return f"{event.measure or 'temperature'} {sign} {limit:g}", ""
    if event.measure:
        raise Unclear("when.exactly")
    return event.becomes, ""


# --- who tells of it


def _watched(which: Which | None, becomes: str, context: Context) -> Device:
    home = context.home
    if not home.devices:
        raise Unclear("when.no_home")
    named, text, room = named_by(which, context)
    able = [one for one in named if can_tell(one, becomes)]
    if not able:  # a sensor may be called after what it watches
        able = [one for one in _near(text, home, room) if can_tell(one, becomes)]
    sensors = [one for one in able if one.kind == "sensor"]
    chosen = able if len(able) == 1 else sensors or able
    if len(chosen) == 1:
        return chosen[0]
    if chosen:
        raise Unclear("when.which", devices=tuple(chosen[:4]))
    if named:
        raise Unclear("when.untold", devices=named[:1])
    raise Unclear("when.unwatched")


def named_by(which: Which | None, context: Context) -> tuple[tuple[Device, ...], str, str | None]:
    """The devices that the words may mean, the words themselves, and the room they name."""
    if which is None or not which.item:
        there = context.here
        return (context.home.in_room(there) if there else ()), "", there
    item = closed(which).item[0]
    if item.pronoun:
        near = context.last or (context.home.in_room(context.here) if context.here else ())
        return tuple(near), "", context.here
    resolver = Resolver(context.home, context.here, context.last)
    rooms = resolver.rooms(item)
    if isinstance(rooms, Unknown):
        raise Unclear("unknown.room", text=rooms.text)
    text = " ".join(filter(None, (item.name.text if item.name else "", item.kind, item.unknown)))
    if not (item.name or item.kind or item.unknown) and rooms:
        return tuple(context.home.in_room(rooms[0])), "", rooms[0]
    if item.unknown:
        return (), text, None
    every = replace(item, quant="all") if item.name else replace(item, quant="any")
    found = resolver.item(every, "look", lambda _: True)
    if isinstance(found, Unknown):
        return (), text, rooms[0] if rooms else None
    devices = found.devices if isinstance(found, Meant) else found.candidates
    return devices, text, rooms[0] if rooms else None


def _near(text: str, home: Home, room: str | None) -> Sequence[Device]:
    """Those whose name or room has all these words."""
    said = set(plain_words(text))
    if not said:
        return [one for one in home.devices if room is None or one.room == room]
    there = [one for one in home.devices if room is None or one.room == room]
    return [one for one in there if said <= {*plain_words(one.name), *plain_words(one.room)}]


def _told_by(event: Event, becomes: str, happens: str, context: Context) -> tuple[str, str, str]:
    home = context.home
    able = [one for one in home.devices if _tells_of(one, happens)]
    said = event.which is not None and not event.which.item[0].pronoun
    if said:
        named, text, room = named_by(event.which, context)
        able = [one for one in able if one in named or (text and one in _near(text, home, room))]
    else:  # a bell is called one
        able = [one for one in able if happens == "doorbell" or "doorbell" not in one.events] or able
    if not said and able and happens in ANYWHERE:
        return able[0].source, RESOURCE, ""
    if len(able) == 1:
        [one] = able
        return one.source, event_resource(one.node_id, one.endpoint), one.name
    if able:
        raise Unclear("when.which", devices=tuple(able[:4]))
    raise Unclear("when.unwatched")


def _tells_of(device: Device, event: str) -> bool:
    if event == "lock":
        return device.kind == "lock"
    return any(f"{told} ".startswith(f"{event} ") for told in device.events)


def can_tell(device: Device, becomes: str) -> bool:
    measure = becomes.split(" ", maxsplit=1)[0] if "<" in becomes or ">" in becomes else ""
    if measure and any(one.startswith(f"{measure} ") for one in device.readings):
        return True
    if measure == "battery":
        return not device.available  # it may have one
    if measure == "power" and device.kind in METERED:
        return True  # as above
    if measure:
        unit = UNITS.get(measure, "")
        return device.kind in ("sensor", "thermostat") and (unit in device.state or not device.available)
    if device.kind == "sensor":
        return bool(re.search(SHOWN.get(becomes, "$^"), device.state.casefold()))
    return becomes in TELLS.get(device.kind, ())


# --- on what condition


def condition_of(when: When, context: Context, event: Event | None = None) -> Condition | None:
    """A device's state, or whether it is dark; `event` is a state at a moment: "if it is open at 11"."""
    own: Condition | None = None
    if event is not None:
        own = _stated(SaidCondition(which=event.which, state=event.becomes), context)
    if when.hours:
        dark = Condition(after="sunset")
        own = dark if when.hours == "dark" else Condition(after="sunrise", before="sunset")
    if len(when.condition) > 1 or (event is not None and when.hours) or (own is not None and when.condition):
        raise Unclear("when.one_condition")
    for said in when.condition:
        own = _stated(said, context)
    return own


def _stated(said: SaidCondition, context: Context) -> Condition:
    state = {"up": "open", "down": "closed"}.get(said.state, said.state)
    limit = said.below if said.below is not None else said.above
    if limit is not None:
        state = f"temperature {'<' if said.below is not None else '>'} {limit:g}"
        which: Which | None = Which(item=(Item(place=said.place),)) if said.place else None
    else:
        which = said.which
    device = _watched(which, state, context)
    unless = said.unless != said.negated
    return Condition(
        server=device.source, resource=resource_of(device), device=device.name, state=state, unless=unless
    )


def _with_hours(condition: Condition | None, said: Said) -> Condition | None:
    """Hours and weekdays beside an event are when it counts."""
    when = said.when
    if said.is_moment:
        raise Unclear("when.hours_of_event")
    if when.during or said.until is not None:
        raise Unclear("when.from_now")
    if when.vague:
        raise Unclear("when.exactly")
    after, before = _bounds(said)
    if not (after or before or said.every):
        return condition
    known = condition or Condition()
    return replace(
        known, weekdays=said.every or (), after=after or known.after, before=before or known.before
    )


def _bounds(said: Said) -> tuple[str, str]:
    """After what hour, and before which."""
    when = said.when
    if when.between:
        first, last = hours_between(when.between, said.part)
        return _hhmm(first), _hhmm(last)
    after = _hhmm(_side(when.since, after=True)) if when.since else when.since_sun
    before = _hhmm(_side(when.before, after=False)) if when.before else when.before_sun
    if said.part and not after and not before:
        return PART_BOUNDS.get(said.part, ("", ""))
    return after, before


def _side(clock: Clock, *, after: bool) -> int:
    """ "After 10" is in the evening, "before 7" in the morning."""
    found = minutes_of(clock)
    return found[-1 if after and found[0] // 60 >= 6 else 0] % 1440


def _hhmm(minutes: int) -> str:
    return f"{minutes // 60 % 24:02d}:{minutes % 60:02d}"


__all__ = ["can_tell", "condition_of", "event_of", "named_by", "resource_of"]
