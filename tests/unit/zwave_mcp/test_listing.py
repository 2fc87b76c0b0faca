"""Lists of nodes: what did not change keeps its object, what is no list is refused, changes bring another."""

import asyncio
import json
from typing import Any

import pytest
from tests.fakes import zwave_recordings as recordings

from zwave_mcp.home import Node
from zwave_mcp.mqtt.home import NodeLists, Snapshots
from zwave_mcp.mqtt.reports import changes_nodes


def answer(nodes: object) -> bytes:
    return json.dumps({"success": True, "result": nodes, "origin": {"id": "x"}}).encode()


@pytest.mark.parametrize(
    "entries", [[], [12], [1, 12, None, "a", [], {}], [{}, {"id": []}, {"id": 5}], 7, {"a": 1}]
)
def test_lists_of_anything_are_read(entries: object):
    lists = NodeLists()
    for _ in range(2):
        reported = lists.read(answer(entries))["result"]
        assert reported == entries if not isinstance(entries, list) else len(reported) == len(entries)


@pytest.mark.parametrize("odd", [b"", b"[]", b"{}x", b'{"a" 1}', b"{1:2}", b'{"a":1,}', b"\xff"])
def test_what_is_no_answer_is_refused(odd: bytes):
    with pytest.raises(ValueError):  # noqa: PT011 - whichever it is
        NodeLists().read(odd)


def test_what_did_not_change_is_the_same_object():
    lists, raw = NodeLists(), recordings.nodes()

    def read() -> list[Node]:
        listed = lists.read(answer(raw))["result"]
        return [item.node for item in listed if item.node is not None]

    known = {id(node): node for node in read()}
    raw[3]["name"] = "Another"
    del raw[6]
    raw.insert(5, {"id": 99, "name": "New"})
    assert {node.id for node in read() if id(node) not in known} == {raw[3]["id"], 99}


async def test_a_change_while_a_list_is_read_brings_another_list():
    asked: list[int] = []

    async def ask() -> tuple[Node, ...]:
        asked.append(len(asked))
        if len(asked) == 1:
            snapshots.changes += 1  # a value was published behind the answer
        return (Node(len(asked)),)

    snapshots = Snapshots(ask)
    first = await snapshots.get(60)
    later = await asyncio.gather(*(snapshots.get(60) for _ in range(3)))
    assert ([first.nodes[0].id], {item.nodes[0].id for item in later}) == ([1], {2})


NAMING = {"data": [{"id": 3}, {"commandClass": 119, "property": "name", "newValue": "Reading Lamp"}]}


@pytest.mark.parametrize(
    ("topic", "payload", "changes"),
    [
        *((f"_EVENTS/GW/node/node_{event}", {}, True) for event in ("dead", "alive", "removed", "ready")),
        ("_EVENTS/GW/node/node_value_updated", NAMING, True),
        ("_EVENTS/GW/node/node_value_updated", {"data": [{"id": 3}, {"commandClass": 37}]}, False),
        ("_EVENTS/GW/node/statistics_updated", {}, False),
        ("Hall/Lamp/37/0/currentValue", {}, False),
    ],
)
def test_events_of_names_and_of_nodes_that_come_or_go_make_the_list_old(
    topic: str, payload: dict[str, Any], changes: bool
):
    assert changes_nodes(f"zwave/{topic}", json.dumps(payload).encode()) is changes
