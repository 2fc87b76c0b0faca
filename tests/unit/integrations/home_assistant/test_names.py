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


@pytest.mark.parametrize(
    ("entity", "args"),
    [
        (BED, {"name": "Bed Light", "area": "Bedroom", "domain": ["light"]}),
        (HALL_LAMP, {"name": "Lamp", "area": "Hall", "domain": ["light"]}),
        (LIVING_LAMP, {"name": "Lamp", "area": "Living Room", "domain": ["light"]}),
        (PLAYER, {"name": "Bedroom", "domain": ["media_player"]}),
    ],
)
def test_name_area_and_domain_mean_one_entity(entity: Entity, args: dict[str, object]):
    assert address(entity, HOME) == args


def test_a_twin_without_an_area_is_found_by_its_alias_or_not_at_all():
    nowhere = Entity("Lamp", "light", "off")
    assert address(nowhere, (*HOME, nowhere)) is None
    called = Entity("Lamp, porch lamp", "light", "off")
    assert address(called, (*HOME, called)) == {"name": "porch lamp", "domain": ["light"]}


def test_two_of_one_name_in_one_area_are_told_apart_by_their_domain_only():
    fan = Entity("Lamp", "switch", "off", ("Hall",))
    assert address(fan, (*HOME, fan)) == {"name": "Lamp", "area": "Hall", "domain": ["switch"]}
    twin = Entity("Lamp", "light", "on", ("Hall",))
    assert address(twin, (*HOME, twin)) is None
    assert address(HALL_LAMP, (*HOME, twin)) is None


def test_a_device_called_all_is_never_called_in_the_letters_that_mean_everything():
    device = Entity("all", "light", "off", ("Hall",))
    args = address(device, (*HOME, device))
    assert args == {"name": "ALL", "area": "Hall", "domain": ["light"]}


def test_a_name_with_a_comma_may_be_a_name_and_an_alias():
    text = 'Küche, Decke: "hell"'
    assert name_of(Entity(text, "light", "on")) == "Küche"
    assert every_name(text) == {"küche", 'decke: "hell"', text.casefold()}
    assert other_names(text) == ('Decke: "hell"', text)
    assert other_names("Lamp") == ()
