"""Everything that is said, one sentence each, fit to be spoken; those of every home are not ours alone."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from home_words.phrases import capital, listed
from home_words.resolver import number_of
from home_words.wording import (
    doing,
    doing_state,
    done,
    failed,
    in_room,
    is_state,
    jammed,
    not_confirmed,
    quoted,
    the,
    unreachable,
    verb,
    was_state,
)
from zwave_mcp.devices import Device
from zwave_mcp.notifications import event_names

__all__ = [
    "Called",
    "called_apart",
    "cannot",
    "doing",
    "doing_state",
    "done",
    "failed",
    "in_room",
    "is_state",
    "jammed",
    "no_scene",
    "not_all_told",
    "not_confirmed",
    "not_found",
    "not_interviewed",
    "not_sent",
    "one_at_a_time",
    "queued",
    "quoted",
    "sent_but",
    "the",
    "told_apart",
    "unreachable",
    "verb",
    "was_state",
    "which",
]

_OFFERED: Final = 5  # more names than these nobody remembers
_PASSIVE: Final = {
    "on": "turned on",
    "off": "turned off",
    "dim": "dimmed",
    "toggle": "switched",
    "open": "opened",
    "close": "closed",
    "stop": "stopped",
}
_ABLE: Final = {
    "switch": "it can only be turned on and off",
    "plug": "it can only be turned on and off",
    "dimmer": "it can be turned on and off and dimmed",
    "light": "it can be turned on and off, and given a colour",
    "fan": "it can be turned on and off and set to a speed",
    "chime": "it can be rung and stopped",
    "siren": "it can be sounded and stopped",
    "blind": "it can be opened, closed, stopped and set to a position",
    "garage_door": "it can be opened and closed",
    "lock": "it is a lock, for control_zwave_lock",
    "thermostat": "it is a thermostat, for set_zwave_thermostat",
    "sensor": "it only measures",
    "group": "a group can be turned on and off, dimmed, opened and closed, if all of its members can",
    "other": "nothing is known that it can do",
}


def queued(device: Device) -> str:
    return capital(f"{the(device)} {verb(device, 'is')} asleep: the command takes effect after waking up.")


def not_interviewed(device: Device) -> str:
    name, node = the(device, room=True), device.node
    if node.starting:
        return capital(f"{name} {verb(device, 'is')} not known yet: Z-Wave JS UI is just starting.")
    asleep = " and is asleep" if node.asleep else ""
    return capital(f"{name} has not been interviewed by Z-Wave JS UI{asleep}: nobody knows what it can do.")


def not_sent(device: Device) -> str:
    return capital(f"{the(device, room=True)} {verb(device, 'does')} not answer, so nothing was sent to it.")


def cannot(device: Device, action: str) -> str:
    button = device.kind in ("sensor", "other") and any(
        name.startswith("button") for name in event_names(device)
    )
    able = "it only tells when it is pressed" if button else _ABLE[device.kind]
    return capital(f"{the(device)} cannot be {_PASSIVE[action]}; {able}.")


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
    names = [told_apart(device) for device in devices[: 2 * _OFFERED]]
    rest = len(devices) - len(names)
    more = [f"{rest} more"] if rest else []
    each = listed(names + more)
    return f"This acts on one device, so for {quoted(asked)} make one call for each device: {each}."


def only_its_members(group: Device, members: Sequence[Device]) -> str:
    names = listed([told_apart(device) for device in members[: 2 * _OFFERED]])
    return f"{capital(the(group))} is a group; this can only be done with its members: {names}."


def sent_but(group: Device, behind: Sequence[str]) -> str:
    names = listed(list(dict.fromkeys(behind)))
    return f"The command was sent to {the(group)}, but this is not confirmed: {names}."


def not_all_told(group: Device, behind: Sequence[str]) -> str:
    return f"The state of {the(group)} is not confirmed: {listed(list(dict.fromkeys(behind)))}."


def told_apart(device: Device) -> str:
    """As it is called, with its number where another one in its room is called the same."""
    return f"{device.name} ({number_of(device)})" if device.twin else device.name


def called_apart(devices: Sequence[Device]) -> dict[tuple[int, int], "Called"]:
    """All by their places."""
    names = Counter(device.name for device in devices)
    return {
        one.place: Called(one.name, number_of(one) if one.twin else one.room if names[one.name] > 1 else "")
        for one in devices
    }


@dataclass(frozen=True, slots=True)
class Called:
    """A name, and the room or the number where another one is called the same."""

    name: str
    apart: str = ""

    def with_(self, told: str = "") -> str:
        inner = ", ".join(filter(None, (self.apart, told)))
        return f"{self.name} ({inner})" if inner else self.name

    def __str__(self) -> str:
        return self.with_()


def _choice(devices: Sequence[Device]) -> str:
    shown = [the(device, room=True) for device in devices[:_OFFERED]]
    rest = len(devices) - len(shown)
    return listed([*shown, f"one of {rest} others"] if rest else shown, "or")
