"""Answers that were lost, doubled, reordered or cut reach no other call."""

import asyncio
import json
import random
from typing import Any

from tests.fakes.zwave_events import GATEWAY

from zwave_mcp.home import NoAnswer
from zwave_mcp.mqtt.connection import Api, GatewayApi


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
