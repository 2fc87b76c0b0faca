"""Configuration parameters: read by name, checked against what the device allows, and read again after."""

import re
from dataclasses import dataclass
from typing import Any, Final

from home_words.names import loose_words, plain_words
from home_words.phrases import capital, listed
from zwave_mcp import wording
from zwave_mcp.confirm import Command, carry_out
from zwave_mcp.control import NotPossible
from zwave_mcp.devices import Device
from zwave_mcp.home import Home, HomeError, Value, is_number
from zwave_mcp.results import Facts, Outcome, Result, result
from zwave_mcp.view import View, Viewer, resolve_single

CONFIGURATION: Final = 112
_OFFERED: Final = 5  # names that one sentence bears
_NUMBER: Final = re.compile(r"\s*([+-]?\d{1,12}(?:\.\d{1,6})?)\s*(\D*)", re.DOTALL)
# Several settings may share one number, each in some of its bits: "5[255]" is one of them.
_BY_NUMBER: Final = re.compile(r"(?:parameter |number )?(\d{1,5})(?:\[(\d{1,10})\])?")
_YES: Final = frozenset("on yes true enable enabled active".split())
_NO: Final = frozenset("off no false disable disabled inactive".split())
_UNITS: Final = {
    "%": "percent",
    "w": "watts",
    "s": "seconds",
    "min": "minutes",
    "h": "hours",
    "°c": "degrees",
}


@dataclass(frozen=True, slots=True)
class Setting:
    """A parameter and the value that was asked for, as the device counts it."""

    parameter: Value
    value: int


class Parameters:
    def __init__(self, home: Home, viewer: Viewer) -> None:
        self._home = home
        self._viewer = viewer

    async def tell(self, asked: str, wanted: str = "", value: Any = None) -> Result:
        """One, read from the device itself, or the names and values of all as they are remembered; with a
        value only whether it could be set to that."""
        view = await self._viewer.now()
        device = resolve_single(view, asked, {}, has_parameters)
        if isinstance(device, Result):
            return device
        try:
            if value is not None:
                return _could_be(device, find(device, wanted), value)
            if wanted:
                return await self._one(device, find(device, wanted))
        except NotPossible as no:
            asked_for = {"parameter": wanted} | ({} if value is None else {"value": value})
            return result(str(no), no.outcome, Facts(asked_for, device))
        return _all(device)

    async def _one(self, device: Device, parameter: Value) -> Result:
        value, outcome = parameter.value, "unreachable" if device.node.dead else "confirmed"
        if not device.node.dead and not device.node.asleep:
            try:
                value = await self._home.poll(parameter.id)
                outcome = "confirmed" if is_number(value) else "unconfirmed"
            except HomeError:
                outcome = "unconfirmed"
        facts = Facts(device=device, more={"parameters": [entry(parameter, value)]})
        said = f"{capital(wording.the(device))}: {parameter.label} is {value_text(parameter, value)}"
        if outcome == "confirmed" and not device.node.asleep:
            return result(f"{said}; {limits(parameter)}.", "confirmed", facts)
        was = f"{capital(wording.the(device))} did not answer; {parameter.label} was"
        asleep = outcome == "confirmed"
        was = f"{capital(wording.the(device))} is asleep; {parameter.label} was" if asleep else was
        known = f"{was} {value_text(parameter, parameter.value)} when it last told."
        return result(known, outcome, facts)  # type: ignore[arg-type]

    async def change(self, asked: str, wanted: str, value: Any) -> Result:
        requested = {"parameter": wanted, "value": value}
        view = await self._viewer.now()
        device = resolve_single(view, asked, requested, has_parameters)
        if isinstance(device, Result):
            return device
        try:
            setting = checked(find(device, wanted), value)
        except NotPossible as no:
            return result(str(no), no.outcome, Facts(requested, device))
        return await self._write(view, device, setting, requested)

    async def _write(self, view: View, device: Device, setting: Setting, requested: dict[str, Any]) -> Result:
        parameter, wanted = setting.parameter, setting.value
        command = Command(device, parameter.id, wanted, parameter.id, lambda now: bool(now == wanted))
        done = await carry_out(self._home, command)
        outcome: Outcome = done.outcome
        value = done.value if done.known else None
        if outcome == "confirmed":
            outcome, value = await self._read_again(setting)
        before = _before(view, device, parameter) if outcome in _MAY_BE_DONE else {}
        shown = [entry(parameter, value if value is not None else parameter.value)]
        facts = Facts(requested, device, more={"parameters": shown, **before})
        return result(_sentence(device, setting, outcome, value, done.message), outcome, facts)

    async def _read_again(self, setting: Setting) -> tuple[Outcome, Any]:
        try:
            value = await self._home.poll(setting.parameter.id)
        except HomeError:
            return "unconfirmed", None
        if not is_number(value):
            return "unconfirmed", None
        return ("confirmed" if value == setting.value else "failed"), value


_MAY_BE_DONE: Final = frozenset({"confirmed", "working", "queued", "unconfirmed"})


def has_parameters(device: Device) -> bool:
    return bool(parameters(device))


def parameters(device: Device) -> list[Value]:
    return [
        value
        for value in device.node.values
        if value.id.command_class == CONFIGURATION
        and isinstance(value.id.property, int)
        and (value.value is None or is_number(value.value))
    ]


def find(device: Device, wanted: str) -> Value:
    """By its number, its whole name, or words that only one name has."""
    known = parameters(device)
    if not known and device.node.dead:
        raise NotPossible("unreachable", wording.unreachable(device))
    if not known:
        raise NotPossible(
            "unsupported", capital(f"{wording.the(device)} has no parameters that can be read.")
        )
    number = _BY_NUMBER.fullmatch(" ".join(wanted.casefold().split()))
    if number:
        mask = int(number[2]) if number[2] else None
        hits = [
            one for one in known if one.id.property == int(number[1]) and mask in (None, one.id.property_key)
        ]
    else:
        said = loose_words(wanted) - {"the", "parameter", "setting"}
        exact = [one for one in known if said and loose_words(one.label) == said]
        hits = exact or [one for one in known if said and said <= loose_words(one.label)]
    if len(hits) == 1:
        return hits[0]
    if hits:
        names = listed([_named(one) for one in hits[:_OFFERED]], "or")
        raise NotPossible("ambiguous", f"Which parameter do you mean: {names}?")
    some = listed([one.label for one in known[:_OFFERED]])
    more = f" and {len(known) - _OFFERED} more" if len(known) > _OFFERED else ""
    said_of = f"{capital(wording.the(device))} has no parameter called {wording.quoted(wanted)}"
    raise NotPossible("not_found", f"{said_of}; there is {some}{more}.")


def checked(parameter: Value, wanted: Any) -> Setting:
    """The value as the device counts it; NotPossible says why it cannot be sent."""
    if not parameter.writeable:
        raise NotPossible("unsupported", f"{parameter.label} can only be read.")
    value = _value_of(parameter, wanted)
    if value is None:
        raise NotPossible(
            "invalid", f"{wording.quoted(str(wanted))} is no value of {parameter.label}; {limits(parameter)}."
        )
    choices = [key for key in parameter.states if is_number(key)]
    listed_only = parameter.listed_only and bool(choices)
    low, high = parameter.minimum, parameter.maximum
    beyond = (low is not None and value < low) or (high is not None and value > high)
    if (listed_only and value not in choices) or (beyond and value not in choices):
        raise NotPossible("invalid", f"{value} is out of range for {parameter.label}; {limits(parameter)}.")
    if low is None and high is None and not choices:
        raise NotPossible(
            "unsupported", f"Nothing is known of what {parameter.label} may be, so nothing was sent."
        )
    return Setting(parameter, value)


def _value_of(parameter: Value, wanted: Any) -> int | None:
    if isinstance(wanted, bool):
        return _by_words(parameter, "on" if wanted else "off")
    if is_number(wanted):
        return int(wanted) if wanted == int(wanted) else None
    text = str(wanted)
    by_words = _by_words(parameter, text)
    if by_words is not None:
        return by_words
    number = _NUMBER.fullmatch(text)
    if number is None or not _same_unit(parameter, number[2]):
        return None
    value = float(number[1])
    return int(value) if value == int(value) else None


def _by_words(parameter: Value, text: str) -> int | None:
    said = set(plain_words(text))
    texts = {key: set(plain_words(name)) for key, name in parameter.states.items() if is_number(key)}
    hits = [key for key, words in texts.items() if words == said] or [
        key for key, words in texts.items() if said and said <= words
    ]
    for group in (_YES, _NO):
        if not hits and said & group:
            hits = [key for key, words in texts.items() if words & group]
    return int(hits[0]) if len(hits) == 1 else None


def _same_unit(parameter: Value, said: str) -> bool:
    """ "5 minutes" for what is counted in seconds is no value: nobody guesses there."""
    words = plain_words(said)
    if not words:
        return said.strip() in ("", "%", "°", "°C") or not said.strip()
    own = plain_words(_UNITS.get(parameter.unit.casefold(), parameter.unit))
    stems = {word.rstrip("s") for word in own}
    return bool(stems) and all(_UNITS.get(word, word).rstrip("s") in stems for word in words)


def limits(parameter: Value) -> str:
    """ "it can be from 0 to 3600 watts" """
    texts = [text for key, text in parameter.states.items() if is_number(key) and text]
    low, high = parameter.minimum, parameter.maximum
    unit = f" {_UNITS.get(parameter.unit.casefold(), parameter.unit)}" if parameter.unit else ""
    span = f"from {low:g} to {high:g}{unit}" if low is not None and high is not None else ""
    if texts and (parameter.listed_only or not span):
        return f"it can be {listed(texts, 'or')}"
    if texts:
        return f"it can be {span}, or {listed(texts, 'or')}"
    return f"it can be {span}" if span else "what it can be is not known"


def value_text(parameter: Value, value: Any) -> str:
    if not is_number(value):
        return "not known"
    named = parameter.states.get(value) or parameter.states.get(int(value))
    unit = f" {_UNITS.get(parameter.unit.casefold(), parameter.unit)}" if parameter.unit else ""
    return named or f"{value:g}{unit}"


def entry(parameter: Value, value: Any) -> dict[str, Any]:
    return {
        "number": parameter.id.property,
        **({} if parameter.id.property_key is None else {"mask": parameter.id.property_key}),
        "name": parameter.label,
        "value": value if is_number(value) else None,
        "text": value_text(parameter, value),
        "unit": parameter.unit,
        "minimum": parameter.minimum,
        "maximum": parameter.maximum,
        "choices": [str(text) for text in parameter.states.values()],
        "writeable": parameter.writeable,
    }


def _could_be(device: Device, parameter: Value, wanted: Any) -> Result:
    setting = checked(parameter, wanted)
    sentence = f"{parameter.label} of {wording.the(device)} can be {value_text(parameter, setting.value)}."
    facts = Facts(device=device, more={"parameters": [entry(parameter, parameter.value)]})
    return result(sentence, "confirmed", facts)


def _named(parameter: Value) -> str:
    return f"{parameter.label} (number {_number(parameter)})"


def _number(parameter: Value) -> str:
    """What means only this one."""
    of = parameter.id
    return str(of.property) if of.property_key is None else f"{of.property}[{of.property_key}]"


def _all(device: Device) -> Result:
    known = parameters(device)
    facts = Facts(device=device, more={"parameters": [entry(one, one.value) for one in known]})
    if not known:
        return result(capital(f"{wording.the(device)} has no parameters."), "unsupported", facts)
    told = [f"{one.label} {value_text(one, one.value)}" for one in known[: 2 * _OFFERED]]
    more = [f"{len(known) - len(told)} more"] if len(known) > len(told) else []
    count = "1 parameter" if len(known) == 1 else f"{len(known)} parameters"
    sentence = f"{capital(wording.the(device))} has {count}, as last told: {listed([*told, *more])}."
    return result(sentence, "confirmed", facts)


def _before(view: View, device: Device, parameter: Value) -> dict[str, Any]:
    from zwave_mcp.undo import address

    if not is_number(parameter.value):
        return {"before": [], "undo": f"It is not known what {parameter.label} was before."}
    name = address(view.names, device)
    args = {"deviceName": name, "parameter": _number(parameter), "value": str(int(parameter.value))}
    return {"before": [{"name": "set_zwave_parameter", "args": args}]}


def _sentence(device: Device, setting: Setting, outcome: Outcome, value: Any, message: str) -> str:
    parameter, the = setting.parameter, wording.the(device)
    wish = value_text(parameter, setting.value)
    if outcome == "confirmed":
        return f"{parameter.label} of {the} is now {wish}."
    if outcome == "unreachable":
        return wording.unreachable(device)
    if outcome == "queued":
        return wording.queued(device)
    if outcome == "failed" and value is not None:
        return f"{capital(the)} did not take it: {parameter.label} is still {value_text(parameter, value)}."
    if outcome in ("failed", "invalid", "unsupported"):
        why = f": {message}" if message else ""
        return f"{parameter.label} of {the} was not changed{why}."
    return f"It is not confirmed that {parameter.label} of {the} is {wish}; it may still happen."
