"""The sentences of the server that no other home needs, fit to be spoken."""

from collections import Counter
from collections.abc import Sequence
from typing import Final

from home_names.phrases import capital, listed, with_article
from home_names.resolver import number_of
from home_names.states import UNKNOWN
from home_names.wording import failed, in_room, not_confirmed, passive, quoted, the, unreachable, verb
from zwave_mcp.devices import Device
from zwave_mcp.notifications import DETECTED, Moment, alarms_of, event_names

_OFFERED: Final = 5  # more names than these are counted
_ABLE: Final = {
    **dict.fromkeys(("switch", "plug"), "it can only be turned on and off"),
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


def numbered(device: Device) -> str:
    """The name; of a twin with its number."""
    return f"{device.name} ({number_of(device)})" if device.twin else device.name


def distinct_names(devices: Sequence[Device]) -> dict[tuple[int, int], str]:
    """All names by place; equal ones with their room, twins with their number."""
    names = Counter(device.name for device in devices)
    return {
        item.place: f"{item.name} ({item.room})"
        if names[item.name] > 1 and item.room and not item.twin
        else numbered(item)
        for item in devices
    }


def counted(names: Sequence[str], most: int, word: str = "and") -> str:
    """ "A, B and 3 more" """
    rest = len(names) - most
    return listed([*names[:most], f"{rest} more"] if rest > 0 else names, word)


def choice(devices: Sequence[Device]) -> str:
    return counted([the(device, room=True) for device in devices], _OFFERED, "or")


# --- what became of a command


def not_sent(device: Device) -> str:
    return capital(f"{the(device, room=True)} {verb(device, 'does')} not answer, so nothing was sent to it.")


def unsuccessful(device: Device, outcome: str, action: str, state: str = UNKNOWN, message: str = "") -> str:
    """What became of a command that was not confirmed."""
    if outcome in ("unconfirmed", "working"):
        return not_confirmed(device, message)
    if outcome == "queued":
        name = f"{the(device)} {verb(device, 'is')}"
        return capital(f"{name} asleep: the command takes effect after waking up.")
    return unreachable(device) if outcome == "unreachable" else failed(device, action, state, message)


def not_interviewed(device: Device) -> str:
    name, node = the(device, room=True), device.node
    if node.starting:
        return capital(f"{name} {verb(device, 'is')} not known yet: Z-Wave JS UI is just starting.")
    asleep = " and is asleep" if node.asleep else ""
    return capital(f"{name} has not been interviewed by Z-Wave JS UI{asleep}: nobody knows what it can do.")


def cannot(device: Device, action: str) -> str:
    button = device.kind in ("sensor", "other") and any(
        name.startswith("button") for name in event_names(device)
    )
    able = "it only tells when it is pressed" if button else _ABLE[device.kind]
    return capital(f"{the(device)} cannot be {passive(action)}; {able}.")


# --- which device


def not_found(asked: str, nearest: Sequence[Device]) -> str:
    known = f"; did you mean {choice(nearest)}?" if nearest else "."
    return f"There is no device called {quoted(asked)}{known}"


def one_at_a_time(asked: str, devices: Sequence[Device]) -> str:
    if not devices:
        return f"There is no device for {quoted(asked)} that can do this."
    each = counted([numbered(device) for device in devices], 2 * _OFFERED)
    return f"This acts on one device, so for {quoted(asked)} make one call for each device: {each}."


def no_scene(asked: str, known: Sequence[str]) -> str:
    there = f"there is {listed(known[:_OFFERED])}" if known else "no scenes are set up"
    return f"There is no scene called {quoted(asked)}; {there}."


# --- alarms and events


def alarm_report(device: Device) -> str:
    """The device's alarms as sentences; empty where it has none."""
    known = alarms_of(device)
    place = [(device.name, device.room)]
    if active := [event(item.kind, item.state, place) for item in known if item.state != "off"]:
        return " ".join(active)
    calm = [DETECTED[item.kind].lower() for item in known if item.kind in DETECTED]
    where = f" {in_room(device.room)}" if device.room else f" by {with_article(device.name)}"
    return f"No {listed(calm, 'or')} is detected{where}." if calm else ""


def event(
    kind: str, state: str, among: Sequence[tuple[str, str]], detail: Moment | None = None, *, user: str = ""
) -> str:
    """An event as a sentence. `among`: name and room of the device, or of those that it may be."""
    off = state == "off"
    if kind in DETECTED:
        places = [in_room(room) if room else f"by {with_article(name)}" for name, room in among]
        return f"{DETECTED[kind]} is {'no longer ' if off else ''}detected {listed(places, 'or')}."
    device = listed(
        [f"{with_article(name)}{f' {in_room(room)}' if room else ''}" for name, room in among], "or"
    )
    button = f"button {detail.button} of " if detail is not None and detail.button else ""
    number = f"user {detail.user}" if detail is not None and detail.user is not None else ""
    who = f" by {user or number}" if number else ""
    way = f" {detail.way}" if detail is not None and detail.way else ""
    texts = {
        "doorbell": f"{device} rang: somebody is at the door",
        "button": f"{button}{device} was {state}",
        "lock": f"{device} is jammed" if state == "jammed" else f"{device} was {state}{way}{who}",
        "door": f"{device} was {'opened' if state == 'open' else 'closed'}",
        "battery": f"the battery of {device} is {'fine again' if off else 'low'}",
        "tamper": f"{device} is {'no longer ' if off else 'being '}tampered with",
        "intrusion": f"{device} {'no longer reports' if off else 'reports'} an intrusion",
        "emergency": f"{device} reports an emergency: {state}",
        "keypad": f"the keypad of {device} {'works again' if off else 'is blocked after wrong codes'}",
        "power": f"{device} has {'no mains power' if state == 'lost' else 'mains power again'}",
        "siren": f"{device} {'is quiet again' if off else 'sounds'}",
        "smoke_test": f"the test of {device} {'is over' if off else 'runs'}",
    }
    return f"{capital(texts.get(kind, f'{device} reports {state}'))}."
