"""A Home Assistant home with every domain and device class, its floors unknown to the tools."""

from typing import Any

from tests.fakes.home_assistant_home import Area, Entity, HomeAssistantHome

_COLOURS = {"rgb_color": None, "color_temp_kelvin": None}


def _cover(position: int, device_class: str) -> dict[str, Any]:
    return {"current_position": position, "device_class": device_class}


# (domain, name, area, state, attributes); a device class alone is written as a text
ROWS: tuple[tuple[str, str, str, str, Any], ...] = (
    ("light", "Sofa Lamp", "Living Room", "on", {"brightness": 102, **_COLOURS}),
    ("light", "Ceiling Spots", "Living Room", "off", {"brightness": None}),
    ("light", "Kitchen Lights", "Kitchen", "on", {"brightness": 255}),
    ("light", "Counter Strip", "Kitchen", "off", {"brightness": None, **_COLOURS}),
    ("light", "Dining Pendant", "Dining Room", "off", {"brightness": None}),
    ("light", "Hallway Light", "Hallway", "on", {}),
    ("light", "Bedroom Lamp", "Master Bedroom", "off", {"brightness": None}),
    ("light", "Night Light", "Kids Room", "on", {"brightness": 26}),
    ("light", "Bathroom Light", "Bathroom", "off", {}),
    ("light", "Study Lamp", "Office", "on", {"brightness": 204}),
    ("light", "Porch Light", "Terrace", "off", {}),
    ("switch", "Fairy Lights", "Terrace", "off", {}),
    ("switch", "Coffee Machine", "Kitchen", "off", "outlet"),
    ("switch", "Pool Pump", "Garden", "on", {}),
    ("cover", "Living Room Blinds", "Living Room", "open", _cover(100, "blind")),
    ("cover", "Bedroom Curtains", "Master Bedroom", "closed", _cover(0, "curtain")),
    ("cover", "Kids Shutter", "Kids Room", "open", _cover(100, "shutter")),
    ("cover", "Awning", "Terrace", "closed", _cover(0, "awning")),
    ("cover", "Garage Door", "Garage", "closed", "garage"),
    ("lock", "Front Door Lock", "Hallway", "locked", {}),
    ("lock", "Terrace Door Lock", "Terrace", "unlocked", {}),
    ("climate", "Living Room Thermostat", "Living Room", "heat",
     {"temperature": 20.0, "current_temperature": 19.5}),
    ("climate", "Bedroom Radiator", "Master Bedroom", "heat",
     {"temperature": 18.0, "current_temperature": 17.5}),
    ("climate", "Office AC", "Office", "off", {"temperature": 23.0, "current_temperature": 24.0}),
    ("fan", "Bedroom Fan", "Master Bedroom", "off", {"percentage": 0}),
    ("fan", "Extractor", "Bathroom", "on", {"percentage": 60}),
    ("media_player", "TV", "Living Room", "playing", {"volume_level": 0.3, "media_title": "The News"}),
    ("media_player", "Kitchen Speaker", "Kitchen", "playing",
     {"volume_level": 0.5, "media_title": "Second Song"}),
    ("media_player", "Bedroom Radio", "Master Bedroom", "paused", {"volume_level": 0.2}),
    ("vacuum", "Rosie", "Hallway", "docked", {}),
    ("lawn_mower", "Mowgli", "Garden", "docked", {}),
    ("valve", "Sprinkler", "Garden", "closed", {}),
    ("scene", "Movie Time", "", "unknown", {}),
    ("scene", "Good Night", "", "unknown", {}),
    ("scene", "Dinner Party", "", "unknown", {}),
    ("todo", "Shopping List", "", "0", {}),
    ("todo", "Chores", "", "0", {}),
    ("binary_sensor", "Front Door", "Hallway", "off", "door"),
    ("binary_sensor", "Kitchen Window", "Kitchen", "on", "window"),
    ("binary_sensor", "Bathroom Window", "Bathroom", "off", "window"),
    ("binary_sensor", "Hallway Motion", "Hallway", "on", "motion"),
    ("binary_sensor", "Garage Motion", "Garage", "off", "motion"),
    ("binary_sensor", "Office Presence", "Office", "on", "occupancy"),
    ("binary_sensor", "Kitchen Smoke Alarm", "Kitchen", "off", "smoke"),
    ("binary_sensor", "Utility Leak Sensor", "Utility Room", "on", "moisture"),
    ("binary_sensor", "Washing Machine", "Utility Room", "on", "running"),
    ("binary_sensor", "Car Charger", "Garage", "off", "battery_charging"),
    ("binary_sensor", "Router", "Office", "on", "connectivity"),
    ("sensor", "Living Room Temperature", "Living Room", "19.5", ("temperature", "°C")),
    ("sensor", "Bedroom Temperature", "Master Bedroom", "17.2", ("temperature", "°C")),
    ("sensor", "Outdoor Temperature", "Garden", "8.4", ("temperature", "°C")),
    ("sensor", "Bathroom Humidity", "Bathroom", "71", ("humidity", "%")),
    ("sensor", "Freezer Power", "Utility Room", "85", ("power", "W")),
    ("sensor", "TV Power", "Living Room", "120", ("power", "W")),
    ("sensor", "House Energy", "", "14.2", ("energy", "kWh")),
    ("sensor", "Hallway Motion Battery", "Hallway", "12", ("battery", "%")),
    ("sensor", "Front Door Battery", "Hallway", "83", ("battery", "%")),
    ("sensor", "Office CO2", "Office", "1150", ("carbon_dioxide", "ppm")),
    ("sensor", "Garden Brightness", "Garden", "320", ("illuminance", "lx")),
    ("person", "Anna", "", "home", {}),
    ("person", "Tom", "", "not_home", {}),
    ("weather", "Forecast Home", "", "rainy", {"temperature": 8, "humidity": 88}),
)  # fmt: skip
FLOORS = {
    "Upstairs": ("Master Bedroom", "Kids Room", "Bathroom", "Office"),
    "Ground Floor": ("Living Room", "Kitchen", "Dining Room", "Hallway", "Utility Room", "Garage"),
    "Outside": ("Terrace", "Garden"),
}


def lodge() -> HomeAssistantHome:
    entities = []
    for domain, name, area, state, more in ROWS:
        if isinstance(more, tuple):
            attributes = {"device_class": more[0], "unit_of_measurement": more[1]}
        else:
            attributes = {"device_class": more} if isinstance(more, str) else dict(more)
        entities.append(Entity(f"{domain}.{name.lower().replace(' ', '_')}", name, area, state, attributes))
    shopping = next(one for one in entities if one.name == "Shopping List")
    shopping.items = [{"summary": "milk", "uid": "0", "status": "needs_action"}]
    return HomeAssistantHome(entities, [Area(a, (), floor) for floor, areas in FLOORS.items() for a in areas])
