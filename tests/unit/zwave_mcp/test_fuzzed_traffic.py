"""Recorded traffic that was lost, doubled, reordered or cut: the right picture, or a plain "unknown"."""

import asyncio
import json
import random
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from tests.fakes.zwave_events import GATEWAY, Player, recorded

from zwave_mcp.events import Event
from zwave_mcp.home import HomeError, NoAnswer
from zwave_mcp.mqtt.api import Api, GatewayApi

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


CONTROLLER = 1  # where the list does not say so, it is a node of which nothing is known


@dataclass(frozen=True)
class Played:
    at: float  # when it was recorded, in seconds
    topic: str
    payload: bytes
    again: bool = False  # delivered a second time


def _mixed(lines: list[dict[str, Any]], chance: random.Random) -> list[Played]:
    """Some lost, some twice, some cut, and neighbours in another order."""
    made: list[Played] = []
    for line in lines:
        if "topic" not in line or chance.random() < 0.1:
            continue
        payload = line["payload"].encode()
        if chance.random() < 0.1:
            payload = payload[: chance.randrange(len(payload) + 1)]
        once = Played(line["t"] / 1000, line["topic"].removeprefix("zwave/"), payload)
        made += [once, replace(once, again=True)] if chance.random() < 0.1 else [once]
    for at in range(len(made) - 1):
        if chance.random() < 0.1:
            made[at], made[at + 1] = made[at + 1], made[at]
    return made


def _play(player: Player, messages: Iterable[Played], began: float) -> None:
    """In their own time, as the gateway sent them."""
    start = player.moment
    for one in messages:
        player.wait(max(0.0, start + one.at - began - player.moment))
        player.message(one.topic, one.payload)
    player.wait(60)


What = tuple[str, str, int | None, int | None]  # kind, state, node, button


def _what(event: Event) -> What:
    return event.kind, event.state, event.node, event.button


@cache
def _happened(recording: str) -> tuple[float, tuple[Event, ...]]:
    """What the undamaged traffic tells, and when it begins."""
    lines = recorded(recording)
    player, began = Player(), next(line["t"] for line in lines if "topic" in line) / 1000
    player.look()
    whole = (
        Played(line["t"] / 1000, line["topic"].removeprefix("zwave/"), line["payload"].encode())
        for line in lines
        if "topic" in line
    )
    _play(player, whole, began)
    return began, tuple(player.told)


LATE_SECONDS = 3.0  # a bolt's mode is believed after two


@pytest.mark.parametrize("recording", ["named", "valueid"])
@pytest.mark.parametrize("seed", range(20))
def test_of_damaged_messages_no_event_is_told_that_did_not_happen(recording: str, seed: int) -> None:
    began, truth = _happened(recording)
    messages = _mixed(recorded(recording), random.Random(seed))
    player = Player()
    player.look()
    _play(player, messages, began)
    first: dict[What, float] = {}
    for event in truth:
        first.setdefault(_what(event), event.at)
    details = {(event.state, event.user, event.way) for event in truth if event.kind == "lock"}
    details |= {(state, None, how) for state, _, way in details for how in (way, "")}  # who, or how, was lost
    for event in player.told:
        assert _what(event) in first, f"never happened: {event.text}"
        assert event.at >= first[_what(event)] - LATE_SECONDS, f"too early: {event.text}"
        assert event.kind != "lock" or (event.state, event.user, event.way) in details, event.text
    assert player.told, "some were still told"


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
