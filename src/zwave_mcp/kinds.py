"""What sort of device a set of values makes, in words that a caller can judge by."""

from collections.abc import Sequence
from typing import Final

from home_words.kinds import Kind, mover_kind
from zwave_mcp.home import Value

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
    relay: Kind = "plug" if METER in has else "switch"
    signs: tuple[tuple[bool, Kind], ...] = (
        (DOOR_LOCK in has, "lock"),
        (bool(has & {THERMOSTAT_MODE, THERMOSTAT_SETPOINT}), "thermostat"),
        (BARRIER in has, "garage_door"),
        (WINDOW_COVERING in has or _moves(values), mover_kind(name)),
        (MULTILEVEL_SWITCH in has, "dimmer"),
        (BINARY_SWITCH in has, relay),
        (bool(has & set(READINGS)), "sensor"),
    )
    return next((kind for sign, kind in signs if sign), "other")


def _moves(values: Sequence[Value]) -> bool:
    return any(
        value.id.command_class == MULTILEVEL_SWITCH and value.id.property in ("Up", "Down", "Open", "Close")
        for value in values
    )
