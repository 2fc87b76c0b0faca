"""A door opens, and a routine of a running gateway switches the lamp: driver, MQTT, resources, routine."""

import asyncio
import contextlib
import json
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path

import aiomqtt
import pytest
from tests.fakes.gateway_process import Commands, Running
from tests.fakes.waiting import until

pytestmark = [pytest.mark.zwave_driver, pytest.mark.asyncio(loop_scope="package")]

DOOR, LAMP = 8, 2
WRITE = "zwave/_CLIENTS/ZWAVE_GATEWAY-Driver/api/writeValue/set"
DOOR_TOPIC = "zwave/Hallway/Back_Door/notification/endpoint_0/Access_Control/"
SECONDS = 40.0


@contextlib.asynccontextmanager
async def running(driver, folder: Path, *routines: str) -> AsyncIterator[Commands]:
    commands = Commands(folder)
    commands.file(
        "voice-gateway.toml",
        f"[mcpServers.zwave]\ncommand = {json.dumps(sys.executable)}\n"
        f"args = ['-m', 'zwave_mcp', '--broker', '{driver.broker.url}']\n",
    )
    async with Running.opened(commands):
        for item in routines:
            made = await commands.run("routines", "add", item)
            assert made.code == 0, made.out + made.err
        yield commands
    await commands.end()


class Heard:
    """What goes over the broker, with its times."""

    def __init__(self, client: aiomqtt.Client) -> None:
        self._client = client

    @classmethod
    @contextlib.asynccontextmanager
    async def on(cls, driver) -> AsyncIterator["Heard"]:
        async with aiomqtt.Client("localhost", driver.broker.port) as client:
            await client.subscribe("zwave/#", qos=1)
            yield cls(client)

    async def first(self, topic: str, *words: str) -> float:
        async with asyncio.timeout(SECONDS):
            async for message in self._client.messages:
                text = bytes(message.payload).decode()  # type: ignore[arg-type]
                fits = str(message.topic).startswith(topic) and all(word in text for word in words)
                if fits and not message.retain:
                    return time.perf_counter()
        raise AssertionError


async def is_closed(commands: Commands) -> bool:
    return "closed" in (await commands.run("ask", "is the back door open")).out


async def test_opening_the_door_switches_the_lamp(driver, tmp_path):
    await driver.reports(DOOR, door="closed")
    command = "when the back door opens turn on the ceiling light"
    async with running(driver, tmp_path, command) as commands, Heard.on(driver) as heard:
        for _ in range(2):
            await driver.reports(DOOR, door="open")
            reported = await heard.first(DOOR_TOPIC)
            seconds = await heard.first(WRITE, f'"nodeId": {LAMP}', "true") - reported
            await heard.first("zwave/Living_Room/Ceiling_Light/", "true")
            print(f"the lamp was switched {seconds * 1000:.0f} ms after the door's message")
            await commands.run("ask", "turn off the ceiling light")
            await driver.reports(DOOR, door="closed")
            await until(lambda: is_closed(commands))
        [kept] = (await commands.run("routines", "--json")).json

    assert kept["trigger"]["becomes"] == "open"
    assert kept["last"]["ok"] is True
    assert seconds < 10
