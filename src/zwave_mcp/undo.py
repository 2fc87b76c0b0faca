"""What was before an act: `before`, the calls that put it back, and `undo`, why something cannot be."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

from home_words.phrases import capital
from home_words.resolver import Names, number_of
from zwave_mcp import wording
from zwave_mcp.devices import (
    BARRIER,
    COLOR_SWITCH,
    HIGHEST_LEVEL,
    THERMOSTAT_FAN_MODE,
    THERMOSTAT_MODE,
    THERMOSTAT_SETPOINT,
    Device,
    to_percent,
)
from zwave_mcp.home import Value, ValueId, is_number
from zwave_mcp.notifications import BOLT_UNKNOWN
from zwave_mcp.states import LOCKED, active_setpoint, auto_setpoints, components

_DEVICE: Final = "control_zwave_device"
_LOCK: Final = "control_zwave_lock"
_THERMOSTAT: Final = "set_zwave_thermostat"
_COLOUR: Final = "set_zwave_color"
_SOUND: Final = "play_zwave_sound"
_SHOWN: Final = (2, 3, 4, 0, 1)  # components as `#rrggbbwwcc` has them
_BARRIER: Final = {0: "close", 252: "close", 254: "open", 255: "open"}
# What no tool here sets: a scene may, and it stays as the scene left it.
_NOT_OURS: Final = {THERMOSTAT_FAN_MODE: "fan"}


@dataclass(frozen=True, slots=True)
class Before:
    """`calls` put back what is known, in this order; `undo` says what stays as it is, and why."""

    calls: tuple[dict[str, Any], ...] = ()
    undo: str = ""

    def facts(self) -> dict[str, Any]:
        """The part of a result's structured content."""
        facts: dict[str, Any] = {"before": [dict(call) for call in self.calls]}
        return {**facts, "undo": self.undo} if self.undo else facts


def address(names: Names[Device], device: Device) -> str:
    """The name that means only this device."""
    for spelling in (device.name, f"{device.room} {device.name}", f"node {device.node.id}"):
        if names.exact(spelling) == (device,):
            return spelling
    return number_of(device)


def before_command(names: Names[Device], device: Device, raw: Any, action: str = "") -> Before:
    """`raw` is the value of its state before `action`."""
    if action == "stop":
        return Before(undo=f"{capital(wording.the(device))} was moving, and where to is not known.")
    if raw is None:
        return _not_known(device)
    name = address(names, device)
    if device.kind == "lock":
        if not is_number(raw) or raw == BOLT_UNKNOWN:
            return _not_known(device)
        return Before((_call(_LOCK, name, action="lock" if raw == LOCKED else "unlock"),))
    if isinstance(raw, bool):
        return Before((_call(_DEVICE, name, action="on" if raw else "off"),))
    return _before_level(device, name, raw)


def _before_level(device: Device, name: str, raw: Any) -> Before:
    state = device.state_value
    if not is_number(raw):
        return _not_known(device)
    if state is not None and state.id.command_class == BARRIER:
        action = _BARRIER.get(int(raw))
    elif device.kind == "garage_door":
        action = "close" if raw == 0 else "open" if raw >= HIGHEST_LEVEL else None
    elif device.kind == "blind":
        action = "close" if raw == 0 else "open" if raw >= HIGHEST_LEVEL else "dim"
    else:
        action = "off" if raw == 0 else "dim"
    if action is None:
        return Before(undo=f"{capital(wording.the(device))} was partly open, and cannot be sent there.")
    level = {"level": to_percent(raw)} if action == "dim" else {}
    return Before((_call(_DEVICE, name, action=action, **level),))


def before_colour(
    names: Names[Device], device: Device, *, colour: bool = True, level: bool = False
) -> Before:
    """Of a light whose colour, level or both are written: off comes last, or it would shine again."""
    calls: list[dict[str, Any]] = []
    reasons = ""
    if colour:
        parts = {key: value.value for key, value in components(device).items()}
        known = all(is_number(one) for one in parts.values()) and any(parts.values())
        if known:
            digits = "".join(f"{min(max(int(parts.get(key, 0)), 0), 255):02x}" for key in _SHOWN)
            shown = f"#{digits.removesuffix('0000')}" if len(parts) == len(_SHOWN[:3]) else f"#{digits}"
            calls.append(_call(_COLOUR, address(names, device), color=shown))
        else:
            reasons = f"It is not known which colour {wording.the(device)} had before."
    state = device.state_value
    if level and state is not None:
        was = before_command(names, device, state.value)
        calls += was.calls
        reasons = " ".join(filter(None, (reasons, was.undo)))
    return Before(tuple(calls), reasons)


def before_sound(names: Names[Device], device: Device, action: str) -> Before:
    """What plays can be stopped; what was stopped is not begun again."""
    if action == "stop":
        return Before(undo=f"What {wording.the(device)} played is not begun again.")
    return Before((_call(_SOUND, address(names, device), action="stop"),))


def before_setting(
    names: Names[Device], device: Device, written: Iterable[ValueId], now: Device | None = None
) -> Before:
    """Of a thermostat whose mode, and the set point that goes with it, are written; `now` it is so."""
    name, ids = address(names, device), set(written)
    setpoints = [value for value in device.setpoints if value.id in ids]
    mode = device.mode if device.mode is not None and device.mode.id in ids else None
    old_mode = _mode_text(mode) if mode is not None else ""
    if (mode is not None and not old_mode) or any(not is_number(one.value) for one in setpoints):
        return _not_known(device)
    # The set point first: it belongs to the mode that holds until the last call.
    both = {value.id: {"setpoint": kind} for kind, value in auto_setpoints(now or device).items()}
    calls = [
        _call(
            _THERMOSTAT,
            name,
            temperature=one.value,
            unit="F" if "F" in one.unit else "C",
            **both.get(one.id, {}),
        )
        for one in setpoints
    ]
    return Before((*calls, _call(_THERMOSTAT, name, mode=old_mode)) if old_mode else tuple(calls))


def before_scene(names: Names[Device], touched: Iterable[tuple[Device, ValueId]]) -> Before:
    """The states of the devices that a scene writes to; each device once."""
    calls: dict[tuple[Any, ...], dict[str, Any]] = {}
    reasons: dict[str, None] = {}
    for device, value_id in touched:
        was = _before_value(names, device, value_id)
        for call in was.calls:
            calls.setdefault((call["name"], *sorted(call["args"].items())), call)
        if was.undo:
            reasons[was.undo] = None
    return Before(tuple(calls.values()), " ".join(reasons))


def _before_value(names: Names[Device], device: Device, value_id: ValueId) -> Before:
    if (part := _NOT_OURS.get(value_id.command_class)) is not None:
        return Before(undo=f"The {part} of {wording.the(device)} cannot be put back.")
    if value_id.command_class == COLOR_SWITCH:
        return before_colour(names, device)
    if value_id.command_class == THERMOSTAT_MODE:
        return before_setting(names, device, [value_id])
    if value_id.command_class == THERMOSTAT_SETPOINT:
        active = active_setpoint(device)
        if active is None or active.id != value_id:
            return Before(undo=f"A set point of {wording.the(device)} cannot be put back.")
        return before_setting(names, device, [value_id])
    state = device.state_value
    return before_command(names, device, state.value if state else None)


def _call(tool: str, device: str, **args: Any) -> dict[str, Any]:
    return {"name": tool, "args": {"deviceName": device, **args}}


def _mode_text(mode: Value) -> str:
    return str(mode.states.get(mode.value, "")).lower()


def _not_known(device: Device) -> Before:
    return Before(undo=f"It is not known how {wording.the(device)} {wording.verb(device, 'was')} before.")
