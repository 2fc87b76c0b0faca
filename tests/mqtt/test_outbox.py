"""The outbox: answers are never lost, messages keep their order, and a bad message stops no other."""

import asyncio
import contextlib
import json
import socket
from collections import Counter

import aiomqtt
import pytest
from tests.mqtt.conftest import Listener

from voice_gateway.channels.mqtt.channel import KEPT_MESSAGES, MOST_TRIES, MqttChannel, Outbox
from voice_gateway.channels.mqtt.link import connected
from voice_gateway.channels.mqtt.topics import Message
from voice_gateway.config import MqttSettings
from voice_gateway.conversation.store import MemoryStore
from voice_gateway.events import EventBus, Notice
from voice_gateway.turn import Reply

MANY = 300  # four messages each: more than are kept, if requests were taken faster than answers go out
FLOOD_SECONDS = 120  # on a loaded machine


async def sent(outbox: Outbox, count: int) -> list[str]:
    payloads = []
    for _ in range(count):
        letter = await asyncio.wait_for(outbox.next(), 30)
        outbox.done(letter)
        payloads.append(letter.message.payload)
    return payloads


@pytest.mark.slow
async def test_every_request_of_a_flood_is_answered_once(broker, here, caplog):
    answers: Counter[str] = Counter()
    at_once = [(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)]
    async with aiomqtt.Client("localhost", broker.port, socket_options=at_once) as client:
        await client.subscribe("voice/res", qos=1)

        async def ask() -> None:
            for number in range(MANY):
                request = {"text": "what time is it", "id": str(number), "conversation_id": str(number % 50)}
                await client.publish("voice/req", json.dumps(request), qos=1)

        async with asyncio.timeout(FLOOD_SECONDS), asyncio.TaskGroup() as tasks:
            tasks.create_task(ask())
            async for message in client.messages:
                answers[json.loads(message.payload)["id"]] += 1
                if len(answers) == MANY:
                    break

    assert set(answers.values()) == {1}
    assert "MQTT events were dropped" not in caplog.messages


async def test_events_above_the_limit_are_dropped_and_answers_are_not(caplog):
    outbox = Outbox()
    answers = [outbox.put(Message("voice/res", f"a{number}"), is_answer=True) for number in range(3)]
    for number in range(KEPT_MESSAGES + 10):
        outbox.put(Message("voice/notice", str(number)))

    kept = await sent(outbox, KEPT_MESSAGES)

    assert kept == ["a0", "a1", "a2", *map(str, range(13, KEPT_MESSAGES + 10))]
    assert all(letter.gone.is_set() for letter in answers)
    assert [record.dropped for record in caplog.records] == [1, 2, 4, 8]  # rarer and rarer
    for number in range(KEPT_MESSAGES + 10):
        outbox.put(Message("voice/res", str(number)), is_answer=True)
    assert len(await sent(outbox, KEPT_MESSAGES + 10)) == KEPT_MESSAGES + 10


async def unasked(_utterance, **_options) -> Reply:
    raise AssertionError("nothing is asked here")


async def test_a_message_that_cannot_be_sent_stops_no_other(broker, caplog):
    settings, events = MqttSettings(broker_url=broker.url, discovery_prefix=""), EventBus()
    channel = MqttChannel(settings, unasked, MemoryStore(), events)
    async with Listener.on(broker) as listener, connected(settings) as client:
        publisher = asyncio.create_task(channel.publish_all(client))
        bad = [channel.outbox.put(Message(topic, "x")) for topic in ("no/#", "half/\ud800")]
        events.publish(Notice("the tea is ready"))

        assert (await listener.gets("voice/notice"))["text"] == "the tea is ready"
        publisher.cancel()
        await asyncio.wait([publisher], timeout=30)

    assert all(letter.gone.is_set() for letter in bad)
    assert [record.message for record in caplog.records].count("MQTT message cannot be sent") == len(bad)


@contextlib.asynccontextmanager
async def running_channel(broker, reconnect: asyncio.Event):
    async def sleep(_seconds: float) -> None:
        await reconnect.wait()

    settings, events = MqttSettings(broker_url=broker.url, discovery_prefix=""), EventBus()
    channel = MqttChannel(settings, unasked, MemoryStore(), events, sleep=sleep)
    channel.announce_ready()
    running = asyncio.create_task(channel.run())
    async with Listener.on(broker) as listener:
        await listener.gets("voice/status", state="online")
    yield channel, events
    running.cancel()
    await asyncio.wait([running], timeout=30)


async def test_a_lost_connection_loses_no_message_and_keeps_the_order(broker):
    reconnect = asyncio.Event()
    async with running_channel(broker, reconnect) as (_channel, events):
        broker.freeze()  # nothing is confirmed from now on
        for number in range(30):
            events.publish(Notice(str(number)))
        await asyncio.sleep(0)  # until the first is on its way
        broker.kill()
        broker.start()
        async with Listener.on(broker) as listener:
            reconnect.set()
            got = [(await listener.gets("voice/notice"))["text"] for _ in range(30)]

    assert got == [str(number) for number in range(30)]


async def test_a_message_for_which_the_broker_disconnects_is_given_up(broker, caplog):
    reconnect = asyncio.Event()
    reconnect.set()
    async with running_channel(broker, reconnect) as (channel, events), Listener.on(broker) as listener:
        bad = channel.outbox.put(Message("control/\x01", "x"))
        for number in range(20):
            events.publish(Notice(str(number)))
        got = [(await listener.gets("voice/notice"))["text"] for _ in range(20)]

    assert bad.gone.is_set()
    assert got == [str(number) for number in range(20)]
    assert [record.tries for record in caplog.records if "given up" in record.message] == [MOST_TRIES]
