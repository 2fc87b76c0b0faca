"""A device as a list tells it, and in detail."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from home_names.states import UNKNOWN, spoken_units
from zwave_mcp import sentences
from zwave_mcp.devices import SOUNDERS, TOGETHER, Device, components, has_level, supports
from zwave_mcp.home import Value
from zwave_mcp.notifications import CALM, URGENT, Standing, alarm_of, alarms_of, event_names, state_words
from zwave_mcp.states import (
    age_seconds,
    auto_setpoints,
    label_of,
    main_readings,
    measured,
    operating_state,
    own_tone,
    reading_text,
    remembered,
    state_text,
    tones_of,
)

_OLD_SECONDS: Final = 300  # then the age is said; battery sensors report about hourly, so older is no error


@dataclass(frozen=True, slots=True)
class Row:
    device: Device
    entry: dict[str, Any]
    text: str


def row_of(device: Device) -> Row:
    facts = entry(device)
    state = facts["state"]
    if not device.available:
        last = remembered(device)
        state = "offline" if last == UNKNOWN else f"offline, last known {last}"
    name = sentences.numbered(device)
    text = f"{name.removesuffix(')')}, {state})" if name != device.name else f"{name} ({state})"
    return Row(device, facts, text)


def entry(device: Device) -> dict[str, Any]:
    """The entry of `list_zwave_devices`."""
    alarms = alarms_of(device)
    state = _state(device, alarms)
    facts: dict[str, Any] = {
        "name": device.name,
        "room": device.room,
        "kind": device.kind,
        "nodeId": device.node.id,
        "endpoint": device.endpoint,
        "state": state,
        "available": device.available,
    }
    optional = {
        "readings": _readings(device, state, alarms),
        "abilities": abilities(device),
        "tones": [tone.name for tone in tones_of(device)],
        "ownTone": own_tone(device),
        "events": event_names(device),
    }
    more = {key: value if isinstance(value, str) else list(value) for key, value in optional.items() if value}
    return {**facts, **more}


def _state(device: Device, alarms: Sequence[Standing]) -> str:
    """The state; a calm word of one probe is replaced while another one reports trouble."""
    state = state_text(device)
    active = {CALM[item.kind]: item for item in alarms if item.state != "off" and item.kind in CALM}
    if not active:
        return state
    parts = (active.get(part, part) for part in state.split(", "))
    return ", ".join(part if isinstance(part, str) else state_words(part.kind, part.state) for part in parts)


def _readings(device: Device, state: str, alarms: Sequence[Standing]) -> list[str]:
    """What the device reports beside its state, with the alarms that stand or are urgent."""
    readings = list(measured(device))
    if device.available:
        operating = operating_state(device) if auto_setpoints(device) else ""
        shown = (*state.split(", "), *readings)
        readings += [f"operating {operating}"] if operating else []
        words = (
            state_words(alarm.kind, alarm.state)
            for alarm in alarms
            if alarm.state != "off" or alarm.kind in URGENT
        )
        readings += [text for text in words if text not in shown]
    return readings


def abilities(device: Device) -> tuple[str, ...]:
    """What the device can do, for kinds whose devices differ in that."""
    if device.members:
        return tuple(
            action for action in TOGETHER if all(supports(member, action) for member in device.members)
        )
    has = components(device)
    colour = ("colour",) if {2, 3, 4} <= has.keys() else ()
    kelvin = ("kelvin",) if colour or {0, 1} <= has.keys() else ()
    if device.kind == "light":
        return ("on", "off", "toggle", *(("dim",) if has_level(device) else ()), *colour, *kelvin)
    if device.kind == "fan":
        return ("on", "off", "toggle", "speed")
    if device.kind in SOUNDERS:
        return ("ring", "stop")
    return ("on", "off", "toggle", *colour, *kelvin) if has else ()


def details(device: Device) -> dict[str, Any]:
    facts: dict[str, Any] = {
        "kind": device.kind,
        "available": device.available,
        "status": device.node.status,
        "product": device.node.product,
        "readings": [reading(value) for value in device.readings],
        "batteryLow": device.battery_low,
    }
    operating = operating_state(device)
    return {**facts, "operating": operating} if operating else facts


def reading(value: Value) -> dict[str, Any]:
    return {
        "label": label_of(value),
        "value": value.value,
        "unit": value.unit,
        "text": reading_text(value),
        "ageSeconds": age_seconds(value),
    }


def spoken_readings(device: Device) -> str:
    """What a sensor measures, as people say it, with its age if it is old."""
    active = {
        alarm.kind: value for value in device.readings if (alarm := alarm_of(value)) and alarm.state != "off"
    }
    shown = []
    for value in main_readings(device):
        alarm = alarm_of(value)
        shown.append(active.get(alarm.kind, value) if alarm is not None else value)
    texts = [_spoken(value) for value in shown]
    if device.battery_low:
        texts.append("its battery is low")
    ages = [age for age in map(age_seconds, device.readings) if age is not None]
    old = f", measured {_ago(min(ages))}" if ages and min(ages) >= _OLD_SECONDS else ""
    return f"{', '.join(texts or [_spoken(value) for value in device.readings])}{old}"


def _spoken(value: Value) -> str:
    """Label and value; "closed" needs no label."""
    text = spoken_units(reading_text(value))
    if text in ("open", "closed", "motion", "no motion") or alarm_of(value) is not None:
        return text
    return f"{label_of(value).lower().removeprefix('air ')} {text}"


def _ago(seconds: int) -> str:
    minutes = seconds // 60
    if minutes < 120:
        return f"{minutes} minutes ago"
    return f"{minutes // 60} hours ago" if minutes < 48 * 60 else f"{minutes // (24 * 60)} days ago"
