"""An entity's names by Home Assistant's own rules, and the entity as a device: kind, abilities, state.

Names and aliases come joined by commas, and a name may have a comma itself: all that it could be is kept.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any, Final

from home_names.kinds import mover_kind
from home_names.states import UNKNOWN, dimmed, opened
from voice_gateway.integrations.device import ABILITIES, Device
from voice_gateway.integrations.home_assistant.live_context import Entity, to_number

_JOINED: Final = ", "
EVERY_NAME: Final = "all"  # as a name it means any name, in these letters alone


def normal(name: str) -> str:
    """Home Assistant's own: case and outer spaces do not matter, all else does."""
    return name.strip().casefold()


@lru_cache(maxsize=16_384)
def every_name(text: str) -> frozenset[str]:
    """All that may be a name or an alias here, in its normal form: a name may have a comma itself."""
    return frozenset(map(normal, [text, *text.split(_JOINED)]))


def other_names(text: str) -> tuple[str, ...]:
    """What people may call it besides its first name: the aliases, and the whole where a name has a comma."""
    parts = [part.strip() for part in text.split(_JOINED) if part.strip()]
    return tuple(dict.fromkeys([*parts[1:], text])) if len(parts) > 1 else ()


def in_area(entity: Entity, area: str) -> bool:
    return normal(area) in every_name(_JOINED.join(entity.areas))


def matching(
    entities: Iterable[Entity], args: Mapping[str, Any], domains: frozenset[str]
) -> tuple[Entity, ...]:
    """Those that a call with these arguments is for; `domains`: where the tool has its own."""
    name, area = text_of(args, "name"), text_of(args, "area")
    named = "" if args.get("name") == EVERY_NAME else name
    wanted = frozenset(texts_of(args, "domain")) or domains
    classes = frozenset(texts_of(args, "device_class"))
    return tuple(
        entity
        for entity in entities
        if (not wanted or entity.domain in wanted)
        and (not named or normal(named) in every_name(entity.names))
        and (not area or in_area(entity, area))
        and (not classes or entity.device_class in classes)
    )


def text_of(args: Mapping[str, Any], key: str) -> str:
    value = args.get(key)
    return value.strip() if isinstance(value, str) else ""


def texts_of(args: Mapping[str, Any], key: str) -> tuple[str, ...]:
    value = args.get(key)
    return (value,) if isinstance(value, str) else tuple(map(str, value)) if isinstance(value, list) else ()


def address(entity: Entity, entities: Sequence[Entity]) -> dict[str, Any] | None:
    """The arguments that mean this entity and no other; None: there are none."""
    area = {"area": entity.areas[0]} if entity.areas else {}
    for name in filter(None, (name_of(entity), *other_names(entity.names))):
        args = {"name": name.upper() if name == EVERY_NAME else name, **area, "domain": [entity.domain]}
        if all(match is entity for match in matching(entities, args, frozenset())):
            return args
    return None


AWAY: Final = frozenset({"unavailable", "unknown", ""})
SCENE, TODO, BUTTONS = "scene", "todo", frozenset({"button", "input_button"})
_ENTRANCES: Final = frozenset({"garage", "gate", "door"})
_KINDS: Final = {
    **{same: same for same in ("light", "switch", "lock", "fan", "media_player", "vacuum", "siren", "valve")},
    **dict.fromkeys(("climate", "water_heater"), "thermostat"),
    "input_boolean": "switch",
    "cover": "blind",
    "alarm_control_panel": "alarm",
    SCENE: "scene",
    TODO: "list",
    **dict.fromkeys(("humidifier", "remote", "automation", "group", "button", "input_button"), "other"),
    **dict.fromkeys(("notify", "input_select"), "other"),
    "lawn_mower": "mower",
}
_SWITCHES: Final = frozenset({"on", "off", "toggle"})
_NOTHING: Final[frozenset[str]] = frozenset()
_ABILITIES: Final = {
    **dict.fromkeys(BUTTONS, frozenset({"on"})),
    "media_player": ABILITIES["media_player"] | {"search"},
    "vacuum": ABILITIES["vacuum"] | {"clean"},
}
_BINARY: Final = {
    **dict.fromkeys(("motion", "occupancy", "presence", "moving"), ("motion", "no motion")),
    **dict.fromkeys(("door", "window", "opening", "garage_door"), ("open", "closed")),
    "moisture": ("water detected", "dry"),
    "smoke": ("smoke detected", "no smoke"),
    "gas": ("gas detected", "no gas"),
    "carbon_monoxide": ("carbon monoxide detected", "no carbon monoxide"),
    **dict.fromkeys(("problem", "safety", "tamper"), ("problem", "normal")),
    "battery": ("low", "normal"),
    "battery_charging": ("charging", "not charging"),
    "lock": ("unlocked", "locked"),
    "connectivity": ("connected", "not connected"),
    **dict.fromkeys(("plug", "power", "running", "light", "sound", "vibration"), ("yes", "no")),
}
# For questions without a device: "is there smoke anywhere", "is a window open", "which batteries are low".
_WATCHES: Final = {**{same: same for same in _BINARY}, "moisture": "water", "garage_door": "door"}


def watches_of(entity: Entity) -> tuple[str, ...]:
    watched = _WATCHES.get(entity.device_class) if entity.domain == "binary_sensor" else None
    return (watched,) if watched else ()


def kind_of(entity: Entity) -> str:
    kind = _KINDS.get(entity.domain, "sensor")
    if entity.domain == "light":
        return "dimmer" if "brightness" in entity.attributes else "light"
    if entity.domain == "switch":
        return "plug" if entity.device_class == "outlet" else "switch"
    if entity.domain == "cover":
        return "garage_door" if entity.device_class in _ENTRANCES else mover_kind(name_of(entity))
    return kind


def name_of(entity: Entity) -> str:
    return entity.names.partition(_JOINED)[0].strip()


def room_of(entity: Entity) -> str:
    return entity.areas[0] if entity.areas else ""


def is_available(entity: Entity) -> bool:
    return entity.state != "unavailable"


def abilities_of(entity: Entity) -> frozenset[str] | None:
    """None: those of its kind. An unavailable entity shows no abilities: it may have all."""
    away = not is_available(entity)
    shown = {"brightness", "current_position", "percentage"} if away else entity.attributes.keys()
    if entity.domain == "light":
        return _SWITCHES | {"dim", "colour", "kelvin"} if "brightness" in shown else _SWITCHES
    if entity.domain in ("cover", "valve"):
        moves = frozenset({"open", "close", "stop"})
        return moves | {"dim"} if "current_position" in shown else moves
    if entity.domain == "fan":
        return _SWITCHES | {"speed"} if "percentage" in shown else _SWITCHES
    if entity.domain in _ABILITIES:
        return _ABILITIES[entity.domain]
    if entity.domain not in _KINDS or entity.domain in ("alarm_control_panel", SCENE, TODO):
        return _NOTHING
    return None


def state_of(entity: Entity, degrees: str = "°C") -> str:
    """In the words that docs/zwave.md lists, and for kinds of its own in Home Assistant's."""
    if entity.state in AWAY:
        return UNKNOWN
    if entity.domain in ("climate", "water_heater"):
        return _warmth(entity, degrees)
    return _STATES.get(entity.domain, _words)(entity)


def _words(entity: Entity) -> str:
    return entity.state.replace("_", " ")


def _position(entity: Entity) -> str:
    position = entity.number("current_position")
    resting = position is not None and entity.state in ("open", "closed")
    return opened(round(position)) if resting and position is not None else _words(entity)


def _player(entity: Entity) -> str:
    volume = entity.number("volume_level")
    if volume is None or entity.state == "off":
        return _words(entity)
    return f"{_words(entity)}, volume {round(volume * 100)} %"


def _binary(entity: Entity) -> str:
    on, off = _BINARY.get(entity.device_class, ("on", "off"))
    return {"on": on, "off": off}.get(entity.state, _words(entity))


def percent_of(entity: Entity) -> int | None:
    """How bright, or how fast."""
    if entity.domain == "light":
        brightness = entity.number("brightness")
        return None if brightness is None else max(round(brightness / 2.55), 1 if brightness > 0 else 0)
    level = entity.number("percentage")
    return None if level is None else round(level)


def _leveled(entity: Entity) -> str:
    percent = percent_of(entity)
    return dimmed(percent) if entity.state == "on" and percent else entity.state


def _warmth(entity: Entity, degrees: str) -> str:
    parts = [entity.state.replace("_", " ")]
    wanted, now = entity.number("temperature"), entity.number("current_temperature")
    unit = entity.attributes.get("temperature_unit") or degrees
    if wanted is not None and entity.state != "off":
        parts.append(f"set to {number_text(wanted)} {unit}")
    if now is not None:
        parts.append(f"now {number_text(now)} {unit}")
    return ", ".join(parts)


def _weather(entity: Entity) -> str:
    degrees, unit = entity.number("temperature"), entity.attributes.get("temperature_unit") or "°C"
    return entity.state if degrees is None else f"{entity.state}, {number_text(degrees)} {unit}"


def _measured(entity: Entity) -> str:
    number = to_number(entity.state)
    unit = entity.attributes.get("unit_of_measurement") or ""
    if number is None:
        return entity.state
    text = f"{number_text(number)} {unit}".strip()
    return f"{text} {entity.device_class.replace('_', ' ')}" if unit == "%" and entity.device_class else text


_STATES: Final = {
    **dict.fromkeys(("light", "fan"), _leveled),
    **dict.fromkeys(("cover", "valve"), _position),
    "media_player": _player,
    "binary_sensor": _binary,
    "sensor": _measured,
    "weather": _weather,
}


def number_text(number: float) -> str:
    rounded = round(number, 2)
    return str(int(rounded)) if rounded == int(rounded) else str(rounded)


def devices_of(entities: Sequence[Entity], source: str, degrees: str) -> list[Device]:
    """All but scenes and lists; two of one name in one room are told apart by their endpoint."""
    devices: list[Device] = []
    twins = Counter[tuple[str, str, str]]()
    for entity in entities:
        if entity.domain not in (SCENE, TODO):
            device = device_of(entity, source, degrees)
            place = (device.name, device.room, device.domain)
            devices.append(replace(device, endpoint=twins[place]) if twins[place] else device)
            twins[place] += 1
    return devices


def facts_of(entities: Sequence[Entity], degrees: str) -> dict[str, Any]:
    """The whole list in the shape that every home's list has."""
    devices = [_device_facts(device) for device in devices_of(entities, "", degrees)]
    scenes = [name_of(entity) for entity in entities if entity.domain == SCENE]
    lists = [name_of(entity) for entity in entities if entity.domain == TODO]
    return {"devices": devices, "total": len(devices), "scenes": scenes, "lists": lists}


def _device_facts(device: Device) -> dict[str, Any]:
    keys = ("name", "room", "kind", "state", "available", "domain", "endpoint")
    facts: dict[str, Any] = {key: getattr(device, key) for key in keys}
    facts |= {"aliases": list(device.aliases), "roomAliases": list(device.room_aliases)}
    facts |= {"watches": list(device.watches)} if device.watches else {}
    return facts if device.abilities is None else {**facts, "abilities": sorted(device.abilities)}


def device_of(entity: Entity, source: str, degrees: str = "°C") -> Device:
    return Device(
        name=name_of(entity),
        room=room_of(entity),
        kind=kind_of(entity),
        state=state_of(entity, degrees),
        available=is_available(entity),
        aliases=other_names(entity.names),
        room_aliases=entity.areas[1:],
        source=source,
        domain=entity.domain,
        abilities=abilities_of(entity),
        watches=watches_of(entity),
    )
