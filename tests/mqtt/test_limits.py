"""More than can be answered: what is too long or too much is refused at once, and nobody else pays for it."""

import asyncio
import json
import os
from pathlib import Path

import aiomqtt
import pytest
from tests.mqtt.conftest import Listener, open_channel

from voice_gateway.channels.mqtt import channel
from voice_gateway.channels.mqtt.channel import AT_ONCE, BUSY
from voice_gateway.channels.mqtt.topics import LONGEST_PACKET, LONGEST_REQUEST, read_request
from voice_gateway.config import MqttSettings
from voice_gateway.turn import Reply

FLOOD = 3_000
FLOOD_BYTES = 100_000
GROWTH_MB = 60.0  # of 300 MB that are sent; what a run of the interpreter needs for itself aside


class Slow:
    """Answers when it may, and knows how many it is at work for."""

    def __init__(self) -> None:
        self.go = asyncio.Event()
        self.order: list[str] = []

    async def __call__(self, utterance, **_options) -> Reply:
        self.order.append(utterance.id)
        if utterance.conversation_id.startswith("slow"):
            await self.go.wait()
        return Reply(f"answer to {utterance.text[:20]}")


async def test_a_slow_conversation_does_not_delay_another(broker):
    slow = Slow()
    async with open_channel(broker, slow), Listener.on(broker) as listener:
        for number in range(3 * AT_ONCE):
            await listener.send("voice/req", {"text": "x", "id": f"s{number}", "conversation_id": "slow"})
        await listener.send("voice/req", {"text": "quick", "id": "q", "conversation_id": "quick"})
        assert (await listener.gets("voice/res"))["id"] == "q"

        assert slow.order == ["s0", "q"]
        slow.go.set()
        ids = [(await listener.gets("voice/res"))["id"] for _ in range(3 * AT_ONCE)]

    assert ids == [f"s{number}" for number in range(3 * AT_ONCE)]


async def test_a_full_queue_answers_busy_and_accepts_the_request_later(broker, monkeypatch):
    slow = Slow()
    monkeypatch.setattr(channel, "MOST_WAITING", 20)
    monkeypatch.setattr(channel, "MOST_IN_CONVERSATION", 15)
    async with open_channel(broker, slow), Listener.on(broker) as listener:
        for number in range(16):
            await listener.send("voice/req", {"text": "x", "id": f"a{number}", "conversation_id": "slow a"})
        one_asks_too_much = await listener.gets("voice/res")
        for number in range(6):
            body = {"text": "x", "id": f"b{number}", "conversation_id": "slow b", "reply_to": "voice/res/b"}
            await listener.send("voice/req", body)
        all_ask_too_much = await listener.gets("voice/res/b")
        slow.go.set()
        answered = {(await listener.gets("voice/res"))["id"] for _ in range(15)}
        await listener.send("voice/req", {"text": "x", "id": "a15", "conversation_id": "slow a"})
        again = await listener.gets("voice/res", id="a15")

    assert (one_asks_too_much["id"], one_asks_too_much["error"]) == ("a15", BUSY)
    assert (all_ask_too_much["id"], all_ask_too_much["error"]) == ("b5", BUSY)
    assert answered == {f"a{number}" for number in range(15)}
    assert again["ok"] is True


async def test_a_long_request_is_refused_and_a_huge_one_is_not_delivered(broker, here):
    async with Listener.on(broker) as listener:
        await listener.send("voice/req", b"x" * (LONGEST_PACKET + 1))
        await listener.send("voice/req", b"y" * (LONGEST_REQUEST + 1))
        assert f"{LONGEST_REQUEST} bytes" in (await listener.gets("voice/res"))["error"]
        await listener.send("voice/req", {"text": "what time is it", "id": "after"})
        assert (await listener.gets("voice/res"))["id"] == "after"


def memory_megabytes() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs Linux's /proc")
@pytest.mark.parametrize("size", [FLOOD_BYTES, LONGEST_REQUEST - 100], ids=["too long", "just not too long"])
async def test_a_flood_of_long_messages_does_not_fill_the_memory(broker, size):
    slow = Slow()
    async with (
        open_channel(broker, slow),
        aiomqtt.Client("localhost", broker.port, max_inflight_messages=FLOOD) as flood,
        aiomqtt.Client("localhost", broker.port) as asker,
    ):
        await asker.subscribe("voice/res/#", qos=0)
        before = memory_megabytes()
        payload = json.dumps({"text": "x" * (size - 60), "conversation_id": "slow"})
        for number in range(FLOOD):
            await flood.publish("voice/req", payload, qos=1 if number % 50 == 49 else 0)
        body = {"text": "quick", "id": "q", "conversation_id": "quick", "reply_to": "voice/res/me"}
        await asker.publish("voice/req", json.dumps(body), qos=1)
        refused = 0
        async with asyncio.timeout(30):
            async for message in asker.messages:
                if str(message.topic) == "voice/res/me":
                    assert json.loads(message.payload)["ok"] is True
                    break
                refused += 1
        grown = memory_megabytes() - before
        slow.go.set()

    assert refused > FLOOD / 2, "else it proves nothing: the broker has kept it to itself"
    assert grown < GROWTH_MB


def test_text_is_cut_and_names_are_limited():
    request = read_request(MqttSettings(), json.dumps({"text": "long " * 10_000, "room": "kitchen"}).encode())
    assert 8_000 < len(request.text) < 20_000
    assert request.utterance("hall").room == "kitchen"
    for field in ("conversation_id", "room"):
        refused = read_request(MqttSettings(), json.dumps({"text": "hi", field: "x" * 300}).encode())
        assert f'"{field}" must' in refused.problem
