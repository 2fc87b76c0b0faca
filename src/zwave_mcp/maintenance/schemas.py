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
_LOCKS: Final[Schema] = {"type": "array", "items": with_fields(users=_USERS, places=_PLACES)}

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
)
