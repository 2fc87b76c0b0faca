"""A device in words: its state (docs/zwave.md lists them), its readings, and its entry in a list."""

import math
import re
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from home_names.states import UNKNOWN, dimmed, opened, spoken_units
from zwave_mcp import sentences
from zwave_mcp.devices import (
    BOLT_UNKNOWN,
    CC,
    LOCKED,
    SOUNDERS,
    TOGETHER,
    Device,
    components,
    has_level,
    is_jammed,
    settling,
    supports,
    to_percent,
)
from zwave_mcp.home import Value, is_number
from zwave_mcp.notifications import URGENT, Standing, alarm_of, alarms_of, event_names, state_words
from zwave_mcp.palette import colour_word, kelvin_of, white_word

DEFAULT_TONE: Final = 255
JAMMED_STATE: Final = "jammed"
_BARRIER: Final = {0: "closed", 252: "closing", 253: "stopped", 254: "opening", 255: "open"}
HEATING: Final = "heating"
COOLING: Final = "cooling"
_SETPOINTS: Final[dict[str | int | None, str]] = {1: HEATING, 2: COOLING}
# Z-Wave has one label for everything that a meter measures.
_MEASURES: Final = {
    "W": "power", "kWh": "energy", "V": "voltage", "A": "current",
    "kVAh": "apparent energy", "kVar": "reactive power", "kVarh": "reactive energy",
    "°C": "temperature", "°F": "temperature", "lx": "light", "Lux": "light",
}  # fmt: skip
_TONE_LENGTH: Final = re.compile(r"\((\d{1,4}) sec\)$")


def state_text(device: Device) -> str:
    """The state, or "unknown" for a device that does not answer."""
    return remembered(device) if device.available else UNKNOWN


def remembered(device: Device) -> str:
    """The state as the driver remembers it, whether the device still answers or not."""
    if device.members:
        return _state_of_all(device.members)
    state = device.state_value
    if state is not None:
        return state_of(device, settling(device))
    if device.kind == "thermostat":
        return _thermostat(device)
    return _sensor(device) if device.kind == "sensor" else UNKNOWN


def state_of(device: Device, raw: Any) -> str:
    """What a value of the device's state means in words."""
    state, kind = device.state_value, device.kind
    command_class = state.id.command_class if state is not None else None
    if kind in SOUNDERS:
        return _sound(state, raw)
    if isinstance(raw, bool) and command_class == CC.BINARY_SWITCH:
        return _with_colour(device, "on" if raw else "off")
    if not is_number(raw) or command_class == CC.BINARY_SWITCH:
        return UNKNOWN
    if kind == "lock":
        bolt = UNKNOWN if raw == BOLT_UNKNOWN else "locked" if raw == LOCKED else "unlocked"
        return JAMMED_STATE if is_jammed(device) else bolt
    if kind in ("blind", "garage_door"):
        return _BARRIER.get(raw, "partly open") if command_class == CC.BARRIER else opened(to_percent(raw))
    return _with_colour(device, dimmed(to_percent(raw)))


def _state_of_all(members: tuple[Device, ...]) -> str:
    """The common state; "on" for different levels; "partly on" if only some are."""
    states = {remembered(member) for member in members}
    if len(states) == 1:
        return states.pop()
    for word, part in (("on", "partly on"), ("open", "partly open")) if UNKNOWN not in states else ():
        active = [state.startswith(word) or state.endswith(f"% {word}") for state in states]
        if any(active):
            return word if all(active) else part
    return UNKNOWN


# --- colours


def colour_text(device: Device) -> str:
    """ "blue", "warm white", "3000 K"; empty where it is unknown or the device has none."""
    parts = {key: value.value for key, value in components(device).items()}
    if not parts or not all(is_number(level) for level in parts.values()):
        return ""
    warm, cold = parts.get(0, 0), parts.get(1, 0)
    red, green, blue = (min(max(int(parts.get(key, 0)), 0), 255) for key in (2, 3, 4))
    white = ""
    if warm + cold > 0:
        both = 0 in parts and 1 in parts
        white = white_word(kelvin_of(warm, cold)) if both else "warm white" if warm else "cold white"
    coloured = colour_word((red, green, blue)) if red or green or blue else ""
    return " and ".join(filter(None, (coloured, white)))


def _with_colour(device: Device, state: str) -> str:
    colour = colour_text(device) if device.kind == "light" and state.startswith("on") else ""
    return f"{state}, {colour}" if colour else state


# --- sounds


@dataclass(frozen=True, slots=True)
class Tone:
    id: int
    name: str
    seconds: int | None = None


def tones_of(device: Device) -> tuple[Tone, ...]:
    """The tones that the device can play, by its own names; "off" and "default" are none."""
    value = device.state_value
    states = value.states if value is not None and value.id.command_class == CC.SOUND_SWITCH else {}
    return tuple(
        Tone(number, *_tone_name(text))
        for number, text in sorted(states.items(), key=lambda item: str(item[0]).zfill(4))
        if isinstance(number, int) and number not in (0, DEFAULT_TONE) and text.strip()
    )


def own_tone(device: Device) -> str:
    """The tone that is played when none is named; empty where the device has not told it."""
    value = device.state_value
    if value is None or value.id.command_class != CC.SOUND_SWITCH:
        return ""
    where = replace(value.id, property="defaultToneId")
    number = next((value.value for value in device.node.values if value.id == where), None)
    return next((tone.name for tone in tones_of(device) if tone.id == number), "")


def _tone_name(text: str) -> tuple[str, int | None]:
    """Name and seconds of "Ding Dong (3 sec)"."""
    text = text.strip()
    match = _TONE_LENGTH.search(text)
    return (text[: match.start()].strip(), int(match[1])) if match else (text, None)


def _sound(state: Value | None, raw: Any) -> str:
    """ "silent", "playing Ding Dong" """
    if isinstance(raw, bool) or raw == 0:
        return "sounding" if raw is True else "silent"
    if not is_number(raw) or state is None:
        return UNKNOWN
    name = _tone_name(state.states.get(int(raw), ""))[0]
    return f"playing {name}" if name and raw != DEFAULT_TONE else "sounding"


# --- readings


def reading_text(value: Value) -> str:
    """ "21.4 °C", "open", "motion": the value with its unit, or the device's text for it."""
    raw = value.value
    if (alarm := alarm_of(value)) is not None:
        return state_words(alarm.kind, alarm.state)
    label = label_of(value).lower()
    if isinstance(raw, bool):
        opens, motion = "door" in label or "window" in label, "motion" in label
        on, off = ("open", "closed") if opens else ("motion", "no motion") if motion else ("yes", "no")
        return on if raw else off
    text = value.states.get(raw) if isinstance(raw, int | str) else None
    if text is not None:
        return _notification_text(label, text.lower())
    if value.id.command_class == CC.NOTIFICATION and not value.unit:  # a code without a text
        return UNKNOWN
    return f"{number_text(raw)} {value.unit}".strip() if is_number(raw) else str(raw)


def _notification_text(label: str, text: str) -> str:
    """The driver's texts are long ("Window/door is closed") and "idle" alone says nothing."""
    if text.endswith("is closed") or text == "closed":
        return "closed"
    if "is open" in text or text == "open":
        return "open"
    if "motion" in label:
        return "no motion" if text == "idle" else "motion"
    return "normal" if text == "idle" else text


def number_text(raw: float) -> str:
    if not math.isfinite(raw):
        return UNKNOWN
    rounded = round(raw, 2)
    return str(int(rounded)) if rounded == int(rounded) else str(rounded)


def label_of(value: Value) -> str:
    label = value.label or str(value.id.property)
    if value.id.command_class == CC.METER and value.unit in _MEASURES:
        produced = "Produced " if "produc" in label.lower() else ""
        return f"{produced}{_MEASURES[value.unit]}".capitalize()
    inner = re.search(r"\(([^()]+)\)|\[([^\[\]]+)\]$", label)
    if value.id.command_class == CC.BINARY_SENSOR and inner:
        return str(inner.group(1))
    return re.sub(r"(?<!\s)\s*\[[^\[\]]+\]$", "", label)


def age_seconds(value: Value) -> int | None:
    return None if value.updated is None else max(0, int(time.time() - value.updated))


def main_readings(device: Device) -> tuple[Value, ...]:
    """What the sensor is there for: not its battery, and the same door only once.

    Of several values that watch for the same, the one that reports trouble, or something open, is taken.
    """
    best: dict[str, Value] = {}
    for value in device.readings:
        label, alarm = label_of(value), alarm_of(value)
        calm = alarm is None or alarm.state == "off"
        if value.id.command_class == CC.BATTERY or label == "Lock state":
            continue
        if label == "Cover status" and calm:
            continue
        text = reading_text(value)
        kind = "opening" if text in ("open", "closed") else alarm.kind if alarm is not None else label
        if not calm or text == "open":
            best[kind] = value
        best.setdefault(kind, value)
    return tuple(best.values())


def _sensor(device: Device) -> str:
    texts = dict.fromkeys(
        f"{reading_text(value)} {label_of(value).lower()}" if value.unit == "%" else reading_text(value)
        for value in main_readings(device)
    )
    for word in (UNKNOWN, "normal"):
        if len(texts) > 1:
            texts.pop(word, None)
    return ", ".join(texts) or UNKNOWN


# --- thermostats


def _thermostat(device: Device) -> str:
    """ "heat, set to 21 °C, now 20.5 °C": what is known of it."""
    mode = mode_text(device)
    parts = [mode] if mode else []
    if mode != "off" and (setting := _set_to(device)):
        parts.append(f"set to {setting}")
    air = device.find(CC.MULTILEVEL_SENSOR, "Air temperature")
    if air is not None and is_number(air.value):
        parts.append(f"now {reading_text(air)}")
    return ", ".join(parts) or UNKNOWN


def mode_text(device: Device) -> str:
    mode = device.mode
    return mode.states.get(mode.value, "").lower() if mode is not None else ""


def _set_to(device: Device) -> str:
    """ "21 °C", or "20 °C for heating and 25 °C for cooling"."""
    if both := auto_setpoints(device):
        return " and ".join(f"{reading_text(value)} for {kind}" for kind, value in both.items())
    setpoint = active_setpoint(device)
    if setpoint is None or not is_number(setpoint.value):
        return ""
    # Without a mode nothing else tells that it cools.
    known = device.mode is not None and device.mode.value is not None
    cools = not known and _SETPOINTS.get(setpoint.id.property_key) == COOLING
    return f"{reading_text(setpoint)} for {COOLING}" if cools else reading_text(setpoint)


def auto_setpoints(device: Device, mode: Any = None) -> Mapping[str, Value]:
    """Both setpoints, in an automatic mode that has none of its own; empty in every other mode."""
    value = device.mode
    chosen = mode if mode is not None else (value.value if value is not None else None)
    text = value.states.get(chosen, "").lower() if value is not None and chosen is not None else ""
    keys = {setpoint.id.property_key: setpoint for setpoint in device.setpoints if is_number(setpoint.value)}
    if "auto" not in text or chosen in keys or not set(_SETPOINTS) <= set(keys):
        return {}
    return {kind: keys[key] for key, kind in _SETPOINTS.items()}


def active_setpoint(
    device: Device, mode: Any = None, wished: float | None = None, kind: str | None = None
) -> Value | None:
    """The setpoint of a mode (default: the present one): heating has key 1, cooling key 2. Where both hold,
    the named one, else the one at work, else the one nearer to what is wished."""
    if both := auto_setpoints(device, mode):
        at_work = next((item for item in both if item == operating_state(device)), None)
        heat, cool = both[HEATING].value, both[COOLING].value
        near = COOLING if wished is not None and abs(wished - cool) < abs(wished - heat) else HEATING
        return both[kind or at_work or near]
    chosen = mode if mode is not None else (device.mode.value if device.mode is not None else None)
    for setpoint in device.setpoints:
        if setpoint.id.property_key == chosen:
            return setpoint
    # Many modes have no setpoint of their own; but heating never sets what is for cooling.
    others = [item for item in device.setpoints if {item.id.property_key, chosen} != set(_SETPOINTS)]
    return others[0] if others else None


def operating_state(device: Device) -> str:
    value = device.find(CC.THERMOSTAT_STATE, "state")
    return value.states.get(value.value, "").lower() if value is not None else ""


# --- as a list tells it, and in detail

_OLD_SECONDS: Final = 300  # then the age is said; battery sensors report about hourly, so older is no error


@dataclass(frozen=True, slots=True)
class Row:
    device: Device
    entry: dict[str, Any]
    text: str


class Rows:
    """The rows of the devices; those of unchanged devices are reused."""

    def __init__(self, *, allow_unlock: bool = True) -> None:
        self._allow_unlock = allow_unlock
        self._known: dict[tuple[int, int], Row] = {}

    def of(self, devices: Iterable[Device]) -> tuple[Row, ...]:
        known, self._known = self._known, {}
        for device in devices:
            row = known.get(device.place)
            self._known[device.place] = row if row and row.device == device else self._row(device)
        return tuple(self._known.values())

    def _row(self, device: Device) -> Row:
        facts = entry(device)
        if device.kind == "lock" and not self._allow_unlock:
            facts["unlocks"] = False
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
    state = state_text(device)
    facts: dict[str, Any] = {
        **{key: getattr(device, key) for key in ("name", "room", "kind", "endpoint", "available")},
        "nodeId": device.node.id,
        "state": state,
    }
    optional: dict[str, str | Sequence[Any]] = {
        "readings": _readings(device, state, alarms),
        "abilities": abilities(device),
        "tones": [tone.name for tone in tones_of(device)],
        "ownTone": own_tone(device),
        "events": event_names(device),
        "range": _range(device),
    }
    more = {key: value if isinstance(value, str) else list(value) for key, value in optional.items() if value}
    return facts | more


def _range(device: Device) -> tuple[float | str, ...]:
    """What a thermostat can be set to: lowest, highest, and the unit."""
    limits = [(item.minimum, item.maximum, item.unit) for item in device.setpoints]
    lows, highs = [low for low, _, _ in limits if low is not None], [high for _, high, _ in limits if high]
    if not limits or len(lows) != len(limits) or len(highs) != len(limits):
        return ()
    return min(lows), max(highs), "F" if "F" in limits[0][2] else "C"


def _readings(device: Device, state: str, alarms: Sequence[Standing]) -> list[str]:
    """What the device reports beside its state ("battery 80 %", "power 12.5 W"), with the alarms that stand
    or are urgent."""
    if not device.available:
        return []
    readings = []
    for value in device.readings:
        if is_number(value.value) and alarm_of(value) is None:
            text = reading_text(value)
            if text != UNKNOWN and text not in state:
                battery = value.id.command_class == CC.BATTERY
                name = "battery" if battery else _MEASURES.get(value.unit) or label_of(value).lower()
                readings.append(f"{name} {text}")
    shown = (*state.split(", "), *readings)
    if auto_setpoints(device) and (operating := operating_state(device)):
        readings.append(f"operating {operating}")
    standing = [alarm for alarm in alarms if alarm.state != "off" or alarm.kind in URGENT]
    words = (state_words(alarm.kind, alarm.state) for alarm in standing)
    return readings + [text for text in words if text not in shown]


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
    operating = operating_state(device)
    return {
        "kind": device.kind,
        "available": device.available,
        "status": device.node.status,
        "product": device.node.product,
        "readings": [reading(value) for value in device.readings],
        "batteryLow": device.battery_low,
        **({"operating": operating} if operating else {}),
    }


def reading(value: Value) -> dict[str, Any]:
    shown = {"label": label_of(value), "text": reading_text(value), "ageSeconds": age_seconds(value)}
    return {**shown, "value": value.value, "unit": value.unit}


def spoken_readings(device: Device) -> str:
    """What a device measures, as people say it, with its age if it is old."""
    texts = [_spoken(value) for value in main_readings(device)]
    texts += ["its battery is low"] if device.battery_low else []
    ages = [age for age in map(age_seconds, device.readings) if age is not None]
    minutes = min(ages, default=0) // 60
    ago = f"{minutes} minutes" if minutes < 120 else f"{minutes // 60} hours"
    old = f", measured {ago} ago" if minutes * 60 >= _OLD_SECONDS else ""
    return f"{', '.join(texts or [_spoken(value) for value in device.readings])}{old}"


def _spoken(value: Value) -> str:
    """Label and value; "closed" needs no label."""
    text = spoken_units(reading_text(value))
    plain = text in ("open", "closed", "motion", "no motion") or alarm_of(value) is not None
    return text if plain else f"{label_of(value).lower().removeprefix('air ')} {text}"
