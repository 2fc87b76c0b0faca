"""From a door's message on the broker to the notification that the gateway gets, in a home of 200 nodes."""

import asyncio
import contextlib
import json
import tempfile
import time
import warnings
from collections.abc import AsyncIterator
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

import aiomqtt
from tests.fakes.mosquitto import Broker
from tests.fakes.zwave_server import Server, serving

from bench.large_zwave_home import CLOSED, DOOR_TOPIC, OPEN, nodes
from bench.worker import Figures, serve_async

BASE = "zwave/_CLIENTS/ZWAVE_GATEWAY-Large"
EVENTS = "zwave://events"
TIMES = 5


LISTED = nodes()
DOOR = LISTED[-1]
STATE = next(iter(DOOR["values"].values()))  # lists and messages tell the same
# Written once: the gateway of a real home does it in a process of its own, here it would delay who listens.
OTHERS = ", ".join(json.dumps(one) for one in LISTED[:-1])


async def _answer(client: aiomqtt.Client) -> None:
    async for message in client.messages:
        assert isinstance(message.payload, bytes)
        api, asked = str(message.topic).split("/")[-2], json.loads(message.payload)
        result = "[]" if api == "_getScenes" else '{"appVersion": "11"}'
        if api == "getNodes":
            result = f"[{OTHERS}, {json.dumps(DOOR)}]"
        answer = f'{{"success": true, "message": "", "result": {result}, "origin": {json.dumps(asked)}}}'
        await client.publish(f"{BASE}/api/{api}", answer, qos=1)


@contextlib.asynccontextmanager
async def gateway(broker: Broker) -> AsyncIterator[aiomqtt.Client]:
    async with aiomqtt.Client("localhost", broker.port) as client, asyncio.TaskGroup() as tasks:
        await client.subscribe(f"{BASE}/api/+/set", qos=1)
        await client.publish(f"{BASE}/status", '{"value":true}', qos=1, retain=True)
        await client.publish("zwave/driver/status", "true", qos=1, retain=True)
        answering = tasks.create_task(_answer(client))
        yield client
        answering.cancel()


async def _told(client: aiomqtt.Client, server: Server, heard: asyncio.Event, state: int) -> float:
    heard.clear()
    now = time.time_ns() // 1_000_000
    STATE.update(value=state, lastUpdate=now)
    started = perf_counter()
    await client.publish(f"zwave/{DOOR_TOPIC}", json.dumps({"time": now, "value": state}), qos=1)
    async with asyncio.timeout(20):
        await heard.wait()
    return perf_counter() - started


async def measure() -> Figures:
    heard = asyncio.Event()

    def hear(message: Any) -> None:
        if (
            getattr(message, "method", "") == "notifications/resources/updated"
            and str(message.params.uri) == EVENTS
        ):
            heard.set()

    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as folder:
        broker = Broker(Path(folder))
        broker.start()
        try:
            async with gateway(broker) as client, serving(broker.url, hear, XDG_DATA_HOME=folder) as server:
                await server.call("list_zwave_devices")
                await server.session.subscribe_resource(EVENTS)
                seconds = []
                for turn in range(2 * TIMES):
                    await asyncio.sleep(1.0)  # what the last one set off is over by then
                    seconds.append(await _told(client, server, heard, OPEN if turn % 2 == 0 else CLOSED))
        finally:
            broker.kill()
    return {"event_ms": median(seconds) * 1000}


serve_async(measure)
