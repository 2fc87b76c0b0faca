"""Jams that are over: many locks never take their notification back, although the bolt has moved since."""

from dataclasses import replace

from zwave_mcp.devices import Device
from zwave_mcp.home import Value, ValueId
from zwave_mcp.kinds import NOTIFICATION

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
        if value is None or value.id not in self._over:
            return device
        if value.value == JAMMED and value.updated == self._over[value.id]:
            return without_jam(device)
        del self._over[value.id]
        return device
