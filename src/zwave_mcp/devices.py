"""Devices as people know them, made from nodes: every endpoint that can do something is one."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from home_words.kinds import Kind
from zwave_mcp.home import Node, Snapshot, Value, ValueId
from zwave_mcp.kinds import (
    BATTERY,
    METER,
    READINGS,
    STATE_VALUES,
    THERMOSTAT_MODE,
    THERMOSTAT_SETPOINT,
    kind_of,
)
from zwave_mcp.scalars import is_number

_BATTERY_LOW_PERCENT = 15  # where most makers start to warn


@dataclass(frozen=True, slots=True)
class Device:
    name: str
    room: str
    kind: Kind
    node: Node
    endpoint: int
    values: tuple[Value, ...]

    @property
    def available(self) -> bool:
        return not self.node.dead

    @property
    def node_id(self) -> int:
        return self.node.id

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
        level = self.find(BATTERY, "level")
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
            if value.id.command_class == THERMOSTAT_SETPOINT and value.id.property == "setpoint"
        )

    @property
    def mode(self) -> Value | None:
        return self.find(THERMOSTAT_MODE, "mode")


def devices_of(snapshot: Snapshot) -> tuple[Device, ...]:
    return tuple(device for node in snapshot.nodes for device in _of_node(node))


def _of_node(node: Node) -> Iterable[Device]:
    name = node.name or f"Node {node.id}"
    by_endpoint: dict[int, list[Value]] = {}
    for value in node.values:
        by_endpoint.setdefault(value.id.endpoint, []).append(value)
    acting = [
        endpoint
        for endpoint, values in sorted(by_endpoint.items())
        if kind_of(values) not in ("sensor", "other")
    ]
    if len(acting) <= 1:
        # Readings of a single device may sit on other endpoints: they are all its own.
        endpoint = acting[0] if acting else min(by_endpoint, default=0)
        yield Device(name, node.room, kind_of(node.values, name), node, endpoint, node.values)
        return
    for endpoint in acting:
        values = tuple(by_endpoint[endpoint])
        yield Device(f"{name} {endpoint}", node.room, kind_of(values, name), node, endpoint, values)


def with_value(device: Device, value_id: ValueId, raw: Any) -> Device:
    """The same device with what it said itself in place of what was remembered."""
    values = tuple(replace(value, value=raw) if value.id == value_id else value for value in device.values)
    return replace(device, values=values)


def _is_reading(value: Value) -> bool:
    if value.id.command_class not in READINGS or value.value is None:
        return False
    if value.id.property in ("alarmType", "alarmLevel", "reset") or value.writeable:
        return False
    return not (value.id.command_class == METER and value.id.property != "value")
