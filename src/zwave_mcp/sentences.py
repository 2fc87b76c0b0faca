"""Everything that is said, one sentence each, fit to be spoken."""

import re
from collections.abc import Sequence
from typing import Final

from zwave_mcp.devices import Device
from zwave_mcp.states import UNKNOWN, spoken

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
    bare = not device.node.name or re.match(r"(the|my|our)\b|\w+['’]s\b", device.name, re.IGNORECASE)
    name = device.name if bare else f"the {device.name}"
    return f"{name} in the {device.room}" if room and device.room else name


def capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def is_state(device: Device, state: str, *, now: bool = False) -> str:
    if state == UNKNOWN:
        return capital(f"the state of {the(device)} is not known.")
    return capital(f"{the(device)} is {'now ' if now else ''}{_said(state)}.")


def was_state(device: Device, state: str) -> str:
    if state == UNKNOWN:
        return is_state(device, state)
    return capital(f"{the(device)} was {_said(state)} when it was last heard, but does not answer now.")


def _said(state: str) -> str:
    return spoken(re.sub(r"^on, (\d+ %)$", r"on at \1", state.removesuffix(", 100 %")))


def done(device: Device, action: str, state: str) -> str:
    """Only for what the device confirmed."""
    if state == UNKNOWN:
        return capital(f"{the(device)} confirmed it.")
    if action == "stop":
        return capital(f"{the(device)} has stopped and is {spoken(state)}.")
    return is_state(device, state, now=True)


def doing_state(action: str) -> str:
    """The state of what is on its way."""
    return _DOING.get(action, "changing")


def doing(device: Device, action: str, percent: int | None = None) -> str:
    if action in _DOING and percent is None:
        return capital(f"{the(device)} is {_DOING[action]}.")
    verb = "moving" if device.kind in ("blind", "garage_door") else "changing"
    return capital(f"{the(device)} is {verb} to {percent} percent.")


def not_confirmed(device: Device) -> str:
    return f"The command for {the(device)} is not confirmed, it may still happen."


def queued(device: Device) -> str:
    return capital(f"{the(device)} is asleep and gets the command when it wakes up.")


def unreachable(device: Device) -> str:
    return capital(f"{the(device, room=True)} does not answer; it may be without power or out of range.")


def failed(device: Device, action: str, state: str = UNKNOWN, message: str = "") -> str:
    tail = f"; it is still {spoken(state)}" if state != UNKNOWN else ""
    reason = f": {message.rstrip('.')}" if message else ""
    return capital(f"{the(device)} did not {_DONE.get(action, 'do it')}{tail}{reason}.")


def jammed(device: Device, action: str) -> str:
    return capital(f"{the(device)} is jammed and did not {action}.")


def cannot(device: Device, action: str) -> str:
    verb = {"dim": "be dimmed", "toggle": "be switched", "stop": "be stopped"}.get(action)
    verb = verb or {"on": "be turned on", "off": "be turned off", "open": "be opened"}.get(
        action, "be closed"
    )
    return capital(f"{the(device)} cannot {verb}; {_ABLE[device.kind]}.")


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
        return f"There is no device for {quoted(asked)}."
    names = [device.name for device in devices[: 2 * _OFFERED]]
    rest = len(devices) - len(names)
    more = [f"{rest} more"] if rest else []
    each = listed(names + more)
    return f"This acts on one device, so for {quoted(asked)} make one call for each device: {each}."


def quoted(asked: str) -> str:
    shown = " ".join(asked.split())
    return f'"{shown[:40]}…"' if len(shown) > 41 else f'"{shown}"'


def listed(names: Sequence[str], word: str = "and") -> str:
    if len(names) <= 1:
        return "".join(names)
    return f"{', '.join(names[:-1])} {word} {names[-1]}"


def _choice(devices: Sequence[Device]) -> str:
    called = [(device.name, device.room) for device in devices]
    shown = [
        the(device, room=True) + (f" (node {device.node.id})" if called.count(call) > 1 else "")
        for device, call in zip(devices[:_OFFERED], called, strict=False)
    ]
    rest = len(devices) - len(shown)
    return listed([*shown, f"one of {rest} others"] if rest else shown, "or")
