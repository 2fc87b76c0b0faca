"""Colours and whites of a light: which components it has decides, and each is asked for before "done"."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from home_words import colours
from home_words.phrases import capital, listed
from home_words.states import UNKNOWN, level_of
from zwave_mcp import wording
from zwave_mcp.confirm import Command, CommandOutcome, carry_out, look
from zwave_mcp.control import HAPPENED, NotPossible, Wish, command, down, has_level, may_have_changed
from zwave_mcp.devices import COLOR_SWITCH, Device, with_value
from zwave_mcp.home import Home, HomeError, Value, ValueId, is_number
from zwave_mcp.results import Facts, Outcome, Result, result, worst
from zwave_mcp.states import colour_text, components, remembered, state_text
from zwave_mcp.undo import Before, before_colour
from zwave_mcp.view import View, Viewer, resolve_device

WARM, COLD, RED, GREEN, BLUE = range(5)
# As `targetColor` names them.
_NAMES: Final = {WARM: "warmWhite", COLD: "coldWhite", RED: "red", GREEN: "green", BLUE: "blue"}
_WORDS: Final = {WARM: "warm white", COLD: "cold white", RED: "red", GREEN: "green", BLUE: "blue"}
_RGB: Final = (RED, GREEN, BLUE)
_NEAR: Final = 3  # of 255: bulbs round
_ONE_WHITE: Final = {WARM: (2500, 3300), COLD: (4500, 6600)}  # kelvin: what a single white passes for

Mix = Mapping[int, int]  # component -> 0 to 255
Looks = Mapping[ValueId, Callable[[Any], bool]]  # what is asked for, and whether it is what was wished


@dataclass(frozen=True, slots=True)
class ColourWish:
    color: str | None = None
    temperature: float | None = None
    brightness: int | None = None

    def requested(self) -> dict[str, Any]:
        asked = {"color": self.color, "temperature": self.temperature, "brightness": self.brightness}
        return {key: value for key, value in asked.items() if value is not None}


class Colours:
    def __init__(self, home: Home, viewer: Viewer) -> None:
        self._home = home
        self._viewer = viewer

    async def set(self, asked: str, wish: ColourWish) -> Result:
        requested = wish.requested()
        view = await self._viewer.now()
        device = resolve_device(view, asked, requested, lambda hit: bool(components(hit)))
        if isinstance(device, Result):
            return device
        try:
            if device.members:
                return await self._group(view, device, wish)
            mix = _mix(device, wish)
            shining = _shining(device, wish)
        except NotPossible as reason:
            return result(str(reason), reason.outcome, Facts(requested, device, state_text(device)))
        return (await self._carry_out(view, device, requested, mix, shining))[0]

    async def _group(self, view: View, group: Device, wish: ColourWish) -> Result:
        """All at the same time, where all can; done when each member says so."""
        _check_members(group)
        requested = wish.requested()
        plans = [(member, _mix(member, wish), _shining(member, wish)) for member in group.members]
        said = await asyncio.gather(
            *(self._carry_out(view, member, requested, mix, shining) for member, mix, shining in plans)
        )
        answers = [answer.structured for answer, _ in said]
        outcome = worst(answer["outcome"] for answer in answers)
        behind = [
            wording.told_apart(member)
            for member, answer in zip(group.members, answers, strict=True)
            if answer["outcome"] not in ("confirmed", "working")
        ]
        now = replace(group, members=tuple(device for _, device in said))
        calls = tuple(call for answer in answers for call in answer.get("before", ()))
        undo = " ".join(dict.fromkeys(answer["undo"] for answer in answers if "undo" in answer))
        more = {"notConfirmed": behind, **Before(calls, undo).facts()}
        state = remembered(now) if outcome == "confirmed" else UNKNOWN
        facts = Facts(requested, group, state, more=more)
        return result(_of_group(now, outcome, behind, wish), outcome, facts)

    async def _carry_out(
        self, view: View, old: Device, requested: dict[str, Any], mix: Mix, shining: Command | None
    ) -> tuple[Result, Device]:
        clock = asyncio.get_running_loop().time
        end, device = clock() + self._home.pace.tool_seconds, old
        changed = lit = False
        verdict = CommandOutcome("confirmed")

        def was() -> Before:
            return before_colour(view.names, old, colour=changed, level=lit)

        try:
            changed = True  # unless it says otherwise
            verdict = await self._colour(old, mix, end - clock())
            changed = verdict.outcome in HAPPENED or verdict.known
            if verdict.outcome == "confirmed":
                device = _with_mix(device, mix)
            if verdict.outcome == "confirmed" and shining is not None:
                lit = True
                verdict = await carry_out(self._home, shining, end - clock())
                lit = may_have_changed(shining, verdict)
                device = with_value(device, shining.read, verdict.value) if verdict.known else device
        except HomeError as error:
            return down(error, requested, old, was()), old
        more = was().facts() if changed or lit else {}
        # Not state_text: a device that was taken for dead has just answered.
        state = remembered(device) if verdict.outcome == "confirmed" else UNKNOWN
        facts = Facts(requested, device, state, more=more)
        return result(_sentence(device, verdict, lit), verdict.outcome, facts), device

    async def _colour(self, device: Device, mix: Mix, seconds: float) -> CommandOutcome:
        """All components in one message; where the device has not confirmed it, each of them is asked for. Of
        a failure it is `known` that something has changed all the same."""
        parts = components(device)
        target = _target(next(iter(parts.values())))
        wanted = {_NAMES[key]: level for key, level in mix.items()}
        looks = [Command(device, target, wanted, parts[key].id, _near(level)) for key, level in mix.items()]
        verdict = await carry_out(self._home, looks[0], seconds)
        other = _is_other(looks[0], verdict)
        # Only a device that told one component has to tell the others; a supervised one has told all.
        for one in looks[1:] if verdict.known and is_number(verdict.value) else ():
            if verdict.outcome != "confirmed":
                break
            verdict = await look(self._home, one)
            other = other or _is_other(one, verdict)
        return CommandOutcome(verdict.outcome, known=other, message=verdict.message)


def _is_other(command: Command, verdict: CommandOutcome) -> bool:
    """A component that it did tell, and that was something else before."""
    was = next((value.value for value in command.device.values if value.id == command.read), None)
    return verdict.known and verdict.value != was


def _target(component: Value) -> ValueId:
    where = component.id
    return ValueId(where.node_id, COLOR_SWITCH, where.endpoint, "targetColor")


def _near(level: int) -> Callable[[Any], bool]:
    return lambda now: is_number(now) and abs(now - level) <= (_NEAR if level else 0)


def looks_for(light: Device, written: ValueId, value: Any) -> Looks:
    """What to ask a light for after a colour was written to it by somebody else (a scene); empty where nobody
    knows what that sets."""
    has = components(light)
    mix = _written(written, value)
    if any(level and key not in has for key, level in mix.items()):
        return {}
    return {has[key].id: _near(level) for key, level in mix.items() if key in has}


def _written(written: ValueId, value: Any) -> Mix:
    """`hexColor` is a text, `targetColor` a component's level or those of several by their names."""
    key = written.property_key
    if written.property == "hexColor":
        rgb = colours.rgb_of(f"#{value.removeprefix('#')}") if isinstance(value, str) else None
        return dict(zip(_RGB, rgb, strict=True)) if rgb else {}
    if written.property != "targetColor":
        return {}
    if key is not None:
        return {key: value} if isinstance(key, int) and is_number(value) else {}
    levels = value if isinstance(value, Mapping) else {}
    named = {name: one for one, name in _NAMES.items()}
    if not all(name in named and is_number(level) for name, level in levels.items()):
        return {}
    return {named[name]: level for name, level in levels.items()}


def colour_written(light: Device, written: ValueId, value: Any) -> str:
    """What a scene makes of a light, "blue" or "red 40 %"; empty where there is no word for it."""
    mix = {key: level for key, level in _written(written, value).items() if key in components(light)}
    if written.property_key is not None:
        return "".join(f"{_WORDS[key]} {round(level / 2.55)} %" for key, level in mix.items())
    return colour_text(_with_mix(light, {key: mix.get(key, 0) for key in components(light)})) if mix else ""


def _with_mix(device: Device, mix: Mix) -> Device:
    for key, level in mix.items():
        device = with_value(device, components(device)[key].id, level)
    return device


# --- from words to components


def _mix(device: Device, wish: ColourWish) -> Mix:
    has = components(device)
    if not has:
        raise NotPossible("unsupported", capital(f"{wording.the(device)} shows no colours."))
    if (wish.color is None) == (wish.temperature is None):
        raise NotPossible("invalid", "A colour or a temperature in kelvin is needed, one of both.")
    found: Mix
    if wish.temperature is not None:
        found = _white(device, wish.temperature)
    else:
        assert wish.color is not None
        found = _coloured(device, wish.color)
    return {key: found.get(key, 0) for key in has}


def _coloured(device: Device, asked: str) -> Mix:
    if (exact := _exact(device, asked)) is not None:
        return exact
    if (kelvin := colours.kelvin_in(asked)) is not None:
        return _white(device, kelvin)
    rgb = colours.rgb_of(asked)
    if rgb is None or not any(rgb):
        tail = "; a light that shall be dark is turned off" if rgb is not None else ""
        raise NotPossible("invalid", f"There is no colour {wording.quoted(asked)} of light{tail}.")
    has = components(device)
    if all(key in has for key in _RGB):
        return dict(zip(_RGB, rgb, strict=True))
    if rgb == (255, 255, 255):
        return _plain_white(device)
    whites = "white from warm to cold" if WARM in has and COLD in has else "one white"
    raise NotPossible("unsupported", capital(f"{wording.the(device)} shows no colours, only {whites}."))


def _exact(device: Device, asked: str) -> Mix | None:
    """`#rrggbbwwcc`, with both whites: so that every mix can be put back as it was."""
    digits = asked.strip().removeprefix("#")
    if len(digits) != 10 or not set(digits.casefold()) <= set("0123456789abcdef"):
        return None
    levels = [int(digits[at : at + 2], 16) for at in range(0, 10, 2)]
    mix = dict(zip((*_RGB, WARM, COLD), levels, strict=True))
    return mix if any(mix[key] for key in components(device)) else None


def _plain_white(device: Device) -> Mix:
    has = components(device)
    return _white(device, 4000) if WARM in has and COLD in has else dict.fromkeys(has, 255)


def _white(device: Device, kelvin: float) -> Mix:
    has = components(device)
    coloured, mixed = all(key in has for key in _RGB), WARM in has and COLD in has
    if mixed and colours.WARMEST <= kelvin <= colours.COLDEST:
        warm, cold = colours.white_mix(kelvin)
        return {WARM: warm, COLD: cold}
    single = next((key for key in _ONE_WHITE if key in has and not mixed), None)
    if single is not None and _ONE_WHITE[single][0] <= kelvin <= _ONE_WHITE[single][1]:
        return {single: 255}
    if coloured and colours.LOWEST_KELVIN <= kelvin <= colours.HIGHEST_KELVIN:
        return dict(zip(_RGB, colours.rgb_of_kelvin(kelvin), strict=True))
    if not coloured and not mixed:
        which = (
            {WARM: ", which is warm", COLD: ", which is cold"}.get(single, "") if single is not None else ""
        )
        raise NotPossible("unsupported", capital(f"{wording.the(device)} has only one white{which}."))
    low, high = (
        (colours.LOWEST_KELVIN, colours.HIGHEST_KELVIN) if coloured else (colours.WARMEST, colours.COLDEST)
    )
    raise NotPossible("invalid", f"The temperature of the light must be between {low} and {high} kelvin.")


def _shining(device: Device, wish: ColourWish) -> Command | None:
    """Its colour is not seen while it is off: a light is turned on, and made as bright as was wished."""
    if device.kind != "light":  # a plug with a lamp of its own stays as it is
        if wish.brightness is not None:
            raise NotPossible("unsupported", capital(f"{wording.the(device)} cannot be dimmed."))
        return None
    if wish.brightness is not None:
        if not has_level(device):
            raise NotPossible("unsupported", wording.cannot(device, "dim"))
        if not 1 <= wish.brightness <= 100:
            raise NotPossible("invalid", "The brightness must be between 1 and 100 percent.")
        return command(device, Wish("dim", wish.brightness))
    state = device.state_value
    return command(device, Wish("on")) if state is not None and not state.value else None


# --- what is said


def _check_members(group: Device) -> None:
    without = [wording.told_apart(member) for member in group.members if not components(member)]
    name = capital(wording.the(group))
    if len(without) == len(group.members):
        shows = wording.verb(group, "does")
        raise NotPossible("unsupported", f"{name} {shows} not show colours: {listed(without)}.")
    if without:
        why = f"because not all of its members show colours: {listed(without)}"
        raise NotPossible("unsupported", f"{name} cannot be given a colour as a whole, {why}.")


def _of_group(group: Device, outcome: Outcome, behind: list[str], wish: ColourWish) -> str:
    if behind:
        return wording.sent_but(group, behind)
    name, verb = capital(wording.the(group)), wording.verb(group, "is")
    if outcome == "working":
        return f"{name} {verb} changing."
    shown = {colour_text(member).replace(" K", " kelvin") for member in group.members}
    level = f" at {wish.brightness} percent" if wish.brightness not in (None, 100) else ""
    return f"{name} {verb} now {shown.pop()}{level}." if len(shown) == 1 else f"{name} confirmed it."


def _sentence(device: Device, verdict: CommandOutcome, lit: bool) -> str:
    outcome: Outcome = verdict.outcome
    name, verb = wording.the(device), wording.verb(device, "is")
    shown = colour_text(device).replace(" K", " kelvin")
    if outcome == "confirmed":
        level = level_of(remembered(device)) if lit else None
        tail = f" at {level} percent" if level and level < 100 else ""
        return capital(f"{name} {verb} now {shown}{tail}.")
    if outcome == "working":
        return capital(f"{name} {verb} {'now ' + shown + ', and ' if lit else ''}changing.")
    if outcome == "unconfirmed":
        return wording.not_confirmed(device, verdict.message)
    simple = {"queued": wording.queued, "unreachable": wording.unreachable}.get(outcome)
    if simple is not None:
        return simple(device)
    return wording.failed(device, "on" if lit else "colour", message=verdict.message)
