"""Words for sorts of devices: "lights", "blinds", "sensors", "everything"."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from voice_gateway.brain.local.home import COVERS, SWITCHED, Device
from voice_gateway.brain.local.sounds import sound

Sort = Literal[
    "light", "cover", "lock", "plug", "switch", "thermostat", "sensor", "garage", "door", "all", "device"
]

_NOUNS: dict[str, Sort] = {
    **dict.fromkeys(("light", "lights", "lighting", "lamp", "lamps", "bulb", "bulbs"), "light"),
    **dict.fromkeys(("blind", "blinds", "shutter", "shutters", "shade", "shades", "roller blind"), "cover"),
    **dict.fromkeys(("curtain", "curtains", "drapes", "cover", "covers", "roller blinds"), "cover"),
    **dict.fromkeys(("lock", "locks", "door lock", "door locks"), "lock"),
    **dict.fromkeys(("plug", "plugs", "outlet", "outlets", "socket", "sockets"), "plug"),
    **dict.fromkeys(("switch", "switches"), "switch"),
    **dict.fromkeys(("thermostat", "thermostats", "heating", "heat", "climate", "temperature"), "thermostat"),
    **dict.fromkeys(("sensor", "sensors"), "sensor"),
    **dict.fromkeys(("garage", "garages"), "garage"),
    **dict.fromkeys(("door", "doors"), "door"),
    **dict.fromkeys(("everything", "anything", "all", "every thing"), "all"),
    **dict.fromkeys(("device", "devices", "things", "gadget", "gadgets", "appliances"), "device"),
}  # fmt: skip
_BY_SOUND = {sound(noun): noun for noun in ("sensors", "sensor", "lights", "devices", "device")}
_PLURAL_ANYWAY = frozenset({"everything", "anything", "all", "lighting", "every thing"})
_ONE_THING = frozenset({"thermostat", "heating", "heat", "climate", "temperature"})  # said of the only one


@dataclass(frozen=True, slots=True)
class DeviceClass:
    sort: Sort
    noun: str  # as it was said
    plural: bool

    def has(self, device: Device) -> bool:
        return _MEMBERS[self.sort](device)


_MEMBERS: dict[str, Callable[[Device], bool]] = {
    "light": lambda device: device.is_light,
    "cover": lambda device: device.kind == "blind",
    "lock": lambda device: device.kind == "lock",
    "plug": lambda device: device.kind == "plug",
    "switch": lambda device: device.kind == "switch",
    "thermostat": lambda device: device.kind == "thermostat",
    "sensor": lambda device: device.kind == "sensor",
    "garage": lambda device: device.kind == "garage_door",
    "door": lambda device: device.kind in ("lock", "garage_door") or "door" in device.name.casefold(),
    "all": lambda device: device.kind in SWITCHED,
    "device": lambda device: True,
}


def device_class(noun: str, *, by_sound: bool = False) -> DeviceClass | None:
    """`by_sound` lets "censors" pass for sensors, where nothing can be switched by it."""
    if noun not in _NOUNS and by_sound and noun and noun not in ("scene", "scenes"):
        noun = _BY_SOUND.get(sound(noun), noun)
    sort = _NOUNS.get(noun)
    if sort is None:
        return None
    plural = noun in _PLURAL_ANYWAY or (noun.endswith("s") and noun not in _ONE_THING)
    return DeviceClass(sort, noun, plural)


def openable(device: Device) -> bool:
    return device.kind in COVERS
