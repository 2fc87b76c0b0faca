"""Setting a thermostat: mode first, then the temperature that goes with it, each confirmed by the device."""

import asyncio
import math
from dataclasses import dataclass
from typing import Any, Final

from home_words.phrases import capital, listed
from home_words.states import UNKNOWN
from zwave_mcp import wording
from zwave_mcp.confirm import Command, CommandOutcome, carry_out
from zwave_mcp.control import NotPossible, may_have_changed
from zwave_mcp.devices import Device, with_value
from zwave_mcp.home import Home, Value, ValueId, is_number
from zwave_mcp.results import Facts, Result, result
from zwave_mcp.states import active_setpoint, auto_setpoints, number_text, remembered, state_text
from zwave_mcp.undo import before_setting
from zwave_mcp.view import Viewer, resolve_device

_SAME_MODE = {"heating": "heat", "cooling": "cool", "automatic": "auto", "warm": "heat"}
_FURNACE: Final = 7  # the key of its setpoint
_USUAL: Final = {
    "room": {"C": (4.0, 40.0), "F": (40.0, 104.0)},
    "furnace": {"C": (4.0, 90.0), "F": (40.0, 194.0)},
}
_NEAR_DEGREES = 0.5  # many thermostats round to their own step, and say so


@dataclass(frozen=True, slots=True)
class Setting:
    temperature: float | None = None
    unit: str | None = None
    mode: str | None = None
    setpoint: str | None = None  # in an automatic mode: which of the two

    def requested(self) -> dict[str, Any]:
        asked = {"temperature": self.temperature, "unit": self.unit, "mode": self.mode}
        asked["setpoint"] = self.setpoint
        return {key: value for key, value in asked.items() if value is not None}


class Thermostats:
    def __init__(self, home: Home, viewer: Viewer) -> None:
        self._home = home
        self._viewer = viewer

    async def set(self, asked: str, setting: Setting) -> Result:
        requested = setting.requested()
        view = await self._viewer.now()
        # "Set the hallway to 21": a room with one thermostat leaves no doubt, and little can go wrong.
        device = resolve_device(
            view, asked, requested, lambda hit: hit.kind == "thermostat", room_will_do=True
        )
        if isinstance(device, Result):
            return device
        facts = Facts(requested, device, state_text(device))
        try:
            commands = _commands(device, setting)
        except NotPossible as reason:
            return result(str(reason), reason.outcome, facts)
        clock = asyncio.get_running_loop().time
        end = clock() + self._home.pace.tool_seconds
        old, more = device, {}
        written: list[ValueId] = []
        for command in commands:
            verdict = await carry_out(self._home, command, end - clock())
            if verdict.known:
                device = with_value(device, command.read, verdict.value)
            if may_have_changed(command, verdict):
                written.append(command.write)
            more = before_setting(view.names, old, written, device).facts() if written else {}
            if verdict.outcome != "confirmed":
                state = remembered(device) if verdict.known else UNKNOWN
                sentence = _bad_news(device, command, verdict)
                return result(sentence, verdict.outcome, Facts(requested, device, state, more=more))
        # Not state_text: a device that was taken for dead has just answered.
        facts = Facts(requested, device, remembered(device), more=more)
        return result(_good_news(device, setting, written), "confirmed", facts)


def _commands(device: Device, setting: Setting) -> list[Command]:
    name = wording.the(device)
    if device.kind != "thermostat":
        raise NotPossible("unsupported", capital(f"{name} is not a thermostat."))
    if setting.temperature is None and setting.mode is None:
        raise NotPossible("invalid", f"A temperature or a mode is needed to set {name}.")
    commands = []
    mode = None
    if setting.mode is not None:
        value, mode = _mode(device, setting.mode)
        commands.append(Command(device, value.id, mode, value.id, lambda now: bool(now == mode)))
    if setting.temperature is not None:
        setpoint = active_setpoint(device, mode, setting.temperature, setting.setpoint)
        if setpoint is None:
            raise NotPossible("unsupported", capital(f"{name} takes no temperature."))
        degrees = _degrees(setpoint, setting.temperature, setting.unit)
        commands.append(
            Command(
                device,
                setpoint.id,
                degrees,
                setpoint.id,
                lambda now: is_number(now) and abs(now - degrees) <= _NEAR_DEGREES,
            )
        )
    return commands


def _mode(device: Device, asked: str) -> tuple[Value, int]:
    value = device.mode
    wanted = asked.strip().casefold()
    wanted = _SAME_MODE.get(wanted, wanted)
    known = value.states if value is not None else {}
    for number, text in known.items():
        if text.casefold() == wanted and value is not None and isinstance(number, int):
            return value, number
    name = capital(wording.the(device))
    modes = listed([text.lower() for text in known.values()])
    tail = f"; it has {modes}" if modes else ""
    raise NotPossible("unsupported", f"{name} has no mode {wording.quoted(asked)}{tail}.")


def _degrees(setpoint: Value, temperature: float, unit: str | None) -> float:
    if not math.isfinite(temperature):
        raise NotPossible("invalid", "The temperature must be a number.")
    own = "F" if "F" in setpoint.unit else "C"
    degrees = temperature
    if unit is not None and unit != own:
        degrees = temperature * 9 / 5 + 32 if own == "F" else (temperature - 32) * 5 / 9
    degrees = round(degrees, 1)
    low, high = _limits(setpoint, own)
    if not low <= degrees <= high:
        limits = f"{number_text(low)} and {number_text(high)} {_unit(setpoint)}"
        raise NotPossible("invalid", f"The temperature must be between {limits}.")
    return degrees


def _limits(setpoint: Value, unit: str) -> tuple[float, float]:
    """What it names, else what a room may be: a thermostat without limits would take 500 degrees."""
    low, high = _USUAL["furnace" if setpoint.id.property_key == _FURNACE else "room"][unit]
    own_low, own_high = setpoint.minimum, setpoint.maximum
    return low if own_low is None else own_low, high if own_high is None else own_high


def _unit(setpoint: Value) -> str:
    return "degrees Fahrenheit" if "F" in setpoint.unit else "degrees Celsius"


def _good_news(device: Device, setting: Setting, written: list[ValueId]) -> str:
    mode = device.mode
    mode_text = mode.states.get(mode.value, "").lower() if mode is not None else ""
    setpoint = next((one for one in device.setpoints if one.id in written), active_setpoint(device))
    parts = []
    if setting.mode is not None:
        parts.append("off" if mode_text == "off" else f"in {mode_text} mode")
    if setting.temperature is not None and setpoint is not None:
        kind = next((kind for kind, one in auto_setpoints(device).items() if one.id == setpoint.id), "")
        which = f" for {kind}" if kind else ""
        parts.append(f"set to {number_text(setpoint.value)} {_unit(setpoint)}{which}")
    off = ", but it is off" if setting.mode is None and mode_text == "off" else ""
    return capital(f"{wording.the(device)} is now {listed(parts)}{off}.")


def _bad_news(device: Device, command: Command, verdict: CommandOutcome) -> str:
    if verdict.outcome == "queued":
        return wording.queued(device)
    if verdict.outcome == "unreachable":
        return wording.unreachable(device)
    if verdict.outcome in ("unconfirmed", "working"):
        return wording.not_confirmed(device, verdict.message)
    return wording.failed(device, "set", remembered(device) if verdict.known else UNKNOWN, verdict.message)
