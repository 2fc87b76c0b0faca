"""The home as it is known now: its devices and rooms, indexed by the names people give them."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

from voice_gateway.brain.local.normalise import plain_words

_LIGHT = re.compile(
    r"light|lamp|bulb|chandelier|lantern|sconce|\bleds?\b|spot|leuchte|licht|lampe|lumi", re.IGNORECASE
)
_NO_LIGHT = re.compile(r"fan|heater|pump|motor|valve|humidifier|ventilator", re.IGNORECASE)
_GATE = re.compile(r"\b(garage|gate)\b", re.IGNORECASE)

SWITCHED = frozenset({"switch", "plug", "dimmer"})  # what "everything" means: never locks, doors or blinds
COVERS = frozenset({"blind", "garage_door"})

# Other words for the same thing, as the last word of a name: "desk light" finds the Desk Lamp.
_SAME = {
    "lamp": "light", "bulb": "light", "lite": "light", "shutter": "blind", "shade": "blind",
    "curtain": "blind", "drape": "blind", "roller": "blind", "outlet": "plug", "socket": "plug",
    "telly": "tv", "television": "tv",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Device:
    """One device as `list_zwave_devices` tells of it."""

    name: str
    room: str
    kind: str
    state: str = ""
    available: bool = True
    node_id: int | None = None
    endpoint: int = 0

    @property
    def is_light(self) -> bool:
        if self.kind == "dimmer":
            return not _NO_LIGHT.search(self.name) or bool(_LIGHT.search(self.name))
        return self.kind in ("light", "switch", "plug") and bool(_LIGHT.search(self.name))

    @property
    def key(self) -> tuple[str, str, int | None, int]:
        return self.name, self.room, self.node_id, self.endpoint


def singular(word: str) -> str:
    if len(word) > 3 and word.endswith("s") and not word.endswith("ss"):
        return word[:-1]
    return word


def loose(words: Iterable[str]) -> tuple[str, ...]:
    """A name with plurals and synonyms folded."""
    singles = [singular(word) for word in words]
    return tuple(_SAME.get(word, word) for word in singles)


@dataclass(frozen=True)
class Home:
    """Immutable: a turn keeps the picture it started with, whatever changes meanwhile."""

    devices: tuple[Device, ...] = ()
    rooms: Mapping[str, str] = field(default_factory=dict)  # plain name -> as it is written
    by_name: Mapping[str, tuple[Device, ...]] = field(default_factory=dict)
    by_loose: Mapping[tuple[str, ...], tuple[Device, ...]] = field(default_factory=dict)
    words: Mapping[tuple[str, str, int | None, int], tuple[str, ...]] = field(default_factory=dict)
    told: Mapping[tuple[str, str, int | None, int], str] = field(default_factory=dict)  # since it was read
    scenes: Mapping[str, str] = field(default_factory=dict)  # plain name -> as it is written
    scenes_listed: bool = False  # the server lists them, so there are no others

    def address(self, device: Device) -> str:
        """The name that means only this device to its server."""
        same = self.by_name.get(name_key(device.name), ())
        return device.name if len(same) <= 1 or not device.room else f"{device.room} {device.name}"

    def with_state(self, device: Device, state: str) -> "Home":
        """The same home after a device told its new state; names and rooms stay as they are."""
        return replace(self, told={**self.told, device.key: state})

    def with_scenes(self, names: Iterable[str]) -> "Home":
        scenes = {key: name for name in names if (key := name_key(name))}
        return replace(self, scenes=scenes)

    def state_of(self, device: Device) -> str:
        return self.told.get(device.key, device.state)

    def find(self, key: Iterable[Any]) -> Device | None:
        wanted = tuple(key)
        return next((device for device in self.devices if device.key == wanted), None)

    def in_room(self, room: str) -> tuple[Device, ...]:
        wanted = name_key(room)
        return tuple(device for device in self.devices if name_key(device.room) == wanted)


@lru_cache(maxsize=16384)
def name_key(name: str) -> str:
    return " ".join(plain_words(name))


def build_home(devices: Iterable[Device], scenes: Iterable[str] | None = None) -> Home:
    ordered = tuple(devices)
    rooms: dict[str, str] = {}
    by_name: dict[str, list[Device]] = {}
    by_loose: dict[tuple[str, ...], list[Device]] = {}
    words: dict[tuple[str, str, int | None, int], tuple[str, ...]] = {}
    for device in ordered:
        name, room = plain_words(device.name), plain_words(device.room)
        words[device.key] = name
        if not name:
            continue  # a name of emoji alone cannot be said
        if room:
            rooms.setdefault(" ".join(room), device.room)
        for spoken in {" ".join(name), " ".join(room + name), " ".join(name + room)}:
            by_name.setdefault(spoken, []).append(device)
        for folded in {loose(name), loose(room + name), loose(name + room)}:
            by_loose.setdefault(folded, []).append(device)
    return Home(
        ordered,
        rooms,
        {key: tuple(found) for key, found in by_name.items()},
        {key: tuple(found) for key, found in by_loose.items()},
        words,
        scenes_listed=scenes is not None,
    ).with_scenes(scenes or ())


def parse_devices(structured: object) -> list[Device]:
    """What a page of `list_zwave_devices` says; entries that cannot be read are left out."""
    listed = structured.get("devices") if isinstance(structured, Mapping) else None
    found = (_device(raw) for raw in listed) if isinstance(listed, list) else ()
    return [device for device in found if device is not None]


def parse_scenes(structured: object) -> list[str] | None:
    """The names of the scenes, where a server tells them; None where it does not."""
    listed = structured.get("scenes") if isinstance(structured, Mapping) else None
    return [name.strip() for name in listed if isinstance(name, str)] if isinstance(listed, list) else None


def _device(raw: object) -> Device | None:
    if not isinstance(raw, Mapping) or not isinstance(raw.get("name"), str) or not raw["name"].strip():
        return None
    name, kind = raw["name"].strip(), str(raw.get("kind") or "other").strip().lower().replace(" ", "_")
    node = raw.get("nodeId")
    endpoint = raw.get("endpoint")
    state = raw.get("state")
    return Device(
        name=name,
        room=str(raw.get("room") or "").strip(),
        kind="garage_door" if kind in COVERS and _GATE.search(name) else kind,
        state=state.strip() if isinstance(state, str) else "",
        available=raw.get("available") is not False,
        node_id=node if isinstance(node, int) else None,
        endpoint=endpoint if isinstance(endpoint, int) else 0,
    )
