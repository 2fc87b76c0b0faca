"""The tools as a client sees them: names, descriptions that small models understand, and strict schemas."""

from dataclasses import dataclass
from typing import Any, Final

from zwave_mcp.results import OUTCOMES

Schema = dict[str, Any]
NAME_LENGTH: Final = 100
ACTIONS: Final = ("on", "off", "dim", "toggle", "open", "close", "stop")

STRING: Final[Schema] = {"type": "string"}
INTEGER: Final[Schema] = {"type": "integer"}
NUMBER: Final[Schema] = {"type": "number"}
FLAG: Final[Schema] = {"type": "boolean"}
TEXTS: Final[Schema] = {"type": "array", "items": STRING}
OBJECT: Final[Schema] = {"type": "object"}


@dataclass(frozen=True, slots=True)
class ToolSpec:
    name: str
    title: str
    summary: str  # for people
    description: str  # for models
    parameters: Schema
    output: Schema
    read_only: bool = False
    destructive: bool = False
    idempotent: bool = False
    # Of a rarely needed tool: a small model is told of it only when one of these words was said.
    words: tuple[str, ...] = ()


# --- parameters


def _given(kind: str, description: str, **limits: int) -> Schema:
    return {"type": kind, **limits, "description": description}


def _text(description: str) -> Schema:
    return _given("string", description, minLength=1, maxLength=NAME_LENGTH)


def _device(examples: str = "'Floor Lamp' or 'kitchen light'") -> Schema:
    return _text(f"As the user said it, for example {examples}")


def _choice(description: str, *words: str) -> Schema:
    return {"type": "string", "enum": list(words), "description": description}


def _percent(description: str, minimum: int) -> Schema:
    return _given("integer", description, minimum=minimum, maximum=100)


def _parameters(*required: str, **properties: Schema) -> Schema:
    schema: Schema = {"type": "object", "properties": properties, "additionalProperties": False}
    return {**schema, "required": list(required)} if required else schema


# --- results


def _nullable(kind: str) -> Schema:
    return {"type": [kind, "null"]}


def _list_of(optional: Schema | None = None, **required: Schema) -> Schema:
    """A list of objects."""
    properties = {**required, **(optional or {})}
    return {
        "type": "array",
        "items": {"type": "object", "properties": properties, "required": list(required)},
    }


RESULT: Final[Schema] = {
    "type": "object",
    "properties": {
        "device": _nullable("string"),
        "room": _nullable("string"),
        "nodeId": _nullable("integer"),
        "endpoint": _nullable("integer"),
        "kind": STRING,
        "requested": OBJECT,
        "state": _nullable("string"),
        # Of tools that act: the state before, and why it failed, where the device says so.
        "was": STRING,
        "reason": STRING,
        "outcome": {"type": "string", "enum": list(OUTCOMES)},
        # Of tools that act: the calls that restore the state before, and why something cannot be restored.
        "before": _list_of(name=STRING, args=OBJECT),
        "undo": STRING,
        # Where several devices were possible, or none.
        "candidates": _list_of(name=STRING, room=STRING, nodeId=INTEGER, endpoint=INTEGER),
        "starting": FLAG,
    },
    "required": ["device", "room", "nodeId", "endpoint", "requested", "state", "outcome"],
}


def _result(**fields: Schema) -> Schema:
    """The common result, with the fields that one tool adds."""
    return {**RESULT, "properties": {**RESULT["properties"], **fields}}


_READINGS: Final = _list_of(
    {"device": STRING},
    label=STRING,
    value={"type": ["boolean", "number", "string", "null"]},
    unit=STRING,
    text=STRING,
    ageSeconds=_nullable("integer"),
)
_DEVICES: Final = _list_of(
    {"readings": TEXTS, "abilities": TEXTS, "tones": TEXTS, "ownTone": STRING, "events": TEXTS},
    name=STRING,
    room=STRING,
    kind=STRING,
    nodeId=INTEGER,
    endpoint=INTEGER,
    state=STRING,
    available=FLAG,
)
_LIST: Final[Schema] = {
    "type": "object",
    # `outcome` only where there is no list.
    "properties": {"devices": _DEVICES, "total": INTEGER, "outcome": RESULT["properties"]["outcome"]},
    "required": ["devices", "total"],
}
_MEMBERS: Final = _list_of(device=STRING, room=_nullable("string"), nodeId=INTEGER, state=_nullable("string"))
_BATTERIES: Final = _list_of(
    device=STRING,
    room=STRING,
    nodeId=INTEGER,
    level=_nullable("integer"),  # percent
    low=FLAG,
    ageSeconds=_nullable("integer"),
    available=FLAG,
)
_ENERGY: Final = _list_of(
    device=STRING,
    room=STRING,
    nodeId=INTEGER,
    endpoint=INTEGER,
    kwh=NUMBER,
    since=NUMBER,  # seconds since 1970, as `until`
    until=NUMBER,
    whole=FLAG,  # counted from midnight on
    apart=NUMBER,  # kilowatt hours of an unknown day before
    reset=FLAG,  # the amount is a minimum
)
_USERS: Final = _list_of(id=INTEGER, name=_nullable("string"), active=FLAG)
_PLACES: Final = _nullable("integer")
_LOCKS: Final[Schema] = {"type": "array", "items": _result(users=_USERS, places=_PLACES)}

_COLOUR_WORDS: Final = tuple(
    "colour color kelvin white red orange yellow green turquoise cyan blue violet purple magenta pink".split()
)
_SOUND_WORDS: Final = ("chime", "doorbell", "bell", "gong", "siren", "ring", "tone")
_ENERGY_WORDS: Final = (
    "energy", "electricity", "kilowatt", "kwh", "consum", "power did", "use today", "used",
)  # fmt: skip


TOOLS: Final[tuple[ToolSpec, ...]] = (
    ToolSpec(
        "list_zwave_devices",
        "List Z-Wave devices",
        "Which devices there are, what is on, and what is in a room.",
        "REQUIRED to know the home's devices: you MUST call this whenever the user asks about which there"
        " are, what is on, or what is in a room. DO NOT use for switching.\n"
        "Good: {filter: 'kitchen'}; {} for all. Bad: {filter: 'turn on the lamp'}.",
        _parameters(
            filter=_given("string", "Room, kind or name, for example 'lights'", maxLength=NAME_LENGTH),
            includeInactive=_given("boolean", "Also those that do not answer"),
            limit=_percent("1 to 100, for example 20", 1),
            offset=_given("integer", "To skip, at least 0, for example 20", minimum=0),
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
        _parameters(
            "deviceName",
            "action",
            deviceName=_device(),
            action=_choice("dim needs level; open, close, stop: blinds", *ACTIONS),
            level=_percent("Percent, 0 to 100, for example 40; REQUIRED for dim", 0),
        ),
        _result(notConfirmed=TEXTS),
    ),
    ToolSpec(
        "get_device_sensor_data",
        "Read sensors",
        "Temperature, humidity, motion, power and battery of one device or room.",
        "REQUIRED to read sensors: you MUST call this whenever the user asks about temperature, humidity,"
        " motion, power or battery at home. DO NOT use for the weather.\n"
        "Good: {deviceName: 'Office'}. Bad: {deviceName: 'weather'}.",
        _parameters("deviceName", deviceName=_device("'Climate Sensor'")),
        _result(readings=_READINGS),
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
        _parameters("deviceName", deviceName=_device("'Front Door'")),
        _result(
            kind=STRING,
            notConfirmed=TEXTS,
            available=FLAG,
            status=STRING,
            product=STRING,
            readings=_READINGS,
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
        _parameters(
            "deviceName",
            "action",
            deviceName=_device("'Front Door'"),
            action=_choice("As the user asked", "lock", "unlock"),
        ),
        RESULT,
        destructive=True,
        idempotent=True,
    ),
    ToolSpec(
        "set_zwave_thermostat",
        "Set a thermostat",
        "Makes it warmer or cooler, or sets the mode of the heating.",
        "REQUIRED for heating and cooling: you MUST call this whenever the user asks about making it "
        "warmer or cooler, or about a mode. DO NOT use for reading the temperature.\n"
        "Good: {deviceName: 'Thermostat', temperature: 21}. Bad: {deviceName: 'Thermostat'}.",
        _parameters(
            "deviceName",
            deviceName=_device("'hallway thermostat'"),
            temperature=_given("number", "Degrees, for example 21"),
            unit=_choice("If the user said it", "C", "F"),
            mode=_text("For example 'heat' or 'off'"),
            setpoint=_choice("Leave out", "heating", "cooling"),
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
        _parameters(
            "deviceName",
            deviceName=_device("'Mood Light'"),
            color=_text("A word or #rrggbb, for example 'blue' or 'warm white'"),
            temperature=_given("number", "Of white, in kelvin, for example 2700; not with color"),
            brightness=_percent("Percent, if the user said it, for example 40", 1),
        ),
        _result(notConfirmed=TEXTS),
        idempotent=True,
        words=_COLOUR_WORDS,
    ),
    ToolSpec(
        "play_zwave_sound",
        "Ring a chime or a siren",
        "Rings or stops one doorbell, chime or siren; a siren needs your yes.",
        "REQUIRED for ONE doorbell, chime or siren: you MUST call this whenever the user asks about "
        "ringing or stopping it. DO NOT use for music, timers or the speaker.\n"
        "Good: {deviceName: 'Door Chime', action: 'play'}; {deviceName: 'Siren', action: 'stop'}. Bad: "
        "{deviceName: 'music', action: 'play'}.",
        _parameters(
            "deviceName",
            "action",
            deviceName=_device("'Door Chime'"),
            action=_choice("As the user asked", "play", "stop"),
            tone=_text("Its name, if the user said one, for example 'Westminster'"),
            volume=_percent("Percent, if the user said it, for example 40", 1),
        ),
        RESULT,
        words=_SOUND_WORDS,
    ),
    ToolSpec(
        "activate_zwave_scene",
        "Activate a scene",
        "Starts a scene by its name.",
        "REQUIRED to start a scene: you MUST call this whenever the user asks about a scene by name. DO "
        "NOT use for one device.\n"
        "Good: {sceneName: 'Movie Night'}. Bad: {sceneName: 'lamp on'}.",
        _parameters(
            "sceneName",
            sceneName=_text("For example 'Movie Night'"),
            confirmed=_given("boolean", "Leave out"),
        ),
        _result(scenes=TEXTS, notConfirmed=TEXTS, needsYes=FLAG),
        idempotent=True,
    ),
    ToolSpec(
        "check_zwave_health",
        "Check the Z-Wave system",
        "What does not answer, and which batteries are low.",
        "REQUIRED to know what is offline or low on battery: you MUST call this whenever the user asks "
        "about problems or batteries. DO NOT use for one device.\n"
        "Good: {}. Bad: {deviceName: 'Lamp'}.",
        _parameters(),
        _result(
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

MAINTENANCE_TOOLS: Final[tuple[ToolSpec, ...]] = (
    ToolSpec(
        "list_zwave_scenes",
        "List scenes",
        "Which scenes there are, and what one does.",
        "REQUIRED to know the scenes: you MUST call this whenever the user asks about which scenes there "
        "are or what one does. DO NOT use to start one.\n"
        "Good: {}; {sceneName: 'Movie Night'}. Bad: {sceneName: 'lamp on'}.",
        _parameters(sceneName=_text("Only this one, for example 'Movie Night'")),
        _result(scenes=_list_of(name=STRING, members=_MEMBERS, complete=FLAG)),
        read_only=True,
        idempotent=True,
        words=("scene",),
    ),
    ToolSpec(
        "get_zwave_batteries",
        "Battery report",
        "How full the batteries are, and which are low.",
        "REQUIRED for all batteries at once: you MUST call this whenever the user asks about which "
        "batteries are low. DO NOT use for one device.\n"
        "Good: {}. Bad: {deviceName: 'Lamp'}.",
        _parameters(),
        _result(batteries=_BATTERIES),
        read_only=True,
        idempotent=True,
        words=("batter",),
    ),
    ToolSpec(
        "get_zwave_energy",
        "Energy of a day",
        "How much energy a device, or all of them, used on a day.",
        "REQUIRED for energy over time: you MUST call this whenever the user asks about how much was used"
        " today or on another day. DO NOT use for the power now.\n"
        "Good: {deviceName: 'Dryer', day: 'yesterday'}; {}. Bad: {day: 'tomorrow'}.",
        _parameters(
            deviceName=_device("'Dryer'; leave out for all"),
            day=_text("today, yesterday, a weekday, or a date, for example '2026-11-16'"),
        ),
        _result(energy=_ENERGY, total=NUMBER, day=STRING, notMeasured=TEXTS),
        read_only=True,
        idempotent=True,
        words=_ENERGY_WORDS,
    ),
    ToolSpec(
        "get_zwave_user_codes",
        "Codes of a lock",
        "Who has a code for a lock, and how many; never the digits.",
        "REQUIRED to know who has a code for a lock: you MUST call this whenever the user asks about "
        "codes. DO NOT use to learn or set a code: nobody can.\n"
        "Good: {deviceName: 'Front Door'}; {} for all locks. Bad: {deviceName: '1234'}.",
        _parameters(deviceName=_device("'Front Door'; leave out for all locks")),
        _result(users=_USERS, places=_PLACES, locks=_LOCKS),
        read_only=True,
        idempotent=True,
        words=("code", "pin"),
    ),
    ToolSpec(
        "rename_zwave_device",
        "Rename a device",
        "Gives one device another name, or puts it into another room.",
        "REQUIRED for another name or room of ONE device: you MUST call this whenever the user asks about"
        " that. DO NOT use for switching.\n"
        "Good: {deviceName: 'Node 17', newName: 'Reading Lamp', room: 'Library'}. Bad: {deviceName: 'all "
        "lights', newName: 'x'}.",
        _parameters(
            "deviceName",
            deviceName=_device("'Node 17'"),
            newName=_text("For example 'Reading Lamp'"),
            room=_text("For example 'Library'"),
        ),
        RESULT,
        idempotent=True,
        words=("rename", "name", "call it", "move", "room of", "belongs"),
    ),
    ToolSpec(
        "ping_zwave_device",
        "Ping a device",
        "Whether one device answers.",
        "REQUIRED to know whether ONE device answers: you MUST call this whenever the user asks about "
        "pinging it. DO NOT use for its state.\n"
        "Good: {deviceName: 'Space Heater'}. Bad: {deviceName: 'google.com'}.",
        _parameters("deviceName", deviceName=_device("'Space Heater'")),
        _result(seconds=NUMBER),
        read_only=True,
        idempotent=True,
        words=("ping", "answer", "reach", "respond"),
    ),
)
ALL_TOOLS: Final = (*TOOLS, *MAINTENANCE_TOOLS)
