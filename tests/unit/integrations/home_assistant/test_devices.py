"""An entity as a device: kind, abilities, and its state in the words of every home."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from home_names.states import degrees_of, level_of
from voice_gateway.integrations.home_assistant.effects import Effect
from voice_gateway.integrations.home_assistant.entities import (
    address,
    device_of,
    every_name,
    facts_of,
    kind_of,
    matching,
    name_of,
    other_names,
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


BED = Entity("Bed Light, reading lamp, Nachttischlampe", "light", "off", ("Bedroom",))
HALL_LAMP = Entity("Lamp", "light", "off", ("Hall",))
LIVING_LAMP = Entity("Lamp", "light", "off", ("Living Room", "Lounge"))
LOCK = Entity("Hall Lock", "lock", "locked", ("Hall",))
PLAYER = Entity("Bedroom", "media_player", "playing")
HOME = (BED, HALL_LAMP, LIVING_LAMP, LOCK, PLAYER)
ANY: frozenset[str] = frozenset()


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        ({"name": "  bed LIGHT "}, (BED,)),
        ({"name": "nachttischlampe"}, (BED,)),
        ({"name": "the bed light"}, ()),
        ({"name": "Bed"}, ()),
        ({"name": "Bedroom"}, (PLAYER,)),
        ({"area": "Bedroom"}, (BED,)),
        ({"name": "Lamp"}, (HALL_LAMP, LIVING_LAMP)),
        ({"name": "Lamp", "area": "lounge"}, (LIVING_LAMP,)),
        ({"area": "Hall"}, (HALL_LAMP, LOCK)),
        ({"area": "Hall", "domain": ["light"]}, (HALL_LAMP,)),
        ({"domain": ["lock"]}, (LOCK,)),
        ({"domain": "lock"}, (LOCK,)),
        ({"name": "all", "area": "Hall"}, (HALL_LAMP, LOCK)),  # any name, to Home Assistant
    ],
)
def test_a_call_is_for_what_home_assistant_would_take_it_for(
    args: dict[str, object], expected: tuple[Entity, ...]
):
    assert matching(HOME, args, ANY) == expected


def test_name_area_and_domain_mean_one_entity_or_none():
    nowhere, alias = Entity("Lamp", "light", "off"), Entity("Lamp, porch lamp", "light", "off")
    switch, twin = Entity("Lamp", "switch", "off", ("Hall",)), Entity("Lamp", "light", "on", ("Hall",))
    every = Entity("all", "light", "off", ("Hall",))  # in these letters it means every name
    hall = {"area": "Hall", "domain": ["light"]}
    cases: list[tuple[Entity, tuple[Entity, ...], dict[str, object] | None]] = [
        (BED, (), {"name": "Bed Light", "area": "Bedroom", "domain": ["light"]}),
        (HALL_LAMP, (), {"name": "Lamp", **hall}),
        (LIVING_LAMP, (), {"name": "Lamp", "area": "Living Room", "domain": ["light"]}),
        (PLAYER, (), {"name": "Bedroom", "domain": ["media_player"]}),
        (nowhere, (nowhere,), None),
        (alias, (alias,), {"name": "porch lamp", "domain": ["light"]}),
        (switch, (switch,), {"name": "Lamp", "area": "Hall", "domain": ["switch"]}),
        (twin, (twin,), None),
        (HALL_LAMP, (twin,), None),
        (every, (every,), {"name": "ALL", **hall}),
    ]
    for entity, more, args in cases:
        assert address(entity, (*HOME, *more)) == args, entity


def test_a_name_with_a_comma_may_be_a_name_and_an_alias():
    text = 'Küche, Decke: "hell"'
    assert name_of(Entity(text, "light", "on")) == "Küche"
    assert every_name(text) == {"küche", 'decke: "hell"', text.casefold()}
    assert other_names(text) == ('Decke: "hell"', text)
    assert other_names("Lamp") == ()
