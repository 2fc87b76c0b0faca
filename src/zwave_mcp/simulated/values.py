"""The values of each kind of simulated device, in the shapes that a real gateway reports."""

import re
from dataclasses import replace
from typing import Any, Final

from zwave_mcp.devices import CC, STATE_VALUES
from zwave_mcp.home import Value, ValueId
from zwave_mcp.simulated.file import DeviceSpec

Texts = dict[int | bool | str, str]

USER_PLACES: Final = 5
AIR: Final = "Air temperature"
_NAMED: Final[dict[str, tuple[Any, ...]]] = {
    "mode": (CC.THERMOSTAT_MODE, "mode"),
    "heating": (CC.THERMOSTAT_SETPOINT, "setpoint", 1),
    "cooling": (CC.THERMOSTAT_SETPOINT, "setpoint", 2),
    "air": (CC.MULTILEVEL_SENSOR, AIR),
    "watts": (CC.METER, "value", 66049),
    "kwh": (CC.METER, "value", 65537),
    "jam": (CC.NOTIFICATION, "Access Control", "Lock state"),
    "door": (CC.NOTIFICATION, "Access Control", "Door state (simple)"),
    "battery": (CC.BATTERY, "level"),
    "volume": (CC.SOUND_SWITCH, "volume"),
    "colour": (CC.COLOR_SWITCH, "targetColor"),
}
_MODES: Final[Texts] = {0: "Off", 1: "Heat", 2: "Cool", 3: "Auto"}
_FIRST: Final = {"switch": False, "plug": False, "blind": 99, "lock": 255}  # the state at first; else 0
_TEXTS: Final[dict[str, Texts]] = {
    "lock": {0: "Unsecured", 255: "Secured"},
    "garage_door": {0: "Closed", 252: "Closing", 253: "Stopped", 254: "Opening", 255: "Open"},
}
_WAYS: Final = {"blind": ("Up", "Down"), **dict.fromkeys(("dimmer", "light", "fan"), ("On", "Off"))}
CLASSES: Final = {"light": (17, 2), "fan": (17, 8), "chime": (3, 1), "siren": (16, 5)}  # device classes
COMPONENTS: Final = {0: "warmWhite", 1: "coldWhite", 2: "red", 3: "green", 4: "blue"}
_SHOWN: Final = {"colours": (2, 3, 4), "warm": (0,), "cold": (1,)}
_ORDER: Final = (2, 3, 4, 0, 1)  # of components in `#rrggbbwwcc`
# What a sensor can watch: type and variable of its notification, and the texts of its values.
ALARMS: Final[dict[str, tuple[str, str, Texts]]] = {
    "smoke": ("Smoke Alarm", "Sensor status", {0: "idle", 2: "Smoke detected"}),
    "carbon_monoxide": ("CO Alarm", "Sensor status", {0: "idle", 2: "Carbon monoxide detected"}),
    "water": ("Water Alarm", "Sensor status", {0: "idle", 2: "Water leak detected"}),
    "tamper": ("Home Security", "Cover status", {0: "idle", 3: "Tampering, product cover removed"}),
    "motion": ("Home Security", "Motion sensor status", {0: "idle", 8: "Motion detection"}),
}
_MEASURED: Final = {
    "temperature": (AIR, 21.4, "°C"),
    "humidity": ("Humidity", 46.0, "%"),
    "light": ("Illuminance", 320.0, "Lux"),
}
_REPORT_SECONDS: Final = 60.0  # between two reports of a meter


# --- addresses


def state_id(spec: DeviceSpec) -> ValueId | None:
    return _id(spec, 1)


def target_id(spec: DeviceSpec) -> ValueId | None:
    return _id(spec, 2)


def _id(spec: DeviceSpec, part: int) -> ValueId | None:
    shapes = STATE_VALUES.get(spec.kind, ())
    shape = next((item for item in shapes if item[0] != CC.WINDOW_COVERING), None)
    return ValueId(spec.node, shape[0], 0, str(shape[part])) if shape else None


def at(node: int, name: str) -> ValueId:
    """The address of a value by its name."""
    command_class, prop, *key = _NAMED[name]
    return ValueId(node, command_class, 0, prop, key[0] if key else None)


def components_of(spec: DeviceSpec) -> dict[int, ValueId]:
    shown = sorted(component for shown in spec.shows for component in _SHOWN[shown])
    return {item: ValueId(spec.node, CC.COLOR_SWITCH, 0, "currentColor", item) for item in shown}


# --- all values of a device


def values_of(spec: DeviceSpec) -> tuple[Value, ...]:
    """Everything the device has, with its first values."""
    node = spec.node
    values = [*_acting(spec), *(_measuring(node, measure) for measure in spec.measures)]
    places = max(USER_PLACES, len(spec.users)) if spec.users else 0
    texts: Texts = {0: "Available", 1: "Enabled", 2: "Disabled"}
    for place in range(1, places + 1):  # without digits: there are none in a simulated home
        where = ValueId(node, CC.USER_CODE, 0, "userIdStatus", place)
        values.append(Value(where, int(place <= len(spec.users)), f"User ID status ({place})", states=texts))
    for number in range(1, spec.buttons + 1):
        key = f"{number:03}"
        values.append(Value(ValueId(node, CC.CENTRAL_SCENE, 0, "scene", key), None, f"Scene {key}"))
    if spec.battery is not None:
        values.append(Value(at(node, "battery"), spec.battery, "Battery level", "%", maximum=100))
    return tuple(values)


def _acting(spec: DeviceSpec) -> list[Value]:
    node, state, target = spec.node, state_id(spec), target_id(spec)
    if spec.kind == "thermostat":
        return _thermostat(node, spec.temperature)
    if state is None or target is None:
        return []
    if spec.kind in ("chime", "siren"):
        tones: Texts = {0: "off", **dict(enumerate(spec.tones, start=1)), 255: "default"}
        return [
            Value(state, 0, "Play Tone", states=tones, maximum=255, writeable=True),
            Value(replace(state, property="defaultToneId"), 1, "Default tone ID"),
            Value(at(node, "volume"), spec.volume, "Volume", "%", maximum=100, writeable=True),
        ]
    first = spec.state if spec.state is not None else _FIRST.get(spec.kind, 0)
    texts = _TEXTS.get(spec.kind, {})
    values = [
        Value(state, first, "Current value", states=texts, target=target),
        Value(target, first, "Target value", states=texts, writeable=True),
    ]
    for way in _WAYS.get(spec.kind, ()):
        label = f"Perform a level change ({way})"
        values.append(Value(replace(target, property=way), None, label, writeable=True))
    if spec.kind == "lock":
        values.append(Value(at(node, "jam"), 0, "Lock state", states={0: "idle", 11: "Lock jammed"}))
    if spec.kind == "light":
        digits = spec.color.removeprefix("#").ljust(10, "0")
        levels = {component: int(digits[2 * at : 2 * at + 2], 16) for at, component in enumerate(_ORDER)}
        values += [
            Value(where, levels[item], f"Current value ({COMPONENTS[item]})", maximum=255)
            for item, where in components_of(spec).items()
        ]
        values.append(Value(at(node, "colour"), None, "Target color", writeable=True))
    if spec.kind == "plug":
        values.append(Value(at(node, "watts"), 0.0, "Electric Consumption [W]", "W"))
        if spec.kwh is not None:
            values.append(Value(at(node, "kwh"), spec.kwh, "Electric Consumption [kWh]", "kWh"))
    return values


def _thermostat(node: int, first: float) -> list[Value]:
    def setpoint(name: str, value: float, low: float, high: float) -> Value:
        label = f"Setpoint ({name.capitalize()})"
        return Value(at(node, name), value, label, "°C", minimum=low, maximum=high, writeable=True)

    return [
        Value(at(node, "mode"), 1, "Thermostat mode", states=_MODES, writeable=True),
        setpoint("heating", first, 5.0, 30.0),
        setpoint("cooling", 25.0, 18.0, 32.0),
        Value(at(node, "air"), first, AIR, "°C"),
    ]


def _measuring(node: int, measure: str) -> Value:
    if measure in _MEASURED:
        prop, first, unit = _MEASURED[measure]
        return Value(ValueId(node, CC.MULTILEVEL_SENSOR, 0, prop), first, prop, unit)
    if measure in ALARMS:
        kind, variable, states = ALARMS[measure]
        return Value(ValueId(node, CC.NOTIFICATION, 0, kind, variable), 0, variable, states=states)
    texts: Texts = {22: "Window/door is open", 23: "Window/door is closed"}
    return Value(at(node, "door"), 23, "Door state", states=texts)


# --- values that change by themselves


def kwh(spec: DeviceSpec, counted: float, on: bool, since: float, now: float) -> tuple[float, float]:
    """The meter's last report and its time: it had `counted` at `since`."""
    reported = max(since, now - now % _REPORT_SECONDS)
    used = spec.watts * (reported - since) / 3_600_000 if on else 0.0
    return round(counted + used, 3), reported


def tone_seconds(spec: DeviceSpec, tone: int) -> float:
    match = re.search(r"\((\d+) sec\)$", spec.tones[tone - 1])
    return float(match[1]) if match else 5.0
