"""Homes for the stand-in: one with every kind of device and trouble, and ours in Home Assistant's words."""

import re
from collections.abc import Iterable
from typing import Any

from tests.fakes.home_assistant_home import Area, Entity, HomeAssistantHome, slug


def recorded_home(**how: Any) -> HomeAssistantHome:
    """The one that the recordings were made in: every kind, and every way in which `action_done` is a lie."""
    colours = {"brightness": None, "rgb_color": None, "color_temp_kelvin": None}
    bright = {**colours, "brightness": 180}
    entities = [
        Entity("light.bed_light", "Bed Light", "Bedroom", "off", {**colours, "_last_brightness": 180},
               ("reading lamp", "Nachttischlampe")),
        Entity("light.ceiling_lights", "Ceiling Lights", "Living Room", "on", dict(bright)),
        Entity("light.kitchen_lights", "Kitchen Lights", "Kitchen", "on", dict(bright)),
        Entity("light.office_rgbw_lights", "Office RGBW Lights", "Office", "on", dict(bright)),
        Entity("light.living_room_rgbww_lights", "Living Room RGBWW Lights", "Living Room", "on",
               dict(bright)),
        Entity("light.lamp_bedroom", "Lamp", "Bedroom"),
        Entity("light.lamp_living", "Lamp", "Living Room"),
        Entity("light.unplugged", "Unplugged Light", "Hall", "unavailable"),
        Entity("light.slow", "Slow Light", "Hall", seconds=3),
        Entity("light.failing", "Failing Light", "Hall", trouble="fails"),
        Entity("light.hidden", "Hidden Light", "Hall", exposed=False),
        Entity("media_player.kitchen", "Kitchen", "", "idle", exposed=False),
        Entity("switch.decorative_lights", "Decorative Lights", "Living Room", "on"),
        Entity("switch.ac", "AC", "Office", "off", {"device_class": "outlet"}),
        Entity("input_boolean.slow", "slow"),
        Entity("lock.front_door", "Front Door", "", "locked", seconds=2),
        Entity("lock.kitchen_door", "Kitchen Door", "", "unlocked", seconds=2),
        Entity("lock.hall_lock", "Hall Lock", "Hall", "unlocked"),
        Entity("lock.cellar_lock", "Cellar Lock", "Hall", "locked", trouble="code"),
        Entity("lock.poorly_installed_door", "Poorly Installed Door", "", "unlocked",
               trouble="jams", seconds=2),
        Entity("cover.living_room_window", "Living Room Window", "Living Room", "open",
               {"current_position": 70}, seconds=1),
        Entity("cover.kitchen_window", "Kitchen Window", "Kitchen", "closed"),
        Entity("cover.garage_door", "Garage Door", "Garage", "closed", {"device_class": "garage"}),
        Entity("climate.heatpump", "HeatPump", "Living Room", "heat",
               {"current_temperature": 25.0, "temperature": 20.0}),
        Entity("climate.hvac", "Hvac", "Office", "cool",
               {"current_temperature": 22, "temperature": 21, "humidity": 67.4}),
        Entity("fan.living_room_fan", "Living Room Fan", "Living Room", "off", {"percentage": None}),
        Entity("fan.ceiling_fan", "Ceiling Fan", "Bedroom", "off", {"percentage": None}),
        Entity("media_player.living_room", "Living Room", "", "playing",
               {"volume_level": 1.0, "media_title": "♥♥ The Best Fireplace Video (3 hours)"}),
        Entity("media_player.bedroom", "Bedroom", "", "playing",
               {"volume_level": 1.0, "media_title": "Epic sax guy 10 hours"}),
        Entity("media_player.kitchen_radio", "Kitchen Radio", "Kitchen", "playing",
               {"volume_level": 1.0, "media_title": "I Wanna Be A Hippy (Flamman & Abraxas Radio Mix)",
                "media_artist": "Technohead", "media_album_name": "Bounzz"}),
        Entity("vacuum.demo_vacuum_0_ground_floor", "Demo vacuum 0 ground floor", "", "docked"),
        Entity("sensor.outside_temperature", "Outside Temperature", "", "15.6",
               {"unit_of_measurement": "°C", "device_class": "temperature"}),
        Entity("sensor.outside_humidity", "Outside Humidity", "", "54",
               {"unit_of_measurement": "%", "device_class": "humidity"}),
        Entity("binary_sensor.movement_backyard", "Movement Backyard", "Garage", "on",
               {"device_class": "motion"}),
        Entity("scene.movie_night", "Movie Night", "", "unknown",
               sets={"light.bed_light": "on 16", "light.kitchen_lights": "off"}),
        Entity("script.good_night", "Good Night",
               sets={"light.bed_light": "off", "lock.front_door": "locked"},
               description="Turns the bedroom off and locks the front door."),
        Entity("script.dim_kitchen", "Dim Kitchen", sets={"light.kitchen_lights": "on 20"},
               description="Dims the kitchen to a level and says what it did.",
               fields={"level": {"type": "number", "minimum": 0.0, "maximum": 100.0}}),
        Entity("script.broken_script", "Broken Script", trouble="fails", description="Always fails."),
        Entity("todo.shopping_list", "Shopping List", "", "0"),
        Entity("todo.chores", "Chores", "", "0"),
    ]  # fmt: skip
    areas = [
        Area("Living Room", ("Lounge",), "Ground Floor"),
        Area("Kitchen", (), "Ground Floor"),
        Area("Hall", (), "Ground Floor"),
        Area("Bedroom", (), "Upstairs"),
        Area("Office", (), "Upstairs"),
        Area("Garage", (), "Outside"),
    ]
    return HomeAssistantHome(entities, areas, **how)


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
