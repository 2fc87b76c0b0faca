"""Recorded traffic that was lost, doubled, reordered or cut: the right picture, or a plain "unknown"."""

import asyncio
import json
import random
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from tests.fakes.zwave_events import GATEWAY, SMOKE, Player, recorded

from home_words.names import words
from home_words.states import UNKNOWN
from zwave_mcp.devices import Device, devices_of
from zwave_mcp.home import HomeError, NoAnswer, Node, Snapshot, is_number
from zwave_mcp.mqtt.api import Api, GatewayApi
from zwave_mcp.mqtt.nodes import parse_nodes
from zwave_mcp.states import measured, reading_text, state_text

DATA = Path(__file__).parents[2] / "zwave_data"
HOMES = {
    "first": json.loads((DATA / "getNodes.json").read_text(encoding="utf-8")),
    "second": json.loads((DATA / "events" / "nodes.json").read_text(encoding="utf-8")),
}
SEEDS = [range(start, start + 20) for start in (0, 20, 40)]
_WRONG: tuple[Any, ...] = (None, "", [], {}, {"value": 1}, [True])


def _nodes(home: str) -> list[Any]:
    raw = HOMES[home]
    return list(raw["result"] if isinstance(raw, dict) else raw)


def _told(device: Device) -> set[str]:
    """What is said of a device, piece by piece: a sensor that lost a reading tells the others."""
    pieces = {
        *state_text(device).split(", "),
        *(part for one in measured(device) for part in one.split(", ")),
    }
    return {piece.strip() for piece in pieces}


def _damaged(given: Any, chance: random.Random, depth: int = 0) -> Any:
    """Keys are lost, and what stood there is of another sort. No number becomes another number."""
    if isinstance(given, dict):
        return {
            key: chance.choice(_WRONG) if chance.random() < 0.03 else _damaged(value, chance, depth + 1)
            for key, value in given.items()
            if chance.random() > 0.03
        }
    if isinstance(given, list):
        kept = [_damaged(one, chance, depth + 1) for one in given if chance.random() > 0.03]
        if depth:  # the order of nodes and of texts says nothing
            chance.shuffle(kept)
        return [*kept, *kept[:1]] if chance.random() < 0.1 else kept
    return given


def _could_be_said(piece: str, node: Node, known: set[str]) -> bool:
    """As it is said of the whole list, or with less around it: its own number, words of its label, or that
    all is well, which is left out where there is something better to say."""
    if piece in known | {UNKNOWN, "normal"}:
        return True
    numbers = {f"{value.value:g}" for value in node.values if is_number(value.value)}
    labels = {word for value in node.values for word in words(f"{value.label} {value.unit} {value.id}")}
    readings = {reading_text(value) for value in node.values}
    told = {word for one in known | readings | {"normal"} for word in words(one)}
    said = piece.split()
    return bool(said) and all(one in numbers or words(one) <= labels | told for one in said)


@cache
def _truth(home: str) -> dict[int, tuple[Node, set[str], set[str]]]:
    """Of each node: itself, what is said of its devices, and their kinds."""
    nodes = parse_nodes(_nodes(home))
    devices = devices_of(Snapshot(nodes))
    return {
        node.id: (
            node,
            {piece for one in devices if one.node.id == node.id for piece in _told(one)},
            {one.kind for one in devices if one.node.id == node.id},
        )
        for node in nodes
    }


@pytest.mark.parametrize("home", HOMES)
@pytest.mark.parametrize("seeds", SEEDS)
def test_of_a_damaged_list_no_wrong_state_is_told(home: str, seeds: range) -> None:
    wrong = {}
    for seed in seeds:
        for one in devices_of(Snapshot(parse_nodes(_damaged(_nodes(home), random.Random(seed))))):
            node, known, kinds = _truth(home).get(one.node.id, (one.node, set(), set()))
            if one.kind in kinds:
                said = {piece for piece in _told(one) if not _could_be_said(piece, node, known)}
                wrong[seed, one.name] = said
    assert wrong, "some devices were still found"
    assert {of: pieces for of, pieces in wrong.items() if pieces} == {}


def _mixed(lines: list[dict[str, Any]], chance: random.Random) -> list[tuple[str, bytes]]:
    """Some lost, some twice, some cut, and neighbours in another order."""
    made: list[tuple[str, bytes]] = []
    for line in lines:
        if "topic" not in line or chance.random() < 0.1:
            continue
        payload = line["payload"].encode()
        if chance.random() < 0.1:
            payload = payload[: chance.randrange(len(payload) + 1)]
        made += [(line["topic"].removeprefix("zwave/"), payload)] * (2 if chance.random() < 0.1 else 1)
    for at in range(len(made) - 1):
        if chance.random() < 0.1:
            made[at], made[at + 1] = made[at + 1], made[at]
    return made


@pytest.mark.parametrize("recording", ["named", "valueid"])
@pytest.mark.parametrize("seed", range(20))
def test_after_damaged_messages_the_next_list_sets_the_alarms_right(recording: str, seed: int) -> None:
    player = Player()
    player.look()
    for topic, payload in _mixed(recorded(recording), random.Random(seed)):
        player.message(topic, payload)
        player.wait(0.2)
    player.wait(60)
    player.look()
    assert player.log.alarms == [], "the list shows no smoke, no water and no tampering"
    player.with_value(SMOKE, 2, updated=player.moment)
    player.wait(1)
    player.look()
    assert [event.kind for event in player.log.alarms] == ["smoke"]


class Wire:
    """Between us and the gateway: answers are lost, doubled, cut, and come in any order."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.asked: list[dict[str, Any]] = []

    async def publish(self, _topic: str, payload: bytes) -> None:
        self.asked.append(json.loads(payload))

    def answers(self) -> list[bytes]:
        made: list[bytes] = []
        for request in self.asked:
            value = request["args"][0]["nodeId"]
            answer = {"success": True, "result": value, "args": request["args"], "origin": request}
            payload, luck = json.dumps(answer).encode(), self.chance.random()
            if luck < 0.2:
                continue
            made += [payload[: self.chance.randrange(len(payload))]] if luck < 0.4 else [payload]
            made += [payload] if luck > 0.9 else []
        self.chance.shuffle(made)
        return made


async def test_every_call_gets_its_own_answer_or_none() -> None:
    await asyncio.gather(*(_over_a_bad_wire(Wire(seed)) for seed in range(20)))


async def _over_a_bad_wire(wire: Wire) -> None:
    api = GatewayApi(f"zwave/_CLIENTS/{GATEWAY}", wire.publish)

    async def polled(node: int) -> Any:
        try:
            return await api.call(Api.POLL_VALUE, [{"nodeId": node}], 0.1)
        except NoAnswer:
            return None

    calls = asyncio.gather(*(polled(node) for node in range(30)))
    await asyncio.sleep(0)
    for payload in wire.answers():
        api.receive(payload)
    for node, answer in enumerate(await calls):
        assert answer in (node, None)


async def test_an_answer_that_is_cut_is_never_half_a_home() -> None:
    payload = json.dumps({"success": True, "result": _nodes("first"), "origin": {"id": "x"}}).encode()
    places = [random.Random(seed).randrange(len(payload)) for seed in range(20)]
    await asyncio.gather(*(_refused(payload[:place]) for place in places))


async def _refused(cut: bytes) -> None:
    asked: list[bytes] = []

    async def publish(_topic: str, sent: bytes) -> None:
        asked.append(sent)

    api = GatewayApi("zwave/_CLIENTS/x", publish)

    async def nodes() -> Any:
        return await api.call(Api.GET_NODES, [], 0.05)

    call = asyncio.ensure_future(nodes())
    await asyncio.sleep(0)
    api.receive(cut + json.loads(asked[0])["id"].encode())
    with pytest.raises(HomeError):
        await call
