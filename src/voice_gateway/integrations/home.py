"""The home as it is known now: the devices of all sources, indexed by the names people give them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from home_names.kinds import HomeDevice
from home_names.names import name_key, plain_words
from home_names.resolver import Names, number_of
from voice_gateway.integrations.device import Device, Key, has_state
from voice_gateway.integrations.source import Act, Call, HomeSource
from voice_gateway.integrations.zwave import ZwaveSource

_OURS = ZwaveSource()  # its tools are meant if no server is named


@dataclass(frozen=True)
class Home:
    """Immutable: a turn keeps the picture it started with, whatever changes meanwhile."""

    devices: tuple[Device, ...] = ()
    rooms: Mapping[str, str] = field(default_factory=dict)  # plain name or alias -> as it is written
    names: Names[Device] = field(default_factory=lambda: Names(()))  # which device is meant
    told: Mapping[Key, str] = field(default_factory=dict)  # since it was read
    sources: tuple[HomeSource, ...] = ()
    scene_sources: Mapping[str, str] = field(default_factory=dict)  # a scene's name -> who has it
    prefer: str = ""  # the source that is meant where two have a device of one name

    def source_of(self, device: Device) -> HomeSource:
        return self.source(device.source)

    @cached_property
    def scenes(self) -> Mapping[str, str]:
        """By plain name, as it is written."""
        return {name_key(name): name for name in self.scene_sources}

    @cached_property
    def spoken(self) -> frozenset[str]:
        """The names of all devices, with and without their rooms."""
        spoken: set[str] = set()
        for device in self.devices:
            room = plain_words(device.room)
            for name in map(plain_words, (device.name, *device.aliases)):
                spoken |= {" ".join(name), " ".join(room + name), " ".join(name + room)}
        return frozenset(spoken)

    @cached_property
    def told_devices(self) -> tuple[Device, ...]:
        """Devices of trusted sources: a model reads their names in every turn."""
        strangers = {source.name for source in self.sources if source.stranger}
        return tuple(device for device in self.devices if device.source not in strangers)

    @property
    def asked_sources(self) -> tuple[HomeSource, ...]:
        """The sources that a question about the whole home is for."""
        return self.sources or (_OURS,)

    def source(self, name: str) -> HomeSource:
        return next((source for source in self.sources if source.name == name), self.asked_sources[0])

    def scene_source(self, scene: str) -> HomeSource:
        """The source that starts a scene of this name."""
        return self.source(self.scene_sources.get(scene, ""))

    def preferred(self, named: Sequence[Device]) -> tuple[Device, ...]:
        """Of one name in several homes: those of the home that the settings prefer."""
        return tuple(device for device in named if device.source == self.prefer) or tuple(named)

    def address(self, device: Device) -> str:
        """The name that means only this device to its own server."""
        node = device.node_id
        numbers: tuple[str, ...] = () if node is None else (f"node {node}", number_of(device))
        for spelling in (device.name, f"{device.room} {device.name}", *numbers):
            if [same for same in self.names.exact(spelling) if same.source == device.source] == [device]:
                return spelling
        return device.name

    def called(self, device: Device) -> str:
        """The words that mean only this device in all homes."""
        address = self.address(device)
        alone = self.names.exact(address) == (device,)
        return address if alone or not device.source else f"{address} of {device.source}"

    def device_of(self, tool: str, args: Mapping[str, Any]) -> Device | None:
        """The only device that a call is about."""
        for source in self.sources:
            reach = source.reach(tool.removeprefix(f"{source.name}__"), args)
            if reach is not None and len(reach.devices) == 1:
                known = _facts(reach.devices[0])
                theirs = (device for device in self.devices if device.source == source.name)
                return next((device for device in theirs if _facts(device) == known), None)
        name = args.get("deviceName")
        return self.names.only(name) if isinstance(name, str) else None

    def with_state(self, device: Device, state: str) -> "Home":
        """The same home after a device told its new state; names and rooms stay as they are."""
        return replace(self, told={**self.told, device.key: state})

    def state_of(self, device: Device) -> str:
        return self.told.get(device.key, device.state)

    def is_so(self, device: Device, state: str) -> bool:
        """Whether the device is in this state, given as a state or as the action that leads to it; or can be
        dimmed."""
        if state == "dimmable":
            return device.can("dim")
        known = {"up": "open", "down": "closed", "close": "closed"}.get(state, state)
        return has_state(replace(device, state=self.state_of(device)), known)

    def find(self, key: Iterable[Any]) -> Device | None:
        wanted = tuple(key)
        return next((device for device in self.devices if device.key == wanted), None)

    @cached_property
    def _storeys(self) -> Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]]:
        """Each room, with the words of its name and of its floor."""
        floors = {device.room: device.floor for device in self.devices if device.room}
        return {room: (plain_words(room), plain_words(floor)) for room, floor in floors.items()}

    @cached_property
    def floors(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(device.floor for device in self.devices if device.floor))

    def on_floor(self, floor: str) -> tuple[str, ...]:
        """The rooms of a floor: listed on it, or named after it."""
        words = plain_words(floor)

        def there(room: tuple[str, ...], known: tuple[str, ...]) -> bool:
            named = any(room[n : n + len(words)] == words for n in range(len(room) - len(words) + 1))
            return named or (bool(known) and words[: len(known)] == known)

        return tuple(room for room, both in self._storeys.items() if there(*both)) if words else ()

    def in_room(self, room: str) -> tuple[Device, ...]:
        return self.names.in_room(room)


@dataclass(frozen=True, slots=True)
class Request:
    """A call to be; it gets its id when it is made."""

    tool: str
    args: Mapping[str, Any] = field(default_factory=dict)
    device: Device | None = None
    scene: str = ""  # the scene that it starts
    source: str = ""  # of a look at a whole home: whose
    twin: bool = False  # another device has the same name
    wish: Act | None = None  # what it does to the device, independent of its source
    quiet: bool = False  # its success is not told: it takes back what was wrong

    @classmethod
    def of(cls, call: Call, *, scene: str = "", source: str = "") -> "Request":
        return cls(call.tool, call.args, scene=scene, source=source)

    @classmethod
    def about(cls, call: Call, device: Device, home: Home, wish: Act | None = None) -> "Request":
        twin = home.names.exact(device.name) != (device,)
        return cls(call.tool, call.args, device, twin=twin, wish=wish)


def _facts(device: HomeDevice) -> tuple[str | None, ...]:
    return device.name, device.room, device.kind


def build_home(
    devices: Iterable[Device],
    scenes: Mapping[str, str] | Iterable[str] = (),
    sources: Sequence[HomeSource] = (),
    prefer: str = "",
) -> Home:
    """`scenes`: by name the source that has it, or names alone."""
    ordered = tuple(devices)
    rooms: dict[str, str] = {}
    for device in ordered:
        for called in (device.room, *device.room_aliases):
            if key := name_key(called):
                rooms.setdefault(key, device.room)
    return Home(
        ordered,
        rooms,
        Names(ordered),
        sources=tuple(sources),
        scene_sources=scenes if isinstance(scenes, Mapping) else dict.fromkeys(scenes, ""),
        prefer=prefer,
    )
