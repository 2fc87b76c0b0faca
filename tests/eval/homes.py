"""The homes that sentences are said in: the gateway's own simulated one, and one with other names."""

from collections.abc import Callable

from tests.fakes.home_tools import ScriptedHome

# (name, room, kind, state, available)
COTTAGE = (
    ("Pendant", "Dining Room", "dimmer", "on, 80 %", True),
    ("Shutters", "Dining Room", "blind", "open", True),
    ("Reading Lamp", "Snug", "dimmer", "off", True),
    ("Radiator", "Snug", "thermostat", "heat, 19 °C", True),
    ("Fairy Lights", "Porch", "plug", "on", True),
    ("Big Light", "Nursery", "dimmer", "off", True),
    ("Night Light", "Nursery", "dimmer", "on, 10 %", True),
    ("Fan", "Nursery", "switch", "off", True),
    ("Heater", "Bathroom", "plug", "on", True),
    ("Mirror Light", "Bathroom", "switch", "on", True),
    ("Roof Blind", "Loft", "blind", "closed", True),
    ("Cellar Door", "Cellar", "lock", "unlocked", True),
    ("Hall Light", "Hall", "switch", "on", True),
    ("Kettle", "Kitchen", "plug", "off", True),
    ("Worktop Lamp", "Kitchen", "switch", "off", True),
    ("Weather Sensor", "Garden", "sensor", "7.5 °C, 80 % humidity", True),
)


def cottage() -> ScriptedHome:
    home = ScriptedHome.of(COTTAGE)
    home.scenes = ("Bedtime", "Dinner")
    return home


HOMES: dict[str, Callable[[], ScriptedHome]] = {"default": ScriptedHome.default, "cottage": cottage}
