"""A gateway on an event loop of its own in another thread, as it runs beside somebody else's program."""

import asyncio
import concurrent.futures
import contextlib
import os
import threading
from collections.abc import Coroutine, Iterator
from pathlib import Path
from typing import Any
from unittest.mock import patch

from langchain_core.tools import BaseTool
from tests.fakes.open_meteo import FakeOpenMeteo
from tests.fakes.search_engines import Engine

from voice_gateway.app import Gateway, opened
from voice_gateway.config import ServerSettings, Settings
from voice_gateway.tools.builtin.broadcast import Heard, broadcast_tool

FOUND = {"title": "Coffee", "content": "It is brewed from beans.", "url": "http://coffee.example/"}

NOT_UNIT = "a gateway with its servers"


class GatewayInThread:
    """Its tools, and its loop for what has to be done there."""

    def __init__(self, gateway: Gateway, loop: asyncio.AbstractEventLoop) -> None:
        self.gateway, self.loop = gateway, loop

    def tool(self, name: str) -> BaseTool:
        found = self.gateway.tools.find(name)
        assert found is not None
        return found

    def do(self, work: Coroutine[Any, Any, Any]) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self.loop).result(30)


@contextlib.contextmanager
def gateway_in_thread(folder: Path, servers: dict[str, ServerSettings]) -> Iterator[GatewayInThread]:
    ready: concurrent.futures.Future[GatewayInThread] = concurrent.futures.Future()
    over = threading.Event()

    async def run() -> None:
        async with FakeOpenMeteo() as weather, Engine(rows=[FOUND]) as engine:
            tools = {"weather_url": weather.url, "searxng_url": engine.url}
            settings = Settings.model_validate(
                {"mcpServers": servers, "tools": tools, "mcp": {"connect_timeout_seconds": 30}}
            )
            async with opened(settings) as gateway:
                await gateway.linked()
                gateway.tools.add(broadcast_tool(_everybody_hears))
                ready.set_result(GatewayInThread(gateway, asyncio.get_running_loop()))
                await asyncio.to_thread(over.wait)

    def job() -> None:
        try:
            asyncio.run(run())
        except BaseException as error:
            if ready.done():
                raise
            ready.set_exception(error)

    surroundings = {"XDG_DATA_HOME": str(folder), "PULSE_SERVER": "unix:/nowhere"}
    with patch.dict(os.environ, surroundings):
        thread = threading.Thread(target=job)
        thread.start()
        try:
            yield ready.result(60)
        finally:
            over.set()
            thread.join()


async def _everybody_hears(_: str) -> Heard:
    return Heard(1)
