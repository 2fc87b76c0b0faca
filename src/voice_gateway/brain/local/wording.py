"""How the local brain words devices, choices among them, and what it does not know."""

from collections.abc import Sequence

from home_names.phrases import listed, with_article
from home_names.resolver import number_of
from home_names.states import UNKNOWN, spoken_state
from voice_gateway.brain.local.grammar import Frame
from voice_gateway.brain.local.meaning import Clarification, NotHandled
from voice_gateway.integrations.device import Device
from voice_gateway.integrations.home import Home

MOST_ROOMS = 8  # more than these nobody listens to
MOST_CHOICES = 4
MOST_NAMED_ROOMS = 4  # beside another sentence


def the(device: Device, *, room: bool = False) -> str:
    name = with_article(device.name)
    return f"{name} in the {device.room}" if room and device.room else name


def choice(devices: Sequence[Device], home: Home | None = None) -> str:
    """ "the Ceiling Light or the Floor Lamp", with rooms where they differ and are no part of the name."""
    rooms = len({device.room for device in devices}) > 1
    shown = [
        the(device, room=rooms and device.room.casefold() not in device.name.casefold())
        + _told_apart(device, devices, home)
        for device in devices[:MOST_CHOICES]
    ]
    if len(devices) > MOST_CHOICES:
        shown.append("another one")
    return listed(shown, "or")


def _told_apart(device: Device, among: Sequence[Device], home: Home | None) -> str:
    """What tells it from its twins: whose it is, or its number and what it is doing."""
    called = the(device).casefold()  # "The Lamp" and "Lamp" sound the same
    twins = [one for one in among if (the(one).casefold(), one.room) == (called, device.room)]
    if len(twins) < 2:
        return ""
    if len({one.source for one in twins}) == len(twins):
        return f" of {device.source}" if device.source else ""
    number = "" if device.node_id is None else f" with {number_of(device)}"
    if home is None or len({home.state_of(one) for one in twins}) < 2 or home.state_of(device) == UNKNOWN:
        return number
    return f"{number} ({spoken_state(home.state_of(device))})"


def can_be_told_apart(devices: Sequence[Device]) -> bool:
    told = [(device.name, device.room, device.source, device.node_id, device.endpoint) for device in devices]
    return len(set(told)) == len(told)


def which(devices: Sequence[Device], home: Home | None = None) -> str:
    """A question that can be answered: more than four are asked for by their rooms."""
    rooms = rooms_asked(devices)
    if rooms:
        return f"In which room: {listed(rooms, 'or')}?"
    return f"Which one do you mean: {choice(devices, home)}?"


def offered(note: str, devices: Sequence[Device], *, room: bool = False) -> str:
    """What is not known, and what is near it."""
    if rooms_asked(devices):
        return f"{note} {which(devices)}"
    return f"{note} Did you mean {the(devices[0], room=room) if len(devices) == 1 else choice(devices)}?"


def rooms_asked(devices: Sequence[Device]) -> list[str]:
    """The rooms that `which` asks for; none when it asks for devices."""
    rooms = list(dict.fromkeys(device.room for device in devices if device.room))
    return rooms if len(devices) > MOST_CHOICES and 1 < len(rooms) <= MOST_ROOMS else []


def not_known(
    said: str, note: str, near: tuple[Device, ...], frame: Frame, *, room: bool = False
) -> Clarification | NotHandled:
    """Nobody is called that: what is near is offered, else it is said what there is instead."""
    if not near:
        spoken = note or unknown_device(said)
        return NotHandled(f"unknown device or room: {said}", forbid=True, spoken=spoken, unknown=True)
    note = note or f"I don't know a device called {said}."
    return Clarification(offered(note, near, room=room), frame, near, confirm=len(near) == 1, unknown=True)


def unknown_device(said: str) -> str:
    return f"I don't know a device called {said}."


def unknown_room(said: str, home: Home, *, named: bool) -> str:
    """`named`: with the rooms that there are, where no question does it."""
    rooms = list(dict.fromkeys(home.rooms.values()))
    there = f" I know the {listed(rooms)}." if named and 0 < len(rooms) <= MOST_NAMED_ROOMS else ""
    return f"I don't know a room called {said}.{there}"


DOING = {
    "on": "turn on", "off": "turn off", "toggle": "toggle", "dim": "dim", "brighten": "dim", "move": "dim",
    "open": "open", "close": "close", "stop": "stop", "lock": "lock", "unlock": "unlock", "set": "set",
    "colour": "change the colour of", "kelvin": "change the white of", "speed": "set the speed of",
    "volume": "change the volume of", "pause": "pause", "play": "play", "next": "skip on",
    "previous": "go back on", "mute": "mute", "unmute": "unmute", "start": "start", "dock": "send home",
    "ring": "ring",
}  # fmt: skip

BUTTON = "only tells when it is pressed"
ABLE = {
    "blind": "can be opened, closed and stopped",
    "garage_door": "can be opened and closed",
    "lock": "can be locked and unlocked",
    "thermostat": "can be set to a temperature",
    "sensor": "only measures",
    "switch": "can only be turned on and off",
    "plug": "can only be turned on and off",
    "dimmer": "can be turned on and off and dimmed",
    "light": "can only be turned on and off",
    "fan": "can be turned on and off",
    "chime": "can be rung and stopped",
    "siren": "can be sounded and stopped",
    "media_player": "can be turned on and off, paused and set louder or quieter",
    "vacuum": "can be started and sent home",
    "valve": "can be opened and closed",
    "alarm": "can only be looked at",
}
