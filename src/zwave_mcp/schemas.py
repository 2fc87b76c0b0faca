"""The tools as a client sees them: names, descriptions that small models understand, and strict schemas."""

from dataclasses import dataclass, field
from typing import Any, Final

from zwave_mcp.results import OUTCOMES

Schema = dict[str, Any]
NAME_LENGTH: Final = 100
ACTIONS: Final = ("on", "off", "dim", "toggle", "open", "close", "stop")


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """One tool. `use` and `examples` make the description for models."""

    name: str
    title: str
    summary: str  # for people
    use: tuple[str, str, str]  # purpose, what is asked about, what it is not for
    examples: tuple[str, str]  # good and bad arguments
    parameters: Schema
    read_only: bool = False
    destructive: bool = False
    idempotent: bool = True
    # Of a rarely needed tool: a small model gets it only when one of these words was said.
    words: tuple[str, ...] = ()
    output: Schema = field(default_factory=lambda: _RESULT)

    @property
    def description(self) -> str:
        (purpose, asked, avoid), (good, bad) = self.use, self.examples
        return (
            f"REQUIRED {purpose}: you MUST call this whenever the user asks about {asked}. "
            f"DO NOT use for {avoid}.\nGood: {good}. Bad: {bad}."
        )


# --- parameters


def _given(kind: str, description: str, **limits: int) -> Schema:
    return {"type": kind, **limits, "description": description}


def _text(description: str) -> Schema:
    return _given("string", description, minLength=1, maxLength=NAME_LENGTH)


def _device(examples: str) -> Schema:
    return _text(f"As the user said it, for example {examples}")


def _choice(description: str, *words: str) -> Schema:
    return {"type": "string", "enum": list(words), "description": description}


def _percent(description: str, minimum: int) -> Schema:
    return _given("integer", description, minimum=minimum, maximum=100)


def _parameters(*required: str, **properties: Schema) -> Schema:
    schema: Schema = {"type": "object", "properties": properties, "additionalProperties": False}
    return {**schema, "required": list(required)} if required else schema


# --- results

_TEXT_OR_NULL: Final[Schema] = {"type": ["string", "null"]}
_OUTCOME: Final[Schema] = {"enum": list(OUTCOMES)}


# What every result has; each tool adds its own (docs/zwave.md).
_RESULT: Final[Schema] = {
    "type": "object",
    "properties": {
        **dict.fromkeys(("device", "room", "state"), _TEXT_OR_NULL),
        "outcome": _OUTCOME,
        **{key: {"type": "string"} for key in ("reason", "was", "undo")},
        "before": {"type": "array"},
    },
    "required": ["device", "state", "outcome"],
}
_LIST: Final[Schema] = {
    "type": "object",
    # `outcome` only where there is no list.
    "properties": {"devices": {"type": "array"}, "total": {"type": "integer"}, "outcome": _OUTCOME},
    "required": ["devices", "total"],
}

TOOLS: Final[tuple[ToolSpec, ...]] = (
    ToolSpec(
        "list_zwave_devices",
        "List Z-Wave devices",
        "Which devices there are, what is on, and what is in a room.",
        ("to know the home's devices", "which there are, what is on, or what is in a room", "switching"),
        ("{filter: 'kitchen'}; {} for all", "{filter: 'turn on the lamp'}"),
        _parameters(
            filter=_given("string", "Room, kind or name, for example 'lights'", maxLength=NAME_LENGTH),
            includeInactive=_given("boolean", "Also those that do not answer"),
            limit=_percent("1 to 100, for example 20", 1),
            offset=_given("integer", "To skip, at least 0, for example 20", minimum=0),
        ),
        read_only=True,
        output=_LIST,
    ),
    ToolSpec(
        "control_zwave_device",
        "Control a Z-Wave device",
        "Switches, dims, opens or closes one light, plug, fan, blind or garage door.",
        (
            "to switch, dim, open or close ONE light, plug, fan, blind or garage door",
            "that; for several devices once each",
            "locks, thermostats or questions",
        ),
        ("{deviceName: 'Floor Lamp', action: 'dim', level: 40}", "{deviceName: 'all lights', action: 'on'}"),
        _parameters(
            "deviceName",
            "action",
            deviceName=_device("'Floor Lamp'"),
            action=_choice("dim needs level; open, close, stop: blinds", *ACTIONS),
            level=_percent("Percent, 0 to 100, for example 40; REQUIRED for dim", 0),
        ),
        idempotent=False,
    ),
    ToolSpec(
        "get_device_sensor_data",
        "Read sensors",
        "Temperature, humidity, motion, power and battery of one device or room.",
        ("to read sensors", "temperature, humidity, motion, power or battery at home", "the weather"),
        ("{deviceName: 'Office'}", "{deviceName: 'weather'}"),
        _parameters("deviceName", deviceName=_device("'Climate Sensor'")),
        read_only=True,
    ),
    ToolSpec(
        "get_zwave_device",
        "Check one Z-Wave device",
        "Whether one device is on, open or locked.",
        ("to know ONE device's state", "something being on, open or locked", "changing it"),
        ("{deviceName: 'Front Door'}", "{deviceName: 'all lights'}"),
        _parameters("deviceName", deviceName=_device("'Front Door'")),
        read_only=True,
    ),
    ToolSpec(
        "control_zwave_lock",
        "Lock or unlock a door",
        "Locks or unlocks one door; unlocking needs your yes.",
        ("for ONE lock", "locking or unlocking it", "a guess; unlock only if the user said so"),
        ("{deviceName: 'Front Door', action: 'lock'}", "{deviceName: 'door', action: 'unlock'}"),
        _parameters(
            "deviceName",
            "action",
            deviceName=_device("'Front Door'"),
            action=_choice("As the user asked", "lock", "unlock"),
        ),
        destructive=True,
    ),
    ToolSpec(
        "set_zwave_thermostat",
        "Set a thermostat",
        "Makes it warmer or cooler, or sets the mode of the heating.",
        ("for heating and cooling", "making it warmer or cooler, or about a mode", "reading the temperature"),
        ("{deviceName: 'Thermostat', temperature: 21}", "{deviceName: 'Thermostat'}"),
        _parameters(
            "deviceName",
            deviceName=_device("'hallway thermostat'"),
            temperature=_given("number", "Degrees, for example 21"),
            unit=_choice("If the user said it", "C", "F"),
            mode=_text("For example 'heat' or 'off'"),
            setpoint=_choice("Leave out", "heating", "cooling"),
        ),
    ),
    ToolSpec(
        "set_zwave_color",
        "Set a light's colour",
        "Makes one light blue, warm white or 2700 kelvin, and turns it on.",
        ("for the colour of ONE light, which it turns on", "a colour or a white", "brightness alone"),
        (
            "{deviceName: 'Mood Light', color: 'blue'}; {deviceName: 'Mood Light', temperature: 2700}",
            "{deviceName: 'Mood Light', color: 'bright'}",
        ),
        _parameters(
            "deviceName",
            deviceName=_device("'Mood Light'"),
            color=_text("A word or #rrggbb, for example 'blue' or 'warm white'"),
            temperature=_given("number", "Of white, in kelvin, for example 2700; not with color"),
            brightness=_percent("Percent, if the user said it, for example 40", 1),
        ),
        words=tuple(
            "colour color kelvin white red orange yellow green turquoise cyan blue violet purple magenta "
            "pink".split()
        ),
    ),
    ToolSpec(
        "play_zwave_sound",
        "Ring a chime or a siren",
        "Rings or stops one doorbell, chime or siren; a siren needs your yes.",
        ("for ONE doorbell, chime or siren", "ringing or stopping it", "music, timers or the speaker"),
        (
            "{deviceName: 'Door Chime', action: 'play'}; {deviceName: 'Siren', action: 'stop'}",
            "{deviceName: 'music', action: 'play'}",
        ),
        _parameters(
            "deviceName",
            "action",
            deviceName=_device("'Door Chime'"),
            action=_choice("As the user asked", "play", "stop"),
            tone=_text("Its name, if the user said one, for example 'Westminster'"),
            volume=_percent("Percent, if the user said it, for example 40", 1),
        ),
        idempotent=False,
        words=("chime", "doorbell", "bell", "gong", "siren", "ring", "tone"),
    ),
    ToolSpec(
        "activate_zwave_scene",
        "Activate a scene",
        "Starts a scene by its name.",
        ("to start a scene", "a scene by name", "one device"),
        ("{sceneName: 'Movie Night'}", "{sceneName: 'lamp on'}"),
        _parameters(
            "sceneName",
            sceneName=_text("For example 'Movie Night'"),
            confirmed=_given("boolean", "Leave out"),
        ),
    ),
    ToolSpec(
        "check_zwave_health",
        "Check the Z-Wave system",
        "What does not answer, and which batteries are low.",
        ("to know what is offline or low on battery", "problems or batteries", "one device"),
        ("{}", "{deviceName: 'Lamp'}"),
        _parameters(),
        read_only=True,
    ),
)

MAINTENANCE_TOOLS: Final[tuple[ToolSpec, ...]] = (
    ToolSpec(
        "list_zwave_scenes",
        "List scenes",
        "Which scenes there are, and what one does.",
        ("to know the scenes", "which scenes there are or what one does", "starting one"),
        ("{}; {sceneName: 'Movie Night'}", "{sceneName: 'lamp on'}"),
        _parameters(sceneName=_text("Only this one, for example 'Movie Night'")),
        read_only=True,
        words=("scene",),
    ),
    ToolSpec(
        "get_zwave_batteries",
        "Battery report",
        "How full the batteries are, and which are low.",
        ("for all batteries at once", "which batteries are low", "one device"),
        ("{}", "{deviceName: 'Lamp'}"),
        _parameters(),
        read_only=True,
        words=("batter",),
    ),
    ToolSpec(
        "get_zwave_energy",
        "Energy of a day",
        "How much energy a device, or all of them, used on a day.",
        ("for energy over time", "how much was used today or on another day", "the power now"),
        ("{deviceName: 'Dryer', day: 'yesterday'}; {}", "{day: 'tomorrow'}"),
        _parameters(
            deviceName=_device("'Dryer'; leave out for all"),
            day=_text("today, yesterday, a weekday, or a date, for example '2026-11-16'"),
        ),
        read_only=True,
        words=("energy", "electricity", "kilowatt", "kwh", "consum", "power did", "use today", "used"),
    ),
    ToolSpec(
        "get_zwave_user_codes",
        "Codes of a lock",
        "Who has a code for a lock, and how many; never the digits.",
        ("to know who has a code for a lock", "codes", "learning or setting a code: nobody can"),
        ("{deviceName: 'Front Door'}; {} for all locks", "{deviceName: '1234'}"),
        _parameters(deviceName=_device("'Front Door'; leave out for all locks")),
        read_only=True,
        words=("code", "pin"),
    ),
    ToolSpec(
        "rename_zwave_device",
        "Rename a device",
        "Gives one device another name, or puts it into another room.",
        ("for another name or room of ONE device", "that", "switching"),
        (
            "{deviceName: 'Node 17', newName: 'Reading Lamp', room: 'Library'}",
            "{deviceName: 'all lights', newName: 'x'}",
        ),
        _parameters(
            "deviceName",
            deviceName=_device("'Node 17'"),
            newName=_text("For example 'Reading Lamp'"),
            room=_text("For example 'Library'"),
        ),
        words=("rename", "name", "call it", "move", "room of", "belongs"),
    ),
    ToolSpec(
        "ping_zwave_device",
        "Ping a device",
        "Whether one device answers.",
        ("to know whether ONE device answers", "pinging it", "its state"),
        ("{deviceName: 'Space Heater'}", "{deviceName: 'google.com'}"),
        _parameters("deviceName", deviceName=_device("'Space Heater'")),
        read_only=True,
        words=("ping", "answer", "reach", "respond"),
    ),
)
ALL_TOOLS: Final = (*TOOLS, *MAINTENANCE_TOOLS)
SPECS: Final = {spec.name: spec for spec in ALL_TOOLS}
