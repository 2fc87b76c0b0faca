"""The real Z-Wave MCP server as its own process, driven by the official client."""

import asyncio
import contextlib
import os
import tempfile
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from typing import Any, TextIO

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from tests.fakes import warm_python

CALL_SECONDS = 30.0
SUCCESS = ("turned on", "turned off", "is on", "is off", "is locked", "is unlocked")


@dataclass(frozen=True)
class Answer:
    """What a client gets from one call."""

    text: str
    outcome: str | None
    is_error: bool
    structured: dict[str, Any]


def claims_success(answer: Answer) -> bool:
    return any(words in answer.text.lower() for words in SUCCESS)


@dataclass
class Server:
    session: ClientSession
    errors: TextIO

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


@contextlib.asynccontextmanager
async def serving(
    broker_url: str, on_message: Callable[[Any], None] | None = None, **env: str
) -> AsyncIterator[Server]:
    """`python -m zwave_mcp` with nothing but these settings, initialised."""
    parameters = StdioServerParameters(
        command=warm_python.python(),
        args=["-m", "zwave_mcp"],
        env={"PATH": os.environ.get("PATH", ""), "MQTT_BROKER_URL": broker_url, **env},
    )

    async def hear(message: Any) -> None:
        if on_message is not None:
            on_message(message)

    with tempfile.TemporaryFile("w+", encoding="utf-8") as errors:
        async with (
            stdio_client(parameters, errlog=errors) as (read, write),
            ClientSession(read, write, message_handler=hear) as session,
        ):
            await session.initialize()
            yield Server(session, errors)


@contextlib.asynccontextmanager
async def owned(context: contextlib.AbstractAsyncContextManager[Server]) -> AsyncIterator[Server]:
    """For fixtures: one task opens and closes the session, because the client insists on it."""
    opened: asyncio.Future[Server] = asyncio.get_running_loop().create_future()
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
