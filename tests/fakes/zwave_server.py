"""The real Z-Wave MCP server as its own process, driven by the official client."""

import asyncio
import contextlib
import os
import re
import tempfile
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TextIO, TypeVar

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from tests.fakes import warm_python

from zwave_mcp.mqtt.home import MqttHome
from zwave_mcp.options import MqttOptions

NOT_UNIT = "a Z-Wave server as a process"
CALL_SECONDS = 30.0
T = TypeVar("T")
SUCCESS = re.compile(r"(?<!not )turned (on|off)|is (now )?(on|off|open|closed|locked|unlocked|playing)")


@dataclass(frozen=True)
class Answer:
    """What a client gets from one call."""

    text: str
    outcome: str | None
    is_error: bool
    structured: dict[str, Any]


def claims_success(answer: Answer) -> bool:
    return SUCCESS.search(answer.text.lower()) is not None


@dataclass
class Server:
    session: ClientSession
    errors: TextIO
    notices: list[Any] = field(default_factory=list)

    async def call(self, tool: str, **arguments: Any) -> Answer:
        result: Any = await self.session.call_tool(tool, arguments, read_timeout_seconds=CALL_SECONDS)
        structured = result.structured_content or {}
        text = " ".join(block.text for block in result.content)
        return Answer(text, structured.get("outcome"), bool(result.is_error), structured)

    async def control(self, device: str, action: str, **more: Any) -> Answer:
        return await self.call("control_zwave_device", deviceName=device, action=action, **more)

    def stderr(self) -> str:
        self.errors.seek(0)
        return self.errors.read()


def environment(**more: str) -> dict[str, str]:
    """Only what a server needs: nothing of the developer's own settings reaches it."""
    return {"PATH": os.environ["PATH"], "HOME": os.environ.get("HOME", "/"), **more}


@contextlib.asynccontextmanager
async def _started(
    arguments: list[str], env: dict[str, str], on_message: Callable[[Any], None]
) -> AsyncIterator[tuple[ClientSession, TextIO]]:
    command = ["-m", "zwave_mcp", *arguments]
    parameters = StdioServerParameters(command=warm_python.python(), args=command, env=env)

    async def hear(message: Any) -> None:
        on_message(message)

    with tempfile.TemporaryFile("w+", encoding="utf-8") as errors:
        async with (
            stdio_client(parameters, errlog=errors) as streams,
            ClientSession(*streams, message_handler=hear) as session,
        ):
            await session.initialize()
            yield session, errors


@contextlib.asynccontextmanager
async def serving(
    broker_url: str, on_message: Callable[[Any], None] = lambda _message: None, **env: str
) -> AsyncIterator[Server]:
    """The server for a broker, with nothing but these settings."""
    settings = environment(MQTT_BROKER_URL=broker_url, **env)
    async with _started([], settings, on_message) as (session, errors):
        yield Server(session, errors)


@contextlib.asynccontextmanager
async def simulating(
    state_file: Path, *arguments: str, home: Path | None = None, **env: str
) -> AsyncIterator[Server]:
    """The server with a simulated home."""
    simulate = ["--simulate", *([str(home)] if home else []), "--state-file", str(state_file)]
    notices: list[Any] = []
    async with _started([*simulate, *arguments], environment(**env), notices.append) as (session, errors):
        yield Server(session, errors, notices)


@contextlib.asynccontextmanager
async def owned(context: contextlib.AbstractAsyncContextManager[T]) -> AsyncIterator[T]:
    """For fixtures: one task opens and closes the session, because the client insists on it."""
    opened: asyncio.Future[T] = asyncio.get_running_loop().create_future()
    enough = asyncio.Event()

    async def own() -> None:
        try:
            async with context as server:
                opened.set_result(server)
                await enough.wait()
        except BaseException as error:
            if opened.done():
                raise
            opened.set_exception(error)

    task = asyncio.get_running_loop().create_task(own())
    try:
        yield await opened
    finally:
        enough.set()
        await task


@contextlib.asynccontextmanager
async def running(options: MqttOptions, **settings: Any) -> AsyncIterator[MqttHome]:
    """A home that keeps itself connected for the length of the block, with quick reconnection."""
    home = MqttHome(options, **{"first_delay_seconds": 0.05, "longest_delay_seconds": 0.2, **settings})
    task = asyncio.get_running_loop().create_task(home.run())
    try:
        yield home
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task
