"""What the gateway tells Home Assistant of itself, judged by Home Assistant's own schemas."""

import asyncio
import json
from collections.abc import Mapping

import pytest
from tests.fakes.gateway_process import Running
from tests.fakes.others import written_here
from tests.fakes.running_gateway import ask
from tests.fakes.waiting import until
from tests.mqtt.conftest import NO_SERVER, Listener

from voice_gateway.channels.mqtt.topics import SWITCHES, discovery_messages, plan_config
from voice_gateway.config import MqttSettings

pytestmark = pytest.mark.others


async def complaints(configs: Mapping[str, bytes | str]) -> list[str]:
    judge = written_here("home_assistant_schemas.py", part="home-assistant")
    process = await asyncio.create_subprocess_exec(
        judge.command or "",
        *judge.args,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    lines = "".join(json.dumps([topic, json.loads(text)]) + "\n" for topic, text in configs.items())
    out, err = await process.communicate(lines.encode())
    answers = [json.loads(line) for line in out.splitlines()]
    assert len(answers) == len(configs), err.decode()
    return [answer for answer in answers if answer]


async def test_everything_that_can_be_announced_is_valid():
    settings = MqttSettings(room="Hall", name="Küche, oben")
    messages = [
        *discovery_messages(settings, tuple(SWITCHES)),
        plan_config(settings, "timer", "7", "Pasta"),
        plan_config(settings, "routine", "12", "Every weekday at 7 AM"),
    ]

    assert await complaints({message.topic: message.payload for message in messages}) == []


async def test_what_a_running_gateway_leaves_at_the_broker_is_valid(commands, broker):
    commands.file("voice-gateway.toml", NO_SERVER)
    configs: dict[str, bytes] = {}
    async with Running.opened(commands, MQTT_BROKER_URL=broker.url), Listener.on(broker) as listener:
        await ask(commands, "set a pasta timer for ten minutes")

        async def read() -> None:
            async for message in listener.client.messages:
                if message.payload and str(message.topic).startswith("homeassistant/"):
                    configs[str(message.topic)] = message.payload

        reading = asyncio.ensure_future(read())
        await until(lambda: any("/timer_" in topic for topic in configs))
        reading.cancel()
        await asyncio.gather(reading, return_exceptions=True)

    assert len(configs) >= 6
    assert await complaints(configs) == []
