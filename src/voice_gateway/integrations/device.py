"""One device of any home: its names, kind, abilities and state."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from home_names.kinds import COVERS, is_light
from home_names.states import parts_of

Key = tuple[str, str, int | None, int, str, str]

_SWITCHES: Final = frozenset({"on", "off", "toggle"})
# What can be done with a kind of device, where its source says nothing else.
ABILITIES: Final[Mapping[str, frozenset[str]]] = {
    **dict.fromkeys(("switch", "plug", "other", "light", "fan", "siren"), _SWITCHES),
    "dimmer": _SWITCHES | {"dim"},
    "chime": frozenset({"ring", "stop"}),
    "blind": frozenset({"open", "close", "stop", "dim"}),
    "garage_door": frozenset({"open", "close", "stop"}),
    "valve": frozenset({"open", "close"}),
    "lock": frozenset({"lock", "unlock"}),
    "thermostat": frozenset({"set", "on", "off"}),
    "media_player": frozenset({"on", "off", "volume", "pause", "play", "next", "previous", "mute", "unmute"}),
    "vacuum": frozenset({"start", "dock"}),
    "mower": frozenset({"start", "dock"}),
}


@dataclass(frozen=True, slots=True)
class Device:
    """`source` is the name of the server that has it; the other servers do not know it."""

    name: str
    room: str
    kind: str
    state: str = ""  # in the words of `home_names.states`
    available: bool = True
    node_id: int | None = None
    endpoint: int = 0
    aliases: tuple[str, ...] = ()  # other names that people gave it
    room_aliases: tuple[str, ...] = ()
    source: str = ""
    domain: str = ""  # what its source calls its kind, where the call must say it
    abilities: frozenset[str] | None = None  # actions; None: those of its kind
    tones: tuple[str, ...] = ()  # of what rings
    own_tone: str = ""  # played when none is named; "" if unknown
    events: tuple[str, ...] = ()  # what it tells of when it happens: "button 2", "smoke"
    watches: tuple[str, ...] = ()  # for what, where it tells of no events: "smoke", "water", "window"
    readings: tuple[str, ...] = ()  # what it measures beside its state: "battery 80 %", "power 12 W"
    range: tuple[float, float, str] | None = None  # of a thermostat: lowest, highest, "C" or "F"
    unlocks: bool = True  # of a lock: its server lets it be unlocked
    floor: str = ""  # where its source, or the setting `home.floors`, tells it

    @property
    def is_light(self) -> bool:
        return is_light(self.kind, self.name)

    @property
    def key(self) -> Key:
        return self.name, self.room, self.node_id, self.endpoint, self.source, self.domain

    def can(self, action: str) -> bool:
        known = ABILITIES.get(self.kind, frozenset()) if self.abilities is None else self.abilities
        return action in known

    def watches_for(self, kind: str) -> bool:
        return kind in self.events or kind in self.watches

    @property
    def is_cover(self) -> bool:
        return self.kind in COVERS


def same_but_for_state(before: Sequence[Device], now: Sequence[Device]) -> bool:
    """Whether the devices and their order are the same, apart from states and readings."""

    def same(old: Device, new: Device) -> bool:
        still = (old.state, old.readings, old.available)
        return old == new or old == replace(new, state=still[0], readings=still[1], available=still[2])

    return len(before) == len(now) and all(same(*both) for both in zip(before, now, strict=True))


# A player, a siren or a vacuum has no other word for being on.
_RUNNING: Final = re.compile(r"(?:on|sounding|playing|paused|idle|buffering|cleaning)\b")
_RESTING: Final = re.compile(r"(?:off|silent|standby|docked|returning)\b")


_OPEN: Final = re.compile(r"(?!not ).*\bopen(?:ing)?$")


_AGAINST = {"closed": "open", "locked": "unlocked", "unlocked": ""}


def has_state(device: Device, state: str) -> bool:
    """Whether the device is in a state, in any part of its text: "21.4 °C, closed"."""
    now = device.state.casefold()
    if state in ("on", "off"):
        return (_RUNNING if state == "on" else _RESTING).match(now) is not None
    if state in ("playing", "paused", "cleaning", "mowing", "docked"):
        return re.match(rf"{state}\b", now) is not None
    if state == "offline":
        return not device.available
    if state == "open":
        return any(_OPEN.match(part) for part in parts_of(now))
    against = _AGAINST.get(state)
    if against is None or (against and has_state(device, against)):  # one of its contacts, or bolts, is not
        return False
    return any(re.match(rf"{state}\b", part) for part in parts_of(now))
