"""Answers that were lost, doubled, reordered or cut reach no other call."""

import asyncio
import json
import random
from pathlib import Path
from typing import Any

import pytest
from tests.fakes.zwave_events import GATEWAY

from zwave_mcp.home import HomeError, NoAnswer
from zwave_mcp.mqtt.connection import Api, GatewayApi

NODES = json.loads((Path(__file__).parents[2] / "zwave_data" / "getNodes.json").read_text("utf-8"))["result"]


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
    payload = json.dumps({"success": True, "result": NODES, "origin": {"id": "x"}}).encode()
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
