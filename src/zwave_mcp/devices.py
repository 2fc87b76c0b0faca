"""Devices as people know them, made from nodes: every endpoint that can do something is a device."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Any, Final

from home_names.kinds import Kind, is_fan, mover_kind
from home_names.resolver import Names
from home_names.risk import is_guarded, is_loud
from zwave_mcp.home import Home, Node, Snapshot, Value, ValueId, is_number


class CC(IntEnum):
    """Z-Wave command classes."""

    BASIC = 32
    BINARY_SWITCH = 37
    MULTILEVEL_SWITCH = 38
    BINARY_SENSOR = 48
    MULTILEVEL_SENSOR = 49
    METER = 50
    COLOR_SWITCH = 51
    THERMOSTAT_MODE = 64
    THERMOSTAT_STATE = 66
    THERMOSTAT_SETPOINT = 67
    THERMOSTAT_FAN_MODE = 68
    CENTRAL_SCENE = 91
    DOOR_LOCK = 98
    BARRIER = 102
    WINDOW_COVERING = 106
    NOTIFICATION = 113
    SOUND_SWITCH = 121
    BATTERY = 128
    USER_CODE = 99
    USER_CREDENTIAL = 131


READINGS: Final = (CC.BINARY_SENSOR, CC.MULTILEVEL_SENSOR, CC.METER, CC.NOTIFICATION, CC.BATTERY)
_SWITCHED: Final = (CC.BINARY_SWITCH, "currentValue", "targetValue")
_LEVELED: Final = (CC.MULTILEVEL_SWITCH, "currentValue", "targetValue")
_COVERING: Final = (CC.WINDOW_COVERING, "currentValue", "targetValue")
_TONE: Final = (CC.SOUND_SWITCH, "toneId", "toneId")
# The value that is the device's state, best first: (command class, property, property to write).
STATE_VALUES: Final = {
    "lock": ((CC.DOOR_LOCK, "currentMode", "targetMode"),),
    "garage_door": ((CC.BARRIER, "currentState", "targetState"), _LEVELED, _COVERING),
    "blind": (_COVERING, _LEVELED),
    "dimmer": (_LEVELED,),
    "light": (_LEVELED, _SWITCHED),
    "fan": (_LEVELED,),
    "chime": (_TONE,),
    "siren": (_TONE, _SWITCHED),
    "switch": (_SWITCHED,),
    "plug": (_SWITCHED,),
}
_SPECIAL: Final[dict[int, Kind]] = {
    CC.DOOR_LOCK: "lock",
    CC.THERMOSTAT_MODE: "thermostat",
    CC.THERMOSTAT_SETPOINT: "thermostat",
    CC.BARRIER: "garage_door",
}
# What each kind can be told. Chimes and sirens take other tones by play_zwave_sound. Blinds and garage doors
# have no on and off: a client that may not open a garage door must not get there by another word.
_LIGHT_ACTIONS: Final = frozenset({"on", "off", "dim", "toggle"})
_ACTIONS: Final = {
    **dict.fromkeys(("switch", "plug"), frozenset({"on", "off", "toggle"})),
    **dict.fromkeys(("dimmer", "light", "fan"), _LIGHT_ACTIONS),
    **dict.fromkeys(("chime", "siren"), frozenset({"on", "off", "stop"})),
    "blind": frozenset({"open", "close", "stop", "toggle", "dim"}),
    "garage_door": frozenset({"open", "close", "stop", "toggle"}),
}
TOGETHER: Final = ("on", "off", "dim", "open", "close")  # what a group can be told
SOUNDERS: Final = ("chime", "siren")
# Device classes, (generic, specific).
_FAN_CLASS: Final = (17, 8)
_SIREN_CLASS: Final = (16, 5)
HIGHEST_LEVEL: Final = 99
LAST_LEVEL: Final = 255  # written to a dimmer: on, as bright as it was
LOCKED: Final = 255  # of a lock's mode
BOLT_UNKNOWN: Final = 254  # the lock does not know where its bolt is
JAMMED: Final = 11  # of the notification "Lock state"
BATTERY_LOW_PERCENT: Final = 15  # where most makers start to warn
_JAM_SECONDS: Final = 5.0  # a lock reports its bolt within this time of a jam
_SAME_REPORT_SECONDS: Final = 2.0  # between two values of one report


def to_level(percent: int) -> int:
    """From percent to 0..99: 0 is off, everything else at least the lowest level that is on."""
    return 0 if percent == 0 else max(1, round(percent * 0.99))


# 101 percents share 100 levels: built from `to_level`, so that a requested percent is also the reported one.
_PERCENTS: Final = {to_level(percent): percent for percent in range(100, -1, -1)}


def to_percent(level: float) -> int:
    return _PERCENTS[min(max(round(level), 0), HIGHEST_LEVEL)]


@dataclass(frozen=True, slots=True)
class Device:
    name: str
    room: str
    kind: Kind
    node: Node
    endpoint: int
    values: tuple[Value, ...]
    members: tuple["Device", ...] = ()  # of a group
    twin: bool = False  # another device in its room has the same name

    @property
    def available(self) -> bool:
        return any(member.available for member in self.members) if self.members else not self.node.dead

    @property
    def node_id(self) -> int:
        return self.node.id

    @property
    def place(self) -> tuple[int, int]:
        """Unique among devices."""
        return self.node.id, self.endpoint

    @property
    def state_value(self) -> Value | None:
        for command_class, prop, _ in STATE_VALUES.get(self.kind, ()):
            if (value := self.find(command_class, prop)) is not None:
                return value
        return None

    @property
    def target(self) -> ValueId | None:
        """The value to write; named by the gateway, or the usual one of the command class."""
        state = self.state_value
        if state is None or state.target is not None:
            return state.target if state else None
        shape = (state.id.command_class, state.id.property)
        target = next(target for *known, target in STATE_VALUES[self.kind] if tuple(known) == shape)
        return replace(state.id, property=target)

    @property
    def readings(self) -> tuple[Value, ...]:
        """What the device measures, with a known value; the protocol's bookkeeping is left out."""
        return tuple(value for value in self.values if _is_reading(value))

    @property
    def battery_low(self) -> bool:
        level, low = self.find(CC.BATTERY, "level"), self.find(CC.BATTERY, "isLow")
        if low is not None and low.value is True:  # the device's own word counts more than the number
            return True
        return level is not None and is_number(level.value) and level.value <= BATTERY_LOW_PERCENT

    def find(self, command_class: int, prop: str | int, key: str | int | None = None) -> Value | None:
        for value in self.values:
            where = value.id
            fits = where.command_class == command_class and where.property == prop
            if fits and key in (None, where.property_key):
                return value
        return None

    def raw(self, value_id: ValueId) -> Any:
        """The remembered value with this address; None where it is unknown."""
        return next((value.value for value in self.values if value.id == value_id), None)

    @property
    def setpoints(self) -> tuple[Value, ...]:
        return tuple(
            value
            for value in self.values
            if value.id.command_class == CC.THERMOSTAT_SETPOINT
            and value.id.property == "setpoint"
            and value.id.property_key is not None
        )

    @property
    def mode(self) -> Value | None:
        return self.find(CC.THERMOSTAT_MODE, "mode")


def _is_reading(value: Value) -> bool:
    prop, command_class = value.id.property, value.id.command_class
    if command_class not in READINGS or value.value is None or value.writeable:
        return False
    if isinstance(value.value, str) or prop in ("alarmType", "alarmLevel", "reset"):
        return False
    return command_class != CC.METER or prop == "value"


def components(device: Device) -> dict[int, Value]:
    """The parts of a light's colour, by number: 0 warm white, 1 cold white, 2 red, 3 green, 4 blue."""
    parts = [value for value in device.values if _is_component(value)]
    return {
        int(item.id.property_key or 0): item for item in parts if item.id.endpoint == parts[0].id.endpoint
    }


def _is_component(value: Value) -> bool:
    """`hexColor` says nothing: a bulb with whites alone has it, too."""
    where = value.id
    is_colour = where.command_class == CC.COLOR_SWITCH and where.property == "currentColor"
    return is_colour and isinstance(where.property_key, int) and where.property_key in range(5)


def has_level(device: Device) -> bool:
    """Whether the device has more than on and off: some lights have not."""
    state = device.state_value
    leveled = state is None or state.id.command_class in (CC.MULTILEVEL_SWITCH, CC.WINDOW_COVERING)
    return device.kind in ("dimmer", "light", "fan", "blind") and leveled


def supports(device: Device, action: str) -> bool:
    return action in _ACTIONS.get(device.kind, frozenset())


def with_value(device: Device, value_id: ValueId, raw: Any) -> Device:
    """The device with `raw` in place of the remembered value."""
    values = tuple(replace(value, value=raw) if value.id == value_id else value for value in device.values)
    return replace(device, values=values)


def fresh(device: Device, node: Node) -> Device:
    """The device with its values as the node has them now."""
    endpoints = {value.id.endpoint for value in device.values}
    return replace(device, values=tuple(value for value in node.values if value.id.endpoint in endpoints))


def ramp_left(device: Device, read: ValueId, write: ValueId) -> float:
    """Seconds until a light has arrived, as reported with its level or colour; 0 if it says nothing. An older
    report is of an older ramp."""
    if write.command_class not in (CC.MULTILEVEL_SWITCH, CC.COLOR_SWITCH):
        return 0.0
    values = {value.id: value for value in device.values}
    left, level = values.get(replace(write, property="duration", property_key=None)), values.get(read)
    if left is None or not is_number(left.value):
        return 0.0
    times = (level.updated if level is not None else None, left.updated)
    if times[0] is not None and times[1] is not None and abs(times[0] - times[1]) > _SAME_REPORT_SECONDS:
        return 0.0
    return float(left.value)


def settling(device: Device) -> Any:
    """The value of the device's state; of a lamp that is still ramping its target."""
    state, target = device.state_value, device.target
    if state is None or target is None:
        return None
    if device.kind in ("dimmer", "light") and ramp_left(device, state.id, target):
        goal = device.raw(target)
        if is_number(goal) and goal != LAST_LEVEL:
            return goal
    return state.value


# --- from nodes to devices


def mark_twins(devices: Sequence[Device]) -> tuple[Device, ...]:
    counts = Counter((device.name, device.room) for device in devices)
    return tuple(
        device
        if device.twin == (counts[device.name, device.room] > 1)
        else replace(device, twin=not device.twin)
        for device in devices
    )


def groups_of(snapshot: Snapshot, devices: Sequence[Device]) -> tuple[Device, ...]:
    """The gateway's multicast groups; a group is in a room if all of its members are."""
    groups = []
    for node in snapshot.nodes:
        if node.members:
            members = tuple(device for device in devices if device.node.id in node.members)
            rooms = {member.room for member in members}
            room = rooms.pop() if len(rooms) == 1 else ""
            groups.append(Device(node.name, room, "group", node, 0, (), members))
    return mark_twins(groups)


def devices_of_node(node: Node) -> Iterable[Device]:
    name = node.name or f"Node {node.id}"
    by_endpoint: dict[int, list[Value]] = {}
    for value in node.values:
        by_endpoint.setdefault(value.id.endpoint, []).append(value)
    kinds = {endpoint: kind_of(by_endpoint[endpoint]) for endpoint in sorted(by_endpoint)}
    acting = [endpoint for endpoint, kind in kinds.items() if kind not in ("sensor", "other")]
    # Each endpoint of a doorbell has a tone of its own: it is still one bell.
    if len(acting) <= 1 or all(kinds[endpoint] == "chime" for endpoint in acting):
        # Readings on other endpoints belong to the single device.
        endpoint = acting[0] if acting else min(by_endpoint, default=0)
        kind = kind_of(node.values, name, node.classes.get(endpoint, node.classes.get(0)))
        yield Device(name, node.room, kind, node, endpoint, node.values)
        return
    for endpoint in acting:
        values = tuple(by_endpoint[endpoint])
        kind = kind_of(values, name, node.classes.get(endpoint))
        yield Device(f"{name} {endpoint}", node.room, kind, node, endpoint, values)


def kind_of(values: Sequence[Value], name: str = "", built_for: tuple[int, int] | None = None) -> Kind:
    """The kind of one endpoint. A riskier or more special kind wins over a plain one."""
    has = {value.id.command_class for value in values}
    for command_class, kind in _SPECIAL.items():
        if command_class in has:
            return kind
    motor = (value.id for value in values if value.id.command_class == CC.MULTILEVEL_SWITCH)
    if CC.WINDOW_COVERING in has or any(item.property in ("Up", "Down", "Open", "Close") for item in motor):
        return mover_kind(name)
    if CC.SOUND_SWITCH in has:
        return "siren" if built_for == _SIREN_CLASS or is_loud(name) else "chime"
    if has & {CC.MULTILEVEL_SWITCH, CC.BINARY_SWITCH}:
        return _switch_kind(values, has, name, built_for)
    return "sensor" if has & set(READINGS) else "other"


def _switch_kind(
    values: Sequence[Value], has: set[int], name: str, built_for: tuple[int, int] | None
) -> Kind:
    lit = CC.COLOR_SWITCH in has and any(map(_is_component, values))
    if CC.MULTILEVEL_SWITCH in has:
        # A word for a fan in the name of a gate opener or a siren does not make it a harmless fan.
        fan = built_for == _FAN_CLASS or (is_fan(name) and not is_guarded("dimmer", (name,)))
        return "fan" if fan else "light" if lit else "dimmer"
    if built_for == _SIREN_CLASS:
        return "siren"
    return "plug" if CC.METER in has else "light" if lit else "switch"  # a plug may have an indicator lamp


# --- jammed locks


def lock_state(device: Device) -> Value | None:
    """The notification value that reports a jam."""
    return device.find(CC.NOTIFICATION, "Access Control", "Lock state")


def is_jammed(device: Device) -> bool:
    value = lock_state(device)
    return value is not None and value.value == JAMMED


def without_jam(device: Device) -> Device:
    """The lock with an unknown notification; its time stays, to tell the next jam from this one."""
    old = lock_state(device)
    values = tuple(replace(value, value=None) if value is old else value for value in device.values)
    return replace(device, values=values)


def without_old_jam(device: Device) -> Device:
    """The device; a lock without a jam that is over: the gateway never takes one back."""
    if device.kind != "lock":
        return device
    jam, bolt = lock_state(device), device.state_value
    if jam is None or jam.value != JAMMED or bolt is None:
        return device
    if jam.updated is None or bolt.updated is None or bolt.updated - jam.updated <= _JAM_SECONDS:
        return device
    return without_jam(device)


# --- the home as it is now


@dataclass(frozen=True, slots=True)
class View:
    snapshot: Snapshot
    devices: tuple[Device, ...]
    called: tuple[tuple[object, ...], ...]  # of each device its place, name, room and kind
    names: Names[Device]
    fresh: tuple[Device, ...] = ()  # those whose node has changed since the view before


class Viewer:
    """Makes a View of each snapshot, and hands it to its listeners. Devices of unchanged nodes are reused."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._view: View | None = None
        self._made: dict[int, tuple[Node, tuple[Device, ...]]] = {}
        self.listeners: list[Callable[[View], None]] = []
        home.on_snapshot(self._on_snapshot)

    def _on_snapshot(self, snapshot: Snapshot) -> None:
        view = self._view_of(snapshot)
        for listener in self.listeners:
            listener(view)

    async def now(self, max_age_seconds: float = 1.0) -> View:
        return self._view_of(await self._home.snapshot(max_age_seconds))

    def _view_of(self, snapshot: Snapshot) -> View:
        last = self._view
        if last is not None and last.snapshot is snapshot:
            return last
        if last is not None and last.snapshot.nodes == snapshot.nodes:
            self._view = replace(last, snapshot=snapshot, fresh=())
            return self._view
        made: dict[int, tuple[Node, tuple[Device, ...]]] = {}
        for node in snapshot.nodes:
            known = self._made.get(node.id)
            if known is not None and known[0] is node:
                made[node.id] = known
            elif not node.members:
                made[node.id] = node, tuple(map(without_old_jam, devices_of_node(node)))
        old, self._made = self._made, made
        single = mark_twins([device for _, devices in made.values() for device in devices])
        devices = (*single, *groups_of(snapshot, single))
        # An index of names is made only after a name or room has changed: that takes longest of all.
        called = tuple((item.place, item.name, item.room, item.kind) for item in devices)
        names = last.names.renewed(devices) if last and called == last.called else Names(devices)
        fresh = tuple(device for device in single if made[device.node.id] is not old.get(device.node.id))
        self._view = View(snapshot, devices, called, names, fresh)
        return self._view
