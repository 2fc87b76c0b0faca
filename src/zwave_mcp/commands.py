"""From an action on a device to the command that does it, or the reason why it cannot be done."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

from zwave_mcp import sentences
from zwave_mcp.confirm import Command
from zwave_mcp.devices import Device
from zwave_mcp.home import ValueId
from zwave_mcp.kinds import BARRIER, MULTILEVEL_SWITCH, WINDOW_COVERING
from zwave_mcp.percent import HIGHEST_LEVEL, LAST_LEVEL, to_level
from zwave_mcp.results import Outcome
from zwave_mcp.scalars import is_number
from zwave_mcp.states import LOCKED

_ACTIONS: Final = {
    "switch": frozenset({"on", "off", "toggle"}),
    "plug": frozenset({"on", "off", "toggle"}),
    "dimmer": frozenset({"on", "off", "dim", "toggle"}),
    # No on and off: whoever may not open a garage door must not get there by another word.
    "blind": frozenset({"open", "close", "stop", "toggle", "dim"}),
    "garage_door": frozenset({"open", "close", "stop", "toggle"}),
}
_NEAR: Final = 2  # levels: motors and dimmers stop close to the wish, and report that
_LOCK_WINDOW_SECONDS: Final = 10.0
_BARRIER_OPEN: Final = 255


class NotPossible(Exception):
    """The command cannot be sent; the text is the sentence for it."""

    def __init__(self, outcome: Outcome, sentence: str) -> None:
        super().__init__(sentence)
        self.outcome: Outcome = outcome


@dataclass(frozen=True, slots=True)
class Wish:
    """What is to happen, with toggle already resolved: what was seen must not change before it is sent."""

    action: str
    percent: int | None = None
    requested: dict[str, Any] = field(default_factory=dict)


def supports(device: Device, action: str) -> bool:
    return action in _ACTIONS.get(device.kind, frozenset())


def wish(device: Device, action: str, level: int | None, state: Any) -> Wish:
    """Checked against what the device can do. `state` is its present value, for toggle."""
    requested: dict[str, Any] = {"action": action} if level is None else {"action": action, "level": level}
    if not supports(device, action) or (level is not None and device.kind not in ("dimmer", "blind")):
        raise NotPossible("unsupported", sentences.cannot(device, "dim" if level is not None else action))
    _check_level(device, action, level)
    if action == "toggle":
        resolved = _opposite(device, state)
        return Wish(resolved, None, {**requested, "resolved": resolved})
    if level is not None and action in ("on", "dim", "open"):
        if level == 0 and action == "dim":
            return Wish("close" if device.kind == "blind" else "off", None, requested)
        return Wish("dim", level, requested)
    return Wish(action, None, requested)


def _check_level(device: Device, action: str, level: int | None) -> None:
    name = sentences.the(device)
    if level is None:
        if action == "dim":
            raise NotPossible("invalid", f"To dim {name} a level from 0 to 100 percent is needed.")
        return
    if not 0 <= level <= 100:
        raise NotPossible("invalid", "The level must be between 0 and 100 percent.")
    contradicts = action in ("toggle", "stop") or (action in ("off", "close") and level != 0)
    if contradicts or (action in ("on", "open") and level == 0):
        raise NotPossible("invalid", f'A level of {level} percent does not go with "{action}".')


def _opposite(device: Device, state: Any) -> str:
    if isinstance(state, bool) or is_number(state):
        active = bool(state)
        if device.kind in ("blind", "garage_door"):
            return "close" if active else "open"
        return "off" if active else "on"
    raise NotPossible("failed", f"It is not known whether {sentences.the(device)} is on or off.")


def command(device: Device, chosen: Wish) -> Command:
    state, target = device.state_value, device.target
    if state is None or target is None:
        raise NotPossible("unsupported", sentences.cannot(device, chosen.action))
    value = _value(device, chosen, state.id.command_class)
    return Command(
        device,
        target,
        value,
        state.id,
        _reached(value, chosen.action, state.id.command_class),
        moves=device.kind in ("blind", "garage_door"),
    )


def lock_command(device: Device, action: str) -> Command:
    state, target = device.state_value, device.target
    if state is None or target is None:
        raise NotPossible(
            "unsupported", sentences.capital(f"{sentences.the(device)} cannot be locked from here.")
        )
    value = LOCKED if action == "lock" else 0
    return Command(
        device,
        target,
        value,
        state.id,
        lambda now: now == LOCKED if action == "lock" else is_number(now) and now != LOCKED,
        window_seconds=_LOCK_WINDOW_SECONDS,
    )


def stop_command(device: Device) -> Command:
    """Writing false to either direction stops the motor."""
    state, target = device.state_value, _stop_id(device)
    if state is None or target is None:
        raise NotPossible("unsupported", sentences.cannot(device, "stop"))
    return Command(device, target, False, state.id, is_number, stops=True)


def _stop_id(device: Device) -> ValueId | None:
    for value in device.values:
        found = value.id
        if found.command_class == MULTILEVEL_SWITCH and found.property in ("Up", "Down", "Open", "Close"):
            return found
        if found.command_class == WINDOW_COVERING and found.property in ("levelChangeUp", "levelChangeDown"):
            return found
    return None


def _value(device: Device, chosen: Wish, command_class: int) -> Any:
    if device.kind in ("switch", "plug"):
        return chosen.action == "on"
    if chosen.percent is not None:
        return to_level(chosen.percent)
    if chosen.action in ("off", "close"):
        return 0
    if command_class == BARRIER:
        return _BARRIER_OPEN
    return LAST_LEVEL if chosen.action == "on" else HIGHEST_LEVEL


def _reached(value: Any, action: str, command_class: int) -> Callable[[Any], bool]:
    if isinstance(value, bool) or command_class == BARRIER:
        return lambda now: bool(now == value)
    if action == "on":
        return lambda now: is_number(now) and now > 0
    if value == 0:
        return lambda now: bool(now == 0)
    return lambda now: is_number(now) and now > 0 and abs(now - value) <= _NEAR
