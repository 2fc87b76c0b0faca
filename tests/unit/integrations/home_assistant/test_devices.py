"""An entity as a device: kind, abilities, and its state in the words of every home."""

from pathlib import Path

import pytest

from home_names.states import degrees_of, level_of
from voice_gateway.integrations.home_assistant.entities import (
    device_of,
    facts_of,
    kind_of,
    state_of,
)
from voice_gateway.integrations.home_assistant.live_context import Entity, degrees_in, read_live_context
from voice_gateway.integrations.listed import read_devices

RECORDED = Path(__file__).parents[3] / "fakes/home_assistant_data/live_context.txt"


def entity(domain: str, state: str, **attributes: str | None) -> Entity:
    return Entity("Thing", domain, state, (), attributes)


@pytest.mark.parametrize(
    ("given", "kind", "state"),
    [
        (entity("light", "off", brightness=None), "dimmer", "off"),
        (entity("light", "on", brightness="102"), "dimmer", "on, 40 %"),
        (entity("light", "on", brightness="1"), "dimmer", "on, 1 %"),
        (entity("light", "on"), "light", "on"),
        (entity("light", "unavailable"), "light", "unknown"),
        (entity("switch", "on", device_class="outlet"), "plug", "on"),
        (entity("switch", "off"), "switch", "off"),
        (entity("input_boolean", "on"), "switch", "on"),
        (entity("cover", "open", current_position="70"), "blind", "70 % open"),
        (entity("cover", "open", current_position="100"), "blind", "open"),
        (entity("cover", "closed", current_position="0"), "blind", "closed"),
        (entity("cover", "closing", current_position="40"), "blind", "closing"),
        (entity("cover", "closed", device_class="garage"), "garage_door", "closed"),
        (entity("cover", "open", device_class="gate"), "garage_door", "open"),
        (Entity("Garage Door", "cover", "open"), "garage_door", "open"),
        (entity("lock", "locked"), "lock", "locked"),
        (entity("lock", "jammed"), "lock", "jammed"),
        (entity("climate", "heat", temperature="21", current_temperature="20.5"), "thermostat",
         "heat, set to 21 °C, now 20.5 °C"),
        (entity("climate", "off", temperature="21", current_temperature="20.5"), "thermostat",
         "off, now 20.5 °C"),
        (entity("fan", "on", percentage="66"), "fan", "on, 66 %"),
        (entity("fan", "off", percentage=None), "fan", "off"),
        (entity("media_player", "playing", volume_level="0.3"), "media_player", "playing, volume 30 %"),
        (entity("media_player", "off"), "media_player", "off"),
        (entity("vacuum", "docked"), "vacuum", "docked"),
        (entity("alarm_control_panel", "armed_away"), "alarm", "armed away"),
        (entity("sensor", "15.6", unit_of_measurement="°C", device_class="temperature"), "sensor", "15.6 °C"),
        (entity("sensor", "54", unit_of_measurement="%", device_class="humidity"), "sensor", "54 % humidity"),
        (entity("sensor", "unknown", unit_of_measurement="%"), "sensor", "unknown"),
        (entity("binary_sensor", "on", device_class="motion"), "sensor", "motion"),
        (entity("binary_sensor", "off", device_class="window"), "sensor", "closed"),
        (entity("weather", "partlycloudy"), "sensor", "partlycloudy"),
    ],
)  # fmt: skip
def test_kind_and_state_are_in_our_words(given: Entity, kind: str, state: str):
    assert (kind_of(given), state_of(given)) == (kind, state)


def test_a_state_can_be_counted_from():
    assert level_of(state_of(entity("light", "on", brightness="102"))) == 40
    assert degrees_of(state_of(entity("climate", "heat", temperature="21.5"))) == 21.5


@pytest.mark.parametrize(
    ("given", "can", "cannot"),
    [
        (entity("light", "on", brightness="102"), "dim", "open"),
        (entity("light", "on"), "on", "dim"),
        (entity("light", "on"), "off", "colour"),
        (entity("light", "unavailable"), "dim", "open"),  # nobody knows: that it is away is told
        (entity("cover", "open", current_position="70"), "dim", "on"),
        (entity("cover", "open"), "stop", "dim"),
        (entity("fan", "off", percentage=None), "speed", "dim"),
        (entity("fan", "off"), "on", "speed"),
        (entity("lock", "locked"), "unlock", "on"),
        (entity("vacuum", "docked"), "start", "on"),
    ],
)
def test_what_it_shows_says_what_it_can_do(given: Entity, can: str, cannot: str):
    device = device_of(given, "ha")
    assert device.can(can)
    assert not device.can(cannot)


def test_what_only_measures_does_nothing():
    device = device_of(entity("sensor", "3"), "ha")
    assert not any(map(device.can, ("on", "off", "toggle", "open", "set")))


@pytest.mark.parametrize(
    ("entities", "unit"),
    [
        ((entity("sensor", "70", unit_of_measurement="°F"),), "°F"),
        (
            (entity("sensor", "20", unit_of_measurement="°C"), entity("climate", "heat", temperature="68")),
            "°C",
        ),
        ((entity("climate", "heat", temperature="68"),), "°F"),
        ((entity("climate", "heat", temperature="21"),), "°C"),
        ((), "°C"),
    ],
)
def test_the_home_tells_in_which_degrees_it_counts(entities: tuple[Entity, ...], unit: str):
    assert degrees_in(entities) == unit


def test_the_recorded_list_becomes_devices_scenes_and_lists():
    facts = facts_of(read_live_context(RECORDED.read_text()), "°C")

    devices = {(one.name, one.room, one.domain): one for one in read_devices(facts, "ha")}
    assert facts["scenes"] == ["Movie Night"]
    assert facts["lists"] == ["Chores", "Shopping List"]
    assert len(devices) == facts["total"] == 32
    bed = devices["Bed Light", "Bedroom", "light"]
    assert (bed.aliases[:2], bed.source) == (("reading lamp", "Nachttischlampe"), "ha")
    assert devices["Lamp", "Living Room", "light"].room_aliases == ("Lounge",)
    assert not devices["Unplugged Light", "Hall", "light"].available
    assert devices["Bedroom", "", "media_player"].kind == "media_player"


def test_two_of_one_name_in_one_room_are_two_devices():
    twin = Entity("Lamp", "light", "off", ("Hall",))
    one, two = read_devices(facts_of([twin, twin], "°C"), "ha")
    assert one.key != two.key
