"""Everything that is said, one sentence each, fit to be spoken."""

from collections.abc import Sequence
from typing import Final

from home_words.kinds import device_class
from home_words.names import plain, singular
from home_words.phrases import capital, listed, with_article
from home_words.states import UNKNOWN, spoken_state, spoken_units
from zwave_mcp.devices import Device

_OFFERED: Final = 5  # more names than these nobody remembers
_DONE: Final = {
    "on": "turn on",
    "off": "turn off",
    "dim": "change",
    "open": "open",
    "close": "close",
    "stop": "stop",
    "lock": "lock",
    "unlock": "unlock",
    "set": "take the setting",
}
_DOING: Final = {
    "on": "turning on",
    "off": "turning off",
    "open": "opening",
    "close": "closing",
    "lock": "locking",
    "unlock": "unlocking",
    "set": "changing",
}
_PASSIVE: Final = {
    "on": "turned on",
    "off": "turned off",
    "dim": "dimmed",
    "toggle": "switched",
    "open": "opened",
    "close": "closed",
    "stop": "stopped",
}
_PLURAL: Final = {"is": "are", "was": "were", "has": "have", "does": "do"}
_THINGS: Final = frozenset({"window", "spot", "heater", "speaker", "strip", "gate"})
_ABLE: Final = {
    "switch": "it can only be turned on and off",
    "plug": "it can only be turned on and off",
    "dimmer": "it can be turned on and off and dimmed",
    "blind": "it can be opened, closed, stopped and set to a position",
    "garage_door": "it can be opened and closed",
    "lock": "it is a lock, for control_zwave_lock",
    "thermostat": "it is a thermostat, for set_zwave_thermostat",
    "sensor": "it only measures",
    "other": "nothing is known that it can do",
}


def the(device: Device, *, room: bool = False) -> str:
    """ "the Floor Lamp", "Node 13", "Dad's Lamp": a name that needs no article gets none."""
    name = with_article(device.name)
    return f"{name} in {with_article(device.room)}" if room and device.room else name


def in_room(room: str) -> str:
    return f"in {with_article(room)}"


def verb(device: Device, word: str) -> str:
    """ "is" for the Floor Lamp, "are" for the Study Blinds."""
    return _PLURAL[word] if _is_plural(device) else word


def _is_plural(device: Device) -> bool:
    last = plain(device.name).split()[-1:]
    if not last or singular(last[0]) == last[0]:
        return False
    sort = device_class(last[0])
    return singular(last[0]) in _THINGS or (sort is not None and sort.plural)


def is_state(device: Device, state: str, *, now: bool = False) -> str:
    if state == UNKNOWN:
        return capital(f"the state of {the(device)} is not known.")
    return capital(f"{the(device)} {verb(device, 'is')} {'now ' if now else ''}{_said(state)}.")


def was_state(device: Device, state: str) -> str:
    if state == UNKNOWN:
        return is_state(device, state)
    was, does = verb(device, "was"), verb(device, "does")
    return capital(f"{the(device)} {was} {_said(state)} when last heard, but {does} not answer now.")


def _said(state: str) -> str:
    return spoken_state(state.removesuffix(", 100 %"))


def done(device: Device, action: str, state: str) -> str:
    """Only for what the device confirmed."""
    if state == UNKNOWN:
        return capital(f"{the(device)} confirmed it.")
    if action == "stop":
        has, now = verb(device, "has"), verb(device, "is")
        return capital(f"{the(device)} {has} stopped and {now} {spoken_units(state)}.")
    return is_state(device, state, now=True)


def doing_state(action: str) -> str:
    """The state of what is on its way."""
    return _DOING.get(action, "changing")


def doing(device: Device, action: str, percent: int | None = None) -> str:
    if action in _DOING and percent is None:
        return capital(f"{the(device)} {verb(device, 'is')} {_DOING[action]}.")
    way = "moving" if device.kind in ("blind", "garage_door") else "changing"
    return capital(f"{the(device)} {verb(device, 'is')} {way} to {percent} percent.")


def not_confirmed(device: Device, message: str = "") -> str:
    return f"The command for {the(device)} is not confirmed, it may still happen{_reason(message)}."


def queued(device: Device) -> str:
    return capital(f"{the(device)} {verb(device, 'is')} asleep: the command takes effect after waking up.")


def unreachable(device: Device) -> str:
    does = verb(device, "does")
    return capital(f"{the(device, room=True)} {does} not answer, maybe without power or out of range.")


def failed(device: Device, action: str, state: str = UNKNOWN, message: str = "") -> str:
    still = "they are still" if _is_plural(device) else "it is still"
    tail = f"; {still} {_said(state)}" if state != UNKNOWN else ""
    return capital(f"{the(device)} did not {_DONE.get(action, 'do it')}{tail}{_reason(message)}.")


def _reason(message: str) -> str:
    return f": {message.rstrip('.')}" if message else ""


def jammed(device: Device, action: str) -> str:
    return capital(f"{the(device)} {verb(device, 'is')} jammed and did not {action}.")


def cannot(device: Device, action: str) -> str:
    return capital(f"{the(device)} cannot be {_PASSIVE[action]}; {_ABLE[device.kind]}.")


def which(devices: Sequence[Device]) -> str:
    return f"Which one do you mean: {_choice(devices)}?"


def not_found(asked: str, nearest: Sequence[Device]) -> str:
    known = f"; did you mean {_choice(nearest)}?" if nearest else "."
    return f"There is no device called {quoted(asked)}{known}"


def no_scene(asked: str, known: Sequence[str]) -> str:
    if not known:
        return f"There is no scene called {quoted(asked)}; no scenes are set up."
    return f"There is no scene called {quoted(asked)}; there is {listed(known[:_OFFERED])}."


def one_at_a_time(asked: str, devices: Sequence[Device]) -> str:
    if not devices:
        return f"There is no device for {quoted(asked)} that can do this."
    names = [device.name for device in devices[: 2 * _OFFERED]]
    rest = len(devices) - len(names)
    more = [f"{rest} more"] if rest else []
    each = listed(names + more)
    return f"This acts on one device, so for {quoted(asked)} make one call for each device: {each}."


def quoted(asked: str) -> str:
    shown = " ".join(asked.split())
    return f'"{shown[:40]}…"' if len(shown) > 41 else f'"{shown}"'


def _choice(devices: Sequence[Device]) -> str:
    called = [(device.name, device.room) for device in devices]
    shown = [
        the(device, room=True) + (f" (node {device.node.id})" if called.count(call) > 1 else "")
        for device, call in zip(devices[:_OFFERED], called, strict=False)
    ]
    rest = len(devices) - len(shown)
    return listed([*shown, f"one of {rest} others"] if rest else shown, "or")
