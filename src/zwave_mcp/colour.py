"""Colours and whites of a light: chosen by the components that it has, each of which must be confirmed."""

import asyncio
from collections.abc import Callable, Mapping
from typing import Any, Final

from home_names import wording
from home_names.phrases import capital
from home_names.states import UNKNOWN, level_of
from zwave_mcp import palette, sentences
from zwave_mcp.confirm import Command, CommandOutcome, carry_out, look
from zwave_mcp.control import HAPPENED, Action, command, down, has_changed, may_have_changed
from zwave_mcp.devices import CC, Device, View, Viewer, components, has_level, with_value
from zwave_mcp.home import Home, HomeError, ValueId, is_number
from zwave_mcp.results import Result, before_colour, refused, resolve_single, result
from zwave_mcp.states import colour_text, remembered

WARM, COLD, RED, GREEN, BLUE = range(5)
# As `targetColor` names them.
_NAMES: Final = {WARM: "warmWhite", COLD: "coldWhite", RED: "red", GREEN: "green", BLUE: "blue"}
_RGB: Final = (RED, GREEN, BLUE)
_NEAR: Final = 3  # of 255: bulbs round
_SINGLE_WHITES: Final = {WARM: (2500, 3300), COLD: (4500, 6600)}  # kelvin that a single white passes for

Mix = Mapping[int, int]  # component -> 0 to 255
Looks = Mapping[ValueId, Callable[[Any], bool]]  # value to poll -> whether it is as wished


async def set_colour(
    home: Home,
    viewer: Viewer,
    asked: str,
    *,
    color: str | None = None,
    temperature: float | None = None,
    brightness: int | None = None,
) -> Result:
    view = await viewer.now(0)
    device = resolve_single(view, asked, lambda hit: bool(components(hit)))
    mix, shining = _mix(device, color, temperature), _shining(device, brightness)
    return await _carry_out(home, view, device, mix, shining)


async def _carry_out(home: Home, view: View, old: Device, mix: Mix, shining: Command | None) -> Result:
    """Write the colour, then turn the light on."""
    clock = asyncio.get_running_loop().time
    end, device = clock() + home.timing.tool_seconds, old
    coloured, lit = True, False  # what may have changed
    try:
        verdict = await _colour(home, old, mix, end - clock())
        coloured = verdict.outcome in HAPPENED or verdict.known
        if verdict.outcome == "confirmed":
            device = _with_mix(device, mix)
            if shining is not None:
                lit = True
                verdict = await carry_out(home, shining, end - clock())
                lit = may_have_changed(shining, verdict)
                device = with_value(device, shining.read, verdict.value) if verdict.known else device
    except HomeError as error:
        before = before_colour(view.names, old, colour=coloured, level=lit)
        return down(error, old, before)
    before = before_colour(view.names, old, colour=coloured, level=lit)
    more = before if coloured or lit else {}
    # Not `state_text`: a device that was taken for dead has just answered.
    state = remembered(device) if verdict.outcome == "confirmed" else UNKNOWN
    sentence = _sentence(device, verdict, lit)
    return result(sentence, verdict.outcome, device, state=state, more=more)


async def _colour(home: Home, device: Device, mix: Mix, seconds: float) -> CommandOutcome:
    """Write all components in one message; each is polled unless the device has confirmed the write
    itself. `known` in the verdict: some component has changed."""
    parts = components(device)
    where = next(iter(parts.values())).id
    target = ValueId(where.node_id, CC.COLOR_SWITCH, where.endpoint, "targetColor")
    wanted = {_NAMES[key]: level for key, level in mix.items()}
    looks = [Command(device, target, wanted, parts[key].id, _is_near(level)) for key, level in mix.items()]
    verdict = await carry_out(home, looks[0], seconds)
    changed = has_changed(looks[0], verdict)
    # A supervised device tells no component: it has confirmed all of them.
    for item in looks[1:] if verdict.known and is_number(verdict.value) else ():
        if verdict.outcome != "confirmed":
            break
        verdict = await look(home, item)
        changed = changed or has_changed(item, verdict)
    return CommandOutcome(verdict.outcome, known=changed, message=verdict.message)


def _is_near(level: int) -> Callable[[Any], bool]:
    return lambda now: is_number(now) and abs(now - level) <= (_NEAR if level else 0)


def _with_mix(device: Device, mix: Mix) -> Device:
    for key, level in mix.items():
        device = with_value(device, components(device)[key].id, level)
    return device


# --- colours that a scene writes


def looks_for(light: Device, written: ValueId, value: Any) -> Looks:
    """What to poll of a light after a scene wrote a colour; empty where the effect is unknown."""
    has, mix = components(light), _written(written, value)
    if any(level and key not in has for key, level in mix.items()):
        return {}
    return {has[key].id: _is_near(level) for key, level in mix.items() if key in has}


def _written(written: ValueId, value: Any) -> Mix:
    """`hexColor` is a text, `targetColor` the level of one component or those of several by name."""
    key = written.property_key
    if written.property == "hexColor":
        rgb = palette.rgb_of(f"#{value.removeprefix('#')}") if isinstance(value, str) else None
        return dict(zip(_RGB, rgb, strict=True)) if rgb else {}
    if written.property != "targetColor":
        return {}
    if key is not None:
        return {key: value} if isinstance(key, int) and is_number(value) else {}
    levels = value if isinstance(value, Mapping) else {}
    numbers = {name: number for number, name in _NAMES.items()}
    if not all(name in numbers and is_number(level) for name, level in levels.items()):
        return {}
    return {numbers[name]: level for name, level in levels.items()}


# --- from words to components


def _mix(device: Device, color: str | None, temperature: float | None) -> Mix:
    has = components(device)
    if not has:
        raise refused("unsupported", capital(f"{wording.the(device)} shows no colours."), device)
    if color is not None and temperature is None:
        mix = _coloured(device, color)
    elif temperature is not None and color is None:
        mix = _white(device, temperature)
    else:
        raise refused("invalid", "A colour or a temperature in kelvin is needed, one of both.", device)
    return {key: mix.get(key, 0) for key in has}


def _coloured(device: Device, asked: str) -> Mix:
    has = components(device)
    # `#rrggbbwwcc`, with both whites: so every mix can be put back as it was.
    digits = asked.strip().removeprefix("#")
    if len(digits) == 10 and set(digits.casefold()) <= set("0123456789abcdef"):
        levels = [int(digits[at : at + 2], 16) for at in range(0, 10, 2)]
        mix = dict(zip((*_RGB, WARM, COLD), levels, strict=True))
        if any(mix[key] for key in has):
            return mix
    if (kelvin := palette.kelvin_in(asked)) is not None:
        return _white(device, kelvin)
    rgb = palette.rgb_of(asked)
    if rgb is None or not any(rgb):
        tail = "; a light that shall be dark is turned off" if rgb is not None else ""
        raise refused("invalid", f"There is no colour {wording.quoted(asked)} of light{tail}.", device)
    mixed = WARM in has and COLD in has
    if set(_RGB) <= has.keys():
        return dict(zip(_RGB, rgb, strict=True))
    if rgb == (255, 255, 255):
        return _white(device, 4000) if mixed else dict.fromkeys(has, 255)
    whites = "white from warm to cold" if mixed else "one white"
    raise refused("unsupported", capital(f"{wording.the(device)} shows no colours, only {whites}."), device)


def _white(device: Device, kelvin: float) -> Mix:
    has = components(device)
    coloured, mixed = set(_RGB) <= has.keys(), WARM in has and COLD in has
    if mixed and palette.WARMEST <= kelvin <= palette.COLDEST:
        warm, cold = palette.white_mix(kelvin)
        return {WARM: warm, COLD: cold}
    single = next((key for key in _SINGLE_WHITES if key in has and not mixed), None)
    if single is not None and _SINGLE_WHITES[single][0] <= kelvin <= _SINGLE_WHITES[single][1]:
        return {single: 255}
    if coloured and palette.LOWEST_KELVIN <= kelvin <= palette.HIGHEST_KELVIN:
        return dict(zip(_RGB, palette.rgb_of_kelvin(kelvin), strict=True))
    if not coloured and not mixed:
        which = f", which is {'warm' if single == WARM else 'cold'}" if single is not None else ""
        raise refused("unsupported", capital(f"{wording.the(device)} has only one white{which}."), device)
    lowest = palette.LOWEST_KELVIN if coloured else palette.WARMEST
    highest = palette.HIGHEST_KELVIN if coloured else palette.COLDEST
    sentence = f"The temperature of the light must be between {lowest} and {highest} kelvin."
    raise refused("invalid", sentence, device)


def _shining(device: Device, brightness: int | None) -> Command | None:
    """The command that turns the light on or sets its brightness; a colour is not seen while it is off."""
    if device.kind != "light":  # a plug with an indicator lamp stays as it is
        if brightness is not None:
            raise refused("unsupported", capital(f"{wording.the(device)} cannot be dimmed."), device)
        return None
    if brightness is not None:
        if not has_level(device):
            raise refused("unsupported", sentences.cannot(device, "dim"), device)
        return command(device, Action("dim", brightness))
    state = device.state_value
    return command(device, Action("on")) if state is not None and not state.value else None


# --- sentences


def _shown(device: Device) -> str:
    return colour_text(device).replace(" K", " kelvin")


def _sentence(device: Device, verdict: CommandOutcome, lit: bool) -> str:
    name, verb = wording.the(device), wording.verb(device, "is")
    if verdict.outcome == "confirmed":
        level = level_of(remembered(device)) if lit else None
        tail = f" at {level} percent" if level and level < 100 else ""
        return capital(f"{name} {verb} now {_shown(device)}{tail}.")
    if verdict.outcome == "working":
        return capital(f"{name} {verb} {f'now {_shown(device)}, and ' if lit else ''}changing.")
    action = "on" if lit else "colour"
    return sentences.unsuccessful(device, verdict.outcome, action, message=verdict.message)
