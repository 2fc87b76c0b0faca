"""The tools as a client sees them: names, descriptions for small models too, and strict schemas."""

from dataclasses import dataclass
from typing import Any, Final

from zwave_mcp.results import OUTCOMES

Schema = dict[str, Any]

NAME_LENGTH: Final = 100


@dataclass(frozen=True, slots=True)
class ToolSpec:
    name: str
    title: str
    description: str
    parameters: Schema
    output: Schema
    read_only: bool = False
    destructive: bool = False
    idempotent: bool = False


def _object(properties: Schema, required: tuple[str, ...] = ()) -> Schema:
    schema: Schema = {"type": "object", "properties": properties, "additionalProperties": False}
    return {**schema, "required": list(required)} if required else schema


def _device(examples: str = "'Floor Lamp', 'living room ceiling light'") -> Schema:
    return {
        "type": "string",
        "minLength": 1,
        "maxLength": NAME_LENGTH,
        "description": f"Name of ONE device as the user said it, with its room if said. Examples: {examples}",
    }


def _nullable(kind: str) -> Schema:
    return {"type": [kind, "null"]}


_RESULT: Final[Schema] = {
    "type": "object",
    "properties": {
        "device": _nullable("string"),
        "room": _nullable("string"),
        "nodeId": _nullable("integer"),
        "endpoint": _nullable("integer"),
        "requested": {"type": "object"},
        "state": _nullable("string"),
        "outcome": {"type": "string", "enum": list(OUTCOMES)},
    },
    "required": ["device", "room", "nodeId", "endpoint", "requested", "state", "outcome"],
}

_LIST: Final[Schema] = {
    "type": "object",
    "properties": {
        "devices": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "name": {"type": "string"},
                    "room": {"type": "string"},
                    "kind": {"type": "string"},
                    "nodeId": {"type": "integer"},
                    "endpoint": {"type": "integer"},
                    "state": {"type": "string"},
                    "available": {"type": "boolean"},
                },
                "required": ["name", "room", "kind", "nodeId", "endpoint", "state", "available"],
            },
        },
        "total": {"type": "integer"},
    },
    "required": ["devices", "total"],
}

TOOLS: Final[tuple[ToolSpec, ...]] = (
    ToolSpec(
        "list_zwave_devices",
        "List Z-Wave devices",
        "REQUIRED to know which smart home devices exist, and their states. "
        "MUST be used whenever the user asks what devices, lights, blinds or sensors there are, what is on, "
        "or what is in a room. DO NOT use it to switch anything, and DO NOT invent device names. "
        "Good: {} for all; {filter: 'kitchen'}; {filter: 'lights'}. Bad: {filter: 'turn on the lamp'}.",
        _object(
            {
                "filter": {
                    "type": "string",
                    "maxLength": NAME_LENGTH,
                    "description": "Room, kind or part of a name. Examples: 'kitchen', 'lights', 'blind'",
                },
                "includeInactive": {
                    "type": "boolean",
                    "description": "true: also devices that do not answer. Default: false",
                },
                "limit": {
                    "type": "integer",
                    "minimum": 1,
                    "maximum": 100,
                    "description": "At most so many, 1 to 100. Example: 20",
                },
                "offset": {
                    "type": "integer",
                    "minimum": 0,
                    "description": "Skip so many, for the next page. Example: 100",
                },
            }
        ),
        _LIST,
        read_only=True,
        idempotent=True,
    ),
    ToolSpec(
        "control_zwave_device",
        "Control a Z-Wave device",
        "REQUIRED to switch, dim, open or close ONE light, switch, plug, blind or garage door. "
        "MUST be used whenever the user says turn on, turn off, dim, toggle, open, close or stop. "
        "For several devices make one call each. NEVER say it is done unless the result says so. "
        "DO NOT use for locks (control_zwave_lock), thermostats (set_zwave_thermostat) or questions. "
        "Good: {deviceName: 'Floor Lamp', action: 'on'}; "
        "{deviceName: 'Floor Lamp', action: 'dim', level: 40}; "
        "{deviceName: 'Window Blind', action: 'close'}. Bad: {deviceName: 'all lights', action: 'on'}.",
        _object(
            {
                "deviceName": _device(),
                "action": {
                    "type": "string",
                    "enum": ["on", "off", "dim", "toggle", "open", "close", "stop"],
                    "description": "on, off, toggle: lights; dim needs level; open, close, stop: blinds",
                },
                "level": {
                    "type": "integer",
                    "minimum": 0,
                    "maximum": 100,
                    "description": "Percent, 0 to 100; REQUIRED for dim. Example: 40",
                },
            },
            ("deviceName", "action"),
        ),
        _RESULT,
    ),
    ToolSpec(
        "get_device_sensor_data",
        "Read sensors",
        "REQUIRED to read what sensors measure: temperature, humidity, motion, open doors, power, battery. "
        "MUST be used whenever the user asks how warm or humid it is at home, whether a door is open, "
        "or how much power something uses. DO NOT use for the weather outside, and DO NOT guess values. "
        "Good: {deviceName: 'Climate Sensor'}; {deviceName: 'Office'} for a room. "
        "Bad: {deviceName: 'weather'}.",
        _object({"deviceName": _device("'Climate Sensor', 'Office', 'Coffee Maker'")}, ("deviceName",)),
        _RESULT,
        read_only=True,
        idempotent=True,
    ),
    ToolSpec(
        "get_zwave_device",
        "Check one Z-Wave device",
        "REQUIRED to know the present state of ONE device; it asks the device itself. "
        "MUST be used whenever the user asks whether something is on, off, open, closed or locked, "
        "or to check that a command really happened. DO NOT use it to change anything. "
        "Good: {deviceName: 'Front Door'}; {deviceName: 'Garage Door'}. Bad: {deviceName: 'all lights'}.",
        _object({"deviceName": _device("'Front Door', 'Garage Door'")}, ("deviceName",)),
        _RESULT,
        read_only=True,
        idempotent=True,
    ),
    ToolSpec(
        "control_zwave_lock",
        "Lock or unlock a door",
        "REQUIRED to lock or unlock ONE door lock. MUST be used whenever the user clearly asks to lock or "
        "unlock, with the full name of the lock. "
        "DO NOT guess the lock, DO NOT unlock unless the user said unlock, "
        "and NEVER say it is locked unless the result says so. "
        "Good: {deviceName: 'Front Door', action: 'lock'}. Bad: {deviceName: 'door', action: 'unlock'}.",
        _object(
            {
                "deviceName": _device("'Front Door', 'hallway front door'"),
                "action": {
                    "type": "string",
                    "enum": ["lock", "unlock"],
                    "description": "lock or unlock, exactly as the user asked",
                },
            },
            ("deviceName", "action"),
        ),
        _RESULT,
        destructive=True,
        idempotent=True,
    ),
    ToolSpec(
        "set_zwave_thermostat",
        "Set a thermostat",
        "REQUIRED to change the heating or cooling at home. MUST be used whenever the user wants it warmer, "
        "cooler, a temperature, or a heating mode. Give temperature, mode or both. "
        "DO NOT use to read the temperature (get_device_sensor_data). "
        "Good: {deviceName: 'Thermostat', temperature: 21}; {deviceName: 'Thermostat', mode: 'off'}. "
        "Bad: {deviceName: 'Thermostat'}.",
        _object(
            {
                "deviceName": _device("'Thermostat', 'hallway thermostat'"),
                "temperature": {"type": "number", "description": "Degrees. Examples: 21, 20.5"},
                "unit": {
                    "type": "string",
                    "enum": ["C", "F"],
                    "description": "C or F; only when the user said it. Default: as the thermostat has it",
                },
                "mode": {
                    "type": "string",
                    "minLength": 1,
                    "maxLength": NAME_LENGTH,
                    "description": "Examples: 'heat', 'cool', 'auto', 'off'",
                },
            },
            ("deviceName",),
        ),
        _RESULT,
        idempotent=True,
    ),
    ToolSpec(
        "activate_zwave_scene",
        "Activate a scene",
        "REQUIRED to start a scene that is set up in the home. MUST be used whenever the user names a scene. "
        "DO NOT use for one device (control_zwave_device), and DO NOT invent scenes. "
        "Good: {sceneName: 'Movie Night'}. Bad: {sceneName: 'turn on the lamp'}.",
        _object(
            {
                "sceneName": {
                    "type": "string",
                    "minLength": 1,
                    "maxLength": NAME_LENGTH,
                    "description": "Name of the scene. Examples: 'Movie Night', 'Good Night'",
                }
            },
            ("sceneName",),
        ),
        _RESULT,
        idempotent=True,
    ),
    ToolSpec(
        "check_zwave_health",
        "Check the Z-Wave system",
        "REQUIRED to know whether the Z-Wave system works, what is offline and which battery is low. "
        "MUST be used whenever the user asks about problems, dead devices or batteries. "
        "DO NOT use for the state of one device (get_zwave_device). Good: {}. Bad: {deviceName: 'Lamp'}.",
        _object({}),
        _RESULT,
        read_only=True,
        idempotent=True,
    ),
)
