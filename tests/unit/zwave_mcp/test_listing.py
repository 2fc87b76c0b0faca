"""Lists of nodes are read piece by piece, and only where they changed: with the same result, and in order."""

import asyncio
import copy
import json
import random
from pathlib import Path
from typing import Any

import pytest
from tests.fakes.scripted_home import parse_nodes
from tests.fakes.zwave_events import Player

from zwave_mcp.home import Node, Snapshot
from zwave_mcp.mqtt.home import LISTS_AT_MOST, Snapshots
from zwave_mcp.mqtt.nodes import NodeLists

DATA = Path(__file__).parents[2] / "zwave_data"
HOME: list[dict[str, Any]] = json.loads((DATA / "getNodes.json").read_text("utf-8"))["result"]
LAMP, OTHER = Node(2, "Lamp", "Hall", "Alive"), Node(3, "Fan", "Hall", "Alive")


def answer(nodes: object, **style: Any) -> bytes:
    return json.dumps({"success": True, "result": nodes, "origin": {"id": "x"}}, **style).encode()


async def read(lists: NodeLists, payload: bytes) -> tuple[Node, ...]:
    told = await lists.read(payload, 1.0)
    return tuple(one.node for one in told["result"] if one.node is not None)


def changed(nodes: list[dict[str, Any]], chance: random.Random) -> list[dict[str, Any]]:
    """Renamed, gone, come, told twice, in another order, with other values."""
    now = [copy.copy(node) for node in nodes if chance.random() > 0.1]
    for node in now:
        if chance.random() < 0.3:
            node["name"] = chance.choice(["Lämpchen", "灯", '}],"result":[', "\\", node["name"]])
        if chance.random() < 0.2:
            node["values"] = dict(list(node["values"].items())[::2])
    if chance.random() < 0.3:
        now.insert(chance.randrange(len(now) + 1), {"id": 77, "name": "New", "values": {}})
    if chance.random() < 0.2:
        chance.shuffle(now)
    return now + now[:1] if chance.random() < 0.2 else now


@pytest.mark.parametrize("seed", range(10))
async def test_whatever_was_read_before_a_list_says_what_it_says(seed: int):
    chance, lists = random.Random(seed), NodeLists()
    for _ in range(4):
        nodes = changed(HOME, chance)
        style = {"ensure_ascii": chance.random() < 0.5, "indent": chance.choice([None, 1])}
        assert await read(lists, answer(nodes, **style)) == parse_nodes(nodes)


@pytest.mark.parametrize(
    "entries", [[], [12], [1, 12, None, "a", [], {}], [{}, {"id": []}, {"id": 5}], 7, {"a": 1}]
)
async def test_lists_of_anything_are_read(entries: object):
    lists = NodeLists()
    for _ in range(2):
        told = (await lists.read(answer(entries), 1.0))["result"]
        assert told == entries if not isinstance(entries, list) else len(told) == len(entries)


@pytest.mark.parametrize("seed", range(10))
async def test_a_list_that_is_cut_is_none_although_its_beginning_is_known(seed: int):
    lists, whole = NodeLists(), answer(HOME)
    known = await read(lists, whole)
    with pytest.raises(ValueError):  # noqa: PT011 - whichever it is
        await lists.read(whole[: random.Random(seed).randrange(len(whole))], 2.0)
    assert lists.received == 1.0
    assert await read(lists, whole) == known


@pytest.mark.parametrize(
    "odd", [b"", b"[]", b"{}x", b'{"a":1}{', b'{"a" 1}', b"{1:2}", b"{[]:2}", b'{"a":1,}', b"\xff"]
)
async def test_what_is_no_answer_is_none(odd: bytes):
    with pytest.raises(ValueError):  # noqa: PT011 - whichever it is
        await NodeLists().read(odd, 1.0)


async def test_what_did_not_change_is_the_same_object():
    lists, nodes = NodeLists(), copy.deepcopy(HOME)
    before = await read(lists, answer(nodes))
    nodes[3]["name"] = "Another"
    del nodes[6]
    nodes.insert(5, {"id": 99, "name": "New"})
    known = {id(node) for node in before}
    anew = [node.id for node in await read(lists, answer(nodes)) if id(node) not in known]
    assert set(anew) == {nodes[3]["id"], 99}


# --- what is told while a list is read is newer


class Gateway:
    """Its lists, one after the other; while each is read, something is told or not."""

    def __init__(self, *lists: tuple[tuple[Node, ...], bool]) -> None:
        self.lists, self.asked = list(lists), 0
        self.told: list[tuple[Node, ...]] = []
        self.snapshots = Snapshots(self.ask)
        self.snapshots.listeners.append(lambda snapshot: self.told.append(snapshot.nodes))

    async def ask(self) -> tuple[tuple[Node, ...], float]:
        nodes, newer = self.lists[min(self.asked, len(self.lists) - 1)]
        self.asked += 1
        received = asyncio.get_running_loop().time()
        if newer:
            self.snapshots.outdate()
        return nodes, received


async def test_a_list_that_is_older_than_a_message_is_told_to_nobody():
    gateway = Gateway(((LAMP, OTHER), True), ((OTHER,), False))
    assert (await gateway.snapshots.get(60)).nodes == (OTHER,)
    assert gateway.told == [(OTHER,)]
    await gateway.snapshots.get(60)
    assert gateway.asked == 2, "the second one is still right"


async def test_where_messages_never_rest_the_last_list_must_do_and_is_out_of_date_at_once():
    gateway = Gateway(((LAMP,), True))
    assert (await gateway.snapshots.get(60)).nodes == (LAMP,)
    assert (gateway.asked, len(gateway.told)) == (LISTS_AT_MOST, 1)
    gateway.lists = [((OTHER,), False)]
    assert (await gateway.snapshots.get(60)).nodes == (OTHER,)


# --- what is told of a node that only the next list has

PRESS = "Hall/New_Remote/central_scene/endpoint_0/scene/001", {"time": 1, "value": 0}
BUTTON = {"commandClass": 91, "endpoint": 0, "property": "scene", "propertyKey": "001"}
OWN = "a/topic/of/my/own", {"nodeId": 60, "value": 0, **BUTTON}
REMOTE = Node(60, "New Remote", "Hall", "Alive")


def with_remote(player: Player) -> None:
    player.snapshot = Snapshot((*player.snapshot.nodes, REMOTE), taken=player.moment)


def presses(player: Player) -> list[str]:
    return [event.text for event in player.told if event.kind == "button"]


@pytest.mark.parametrize("of", ["a topic", "a node"])
@pytest.mark.parametrize("older", ["the same list", "another list"])
async def test_a_press_of_a_remote_that_just_joined_waits_for_the_list_that_has_it(of: str, older: str):
    player = Player()
    player.look()
    asked = player.moment
    player.wait(0.1)
    player.message(*(PRESS if of == "a topic" else OWN))
    player.wait(0.1)
    if older == "another list":
        player.snapshot = Snapshot(player.snapshot.nodes[1:])
    player.look(taken=asked)
    assert presses(player) == []
    with_remote(player)
    player.look()
    assert presses(player) == ["Button 1 of the New Remote in the Hall was pressed."]


async def test_a_press_of_long_ago_is_not_told_when_a_device_gets_that_name():
    player = Player()
    player.look()
    player.message(*PRESS)
    player.wait(60)
    player.look()
    player.wait(60)
    with_remote(player)
    player.look()
    assert presses(player) == []
