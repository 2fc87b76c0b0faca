"""The values that each kind of simulated device has, in the shapes that a real gateway reports."""

import math
import re
import zlib
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

from zwave_mcp.devices import (
    BARRIER,
    BATTERY,
    BINARY_SWITCH,
    COLOR_SWITCH,
    DOOR_LOCK,
    METER,
    MULTILEVEL_SENSOR,
    MULTILEVEL_SWITCH,
    NOTIFICATION,
    SOUND_SWITCH,
    THERMOSTAT_MODE,
    THERMOSTAT_SETPOINT,
    THERMOSTAT_STATE,
)
from zwave_mcp.home import Value, ValueId
from zwave_mcp.simulated.file import DeviceSpec
from zwave_mcp.simulated.firing import alarm_values, button_values

Texts = dict[int | bool | str, str]

WATTS_KEY: Final = 66049
KWH_KEY: Final = 65537
USER_CODE: Final = 99
_USER_PLACES: Final = 5
AIR: Final = "Air temperature"
_MODES: Final[Texts] = {0: "Off", 1: "Heat", 2: "Cool", 3: "Auto"}
_LOCK_MODES: Final[Texts] = {0: "Unsecured", 255: "Secured"}
_BARRIER_STATES: Final[Texts] = {0: "Closed", 252: "Closing", 253: "Stopped", 254: "Opening", 255: "Open"}
_STATE: Final = {
    "switch": (BINARY_SWITCH, "currentValue", "targetValue"),
    "plug": (BINARY_SWITCH, "currentValue", "targetValue"),
    "dimmer": (MULTILEVEL_SWITCH, "currentValue", "targetValue"),
    "light": (MULTILEVEL_SWITCH, "currentValue", "targetValue"),
    "fan": (MULTILEVEL_SWITCH, "currentValue", "targetValue"),
    "chime": (SOUND_SWITCH, "toneId", "toneId"),
    "siren": (SOUND_SWITCH, "toneId", "toneId"),
    "blind": (MULTILEVEL_SWITCH, "currentValue", "targetValue"),
    "garage_door": (BARRIER, "currentState", "targetState"),
    "lock": (DOOR_LOCK, "currentMode", "targetMode"),
}
_FIRST: Final = {
    "switch": False, "plug": False, "dimmer": 0, "light": 0, "fan": 0, "blind": 99, "garage_door": 0,
    "lock": 255,
}  # fmt: skip
# The device classes by which a driver knows what is built for something.
CLASSES: Final = {"light": (17, 2), "fan": (17, 8), "chime": (3, 1), "siren": (16, 5)}


def state_id(spec: DeviceSpec) -> ValueId | None:
    shape = _STATE.get(spec.kind)
    return ValueId(spec.node, shape[0], 0, shape[1]) if shape else None


def target_id(spec: DeviceSpec) -> ValueId | None:
    shape = _STATE.get(spec.kind)
    return ValueId(spec.node, shape[0], 0, shape[2]) if shape else None


def setpoint_id(spec: DeviceSpec, mode: int = 1) -> ValueId:
    return ValueId(spec.node, THERMOSTAT_SETPOINT, 0, "setpoint", mode)


def mode_id(spec: DeviceSpec) -> ValueId:
    return ValueId(spec.node, THERMOSTAT_MODE, 0, "mode")


def air_id(spec: DeviceSpec) -> ValueId:
    return ValueId(spec.node, MULTILEVEL_SENSOR, 0, AIR)


def kwh_id(spec: DeviceSpec) -> ValueId:
    return ValueId(spec.node, METER, 0, "value", KWH_KEY)


def lock_state_id(spec: DeviceSpec) -> ValueId:
    return ValueId(spec.node, NOTIFICATION, 0, "Access Control", "Lock state")


def values_of(spec: DeviceSpec) -> tuple[Value, ...]:
    """Everything the device has, with its first values."""
    values = [*_acting(spec), *_measuring(spec)]
    values += [*_users(spec)]
    values += [*alarm_values(spec.node, spec.measures), *button_values(spec.node, spec.buttons)]
    if spec.battery is not None:
        battery = ValueId(spec.node, BATTERY, 0, "level")
        values.append(Value(battery, spec.battery, "Battery level", "%", minimum=0, maximum=100))
    return tuple(values)


def _acting(spec: DeviceSpec) -> list[Value]:
    state, target = state_id(spec), target_id(spec)
    if spec.kind == "thermostat":
        return _thermostat(spec)
    if spec.kind in ("chime", "siren"):
        return _sounding(spec)
    if state is None or target is None:
        return []
    first = spec.state if spec.state is not None else _FIRST[spec.kind]
    states: Texts = {"lock": _LOCK_MODES, "garage_door": _BARRIER_STATES}.get(spec.kind, {})
    current = Value(state, first, "Current value", states=states, target=target)
    values = [current, Value(target, first, "Target value", states=states, writeable=True)]
    ways = {"blind": ("Up", "Down"), **dict.fromkeys(("dimmer", "light", "fan"), ("On", "Off"))}
    directions = ways.get(spec.kind, ())
    for direction in directions:
        way = replace(target, property=direction)
        values.append(Value(way, None, f"Perform a level change ({direction})", writeable=True))
    if spec.kind == "lock":
        values.append(Value(lock_state_id(spec), 0, "Lock state", states={0: "idle", 11: "Lock jammed"}))
    if spec.kind == "light":
        values += _coloured(spec)
    if spec.kind == "plug":
        watts = ValueId(spec.node, METER, 0, "value", WATTS_KEY)
        values.append(Value(watts, 0.0, "Electric Consumption [W]", "W"))
    if spec.kind == "plug" and spec.kwh is not None:
        values.append(Value(kwh_id(spec), spec.kwh, "Electric Consumption [kWh]", "kWh"))
    return values


# Components as Z-Wave numbers them, in the order of `#rrggbbwwcc`.
_SHOWN: Final = {"colours": (2, 3, 4), "warm": (0,), "cold": (1,)}
_ORDER: Final = (2, 3, 4, 0, 1)
COMPONENTS: Final = {0: "warmWhite", 1: "coldWhite", 2: "red", 3: "green", 4: "blue"}


def component_id(spec: DeviceSpec, component: int) -> ValueId:
    return ValueId(spec.node, COLOR_SWITCH, 0, "currentColor", component)


def components_of(spec: DeviceSpec) -> list[int]:
    return sorted(component for shown in spec.shows for component in _SHOWN[shown])


def _coloured(spec: DeviceSpec) -> list[Value]:
    digits = spec.color.removeprefix("#").ljust(10, "0")
    first = {component: int(digits[2 * at : 2 * at + 2], 16) for at, component in enumerate(_ORDER)}
    whole = ValueId(spec.node, COLOR_SWITCH, 0, "targetColor")
    values = [
        Value(component_id(spec, one), first[one], f"Current value ({COMPONENTS[one]})", maximum=255)
        for one in components_of(spec)
    ]
    return [*values, Value(whole, None, "Target color", writeable=True)]


def tone_seconds(spec: DeviceSpec, tone: int) -> float:
    found = re.search(r"\((\d+) sec\)$", spec.tones[tone - 1])
    return float(found[1]) if found else 5.0


def volume_id(spec: DeviceSpec) -> ValueId:
    return ValueId(spec.node, SOUND_SWITCH, 0, "volume")


def _sounding(spec: DeviceSpec) -> list[Value]:
    tone = ValueId(spec.node, SOUND_SWITCH, 0, "toneId")
    states: Texts = {0: "off", **dict(enumerate(spec.tones, start=1)), 255: "default"}
    volume = {"minimum": 0, "maximum": 100, "writeable": True}
    return [
        Value(tone, 0, "Play Tone", states=states, minimum=0, maximum=255, writeable=True),
        Value(ValueId(spec.node, SOUND_SWITCH, 0, "defaultToneId"), 1, "Default tone ID"),
        Value(volume_id(spec), spec.volume, "Volume", "%", **volume),  # type: ignore[arg-type]
    ]


def _users(spec: DeviceSpec) -> list[Value]:
    """Who has a code, as the gateway shows it. There are no digits in a simulated home."""
    texts: Texts = {0: "Available", 1: "Enabled", 2: "Disabled"}
    places = _USER_PLACES if spec.users else 0
    return [
        Value(
            ValueId(spec.node, USER_CODE, 0, "userIdStatus", place),
            1 if place <= len(spec.users) else 0,
            f"User ID status ({place})",
            states=texts,
        )
        for place in range(1, max(places, len(spec.users)) + 1)
    ]


def _thermostat(spec: DeviceSpec) -> list[Value]:
    heating = {"minimum": 5.0, "maximum": 30.0, "writeable": True}
    cooling = {"minimum": 18.0, "maximum": 32.0, "writeable": True}
    operating = ValueId(spec.node, THERMOSTAT_STATE, 0, "state")
    return [
        Value(mode_id(spec), 1, "Thermostat mode", states=_MODES, writeable=True),
        Value(operating, 0, "Operating state", states={0: "Idle", 1: "Heating", 2: "Cooling"}),
        Value(setpoint_id(spec, 1), spec.temperature, "Setpoint (Heating)", "°C", **heating),  # type: ignore[arg-type]
        Value(setpoint_id(spec, 2), 25.0, "Setpoint (Cooling)", "°C", **cooling),  # type: ignore[arg-type]
        Value(air_id(spec), spec.temperature, AIR, "°C"),
    ]


def _measuring(spec: DeviceSpec) -> list[Value]:
    sensors = {
        "temperature": (AIR, 21.4, "°C"),
        "humidity": ("Humidity", 46.0, "%"),
        "light": ("Illuminance", 320.0, "Lux"),
    }
    values = [
        Value(ValueId(spec.node, MULTILEVEL_SENSOR, 0, prop), first, prop, unit)
        for prop, first, unit in (sensors[measure] for measure in spec.measures if measure in sensors)
    ]
    if "motion" in spec.measures:
        motion = ValueId(spec.node, NOTIFICATION, 0, "Home Security", "Motion sensor status")
        values.append(Value(motion, 0, "Motion sensor status", states={0: "idle", 8: "Motion detection"}))
    if "door" in spec.measures:
        door = ValueId(spec.node, NOTIFICATION, 0, "Access Control", "Door state (simple)")
        texts: Texts = {22: "Window/door is open", 23: "Window/door is closed"}
        values.append(Value(door, 23, "Door state", states=texts))
    return values


# How far and how fast a reading wanders: (amplitude, period in seconds).
_DRIFT: Final = {AIR: (0.8, 5400.0), "Humidity": (3.0, 7200.0), "Illuminance": (140.0, 3600.0)}
_REPORT_SECONDS: Final = 60.0  # a device reports now and then, not all the time
_ASLEEP_REPORT_SECONDS: Final = 600.0
_MOTION_SECONDS: Final = 30.0
_WARMING_SECONDS: Final = 1200.0  # how long a room takes to get two thirds of the way


def drifting(value: Value, asleep: bool, now: float) -> tuple[Any, float] | None:
    """The reading now and when it was reported; None for a value that stands still.

    A function of the time alone: two servers of one home say the same, and nothing needs to be kept.
    """
    seed = zlib.crc32(str(value.id).encode())
    every = _ASLEEP_REPORT_SECONDS if asleep else _REPORT_SECONDS
    reported = now - (now + seed) % every
    prop = value.id.property
    if value.id.command_class == MULTILEVEL_SENSOR and prop in _DRIFT:
        amplitude, period = _DRIFT[str(prop)]
        swing = math.sin(reported / period * math.tau + seed)
        return round(value.value + amplitude * swing, 1), reported
    if value.id.property_key == "Motion sensor status":
        slot = int(now // _MOTION_SECONDS)
        moving = zlib.crc32(f"{seed}.{slot}".encode()) % 6 == 0
        return (8 if moving else 0), slot * _MOTION_SECONDS
    return None


def room_temperature(start: float, wanted: float, since: float, now: float) -> float:
    """A room follows its thermostat slowly."""
    return round(wanted + (start - wanted) * math.exp(-max(0.0, now - since) / _WARMING_SECONDS), 1)


def watts(spec: DeviceSpec, on: bool, now: float) -> float:
    wobble = math.sin(now / 7) * 0.02
    return round(spec.watts * (1 + wobble), 1) if on else 0.0


_COUNTED_SECONDS: Final = 60.0  # how often a meter tells


def kwh(spec: DeviceSpec, counted: float, on: bool, since: float, now: float) -> tuple[float, float]:
    """What the meter last told, and when: it had `counted` at `since`, and has run since then or not."""
    told = max(since, now - (now + spec.node) % _COUNTED_SECONDS)
    return round(counted + (spec.watts * (told - since) / 3_600_000 if on else 0.0), 3), told


def acceptable(value_id: ValueId, value: Any) -> bool:
    """Whether the driver would take the value at all."""
    checks: dict[int, Callable[[Any], bool]] = {
        BINARY_SWITCH: lambda raw: isinstance(raw, bool),
        MULTILEVEL_SWITCH: lambda raw: raw == 255 or 0 <= raw <= 99,
        DOOR_LOCK: lambda raw: raw in _LOCK_MODES,
        BARRIER: lambda raw: raw in (0, 255),
        THERMOSTAT_MODE: lambda raw: raw in _MODES,
        THERMOSTAT_SETPOINT: lambda raw: True,
        SOUND_SWITCH: lambda raw: 0 <= raw <= 255,
    }
    if value_id.property == "targetColor":
        return isinstance(value, dict) and bool(value) and set(value) <= set(COMPONENTS.values())
    if isinstance(value, bool):
        return value_id.command_class == BINARY_SWITCH or value_id.property in ("Up", "Down", "On", "Off")
    if value_id.property in ("Up", "Down", "On", "Off") or not isinstance(value, int | float):
        return False
    return value_id.command_class in checks and checks[value_id.command_class](value)
