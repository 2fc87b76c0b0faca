"""A real broker, a client that listens to everything, and gateways as processes."""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import aiomqtt
import pytest
from tests.fakes.gateway_process import LIMIT_SECONDS, Commands
from tests.fakes.mosquitto import Broker


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[Broker]:
    broker = Broker(tmp_path)
    broker.start()
    yield broker
    broker.kill()


@pytest.fixture
def commands(tmp_path) -> Commands:
    return Commands(tmp_path)


class Listener:
    """Somebody else on the broker."""

    def __init__(self, client: aiomqtt.Client) -> None:
        self.client = client
        self.seen: list[aiomqtt.Message] = []

    @classmethod
    @contextlib.asynccontextmanager
    async def on(cls, broker: Broker, **login) -> AsyncIterator["Listener"]:
        async with aiomqtt.Client(
            "localhost", broker.port, protocol=aiomqtt.ProtocolVersion.V5, **login
        ) as client:
            await client.subscribe("#", qos=1)
            yield cls(client)

    async def send(self, topic: str, body, **options) -> None:
        payload = body if isinstance(body, str | bytes) else json.dumps(body)
        await self.client.publish(topic, payload, qos=1, **options)

    async def gets(self, topic: str, **facts):
        """The next message on a topic that has these facts."""
        async with asyncio.timeout(LIMIT_SECONDS):
            async for message in self.client.messages:
                self.seen.append(message)
                if str(message.topic) != topic:
                    continue
                body = json.loads(message.payload)
                if all(body.get(key) == value for key, value in facts.items()):
                    return body
        raise AssertionError("the connection ended")
