"""Devices as people know them, made from nodes: every endpoint that can do something is one."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Final

from home_words.kinds import Kind, is_fan, mover_kind
from home_words.risk import is_guarded, is_loud
from zwave_mcp.home import Node, Snapshot, Value, ValueId, is_number

BASIC: Final = 32
BINARY_SWITCH: Final = 37
MULTILEVEL_SWITCH: Final = 38
BINARY_SENSOR: Final = 48
MULTILEVEL_SENSOR: Final = 49
METER: Final = 50
COLOR_SWITCH: Final = 51
THERMOSTAT_MODE: Final = 64
THERMOSTAT_STATE: Final = 66
THERMOSTAT_SETPOINT: Final = 67
THERMOSTAT_FAN_MODE: Final = 68
DOOR_LOCK: Final = 98
BARRIER: Final = 102
WINDOW_COVERING: Final = 106
NOTIFICATION: Final = 113
SOUND_SWITCH: Final = 121
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
    "light": (
        (MULTILEVEL_SWITCH, "currentValue", "targetValue"),
        (BINARY_SWITCH, "currentValue", "targetValue"),
    ),
    "fan": ((MULTILEVEL_SWITCH, "currentValue", "targetValue"),),
    "chime": ((SOUND_SWITCH, "toneId", "toneId"),),
    "siren": ((SOUND_SWITCH, "toneId", "toneId"), (BINARY_SWITCH, "currentValue", "targetValue")),
    "switch": ((BINARY_SWITCH, "currentValue", "targetValue"),),
    "plug": ((BINARY_SWITCH, "currentValue", "targetValue"),),
}


# Of device classes, (generic, specific): what a dimmer or a relay is built for.
_FAN_CLASS: Final = (17, 8)
_SIREN_CLASS: Final = (16, 5)


def kind_of(values: Sequence[Value], name: str = "", built_for: tuple[int, int] | None = None) -> Kind:
    """The kind of one endpoint. What is riskier or more special wins over what is plainer."""
    has = {value.id.command_class for value in values}
    lit = any(is_component(value) for value in values)
    # A plug may have a lamp that shows what it uses: it is still no lamp.
    relay: Kind = "plug" if METER in has else "light" if lit else "switch"
    # A word for a fan in the name of what opens a gate or wakes the house makes no harmless fan of it.
    fan = built_for == _FAN_CLASS or (is_fan(name) and not is_guarded("dimmer", (name,)))
    level: Kind = "fan" if fan else "light" if lit else "dimmer"
    # Whether a name is that of a siren takes longer than all else, so it is asked of what sounds only.
    loud = built_for == _SIREN_CLASS or (SOUND_SWITCH in has and is_loud(name))
    sounder: Kind = "siren" if loud else "chime"
    signs: tuple[tuple[bool, Kind], ...] = (
        (DOOR_LOCK in has, "lock"),
        (bool(has & {THERMOSTAT_MODE, THERMOSTAT_SETPOINT}), "thermostat"),
        (BARRIER in has, "garage_door"),
        (WINDOW_COVERING in has or _moves(values), mover_kind(name)),
        (SOUND_SWITCH in has, sounder),
        (MULTILEVEL_SWITCH in has, level),
        (BINARY_SWITCH in has, "siren" if built_for == _SIREN_CLASS else relay),
        (bool(has & set(READINGS)), "sensor"),
    )
    return next((kind for sign, kind in signs if sign), "other")


_COMPONENTS: Final = range(5)  # warm white, cold white, red, green, blue


def is_component(value: Value) -> bool:
    """Part of a colour. `hexColor` says nothing: a bulb with whites alone has it, too."""
    where = value.id
    return (
        where.command_class == COLOR_SWITCH
        and where.property == "currentColor"
        and isinstance(where.property_key, int)
        and where.property_key in _COMPONENTS
    )


def _moves(values: Sequence[Value]) -> bool:
    return any(
        value.id.command_class == MULTILEVEL_SWITCH and value.id.property in ("Up", "Down", "Open", "Close")
        for value in values
    )


HIGHEST_LEVEL: Final = 99
LAST_LEVEL: Final = 255  # written to a dimmer: "on, as bright as it was"


def to_level(percent: int) -> int:
    """0 is off; everything else is at least the lowest level that is on."""
    if not 0 <= percent <= 100:
        raise ValueError(f"{percent} is not between 0 and 100")
    return 0 if percent == 0 else max(1, round(percent * 0.99))


# 101 percents share 100 levels: built from `to_level`, so that what was asked for is what is said.
_PERCENTS: Final = {to_level(percent): percent for percent in range(100, -1, -1)}


def to_percent(level: float) -> int:
    return _PERCENTS[min(max(round(level), 0), HIGHEST_LEVEL)]


_BATTERY_LOW_PERCENT = 15  # where most makers start to warn


@dataclass(frozen=True, slots=True)
class Device:
    name: str
    room: str
    kind: Kind
    node: Node
    endpoint: int
    values: tuple[Value, ...]
    members: tuple["Device", ...] = ()  # of a group
    twin: bool = False  # another one in its room has its name

    @property
    def available(self) -> bool:
        return any(member.available for member in self.members) if self.members else not self.node.dead

    @property
    def node_id(self) -> int:
        return self.node.id

    @property
    def place(self) -> tuple[int, int]:
        """What no other device has."""
        return self.node.id, self.endpoint

    @property
    def state_value(self) -> Value | None:
        for command_class, prop, _ in STATE_VALUES.get(self.kind, ()):
            for value in self.values:
                if value.id.command_class == command_class and value.id.property == prop:
                    return value
        return None

    @property
    def target(self) -> ValueId | None:
        """The value to write; the gateway names it, else it is the command class's usual one."""
        state = self.state_value
        if state is None or state.target is not None:
            return state.target if state else None
        for command_class, prop, target in STATE_VALUES[self.kind]:
            if (state.id.command_class, state.id.property) == (command_class, prop):
                return ValueId(self.node.id, command_class, state.id.endpoint, target, state.id.property_key)
        return None

    @property
    def readings(self) -> tuple[Value, ...]:
        """What it measures, with a known value; bookkeeping of the protocol is left out."""
        return tuple(value for value in self.values if _is_reading(value))

    @property
    def battery_low(self) -> bool:
        level, low = self.find(BATTERY, "level"), self.find(BATTERY, "isLow")
        if low is not None and low.value is True:  # the device itself says so, whatever the number is
            return True
        return level is not None and is_number(level.value) and level.value <= _BATTERY_LOW_PERCENT

    def find(self, command_class: int, prop: str | int, key: str | int | None = None) -> Value | None:
        for value in self.values:
            found = value.id
            if (
                found.command_class == command_class
                and found.property == prop
                and key in (None, found.property_key)
            ):
                return value
        return None

    @property
    def setpoints(self) -> tuple[Value, ...]:
        return tuple(
            value
            for value in self.values
            if value.id.command_class == THERMOSTAT_SETPOINT
            and value.id.property == "setpoint"
            and value.id.property_key is not None  # for what it is
        )

    @property
    def mode(self) -> Value | None:
        return self.find(THERMOSTAT_MODE, "mode")


@lru_cache(maxsize=1)
def _latest(snapshot: "_Same") -> tuple[Device, ...]:
    nodes = snapshot.one.nodes
    single = _twins_marked([device for node in nodes if not node.members for device in _made_once(node)])
    return (*single, *_twins_marked([_of_group(node, single) for node in nodes if node.members]))


_MADE: Final[dict[int, tuple[Node, tuple[Device, ...]]]] = {}  # by number: of each node as it was last


def _made_once(node: Node) -> tuple[Device, ...]:
    """From one list to the next most nodes are as they were, and then the very same object."""
    known = _MADE.get(node.id)
    if known is None or known[0] is not node:
        known = _MADE[node.id] = node, tuple(_of_node(node))
    return known[1]


def _twins_marked(devices: Sequence[Device]) -> tuple[Device, ...]:
    called = Counter((device.name, device.room) for device in devices)
    return tuple(
        replace(device, twin=True) if called[device.name, device.room] > 1 else device for device in devices
    )


class _Same:
    """A snapshot that is compared by what it is, and not value by value."""

    __slots__ = ("one",)

    def __init__(self, one: Snapshot) -> None:
        self.one = one

    def __hash__(self) -> int:
        return id(self.one)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and other.one is self.one


def devices_of(snapshot: Snapshot) -> tuple[Device, ...]:
    """Every new snapshot is looked at by several at once: they share what the first has made of it."""
    return _latest(_Same(snapshot))


def _of_group(node: Node, devices: Sequence[Device]) -> Device:
    """It is in a room where all of its members are."""
    members = tuple(device for device in devices if device.node.id in node.members)
    rooms = {member.room for member in members}
    room = rooms.pop() if len(rooms) == 1 else ""
    return Device(node.name, room, "group", node, 0, (), members)


def _of_node(node: Node) -> Iterable[Device]:
    name = node.name or f"Node {node.id}"
    by_endpoint: dict[int, list[Value]] = {}
    for value in node.values:
        by_endpoint.setdefault(value.id.endpoint, []).append(value)
    kinds = {endpoint: kind_of(values) for endpoint, values in sorted(by_endpoint.items())}
    acting = [endpoint for endpoint, kind in kinds.items() if kind not in ("sensor", "other")]
    # Every endpoint of a doorbell is an occasion to ring, with a tone of its own: it is still one bell.
    if len(acting) <= 1 or all(kinds[endpoint] == "chime" for endpoint in acting):
        # Readings of a single device may sit on other endpoints: they are all its own.
        endpoint = acting[0] if acting else min(by_endpoint, default=0)
        kind = kind_of(node.values, name, node.classes.get(endpoint, node.classes.get(0)))
        yield Device(name, node.room, kind, node, endpoint, node.values)
        return
    for endpoint in acting:
        values = tuple(by_endpoint[endpoint])
        kind = kind_of(values, name, node.classes.get(endpoint))
        yield Device(f"{name} {endpoint}", node.room, kind, node, endpoint, values)


def with_value(device: Device, value_id: ValueId, raw: Any) -> Device:
    """The same device with what it said itself in place of what was remembered."""
    values = tuple(replace(value, value=raw) if value.id == value_id else value for value in device.values)
    return replace(device, values=values)


def _is_reading(value: Value) -> bool:
    if value.id.command_class not in READINGS or value.value is None:
        return False
    if isinstance(value.value, str):  # nothing here measures in words: the answer was damaged
        return False
    if value.id.property in ("alarmType", "alarmLevel", "reset") or value.writeable:
        return False
    return not (value.id.command_class == METER and value.id.property != "value")


JAMMED = 11  # of the notification value "Lock state"


def notification(device: Device) -> Value | None:
    return device.find(NOTIFICATION, "Access Control", "Lock state")


def is_jammed(device: Device) -> bool:
    value = notification(device)
    return value is not None and value.value == JAMMED


def is_new_jam(before: Device, now: Device) -> bool:
    """An old jam, forgotten or not, says nothing about a command of now; a time of its own makes it new."""
    old, value = notification(before), notification(now)
    if value is None or value.value != JAMMED:
        return False
    return old is None or old.value not in (JAMMED, None) or old.updated != value.updated


def without_jam(device: Device) -> Device:
    """Nothing is known from the notification any more; its time stays, to tell the next jam from this one."""
    old = notification(device)
    values = tuple(replace(value, value=None) if value is old else value for value in device.values)
    return replace(device, values=values)


_JAM_SECONDS: Final = 5.0  # with its jam a lock also tells where its bolt is


def _has_spoken_since(device: Device, jam: Value) -> bool:
    """Where the bolt is was told later than its jam: after a restart nobody remembers more."""
    state = device.state_value
    if jam.value != JAMMED or jam.updated is None or state is None or state.updated is None:
        return False
    return state.updated - jam.updated > _JAM_SECONDS


class OldJams:
    """Which notification of which lock is out of date, by the time it was given."""

    def __init__(self) -> None:
        self._over: dict[ValueId, float | None] = {}

    def forget(self, device: Device) -> None:
        """The bolt has been seen where it was sent."""
        value = notification(device)
        if value is not None and value.value == JAMMED:
            self._over[value.id] = value.updated

    def left_out(self, device: Device) -> Device:
        value = notification(device) if device.kind == "lock" else None
        if value is not None and _has_spoken_since(device, value):
            return without_jam(device)
        if value is None or value.id not in self._over:
            return device
        if value.value == JAMMED and value.updated == self._over[value.id]:
            return without_jam(device)
        del self._over[value.id]
        return device
