"""The entities that a call is for, by Home Assistant's own rules, and the arguments for a single entity."""

import pytest

from voice_gateway.integrations.home_assistant.entities import (
    address,
    every_name,
    matching,
    name_of,
    other_names,
)
from voice_gateway.integrations.home_assistant.live_context import Entity

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
