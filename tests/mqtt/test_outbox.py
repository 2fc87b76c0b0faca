"""Many requests at once, and messages that cannot go out: no answer is lost."""

import asyncio
import contextlib
import json
import socket
from collections import Counter

import aiomqtt
import pytest
from tests.mqtt.conftest import Listener

from voice_gateway.channels.mqtt.channel import IN_FLIGHT, MqttChannel
from voice_gateway.channels.mqtt.link import connected
from voice_gateway.channels.mqtt.outbox import KEPT_MESSAGES, MOST_TRIES, TELL_AGAIN_SECONDS, Outbox
from voice_gateway.channels.mqtt.topics import Message
from voice_gateway.config import MqttSettings
from voice_gateway.conversation.store import MemoryStore
from voice_gateway.events import EventBus, Notice
from voice_gateway.turn import Reply

MANY = 300  # four messages each: more than are kept, if requests were taken faster than answers go out
FLOOD_SECONDS = 120  # a loaded machine; a lost answer never comes


def news(number: int) -> Message:
    return Message("voice/notice", str(number))


def answer(number: int) -> Message:
    return Message("voice/res", str(number))


async def taken(outbox: Outbox, count: int) -> list[str]:
    payloads = []
    for _ in range(count):
        letter = await asyncio.wait_for(outbox.take(), 30)
        outbox.sent(letter)
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
    assert "MQTT news was dropped" not in caplog.messages


async def test_news_makes_room_for_news_and_never_costs_an_answer():
    outbox = Outbox()
    outbox.put(answer(-1), is_answer=True)
    for number in range(KEPT_MESSAGES + 10):
        outbox.put(news(number))

    kept = await taken(outbox, KEPT_MESSAGES)

    assert kept == ["-1", *map(str, range(11, KEPT_MESSAGES + 10))]


async def test_answers_alone_are_never_too_many():
    outbox = Outbox()
    for number in range(KEPT_MESSAGES + 10):
        outbox.put(answer(number), is_answer=True)

    assert await taken(outbox, KEPT_MESSAGES + 10) == list(map(str, range(KEPT_MESSAGES + 10)))


async def test_what_was_not_sent_keeps_its_place_whatever_was_dropped_meanwhile():
    outbox = Outbox()
    for number in range(3):
        outbox.put(news(number))
    first, second = await outbox.take(), await outbox.take()
    for number in range(3, KEPT_MESSAGES + 3):
        outbox.put(news(number))  # drops number 2, not what is on its way

    outbox.give_back(second)
    outbox.give_back(first)

    assert await taken(outbox, 4) == ["0", "1", "3", "4"]


async def test_dropping_is_told_with_its_number_again_and_again_but_not_each_time(caplog):
    now = 0.0
    outbox = Outbox(monotonic=lambda: now)

    def dropped() -> list[int]:
        return [record.dropped for record in caplog.records if record.message == "MQTT news was dropped"]

    for number in range(KEPT_MESSAGES + 5):
        outbox.put(news(number))
    assert dropped() == [1]

    now = TELL_AGAIN_SECONDS
    outbox.put(news(1))
    assert dropped() == [1, 5]

    for number in range(3):
        outbox.put(news(number))
    await taken(outbox, KEPT_MESSAGES)
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(outbox.take(), 0.01)
    assert dropped() == [1, 5, 3]


async def nobody(_utterance, **_options) -> Reply:
    raise AssertionError("nothing is asked here")


async def test_a_message_that_cannot_be_sent_stops_no_other(broker, caplog):
    settings, watch = MqttSettings(broker_url=broker.url, discovery_prefix=""), EventBus()
    door = MqttChannel(settings, nobody, MemoryStore(), watch)
    async with Listener.on(broker) as listener, connected(settings) as client:
        publisher = asyncio.create_task(door.publish_all(client))
        bad = [door.outbox.put(Message(topic, "x")) for topic in ("no/#", "half/\ud800")]
        watch.publish(Notice("the tea is ready"))

        assert (await listener.gets("voice/notice"))["text"] == "the tea is ready"
        publisher.cancel()
        await asyncio.wait([publisher], timeout=30)

    assert all(letter.gone.is_set() for letter in bad)
    reasons = [record.reason for record in caplog.records if record.message == "MQTT message cannot be sent"]
    assert len(reasons) == len(bad)


class Waiting:
    """How long a door waits before it connects again: until it may."""

    def __init__(self) -> None:
        self.go = asyncio.Event()

    async def __call__(self, _seconds: float) -> None:
        await self.go.wait()


@contextlib.asynccontextmanager
async def running_door(broker, sleep):
    settings, watch = MqttSettings(broker_url=broker.url, discovery_prefix=""), EventBus()
    door = MqttChannel(settings, nobody, MemoryStore(), watch, sleep=sleep)
    door.announce_ready()
    running = asyncio.create_task(door.run())
    async with Listener.on(broker) as listener:
        await listener.gets("voice/status", state="online")
    yield door, watch
    running.cancel()
    await asyncio.wait([running], timeout=30)


async def test_a_connection_that_is_lost_on_the_way_loses_nothing_and_keeps_the_order(broker):
    wait = Waiting()
    async with running_door(broker, wait) as (_door, watch):
        broker.freeze()  # what is sent now is confirmed by nobody
        for number in range(30):
            watch.publish(Notice(str(number)))
        for _ in range(IN_FLIGHT):
            await asyncio.sleep(0)  # until the first are on their way
        broker.kill()
        broker.start()
        async with Listener.on(broker) as listener:
            wait.go.set()
            got = [(await listener.gets("voice/notice"))["text"] for _ in range(30)]

    assert got == [str(number) for number in range(30)]


async def test_a_message_for_which_the_broker_ends_the_connection_is_given_up(broker, caplog):
    wait = Waiting()
    wait.go.set()
    async with running_door(broker, wait) as (door, watch), Listener.on(broker) as listener:
        bad = door.outbox.put(Message("control/\x01", "x"))
        for number in range(20):
            watch.publish(Notice(str(number)))
        got = [(await listener.gets("voice/notice"))["text"] for _ in range(20)]

    assert bad.gone.is_set()
    assert got == [str(number) for number in range(20)]
    assert [record.tries for record in caplog.records if "given up" in record.message] == [MOST_TRIES]
