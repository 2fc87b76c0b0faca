"""A real broker, a client that listens to everything, and gateways as processes."""

import asyncio
import contextlib
import json
import socket
from collections.abc import AsyncIterator, Callable

import aiomqtt
import pytest
from tests.fakes.gateway_process import LIMIT_SECONDS, Commands, Running, commands_fixture  # noqa: F401
from tests.fakes.mosquitto import Broker, broker_fixture  # noqa: F401
from tests.fakes.waiting import until

from voice_gateway.app import Gateway, opened
from voice_gateway.channels import Answer
from voice_gateway.channels.mqtt.channel import MqttChannel
from voice_gateway.config import McpSettings, MqttSettings, Settings
from voice_gateway.conversation.store import MemoryStore, Store
from voice_gateway.events import EventBus, State

AT_ONCE = [(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)]  # else each message may wait 40 ms
NO_SERVER = "[mcp]\nsimulated_home = false\n"


class Listener:
    """Somebody else on the broker."""

    def __init__(self, client: aiomqtt.Client) -> None:
        self.client = client
        self.seen: list[aiomqtt.Message] = []

    @classmethod
    @contextlib.asynccontextmanager
    async def on(cls, broker: Broker, **login) -> AsyncIterator["Listener"]:
        async with aiomqtt.Client(
            "localhost", broker.port, protocol=aiomqtt.ProtocolVersion.V5, socket_options=AT_ONCE, **login
        ) as client:
            await client.subscribe("#", qos=1)
            yield cls(client)

    async def send(self, topic: str, body, **options) -> None:
        payload = body if isinstance(body, str | bytes) else json.dumps(body)
        await self.client.publish(topic, payload, qos=1, **options)

    async def first(self, accepts: Callable[[str, str], bool]) -> str:
        """The payload of the next message whose topic and payload are accepted."""
        async with asyncio.timeout(LIMIT_SECONDS):
            async for message in self.client.messages:
                self.seen.append(message)
                if accepts(str(message.topic), message.payload.decode("utf-8", "replace")):
                    return message.payload.decode()
        raise AssertionError("the connection ended")

    async def gets_text(self, topic: str, text: str | None = None) -> str:
        """The next message on a topic, or the next with this payload."""
        return await self.first(lambda name, payload: name == topic and text in (None, payload))

    async def gets(self, topic: str, **facts):
        """The next message on a topic that has these facts."""
        return json.loads(
            await self.first(
                lambda name, payload: name == topic and facts.items() <= json.loads(payload).items()
            )
        )

    async def gets_all(self, *topics: str, id: str) -> list:
        """The next message of each topic with this id, in any order."""
        bodies: dict[str, dict] = {}

        def complete(topic: str, payload: str) -> bool:
            if topic in topics and json.loads(payload).get("id") == id:
                bodies[topic] = json.loads(payload)
            return len(bodies) == len(topics)

        await self.first(complete)
        return [bodies[name] for name in topics]


@pytest.fixture
async def running(commands, broker) -> AsyncIterator[Running]:
    """A gateway on the broker, without a home."""
    commands.file("voice-gateway.toml", NO_SERVER)
    async with Running.opened(commands, MQTT_BROKER_URL=broker.url) as gateway:
        async with Listener.on(broker) as listener:
            await listener.gets("voice/status", state="online")
        yield gateway


@pytest.fixture
def own_folder(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))


@contextlib.asynccontextmanager
async def open_channel(
    broker: Broker,
    answer: Answer,
    store: Store | None = None,
    settings: dict | None = None,
    events: EventBus | None = None,
    **options,
) -> AsyncIterator[tuple[MqttChannel, EventBus]]:
    """A channel that has subscribed. It is stopped like one of a gateway that gets SIGTERM."""
    events = events or EventBus()
    made = MqttSettings(broker_url=broker.url, **(settings or {}))
    channel = MqttChannel(made, answer, store or MemoryStore(), events, **options)
    running = asyncio.create_task(channel.run())
    channel.announce_ready()
    await until(lambda: events.state("mqtt") is State.OK)
    try:
        yield channel, events
    finally:
        running.cancel()
        await asyncio.wait([running], timeout=LIMIT_SECONDS)


@contextlib.asynccontextmanager
async def opened_on(broker: Broker, store: Store | None = None) -> AsyncIterator[Gateway]:
    """The same gateway in this process: quick to start, and a bug in the channel ends the test."""
    settings = Settings(mcp=McpSettings(simulated_home=False), mqtt=MqttSettings(broker_url=broker.url))
    store = store or MemoryStore()
    async with opened(settings, store=store) as gateway:
        answer = gateway.conversation.answer
        async with open_channel(broker, answer, store, events=gateway.events):
            yield gateway


@pytest.fixture
async def here(broker, own_folder) -> AsyncIterator[Gateway]:
    async with opened_on(broker) as gateway:
        yield gateway
