"""Lists of nodes: what did not change keeps its object, and what is no list is refused."""

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from zwave_mcp.home import Node
from zwave_mcp.mqtt.home import NodeLists

DATA = Path(__file__).parents[2] / "zwave_data"
HOME: list[dict[str, Any]] = json.loads((DATA / "getNodes.json").read_text("utf-8"))["result"]


def answer(nodes: object, **style: Any) -> bytes:
    return json.dumps({"success": True, "result": nodes, "origin": {"id": "x"}}, **style).encode()


async def read(lists: NodeLists, payload: bytes) -> tuple[Node, ...]:
    reported = lists.read(payload)
    return tuple(item.node for item in reported["result"] if item.node is not None)


@pytest.mark.parametrize(
    "entries", [[], [12], [1, 12, None, "a", [], {}], [{}, {"id": []}, {"id": 5}], 7, {"a": 1}]
)
async def test_lists_of_anything_are_read(entries: object):
    lists = NodeLists()
    for _ in range(2):
        reported = (lists.read(answer(entries)))["result"]
        assert reported == entries if not isinstance(entries, list) else len(reported) == len(entries)


@pytest.mark.parametrize(
    "odd", [b"", b"[]", b"{}x", b'{"a":1}{', b'{"a" 1}', b"{1:2}", b"{[]:2}", b'{"a":1,}', b"\xff"]
)
async def test_what_is_no_answer_is_none(odd: bytes):
    with pytest.raises(ValueError):  # noqa: PT011 - whichever it is
        NodeLists().read(odd)


async def test_what_did_not_change_is_the_same_object():
    lists, nodes = NodeLists(), copy.deepcopy(HOME)
    before = await read(lists, answer(nodes))
    nodes[3]["name"] = "Another"
    del nodes[6]
    nodes.insert(5, {"id": 99, "name": "New"})
    known = {id(node) for node in before}
    anew = [node.id for node in await read(lists, answer(nodes)) if id(node) not in known]
    assert set(anew) == {nodes[3]["id"], 99}
