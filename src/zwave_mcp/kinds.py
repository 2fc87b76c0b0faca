"""What sort of device a set of values makes, in words that a caller can judge by."""

import re
from collections.abc import Sequence
from typing import Final, Literal

from zwave_mcp.home import Value

Kind = Literal["switch", "plug", "dimmer", "blind", "garage_door", "lock", "thermostat", "sensor", "other"]

BINARY_SWITCH: Final = 37
MULTILEVEL_SWITCH: Final = 38
BINARY_SENSOR: Final = 48
MULTILEVEL_SENSOR: Final = 49
METER: Final = 50
THERMOSTAT_MODE: Final = 64
THERMOSTAT_STATE: Final = 66
THERMOSTAT_SETPOINT: Final = 67
DOOR_LOCK: Final = 98
BARRIER: Final = 102
WINDOW_COVERING: Final = 106
NOTIFICATION: Final = 113
BATTERY: Final = 128

READINGS: Final = (BINARY_SENSOR, MULTILEVEL_SENSOR, METER, NOTIFICATION, BATTERY)

# A way into the house: nobody gets one by a vague or misheard name.
ENTRANCES: Final = frozenset({"lock", "garage_door"})

# A motor that is a gate looks like a blind to Z-Wave; only its name tells.
_GATE: Final = re.compile(r"\b(garage|gate|garagentor|tor|einfahrt)\b", re.IGNORECASE)
_LIGHT: Final = re.compile(
    r"light|lamp|bulb|chandelier|lantern|leuchte|licht|lampe|lampa|spot|sconce|\bled\b|\bglow", re.IGNORECASE
)

# The value that is the device's state, best first: (command class, property, property to write).
STATE_VALUES: Final = {
    "lock": ((DOOR_LOCK, "currentMode", "targetMode"),),
    "garage_door": (
        (BARRIER, "currentState", "targetState"),
        (MULTILEVEL_SWITCH, "currentValue", "targetValue"),
        (WINDOW_COVERING, "currentValue", "targetValue"),
    ),
    "blind": (
        (WINDOW_COVERING, "currentValue", "targetValue"),
        (MULTILEVEL_SWITCH, "currentValue", "targetValue"),
    ),
    "dimmer": ((MULTILEVEL_SWITCH, "currentValue", "targetValue"),),
    "switch": ((BINARY_SWITCH, "currentValue", "targetValue"),),
    "plug": ((BINARY_SWITCH, "currentValue", "targetValue"),),
}


def kind_of(values: Sequence[Value], name: str = "") -> Kind:
    """The kind of one endpoint. What is riskier or more special wins over what is plainer."""
    has = {value.id.command_class for value in values}
    mover: Kind = "garage_door" if _GATE.search(name) else "blind"
    relay: Kind = "plug" if METER in has else "switch"
    signs: tuple[tuple[bool, Kind], ...] = (
        (DOOR_LOCK in has, "lock"),
        (bool(has & {THERMOSTAT_MODE, THERMOSTAT_SETPOINT}), "thermostat"),
        (BARRIER in has, "garage_door"),
        (WINDOW_COVERING in has or _moves(values), mover),
        (MULTILEVEL_SWITCH in has, "dimmer"),
        (BINARY_SWITCH in has, relay),
        (bool(has & set(READINGS)), "sensor"),
    )
    return next((kind for sign, kind in signs if sign), "other")


def is_light(kind: Kind, name: str) -> bool:
    """A dimmer nearly always is one; a switch only when its name says so."""
    return kind == "dimmer" or (kind in ("switch", "plug") and _LIGHT.search(name) is not None)


def _moves(values: Sequence[Value]) -> bool:
    return any(
        value.id.command_class == MULTILEVEL_SWITCH and value.id.property in ("Up", "Down", "Open", "Close")
        for value in values
    )
