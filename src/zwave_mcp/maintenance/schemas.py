"""The tools of keeping house as a client sees them; a small model hears of them by their words."""

from typing import Final

from zwave_mcp.schema_parts import (
    FLAG,
    INTEGER,
    NUMBER,
    STRING,
    TEXTS,
    Schema,
    ToolSpec,
    choice,
    device,
    list_of,
    nullable,
    object_of,
    text,
)
from zwave_mcp.schemas import RESULT


def with_fields(**fields: Schema) -> Schema:
    """The usual result, with what this tool adds."""
    return {**RESULT, "properties": {**RESULT["properties"], **fields}}


_MEMBERS: Final = list_of(device=STRING, room=nullable("string"), nodeId=INTEGER, state=nullable("string"))
_SCENES: Final = list_of(name=STRING, members=_MEMBERS, complete=FLAG)
_BATTERIES: Final = list_of(
    device=STRING,
    room=STRING,
    nodeId=INTEGER,
    level=nullable("integer"),  # percent
    low=FLAG,
    ageSeconds=nullable("integer"),
    available=FLAG,
)
_ENERGY: Final = list_of(
    device=STRING,
    room=STRING,
    nodeId=INTEGER,
    endpoint=INTEGER,
    kwh=NUMBER,
    since=NUMBER,  # seconds since 1970, as `until`
    until=NUMBER,
    whole=FLAG,  # counted from midnight on
    apart=NUMBER,  # kilowatt hours that came before, and nobody knows on which day
    reset=FLAG,  # it was at least so much
)
_USERS: Final = list_of(id=INTEGER, name=nullable("string"), active=FLAG)
_PLACES: Final = nullable("integer")
_PARAMETERS: Final = list_of(
    "mask",
    number=INTEGER,
    mask={"type": ["integer", "string"]},  # where several share one number
    name=STRING,
    value=nullable("number"),
    text=STRING,
    unit=STRING,
    minimum=nullable("number"),
    maximum=nullable("number"),
    choices=TEXTS,
    writeable=FLAG,
)
_LOCKS: Final[Schema] = {"type": "array", "items": with_fields(users=_USERS, places=_PLACES)}
_NODES: Final = list_of(nodeId=INTEGER, name=STRING)

HOUSE_TOOLS: Final[tuple[ToolSpec, ...]] = (
    ToolSpec(
        "list_zwave_scenes",
        "List scenes",
        "Which scenes there are, and what one does.",
        "REQUIRED to know the scenes: you MUST call this whenever the user asks about which scenes there are "
        "or what one does. DO NOT use to start one.\n"
        "Good: {}; {sceneName: 'Movie Night'}. Bad: {sceneName: 'lamp on'}.",
        object_of({"sceneName": text("Only this one, for example 'Movie Night'")}),
        with_fields(scenes=_SCENES),
        read_only=True,
        idempotent=True,
        words=("scene",),
    ),
    ToolSpec(
        "get_zwave_batteries",
        "Battery report",
        "How full the batteries are, and which are low.",
        "REQUIRED for all batteries at once: you MUST call this whenever the user asks about which batteries "
        "are low. DO NOT use for one device.\nGood: {}. Bad: {deviceName: 'Lamp'}.",
        object_of({}),
        with_fields(batteries=_BATTERIES),
        read_only=True,
        idempotent=True,
        words=("batter",),
    ),
    ToolSpec(
        "get_zwave_energy",
        "Energy of a day",
        "How much energy a device, or all of them, used on a day.",
        "REQUIRED for energy over time: you MUST call this whenever the user asks about how much was used "
        "today or on another day. DO NOT use for the power now.\n"
        "Good: {deviceName: 'Dryer', day: 'yesterday'}; {}. Bad: {day: 'tomorrow'}.",
        object_of(
            {
                "deviceName": device("'Dryer'; leave out for all"),
                "day": text("today, yesterday, a weekday, or a date, for example '2026-11-16'"),
            }
        ),
        with_fields(
            energy=_ENERGY,
            total=NUMBER,
            day=STRING,
            notMeasured=TEXTS,
        ),
        read_only=True,
        idempotent=True,
        words=("energy", "electricity", "kilowatt", "kwh", "consum", "power did", "use today", "used"),
    ),
    ToolSpec(
        "get_zwave_user_codes",
        "Codes of a lock",
        "Who has a code for a lock, and how many; never the digits.",
        "REQUIRED to know who has a code for a lock: you MUST call this whenever the user asks about codes. "
        "DO NOT use to learn or set a code: nobody can.\n"
        "Good: {deviceName: 'Front Door'}; {} for all locks. Bad: {deviceName: '1234'}.",
        object_of({"deviceName": device("'Front Door'; leave out for all locks")}),
        with_fields(users=_USERS, places=_PLACES, locks=_LOCKS),
        read_only=True,
        idempotent=True,
        words=("code", "pin"),
    ),
    ToolSpec(
        "get_zwave_parameters",
        "Settings of a device",
        "The configuration parameters of one device.",
        "REQUIRED to read a device's own settings: you MUST call this whenever the user asks about a "
        "parameter. DO NOT use for its state.\n"
        "Good: {deviceName: 'Desk Lamp', parameter: 'LED Indicator'}. Bad: {deviceName: 'all'}.",
        object_of(
            {
                "deviceName": device("'Desk Lamp'"),
                "parameter": text("Its name or number, for example 'LED Indicator'; leave out for all"),
                "value": text("Tells only whether it could be set to this, for example '3000'"),
            },
            ("deviceName",),
        ),
        with_fields(parameters=_PARAMETERS),
        read_only=True,
        idempotent=True,
        words=("parameter", "configur", "setting of", "settings of"),
    ),
    ToolSpec(
        "set_zwave_parameter",
        "Change a setting of a device",
        "Changes one configuration parameter of one device, after your yes.",
        "REQUIRED to change a device's own setting: you MUST call this whenever the user asks about changing "
        "a parameter. DO NOT use for switching or dimming.\n"
        "Good: {deviceName: 'Desk Lamp', parameter: 'LED Indicator', value: 'Always off'}. "
        "Bad: {deviceName: 'Desk Lamp', parameter: 'light', value: 'on'}.",
        object_of(
            {
                "deviceName": device("'Desk Lamp'"),
                "parameter": text("Its name or number, for example 'LED Indicator'"),
                "value": text("A number or one of its choices, for example '3000'"),
            },
            ("deviceName", "parameter", "value"),
        ),
        with_fields(parameters=_PARAMETERS),
        destructive=True,
        idempotent=True,
        words=("parameter", "configur"),
    ),
    ToolSpec(
        "rename_zwave_device",
        "Rename a device",
        "Gives one device another name, or puts it into another room.",
        "REQUIRED for another name or room of ONE device: you MUST call this whenever the user asks about "
        "that. DO NOT use for switching.\n"
        "Good: {deviceName: 'Node 17', newName: 'Reading Lamp', room: 'Library'}. "
        "Bad: {deviceName: 'all lights', newName: 'x'}.",
        object_of(
            {
                "deviceName": device("'Node 17'"),
                "newName": text("For example 'Reading Lamp'"),
                "room": text("For example 'Library'"),
            },
            ("deviceName",),
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
        object_of({"deviceName": device("'Space Heater'")}, ("deviceName",)),
        with_fields(seconds=NUMBER),
        read_only=True,
        idempotent=True,
        words=("ping", "answer", "reach", "respond"),
    ),
    ToolSpec(
        "repair_zwave_device",
        "Repair a connection",
        "Interviews a device again, or rebuilds its routes or those of all.",
        "REQUIRED to interview a device again or to rebuild routes: you MUST call this whenever the user "
        "asks about that. DO NOT use for switching.\n"
        "Good: {action: 'interview', deviceName: 'Space Heater'}; {action: 'routes'} for the whole network. "
        "Bad: {action: 'interview'}.",
        object_of(
            {
                "action": choice("interview needs deviceName", "interview", "routes"),
                "deviceName": device("'Space Heater'"),
            },
            ("action",),
        ),
        RESULT,
        destructive=True,
        words=("interview", "route", "heal", "repair"),
    ),
    ToolSpec(
        "change_zwave_network",
        "Add or remove a device",
        "Lets a new device join the Z-Wave network, or one leave it, for a minute.",
        "REQUIRED to let a device join or leave the network: you MUST call this whenever the user asks about "
        "adding or removing a device, about stopping that, or whether it was found. DO NOT use for lists.\n"
        "Good: {action: 'add'}. Bad: {action: 'remove', deviceName: 'Lamp'}.",
        object_of({"action": choice("As the user asked", "add", "remove", "stop", "status")}, ("action",)),
        with_fields(open=FLAG, nodes=_NODES, door=STRING),
        destructive=True,
        words=("add", "include", "inclusion", "exclu", "remove", "pair", "join", "new device"),
    ),
)
