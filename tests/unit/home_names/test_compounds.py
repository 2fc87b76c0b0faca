"""Room and name as one word, as German and its relatives write them."""

from dataclasses import dataclass

import pytest

from home_names.resolver import Names, Nothing, One


@dataclass(frozen=True)
class Lamp:
    name: str
    room: str
    kind: str = "switch"
    node_id: int | None = None


HOME = Names(
    [
        Lamp("Lampe", "Schlafzimmer"),
        Lamp("Lampe", "Küche"),
        Lamp("Lampe", "Flur"),
        Lamp("Schloss", "Keller", "lock"),
    ]
)


@pytest.mark.parametrize(
    ("said", "room"),
    [
        ("Schlafzimmerlampe", "Schlafzimmer"),
        ("die Schlafzimmerlampe", "Schlafzimmer"),
        ("Küchenlampe", "Küche"),
        ("Kuechenlampe", "Küche"),
        ("kuchenlampe", "Küche"),
        ("flurlampe", "Flur"),
    ],
)
def test_a_compound_with_the_room_is_its_device(said: str, room: str) -> None:
    found = HOME.find(said)
    assert isinstance(found, One)
    assert found.device.room == room


@pytest.mark.parametrize("said", ["Badlampe", "Kellerschloss"])
def test_no_other_room_and_no_way_into_the_house_is_found_by_one(said: str) -> None:
    assert isinstance(HOME.find(said), Nothing)
