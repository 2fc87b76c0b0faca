"""The state of a device in a few fixed words (docs/zwave.md lists them), and its readings as text."""

import math
import re
import time
from typing import Any, Final

from home_words.colours import colour_word, kelvin_of, white_word
from home_words.states import UNKNOWN, dimmed, opened
from zwave_mcp.devices import (
    BARRIER,
    BATTERY,
    BINARY_SENSOR,
    BINARY_SWITCH,
    METER,
    MULTILEVEL_SENSOR,
    NOTIFICATION,
    THERMOSTAT_STATE,
    Device,
    is_component,
    is_jammed,
    to_percent,
)
from zwave_mcp.home import Value, is_number
from zwave_mcp.notifications import BOLT_UNKNOWN, alarm_of, state_words

LOCKED: Final = 255
_DEFAULT_TONE: Final = 255
JAMMED: Final = "jammed"
_BARRIER: Final = {0: "closed", 252: "closing", 253: "stopped", 254: "opening", 255: "open"}


def state_text(device: Device) -> str:
    """The state as it may be told: what a device did before it went away is no state."""
    return remembered(device) if device.available else UNKNOWN


def remembered(device: Device) -> str:
    """By what the driver remembers, whether the device still answers or not."""
    if device.members:
        return _together(device.members)
    state = device.state_value
    if state is not None:
        return state_of(device, state.value)
    if device.kind == "thermostat":
        return _thermostat(device)
    if device.kind == "sensor":
        return _main_readings(device)
    return UNKNOWN


def components(device: Device) -> dict[int, Value]:
    """The parts of its colour that it has, by number: 0 warm white, 1 cold white, 2 red, 3 green, 4 blue."""
    found = [value for value in device.values if is_component(value)]
    return {
        int(value.id.property_key or 0): value for value in found if value.id.endpoint == found[0].id.endpoint
    }


def colour_text(device: Device) -> str:
    """ "blue", "warm white", "3000 K"; nothing where it is not known or has none."""
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


def _together(members: tuple[Device, ...]) -> str:
    """The state of all, where it is one; "on" of dimmers of different levels; else only some are."""
    states = {remembered(member) for member in members}
    if len(states) == 1:
        return states.pop()
    if UNKNOWN in states:
        return UNKNOWN
    for word, part in (("on", "partly on"), ("open", "partly open")):
        lit = [state.startswith(word) or state.endswith(f"% {word}") for state in states]
        if any(lit):
            return word if all(lit) else part
    return UNKNOWN


def state_of(device: Device, raw: Any) -> str:
    """In words, what a value means for this device; used for the remembered and for the polled one."""
    state = device.state_value
    barrier = state is not None and state.id.command_class == BARRIER
    if device.kind in ("chime", "siren"):
        return _sound(device, raw)
    if isinstance(raw, bool) and state is not None and state.id.command_class == BINARY_SWITCH:
        return _with_colour(device, "on" if raw else "off")
    if not is_number(raw) or (state is not None and state.id.command_class == BINARY_SWITCH):
        return UNKNOWN
    if device.kind == "lock":
        return _lock(device, raw)
    return _BARRIER.get(raw, "partly open") if barrier else _level(device, to_percent(raw))


def _level(device: Device, percent: int) -> str:
    if device.kind in ("blind", "garage_door"):
        return opened(percent)
    return _with_colour(device, dimmed(percent))


def _with_colour(device: Device, state: str) -> str:
    colour = colour_text(device) if device.kind == "light" and state.startswith("on") else ""
    return f"{state}, {colour}" if colour else state


_LENGTH: Final = re.compile(r"\((\d{1,4}) sec\)$")


def tone_name(text: str) -> tuple[str, int | None]:
    """A tone's name, and the seconds that are told with it: "Ding Dong (3 sec)"."""
    found = _LENGTH.search(text.strip())
    return (text.strip()[: found.start()].strip(), int(found[1])) if found else (text.strip(), None)


def _sound(device: Device, raw: Any) -> str:
    """ "silent", "playing Ding Dong" """
    if raw is True:
        return "sounding"
    if raw is False or raw == 0:
        return "silent"
    state = device.state_value
    if not is_number(raw) or state is None:
        return UNKNOWN
    name = tone_name(state.states.get(int(raw), ""))[0]
    return f"playing {name}" if name and raw != _DEFAULT_TONE else "sounding"


def reading_text(value: Value) -> str:
    """ "21.4 °C", "open", "motion": the value with its unit, or the text that the device has for it."""
    raw = value.value
    if (alarm := alarm_of(value)) is not None:
        return state_words(alarm.kind, alarm.state)
    if isinstance(raw, bool):
        return _binary(value, raw)
    text = value.states.get(raw) if isinstance(raw, int | str) else None
    if text is not None:
        return _notification(value, text)
    if value.id.command_class == NOTIFICATION and not value.unit:  # a code that nobody has words for
        return UNKNOWN
    if is_number(raw):
        number = number_text(raw)
        return f"{number} {value.unit}".strip()
    return str(raw)


def number_text(raw: float) -> str:
    if not math.isfinite(raw):
        return UNKNOWN
    rounded = round(raw, 2)
    return str(int(rounded)) if rounded == int(rounded) else str(rounded)


# All that one meter tells has the same label in Z-Wave.
_METERED: Final = {
    "W": "power", "kWh": "energy", "V": "voltage", "A": "current",
    "kVAh": "apparent energy", "kVar": "reactive power", "kVarh": "reactive energy",
}  # fmt: skip


def label_of(value: Value) -> str:
    label = value.label or str(value.id.property)
    if value.id.command_class == METER and value.unit in _METERED:
        produced = "Produced " if "produc" in label.lower() else ""
        return f"{produced}{_METERED[value.unit]}".capitalize()
    inner = re.search(r"\(([^()]+)\)|\[([^\[\]]+)\]$", label)
    if value.id.command_class == BINARY_SENSOR and inner:
        return str(inner.group(1))
    return re.sub(r"(?<!\s)\s*\[[^\[\]]+\]$", "", label)


def age_seconds(value: Value) -> int | None:
    return None if value.updated is None else max(0, int(time.time() - value.updated))


def _lock(device: Device, raw: float) -> str:
    if is_jammed(device):
        return JAMMED
    if raw == BOLT_UNKNOWN:
        return UNKNOWN
    return "locked" if raw == LOCKED else "unlocked"


def _thermostat(device: Device) -> str:
    """ "heat, set to 21 °C, now 20.5 °C": what is known of it."""
    parts = []
    mode = device.mode
    mode_text = mode.states.get(mode.value, "") if mode is not None else ""
    if mode_text:
        parts.append(mode_text.lower())
    if (told := _set_to(device)) and mode_text.lower() != "off":
        parts.append(f"set to {told}")
    measured = device.find(MULTILEVEL_SENSOR, "Air temperature")
    if measured is not None and is_number(measured.value):
        parts.append(f"now {reading_text(measured)}")
    return ", ".join(parts) or UNKNOWN


HEATING: Final = "heating"
COOLING: Final = "cooling"
_SETPOINTS: Final[dict[str | int | None, str]] = {1: HEATING, 2: COOLING}


def _set_to(device: Device) -> str:
    """ "21 °C"; where it keeps between two "20 °C for heating and 25 °C for cooling"."""
    both = auto_setpoints(device)
    if both:
        return " and ".join(f"{reading_text(value)} for {kind}" for kind, value in both.items())
    setpoint = active_setpoint(device)
    if setpoint is None or not is_number(setpoint.value):
        return ""
    # Without a mode nobody knows that it cools, so that is said.
    mode = device.mode.value if device.mode is not None else None
    cools = mode is None and _SETPOINTS.get(setpoint.id.property_key) == COOLING
    return f"{reading_text(setpoint)} for {COOLING}" if cools else reading_text(setpoint)


def auto_setpoints(device: Device, mode: Any = None) -> dict[str, Value]:
    """The two that hold together in an automatic mode that has none of its own; empty in every other."""
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
    """The setpoint that goes with a mode (the present one unless told): heating has key 1, cooling key 2.
    Of two that hold together the one that is named, that is at work, or that is nearer to what is wished."""
    if both := auto_setpoints(device, mode):
        at_work = next((one for one in both if one == heating_state(device)), None)
        near = COOLING if wished is not None and _nearer(wished, both[COOLING], both[HEATING]) else HEATING
        return both[kind or at_work or near]
    chosen = mode if mode is not None else (device.mode.value if device.mode is not None else None)
    for setpoint in device.setpoints:
        if setpoint.id.property_key == chosen:
            return setpoint
    # Many modes have none of their own; but what cools is never set by what is for heating.
    others = [one for one in device.setpoints if {one.id.property_key, chosen} != set(_SETPOINTS)]
    return others[0] if others else None


def _nearer(wished: float, one: Value, other: Value) -> bool:
    return bool(abs(wished - one.value) < abs(wished - other.value))


def heating_state(device: Device) -> str:
    value = device.find(THERMOSTAT_STATE, "state")
    return value.states.get(value.value, "").lower() if value is not None else ""


def _main_readings(device: Device) -> str:
    """What the sensor is there for: not its battery, and the same door only once."""
    texts = dict.fromkeys(_short(value) for value in main_readings(device))
    for word in (UNKNOWN, "normal"):
        if len(texts) > 1:
            texts.pop(word, None)
    return ", ".join(texts) or UNKNOWN


_MEASURES: Final = {
    "W": "power", "kWh": "energy", "V": "voltage", "A": "current", "°C": "temperature", "°F": "temperature",
    "lx": "light", "Lux": "light",
}  # fmt: skip


def measured(device: Device) -> tuple[str, ...]:
    """What it measures beside its state: "battery 80 %", "power 12.5 W"."""
    if not device.available:
        return ()
    state = state_text(device)
    numbers = (
        (value, reading_text(value))
        for value in device.readings
        if is_number(value.value) and alarm_of(value) is None
    )
    return tuple(
        f"{_measure(value)} {text}" for value, text in numbers if text != UNKNOWN and text not in state
    )


def _measure(value: Value) -> str:
    if value.id.command_class == BATTERY:
        return "battery"
    return _MEASURES.get(value.unit) or label_of(value).lower()


def _short(value: Value) -> str:
    text = reading_text(value)
    return f"{text} {label_of(value).lower()}" if value.unit == "%" else text


def main_readings(device: Device) -> tuple[Value, ...]:
    values = [
        value
        for value in device.readings
        if value.id.command_class != BATTERY and label_of(value) != "Lock state" and not _is_calm_cover(value)
    ]
    said: dict[str, Value] = {}
    for value in values:
        text = reading_text(value)
        alarm = alarm_of(value)
        named = alarm.kind if alarm is not None else label_of(value)
        kind = "opening" if text in ("open", "closed") else named
        # Of several that watch for the same, whoever tells of trouble, or of something open, is believed.
        if (alarm is not None and alarm.state != "off") or text == "open":
            said[kind] = value
        said.setdefault(kind, value)
    return tuple(said.values())


def _is_calm_cover(value: Value) -> bool:
    alarm = alarm_of(value)
    return label_of(value) == "Cover status" and (alarm is None or alarm.state == "off")


def _binary(value: Value, raw: bool) -> str:
    label = label_of(value).lower()
    if "door" in label or "window" in label:
        return "open" if raw else "closed"
    if "motion" in label:
        return "motion" if raw else "no motion"
    return "yes" if raw else "no"


def _notification(value: Value, text: str) -> str:
    """The driver's texts are long ("Window/door is closed") and "idle" alone says nothing."""
    low, label = text.lower(), label_of(value).lower()
    if low.endswith("is closed") or low == "closed":
        return "closed"
    if "is open" in low or low == "open":
        return "open"
    if "motion" in label:
        return "no motion" if low == "idle" else "motion"
    return "normal" if low == "idle" else low
