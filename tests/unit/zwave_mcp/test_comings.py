"""Who joins or leaves is told once; a list that was cut short, or another stick, is nobody's farewell."""

from dataclasses import replace

import pytest
from tests.fakes.zwave_events import Player

from zwave_mcp.home import Node

NEW = Node(31, product="Aeotec Dimmer")
GONE_SECONDS = 9.0


@pytest.fixture
def home() -> Player:
    player = Player()
    player.look()
    return player


def shows(home: Player, *nodes: Node) -> None:
    home.snapshot = replace(home.snapshot, nodes=nodes)
    home.look()


def test_a_new_device_is_told_when_it_is_known(home: Player) -> None:
    there = home.snapshot.nodes
    shows(home, *there, replace(NEW, ready=False, starting=True))
    assert home.said == []
    shows(home, *there, NEW)
    shows(home, *there, replace(NEW, name="Reading Lamp", room="Lounge"))
    assert home.said == ["Node 31 has joined the network."]
    assert (home.told[0].kind, home.told[0].state, home.told[0].node) == ("network", "joined", 31)


def test_one_that_has_left_is_told_by_its_name(home: Player) -> None:
    gone, *rest = home.snapshot.nodes
    shows(home, *rest)
    assert home.said == []
    home.wait(GONE_SECONDS)
    shows(home, *rest)
    home.wait(GONE_SECONDS)
    assert home.said == [f"The {gone.name} in the {gone.room} has left the network."]
    shows(home, gone, *rest)
    assert home.said[1:] == [f"The {gone.name} in the {gone.room} has joined the network."]


def test_a_list_that_was_cut_short_is_no_farewell(home: Player) -> None:
    there = home.snapshot.nodes
    shows(home, *there[1:])
    shows(home, *there)
    shows(home)
    home.wait(GONE_SECONDS)
    shows(home, *there[:2])
    home.wait(GONE_SECONDS)
    shows(home, *there)
    assert home.said == []


def test_groups_and_other_sticks_are_no_news(home: Player) -> None:
    there = home.snapshot.nodes
    shows(home, *there, Node(4096, "Lounge Lights", members=(2, 3)))
    shows(home, *(Node(number, f"Lamp {number}") for number in range(50, 55)))
    home.wait(GONE_SECONDS)
    assert home.said == []
