"""Homes for the stand-in: one with every kind of device and trouble, and ours in Home Assistant's words."""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import yaml
from tests.fakes.home_assistant_home import Area, Entity, HomeAssistantHome, slug

HOME = Path(__file__).parent / "home_assistant_data/home.yaml"


def recorded_home(**how: Any) -> HomeAssistantHome:
    """The one that the recordings were made in: every kind, and every way in which `action_done` is a lie."""
    home = yaml.safe_load(HOME.read_text())
    return HomeAssistantHome(map(_entity, home["entities"]), [_area(**area) for area in home["areas"]], **how)


def _entity(raw: dict[str, Any]) -> Entity:
    return Entity(**{**raw, "aliases": tuple(raw.get("aliases", ()))})


def _area(name: str, floor: str, aliases: Iterable[str] = ()) -> Area:
    return Area(name, tuple(aliases), floor)


def many(count: int) -> list[Entity]:
    """Lights in rooms of ten, with a lock in every tenth."""
    return [
        Entity(f"lock.door_{n}", f"Door {n}", f"Room {n // 10}", "locked")
        if n % 100 == 99
        else Entity(f"light.light_{n}", f"Light {n}", f"Room {n // 10}", "off", {"brightness": None})
        for n in range(count)
    ]


# --- our own rows (name, room, kind, state, available) as Home Assistant would have them


def home_of(rows: Iterable[tuple[str, str, str, str, bool]], scenes: Iterable[str] = ()) -> HomeAssistantHome:
    entities = [entity for row in rows for entity in entities_of(*row)]
    return HomeAssistantHome([*entities, *map(scene, scenes)])


def scene(name: str) -> Entity:
    return Entity(f"scene.{slug(name)}", name, "", "unknown")


def entities_of(name: str, room: str, kind: str, state: str, available: bool) -> list[Entity]:
    if kind == "sensor":
        return _sensors(name, room, state)
    domain = {
        "dimmer": "light", "plug": "switch", "blind": "cover", "garage_door": "cover",
        "thermostat": "climate", "other": "sensor",
    }.get(kind, kind)  # fmt: skip
    entity = Entity(f"{domain}.{slug(f'{room} {name}')}", name, room)
    if kind in ("plug", "garage_door"):
        entity.attributes["device_class"] = {"plug": "outlet", "garage_door": "garage"}[kind]
    set_state(entity, kind, state)
    if not available:
        entity.state = "unavailable"
    return [entity]


def set_state(entity: Entity, kind: str, state: str) -> None:
    """Into a state that is written in our words."""
    word, attributes = _in_its_words(kind, state)
    entity.become(word, **attributes)


def _in_its_words(kind: str, state: str) -> tuple[str, dict[str, Any]]:
    percent = re.search(r"(\d+) %", state)
    level = int(percent[1]) if percent else None
    if kind == "dimmer":
        on = state.startswith("on")
        return ("on" if on else "off"), {"brightness": round((level or 100) * 2.55) if on else None}
    if kind == "blind":
        level = {"open": 100, "closed": 0}.get(state, level or 0)
        return ("open" if level else "closed"), {"current_position": level}
    if kind == "thermostat":
        mode, degrees = state.removesuffix(" °C").split(", ")
        return mode, {"temperature": float(degrees), "current_temperature": 20.5}
    return state, {}


_UNITS = {"°C": ("Temperature", "temperature"), "%": ("Humidity", "humidity"), "W": ("Power", "power")}


def _sensors(name: str, room: str, state: str) -> list[Entity]:
    """One entity for each thing that is measured."""
    binary = {"closed": ("door", "off"), "open": ("door", "on"), "no motion": ("motion", "off")}.get(state)
    if binary is not None:
        entity_id = f"binary_sensor.{slug(f'{room} {name}')}"
        return [Entity(entity_id, name, room, binary[1], {"device_class": binary[0]})]
    found = []
    for part in state.split(", "):
        number, unit = part.split()[:2]
        label, device_class = _UNITS[unit]
        entity_id = f"sensor.{slug(f'{room} {name} {label}')}"
        attributes = {"unit_of_measurement": unit, "device_class": device_class}
        found.append(Entity(entity_id, f"{name} {label}", room, number, attributes))
    return found
