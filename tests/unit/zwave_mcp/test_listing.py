"""Lists of nodes are read piece by piece, and only where they changed: with the same result, and in order."""

import copy
import json
import random
from pathlib import Path
from typing import Any

import pytest
from tests.fakes.scripted_home import parse_nodes

from zwave_mcp.home import Node
from zwave_mcp.mqtt.nodes import NodeLists

DATA = Path(__file__).parents[2] / "zwave_data"
HOME: list[dict[str, Any]] = json.loads((DATA / "getNodes.json").read_text("utf-8"))["result"]


def answer(nodes: object, **style: Any) -> bytes:
    return json.dumps({"success": True, "result": nodes, "origin": {"id": "x"}}, **style).encode()


async def read(lists: NodeLists, payload: bytes) -> tuple[Node, ...]:
    told = await lists.read(payload)
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
        told = (await lists.read(answer(entries)))["result"]
        assert told == entries if not isinstance(entries, list) else len(told) == len(entries)


@pytest.mark.parametrize("seed", range(10))
async def test_a_list_that_is_cut_is_none_although_its_beginning_is_known(seed: int):
    lists, whole = NodeLists(), answer(HOME)
    known = await read(lists, whole)
    with pytest.raises(ValueError):  # noqa: PT011 - whichever it is
        await lists.read(whole[: random.Random(seed).randrange(len(whole))])
    assert await read(lists, whole) == known


@pytest.mark.parametrize(
    "odd", [b"", b"[]", b"{}x", b'{"a":1}{', b'{"a" 1}', b"{1:2}", b"{[]:2}", b'{"a":1,}', b"\xff"]
)
async def test_what_is_no_answer_is_none(odd: bytes):
    with pytest.raises(ValueError):  # noqa: PT011 - whichever it is
        await NodeLists().read(odd)


async def test_what_did_not_change_is_the_same_object():
    lists, nodes = NodeLists(), copy.deepcopy(HOME)
    before = await read(lists, answer(nodes))
    nodes[3]["name"] = "Another"
    del nodes[6]
    nodes.insert(5, {"id": 99, "name": "New"})
    known = {id(node) for node in before}
    anew = [node.id for node in await read(lists, answer(nodes)) if id(node) not in known]
    assert set(anew) == {nodes[3]["id"], 99}
