"""Sets a thermostat: mode first, then the temperature that goes with it, each confirmed by the device."""

import asyncio
from typing import Any, Final

from home_names import wording
from home_names.phrases import capital, listed
from home_names.states import UNKNOWN
from zwave_mcp import sentences
from zwave_mcp.confirm import Command, carry_out
from zwave_mcp.control import may_have_changed
from zwave_mcp.devices import Device, Viewer, with_value
from zwave_mcp.home import Home, Value, ValueId, is_number
from zwave_mcp.results import Result, before_setting, refused, resolve_device, result
from zwave_mcp.states import active_setpoint, auto_setpoints, mode_text, number_text, remembered

_SAME_MODE: Final = {"heating": "heat", "cooling": "cool", "automatic": "auto", "warm": "heat"}
_FURNACE: Final = 7  # the property key of its setpoint
# Limits in degrees Celsius where the thermostat names none: one without limits would take 500 degrees.
_ROOM, _OF_FURNACE = (4.0, 40.0), (4.0, 90.0)
_IN_FAHRENHEIT: Final = {4.0: 40.0, 40.0: 104.0, 90.0: 194.0}
_NEAR_DEGREES: Final = 0.5  # many thermostats round to their own step, and report that


async def set_thermostat(
    home: Home,
    viewer: Viewer,
    asked: str,
    *,
    temperature: float | None = None,
    unit: str | None = None,
    mode: str | None = None,
    setpoint: str | None = None,
) -> Result:
    """`setpoint`: heating or cooling, where an automatic mode keeps both."""
    view = await viewer.now(0)
    # A room with one thermostat leaves no doubt, and little can go wrong.
    device = resolve_device(view, asked, lambda hit: hit.kind == "thermostat", room_will_do=True)
    commands = _commands(device, temperature, unit, mode, setpoint)
    clock = asyncio.get_running_loop().time
    end = clock() + home.timing.tool_seconds
    now, more = device, {}
    written: list[ValueId] = []
    for command in commands:
        verdict = await carry_out(home, command, end - clock())
        if verdict.known:
            now = with_value(now, command.read, verdict.value)
        if may_have_changed(command, verdict):
            written.append(command.write)
        more = before_setting(view.names, device, written, now).facts() if written else {}
        more |= {"was": remembered(device), "reason": verdict.message}
        if verdict.outcome != "confirmed":
            state = remembered(now) if verdict.known else UNKNOWN
            sentence = sentences.unsuccessful(now, verdict.outcome, "set", state, verdict.message)
            return result(sentence, verdict.outcome, now, state=state, more=more)
    sentence = _confirmed(now, temperature is not None, mode is not None, written)
    # Not `state_text`: a device that was taken for dead has just answered.
    return result(sentence, "confirmed", now, state=remembered(now), more=more)


def _commands(
    device: Device, temperature: float | None, unit: str | None, mode: str | None, which: str | None
) -> list[Command]:
    name = wording.the(device)
    if device.kind != "thermostat":
        raise refused("unsupported", capital(f"{name} is not a thermostat."), device)
    if temperature is None and mode is None:
        raise refused("invalid", f"A temperature or a mode is needed to set {name}.", device)
    commands = []
    number = None
    if mode is not None:
        value, number = _mode(device, mode)
        commands.append(Command(device, value.id, number, value.id, lambda now: bool(now == number)))
    if temperature is not None:
        setpoint = active_setpoint(device, number, temperature, which)
        if setpoint is None:
            raise refused("unsupported", capital(f"{name} takes no temperature."), device)
        degrees = _degrees(device, setpoint, temperature, unit)
        commands.append(
            Command(device, setpoint.id, degrees, setpoint.id, lambda now: _is_near(now, degrees))
        )
    return commands


def _is_near(now: Any, degrees: float) -> bool:
    return is_number(now) and abs(now - degrees) <= _NEAR_DEGREES


def _mode(device: Device, asked: str) -> tuple[Value, int]:
    value = device.mode
    wanted = asked.strip().casefold()
    wanted = _SAME_MODE.get(wanted, wanted)
    known = value.states if value is not None else {}
    for number, text in known.items():
        if text.casefold() == wanted and value is not None and isinstance(number, int):
            return value, number
    modes = listed([text.lower() for text in known.values()])
    tail = f"; it has {modes}" if modes else ""
    raise refused(
        "unsupported", f"{capital(wording.the(device))} has no mode {wording.quoted(asked)}{tail}.", device
    )


def _degrees(device: Device, setpoint: Value, temperature: float, unit: str | None) -> float:
    """The temperature in the setpoint's own unit, within its limits."""
    fahrenheit = "F" in setpoint.unit
    if unit is not None and (unit == "F") != fahrenheit:
        temperature = temperature * 9 / 5 + 32 if fahrenheit else (temperature - 32) * 5 / 9
    degrees = round(temperature, 1)
    usual = _OF_FURNACE if setpoint.id.property_key == _FURNACE else _ROOM
    low, high = (_IN_FAHRENHEIT[limit] if fahrenheit else limit for limit in usual)
    low = low if setpoint.minimum is None else setpoint.minimum
    high = high if setpoint.maximum is None else setpoint.maximum
    if not low <= degrees <= high:
        limits = f"{number_text(low)} and {number_text(high)} {_unit(setpoint)}"
        raise refused("invalid", f"The temperature must be between {limits}.", device)
    return degrees


def _unit(setpoint: Value) -> str:
    return "degrees Fahrenheit" if "F" in setpoint.unit else "degrees Celsius"


def _confirmed(device: Device, set_temperature: bool, set_mode: bool, written: list[ValueId]) -> str:
    mode = mode_text(device)
    setpoint = next((item for item in device.setpoints if item.id in written), active_setpoint(device))
    parts = []
    if set_mode:
        parts.append("off" if mode == "off" else f"in {mode} mode")
    if set_temperature and setpoint is not None:
        kind = next((kind for kind, item in auto_setpoints(device).items() if item.id == setpoint.id), "")
        which = f" for {kind}" if kind else ""
        parts.append(f"set to {number_text(setpoint.value)} {_unit(setpoint)}{which}")
    off = ", but it is off" if not set_mode and mode == "off" else ""
    return capital(f"{wording.the(device)} is now {listed(parts)}{off}.")
