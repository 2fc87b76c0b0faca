"""The home as it is known now: its devices and rooms, indexed by the names people give them."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from home_words.kinds import is_light, mover_kind
from home_words.names import name_key, plain_words
from home_words.resolver import Names


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
        return is_light(self.kind, self.name)

    @property
    def key(self) -> tuple[str, str, int | None, int]:
        return self.name, self.room, self.node_id, self.endpoint


def has_state(device: Device, state: str) -> bool:
    now = device.state.casefold()
    if state in ("on", "off", "locked", "unlocked", "closed"):
        return re.match(rf"{state}\b", now) is not None
    if state == "offline":
        return not device.available
    return state == "open" and re.search(r"\bopen(?:ing)?$", now) is not None


@dataclass(frozen=True)
class Home:
    """Immutable: a turn keeps the picture it started with, whatever changes meanwhile."""

    devices: tuple[Device, ...] = ()
    rooms: Mapping[str, str] = field(default_factory=dict)  # plain name -> as it is written
    names: Names[Device] = field(default_factory=lambda: Names(()))  # which device is meant
    by_name: Mapping[str, tuple[Device, ...]] = field(default_factory=dict)  # to find names in a sentence
    told: Mapping[tuple[str, str, int | None, int], str] = field(default_factory=dict)  # since it was read
    scenes: Mapping[str, str] = field(default_factory=dict)  # plain name -> as it is written
    scenes_listed: bool = False  # the server lists them, so there are no others

    def address(self, device: Device) -> str:
        """The name that means only this device to its server."""
        for spelling in (device.name, f"{device.room} {device.name}"):
            if self.names.exact(spelling) == (device,):
                return spelling
        return device.name if device.node_id is None else f"node {device.node_id}"

    def with_state(self, device: Device, state: str) -> "Home":
        """The same home after a device told its new state; names and rooms stay as they are."""
        return replace(self, told={**self.told, device.key: state})

    def with_scenes(self, names: Iterable[str]) -> "Home":
        scenes = {key: name for name in names if (key := name_key(name))}
        return replace(self, scenes=scenes)

    def state_of(self, device: Device) -> str:
        return self.told.get(device.key, device.state)

    def is_so(self, device: Device, state: str) -> bool:
        """How it is, as a state or as an action that leads to it; or whether it can be dimmed."""
        if state == "dimmable":
            return device.kind == "dimmer"
        known = {"up": "open", "down": "closed", "close": "closed"}.get(state, state)
        return has_state(replace(device, state=self.state_of(device)), known)

    def find(self, key: Iterable[Any]) -> Device | None:
        wanted = tuple(key)
        return next((device for device in self.devices if device.key == wanted), None)

    def in_room(self, room: str) -> tuple[Device, ...]:
        return self.names.in_room(room)


def build_home(devices: Iterable[Device], scenes: Iterable[str] | None = None) -> Home:
    ordered = tuple(devices)
    rooms: dict[str, str] = {}
    by_name: dict[str, list[Device]] = {}
    for device in ordered:
        name, room = plain_words(device.name), plain_words(device.room)
        if room:
            rooms.setdefault(" ".join(room), device.room)
        for spoken in {" ".join(name), " ".join(room + name), " ".join(name + room)}:
            by_name.setdefault(spoken, []).append(device)
    return Home(
        ordered,
        rooms,
        Names(ordered),
        {key: tuple(found) for key, found in by_name.items()},
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
        kind=mover_kind(name) if kind == "blind" else kind,
        state=state.strip() if isinstance(state, str) else "",
        available=raw.get("available") is not False,
        node_id=node if isinstance(node, int) else None,
        endpoint=endpoint if isinstance(endpoint, int) else 0,
    )
