"""`Event` and `Condition` → the device that tells of it, and what it becomes."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from voice_gateway.integrations.device import Device
from voice_gateway.integrations.events import RESOURCE, event_resource
from voice_gateway.routines.model import Condition, Later
from voice_gateway.routines.model import Event as Trigger
from voice_gateway.understanding.nodes import Condition as SaidCondition
from voice_gateway.understanding.nodes import Event, Item, When, Which, closed
from voice_gateway.understanding.plan import Context
from voice_gateway.understanding.plan.sensors import measured
from voice_gateway.understanding.plan.when import Said, Unclear, hours_between, minutes_of, seconds_of
from voice_gateway.understanding.resolver import Resolver, Unknown

# What a kind of device can tell of itself; a sensor tells what it measures.
TELLS: Final = {
    "lock": ("locked", "unlocked"),
    **dict.fromkeys(
        ("switch", "plug", "dimmer", "light", "fan", "siren", "media_player", "vacuum"), ("on", "off")
    ),
    **dict.fromkeys(("blind", "garage_door", "valve"), ("open", "closed")),
}
METERED: Final = ("plug", "switch", "dimmer", "light")  # kinds that may tell what they draw
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
    """The resource that reports a device's changes."""
    if device.node_id is not None and not device.domain:
        return f"zwave://devices/{device.node_id}/{device.endpoint}"
    return f"home://{device.domain}/{device.room}/{device.name}".replace(" ", "_").casefold()


def event_of(event: Event, said: Said, context: Context) -> Later:
    """The trigger of an event, with the hours and days at which it counts."""
    _ = event.is_so
    hours = _with_hours(condition_of(said.when, context), said)
    becomes, happens = _becomes(event)
    if happens:
        server, resource, name = _told_by(event, becomes, happens, context)
    else:
        device = _watched(event.which, becomes, context)
        server, resource, name = device.source, resource_of(device), device.name
    return Later(Trigger(server, resource, becomes, seconds_of(event.held), name, event.once), hours)


def _becomes(event: Event) -> tuple[str, str]:
    """The state or event in the words of the server, and the event's name if it is no state."""
    if event.danger:
        return f"{event.danger} on", event.danger
    if event.user is not None:
        return f"{event.becomes} by user {event.user:g}", "lock"
    if event.becomes == "button":
        button = "button" if event.button is None else f"button {event.button:g}"
        pressed = f"pressed{TIMES.get(int(event.times or 1), '')}"
        return f"{button} {'held' if event.holds else pressed}", button
    if event.becomes in (*KINDS_OF_EVENT, "doorbell"):
        return event.becomes, event.becomes.split()[0]
    limit = _limit(event)
    if event.measure and not limit:
        raise Unclear("when.exactly")
    return f"{event.measure or 'temperature'} {limit}" if limit else event.becomes, ""


def _limit(said: Event | SaidCondition) -> str:
    above = f"> {said.above:g}" if said.above is not None else ""
    return f"< {said.below:g}" if said.below is not None else above


# --- who tells of it


def _watched(which: Which | None, becomes: str, context: Context) -> Device:
    if not context.home.devices:
        raise Unclear("when.no_home")
    named = named_by(which, context)
    able = [one for one in named if can_tell(one, becomes)]
    if not able and (which is None or which.item[0].pronoun):  # "if it gets colder": not the heater itself
        able = [one for one in _near(context) if can_tell(one, becomes)]
    elif not able and named:
        raise Unclear("when.untold", devices=named[:1])
    sensors = [one for one in able if one.kind == "sensor"]
    return _single(sensors if len(able) > 1 and sensors else able)


def _single(able: Sequence[Device]) -> Device:
    if len(able) > 1:
        raise Unclear("when.which", devices=tuple(able[:4]))
    if not able:
        raise Unclear("when.unwatched")
    return able[0]


def _near(context: Context) -> tuple[Device, ...]:
    return tuple(context.home.in_room(context.here) if context.here else context.home.devices)


def named_by(which: Which | None, context: Context) -> tuple[Device, ...]:
    """The devices that the words may mean; without words those that are near."""
    item = closed(which).item[0] if which is not None and which.item else None
    if item is None or item.pronoun:
        return (context.last or _near(context)) if item else _near(context)
    resolver = Resolver(context.home, context.here, context.last)
    rooms = resolver.rooms(item)
    if isinstance(rooms, Unknown):
        raise Unclear("unknown.room", text=rooms.text)
    if rooms and not (item.name or item.kind or item.unknown):
        return tuple(context.home.in_room(rooms[0]))
    return resolver.item(replace(item, quant="all" if item.name else "any"), "look", lambda _: True).devices


def _told_by(event: Event, becomes: str, happens: str, context: Context) -> tuple[str, str, str]:
    able = [one for one in context.home.devices if _tells_of(one, happens)]
    said = event.which is not None and not event.which.item[0].pronoun
    if said:
        named = named_by(event.which, context)
        able = [one for one in able if one in named]
    else:  # a bell is called one
        able = [one for one in able if happens == "doorbell" or "doorbell" not in one.events] or able
    if not said and able and happens in ANYWHERE:
        return able[0].source, RESOURCE, ""
    device = _single(able)
    return device.source, event_resource(device.node_id, device.endpoint), device.name


def _tells_of(device: Device, event: str) -> bool:
    events = (device.kind,) if event == "lock" else device.events
    return any(f"{told} ".startswith(f"{event} ") for told in events)


def can_tell(device: Device, becomes: str) -> bool:
    measure = becomes.split(" ", maxsplit=1)[0] if "<" in becomes or ">" in becomes else ""
    if measure:
        metered = measure == "power" and device.kind in METERED
        may = not device.available and (measure == "battery" or device.kind in ("sensor", "thermostat"))
        return metered or may or measured(device, measure) is not None
    if device.kind == "sensor":
        return bool(re.search(SHOWN.get(becomes, "$^"), device.state.casefold()))
    return becomes in TELLS.get(device.kind, ())


# --- on what condition


def condition_of(when: When, context: Context, event: Event | None = None) -> Condition | None:
    """A device's state, or whether it is dark; `event` is a state at a moment: "if it is open at 11"."""
    if len(when.condition) + bool(when.hours) + (event is not None) > 1:
        raise Unclear("when.one_condition")
    said = when.condition[0] if when.condition else None
    if event is not None:
        said = SaidCondition(which=event.which, state=event.becomes)
    if said is not None:
        return _stated(said, context)
    dark = {"dark": Condition(after="sunset"), "light": Condition(after="sunrise", before="sunset")}
    return dark.get(when.hours)


def _stated(said: SaidCondition, context: Context) -> Condition:
    state, which = {"up": "open", "down": "closed"}.get(said.state, said.state), said.which
    limit = _limit(said)
    if limit:
        state = f"temperature {limit}"
        which = Which(item=(Item(place=said.place),)) if said.place else None
    device = _watched(which, state, context)
    unless = said.unless != said.negated
    return Condition(
        server=device.source, resource=resource_of(device), device=device.name, state=state, unless=unless
    )


def _with_hours(condition: Condition | None, said: Said) -> Condition | None:
    """The condition with the hours and weekdays that stand beside an event."""
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
    """The hours after and before which it counts; empty where none was said."""
    when = said.when
    if when.between:
        first, last = hours_between(when.between, said.part)
        return _hhmm(first), _hhmm(last)
    after = when.since_sun
    if when.since:  # "after 10" is in the evening, "before 7" in the morning
        hours = minutes_of(when.since)
        after = _hhmm(hours[-1 if hours[0] // 60 >= 6 else 0])
    before = _hhmm(minutes_of(when.before)[0]) if when.before else when.before_sun
    return (after, before) if after or before else PART_BOUNDS.get(said.part, ("", ""))


def _hhmm(minutes: int) -> str:
    return f"{minutes // 60 % 24:02d}:{minutes % 60:02d}"
