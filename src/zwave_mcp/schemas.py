"""The tools as a client sees them: names, descriptions for small models too, and strict schemas."""

from typing import Final

from zwave_mcp.results import OUTCOMES
from zwave_mcp.schema_parts import FLAG, INTEGER, NAME_LENGTH, STRING, TEXTS, Schema, ToolSpec, list_of
from zwave_mcp.schema_parts import choice as _choice
from zwave_mcp.schema_parts import device as _device
from zwave_mcp.schema_parts import given as _given
from zwave_mcp.schema_parts import nullable as _nullable
from zwave_mcp.schema_parts import object_of as _object
from zwave_mcp.schema_parts import text as _text

ACTIONS: Final = ("on", "off", "dim", "toggle", "open", "close", "stop")


def _with(**fields: Schema) -> Schema:
    """The shape of every result about one device, and more."""
    return {**RESULT, "properties": {**RESULT["properties"], **fields}}


_READING: Final[Schema] = {
    "type": "object",
    "properties": {
        "device": {"type": "string"},  # of a room's
        "label": {"type": "string"},
        "value": {"type": ["boolean", "number", "string", "null"]},
        "unit": {"type": "string"},
        "text": {"type": "string"},
        "ageSeconds": _nullable("integer"),
    },
    "required": ["label", "value", "unit", "text", "ageSeconds"],
}

RESULT: Final[Schema] = {
    "type": "object",
    "properties": {
        "device": _nullable("string"),
        "room": _nullable("string"),
        "nodeId": _nullable("integer"),
        "endpoint": _nullable("integer"),
        "requested": {"type": "object"},
        "state": _nullable("string"),
        "outcome": {"type": "string", "enum": list(OUTCOMES)},
        # Of tools that act: the calls that put back what was before, and what cannot be put back, and why.
        "before": list_of(name=STRING, args={"type": "object"}),
        "undo": STRING,
        # Where several were possible, or none.
        "candidates": list_of(name=STRING, room=STRING, nodeId=INTEGER, endpoint=INTEGER),
        "starting": FLAG,
    },
    "required": ["device", "room", "nodeId", "endpoint", "requested", "state", "outcome"],
}

_ENTRY: Final = {
    "name": "string",
    "room": "string",
    "kind": "string",
    "nodeId": "integer",
    "endpoint": "integer",
    "state": "string",
    "available": "boolean",
}
_LIST: Final[Schema] = {
    "type": "object",
    "properties": {
        "devices": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    **{key: {"type": kind} for key, kind in _ENTRY.items()},
                    "readings": TEXTS,  # beside the state
                    # What one can do, where not all of its kind can, and what it can play.
                    "abilities": TEXTS,
                    "tones": TEXTS,
                    "ownTone": {"type": "string"},  # … when none is named
                    "events": TEXTS,  # what it tells of: "smoke"
                },
                "required": list(_ENTRY),
            },
        },
        "total": {"type": "integer"},
        "outcome": {"type": "string", "enum": list(OUTCOMES)},  # only where there is no list
    },
    "required": ["devices", "total"],
}

_COLOUR_WORDS: Final = tuple(
    "colour color kelvin white red orange yellow green turquoise cyan blue violet purple magenta pink".split()
)
_SOUND_WORDS: Final = ("chime", "doorbell", "bell", "gong", "siren", "ring", "tone")

TOOLS: Final[tuple[ToolSpec, ...]] = (
    ToolSpec(
        "list_zwave_devices",
        "List Z-Wave devices",
        "Which devices there are, what is on, and what is in a room.",
        "REQUIRED to know the home's devices: you MUST call this whenever the user asks about which there "
        "are, what is on, or what is in a room. DO NOT use for switching.\n"
        "Good: {filter: 'kitchen'}; {} for all. Bad: {filter: 'turn on the lamp'}.",
        _object(
            {
                "filter": _given("string", "Room, kind or name, for example 'lights'", maxLength=NAME_LENGTH),
                "includeInactive": _given("boolean", "Also those that do not answer"),
                "limit": _given("integer", "1 to 100, for example 20", minimum=1, maximum=100),
                "offset": _given("integer", "To skip, at least 0, for example 20", minimum=0),
            }
        ),
        _LIST,
        read_only=True,
        idempotent=True,
    ),
    ToolSpec(
        "control_zwave_device",
        "Control a Z-Wave device",
        "Switches, dims, opens or closes one light, plug, fan, blind or garage door.",
        "REQUIRED to switch, dim, open or close ONE light, plug, fan, blind or garage door: you MUST call "
        "this whenever the user asks about that; for several devices once each. "
        "DO NOT use for locks, thermostats or questions.\n"
        "Good: {deviceName: 'Floor Lamp', action: 'dim', level: 40}; "
        "{deviceName: 'Window Blind', action: 'close'}. Bad: {deviceName: 'all lights', action: 'on'}.",
        _object(
            {
                "deviceName": _device(),
                "action": _choice("dim needs level; open, close, stop: blinds", *ACTIONS),
                "level": _given(
                    "integer", "Percent, 0 to 100, for example 40; REQUIRED for dim", minimum=0, maximum=100
                ),
            },
            ("deviceName", "action"),
        ),
        _with(notConfirmed=TEXTS),
    ),
    ToolSpec(
        "get_device_sensor_data",
        "Read sensors",
        "Temperature, humidity, motion, power and battery of one device or room.",
        "REQUIRED to read sensors: you MUST call this whenever the user asks about temperature, humidity, "
        "motion, power or battery at home. DO NOT use for the weather.\n"
        "Good: {deviceName: 'Office'}. Bad: {deviceName: 'weather'}.",
        _object({"deviceName": _device("'Climate Sensor'")}, ("deviceName",)),
        _with(readings={"type": "array", "items": _READING}),
        read_only=True,
        idempotent=True,
    ),
    ToolSpec(
        "get_zwave_device",
        "Check one Z-Wave device",
        "Whether one device is on, open or locked.",
        "REQUIRED to know ONE device's state: you MUST call this whenever the user asks about something "
        "being on, open or locked. DO NOT use for changing it.\n"
        "Good: {deviceName: 'Front Door'}. Bad: {deviceName: 'all lights'}.",
        _object({"deviceName": _device("'Front Door'")}, ("deviceName",)),
        _with(
            kind=STRING,
            notConfirmed=TEXTS,
            available=FLAG,
            status=STRING,
            product=STRING,
            readings={"type": "array", "items": _READING},
            batteryLow=FLAG,
            operating=STRING,
        ),
        read_only=True,
        idempotent=True,
    ),
    ToolSpec(
        "control_zwave_lock",
        "Lock or unlock a door",
        "Locks or unlocks one door; unlocking needs your yes.",
        "REQUIRED for ONE lock: you MUST call this whenever the user asks about locking or unlocking it. "
        "DO NOT use for a guess; unlock only if the user said so.\n"
        "Good: {deviceName: 'Front Door', action: 'lock'}. Bad: {deviceName: 'door', action: 'unlock'}.",
        _object(
            {
                "deviceName": _device("'Front Door'"),
                "action": _choice("As the user asked", "lock", "unlock"),
            },
            ("deviceName", "action"),
        ),
        RESULT,
        destructive=True,
        idempotent=True,
    ),
    ToolSpec(
        "set_zwave_thermostat",
        "Set a thermostat",
        "Makes it warmer or cooler, or sets the mode of the heating.",
        "REQUIRED for heating and cooling: you MUST call this whenever the user asks about making it warmer "
        "or cooler, or about a mode. DO NOT use for reading the temperature.\n"
        "Good: {deviceName: 'Thermostat', temperature: 21}. Bad: {deviceName: 'Thermostat'}.",
        _object(
            {
                "deviceName": _device("'hallway thermostat'"),
                "temperature": _given("number", "Degrees, for example 21"),
                "unit": _choice("If the user said it", "C", "F"),
                "mode": _text("For example 'heat' or 'off'"),
                "setpoint": _choice("Leave out", "heating", "cooling"),
            },
            ("deviceName",),
        ),
        RESULT,
        idempotent=True,
    ),
    ToolSpec(
        "set_zwave_color",
        "Set a light's colour",
        "Makes one light blue, warm white or 2700 kelvin, and turns it on.",
        "REQUIRED for the colour of ONE light: you MUST call this whenever the user asks about a colour or a "
        "white. It turns the light on. DO NOT use for brightness alone.\n"
        "Good: {deviceName: 'Mood Light', color: 'blue'}; {deviceName: 'Mood Light', temperature: 2700}. "
        "Bad: {deviceName: 'Mood Light', color: 'bright'}.",
        _object(
            {
                "deviceName": _device("'Mood Light'"),
                "color": _text("A word or #rrggbb, for example 'blue' or 'warm white'"),
                "temperature": _given("number", "Of white, in kelvin, for example 2700; not with color"),
                "brightness": _given(
                    "integer", "Percent, if the user said it, for example 40", minimum=1, maximum=100
                ),
            },
            ("deviceName",),
        ),
        _with(notConfirmed=TEXTS),
        idempotent=True,
        words=_COLOUR_WORDS,
    ),
    ToolSpec(
        "play_zwave_sound",
        "Ring a chime or a siren",
        "Rings or stops one doorbell, chime or siren; a siren needs your yes.",
        "REQUIRED for ONE doorbell, chime or siren: you MUST call this whenever the user asks about ringing "
        "or stopping it. DO NOT use for music, timers or the speaker.\n"
        "Good: {deviceName: 'Door Chime', action: 'play'}; {deviceName: 'Siren', action: 'stop'}. "
        "Bad: {deviceName: 'music', action: 'play'}.",
        _object(
            {
                "deviceName": _device("'Door Chime'"),
                "action": _choice("As the user asked", "play", "stop"),
                "tone": _text("Its name, if the user said one, for example 'Westminster'"),
                "volume": _given(
                    "integer", "Percent, if the user said it, for example 40", minimum=1, maximum=100
                ),
            },
            ("deviceName", "action"),
        ),
        RESULT,
        words=_SOUND_WORDS,
    ),
    ToolSpec(
        "activate_zwave_scene",
        "Activate a scene",
        "Starts a scene by its name.",
        "REQUIRED to start a scene: you MUST call this whenever the user asks about a scene by name. "
        "DO NOT use for one device.\nGood: {sceneName: 'Movie Night'}. Bad: {sceneName: 'lamp on'}.",
        _object(
            {
                "sceneName": _text("For example 'Movie Night'"),
                "confirmed": _given("boolean", "Leave out"),
            },
            ("sceneName",),
        ),
        _with(scenes=TEXTS, notConfirmed=TEXTS, needsYes=FLAG),
        idempotent=True,
    ),
    ToolSpec(
        "check_zwave_health",
        "Check the Z-Wave system",
        "What does not answer, and which batteries are low.",
        "REQUIRED to know what is offline or low on battery: you MUST call this whenever the user asks about "
        "problems or batteries. DO NOT use for one device.\nGood: {}. Bad: {deviceName: 'Lamp'}.",
        _object({}),
        _with(
            broker=_nullable("boolean"),
            gateway=_nullable("boolean"),
            driver=_nullable("boolean"),
            gatewayName=STRING,
            version=STRING,
            simulated=FLAG,
            devices=INTEGER,
            offline=TEXTS,
            batteryLow=TEXTS,
            alarms=TEXTS,
        ),
        read_only=True,
        idempotent=True,
    ),
)
