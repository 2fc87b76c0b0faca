"""A whole gateway before a Home Assistant over HTTP: words for a light, in turns with the raw call for it.

The home answers at once, so what is measured is ours: understand, look, call, look again, tell.
"""

import asyncio
import json
import os
import tempfile
from collections.abc import Sequence
from contextlib import AsyncExitStack
from statistics import median
from time import perf_counter

from tests.fakes.home_assistant_home import HomeAssistantHome
from tests.fakes.home_assistant_homes import many, recorded_home
from tests.fakes.home_assistant_server import FakeHomeAssistant
from tests.fakes.home_assistant_tools import HomeAssistantTools

from bench.worker import Figures, serve_async
from voice_gateway.app import Gateway, opened
from voice_gateway.config import BrainSettings, ServerSettings, Settings, ToolsSettings
from voice_gateway.integrations.home_assistant.live_context import Entity, read_live_context
from voice_gateway.turn import Utterance

PAIRS = 12
LARGE = HomeAssistantTools(HomeAssistantHome(many(1000)))
_stack = AsyncExitStack()
_opened: list[tuple[Gateway, FakeHomeAssistant]] = []


async def _gateway() -> tuple[Gateway, FakeHomeAssistant]:
    if not _opened:
        folder = _stack.enter_context(tempfile.TemporaryDirectory())
        os.environ["XDG_DATA_HOME"] = folder
        ha = await _stack.enter_async_context(FakeHomeAssistant(recorded_home()))
        server = ServerSettings(url=ha.mcp_url, headers={"Authorization": f"Bearer {ha.token}"})
        settings = Settings(
            mcpServers={"ha": server}, brain=BrainSettings(), tools=ToolsSettings(search=False)
        )
        gateway = await _stack.enter_async_context(opened(settings))
        await gateway.home_read()
        _opened.append((gateway, ha))
    return _opened[0]


async def _said(gateway: Gateway, way: str) -> float:
    started = perf_counter()
    reply = await gateway.conversation.answer(Utterance(f"turn {way} the bed light"))
    assert f"is now {way}" in reply.text, reply.text
    return perf_counter() - started


async def _raw(gateway: Gateway, tool: str) -> float:
    """The call alone, over the same connection, without any of ours around it."""
    server = next(one for one in gateway.link._servers if one.status().name == "ha")
    started = perf_counter()
    await server.call(tool, {"name": "Bed Light", "area": "Bedroom", "domain": ["light"]})
    return perf_counter() - started


def _entities(answer: str) -> Sequence[Entity]:
    return read_live_context(json.loads(answer)["result"])


async def _read() -> tuple[float, float]:
    """How long a thousand take in a thread, and how long the loop had to wait for its turn."""
    answer = (await LARGE.call("GetLiveContext", {}))["content"][0]["text"]
    stood, done = [0.0], asyncio.Event()

    async def watch() -> None:
        while not done.is_set():
            started = perf_counter()
            await asyncio.sleep(0.001)
            stood.append(perf_counter() - started - 0.001)

    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(watch())
        await asyncio.sleep(0.005)
        started = perf_counter()
        entities = await asyncio.to_thread(_entities, answer)
        took = perf_counter() - started
        done.set()
    assert len(entities) == 1000
    return took, max(stood)


async def measure() -> Figures:
    gateway, _ = await _gateway()
    words, raw = [], []
    for _ in range(PAIRS):
        words.append(await _said(gateway, "on"))
        raw.append(await _raw(gateway, "HassTurnOff"))
        await _raw(gateway, "HassTurnOn")
        words.append(await _said(gateway, "off"))
        raw.append(await _raw(gateway, "HassTurnOn"))
        await _raw(gateway, "HassTurnOff")
    took, stood = await _read()
    said, called = median(words) * 1000, median(raw) * 1000
    return {
        "words_ms": said,
        "raw_ms": called,
        "beyond_ms": said - called,
        "read_ms": took * 1000,
        "stood_ms": stood * 1000,
    }


serve_async(measure)
