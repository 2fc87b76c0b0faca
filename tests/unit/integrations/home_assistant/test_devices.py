"""An entity as a device: kind, abilities, and its state in the words of every home."""

from pathlib import Path
from typing import Any

import yaml

from home_names.states import degrees_of, level_of
from voice_gateway.integrations.home_assistant.effects import Effect
from voice_gateway.integrations.home_assistant.entities import (
    device_of,
    facts_of,
    kind_of,
    state_of,
)
from voice_gateway.integrations.home_assistant.live_context import Entity, degrees_in, read_live_context
from voice_gateway.integrations.listed import read_devices

CASES = yaml.safe_load(Path(__file__).with_name("cases.yaml").read_text())
RECORDED = Path(__file__).parents[3] / "fakes/home_assistant_data/live_context.txt"


def entity(domain: str, state: str, **attributes: str | None) -> Entity:
    return Entity("Thing", domain, state, (), attributes)


def given(case: dict[str, Any]) -> Entity:
    names = case.get("name", "Thing")
    return Entity(names, case["domain"], case["state"], (), case.get("attributes", {}))


def test_kind_and_state_are_in_our_words():
    for case in CASES["kinds_and_states"]:
        assert (kind_of(given(case)), state_of(given(case))) == (case["kind"], case["shown"]), case


def test_a_state_can_be_counted_from():
    assert level_of(state_of(entity("light", "on", brightness="102"))) == 40
    assert degrees_of(state_of(entity("climate", "heat", temperature="21.5"))) == 21.5


def test_what_it_shows_says_what_it_can_do():
    for case in CASES["abilities"]:
        device = device_of(given(case), "ha")
        assert (device.can(case["can"]), device.can(case["cannot"])) == (True, False), case


def test_what_only_measures_does_nothing():
    device = device_of(entity("sensor", "3"), "ha")
    assert not any(map(device.can, ("on", "off", "toggle", "open", "set")))


def test_the_home_tells_in_which_degrees_it_counts():
    for case in CASES["degrees"]:
        assert degrees_in([*map(given, case["entities"])]) == case["unit"], case


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


def test_only_what_shows_is_done():
    for case in CASES["seen"]:
        (was, were), (state, attributes) = case["before"], case["now"]
        before = Entity("Thing", case["domain"], was, (), were)
        now = Entity("Thing", case["domain"], state, (), attributes)
        effect = Effect(before, case["action"], case.get("level"))
        assert effect.seen(now) == case["seen"], case
