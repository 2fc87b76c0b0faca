"""A web door on a port of its own, with whatever routes a test wants behind its guard."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path
from typing import Any

import httpx

from voice_gateway.channels import Answer
from voice_gateway.channels.web.ask_api import AskApi
from voice_gateway.channels.web.channel import Start, WebChannel
from voice_gateway.channels.web.guard import LIMITS, Limits
from voice_gateway.channels.web.responses import Feed
from voice_gateway.channels.web.tokens import TokenFile
from voice_gateway.config import WebSettings
from voice_gateway.events import EventBus
from voice_gateway.turn import Reply

NOT_UNIT = "a web server on the loopback address"


async def unasked(*_words: Any, **_options: Any) -> Reply:
    """An answer for routes that must not ask for one."""
    raise AssertionError("nobody asked")


@contextlib.asynccontextmanager
async def served(
    folder: Path,
    routes: Callable[[Start], Sequence[Any]] = lambda _start: (),
    watch: EventBus | None = None,
    *,
    retry_seconds: float = 0.01,
    limits: Limits = LIMITS,
    tokens: TokenFile | None = None,
    **settings: Any,
) -> AsyncIterator[WebChannel]:
    """The token file is `web-token.json` in the folder."""
    door = WebChannel(
        WebSettings(**{"port": 0, **settings}),
        routes,
        watch or EventBus(),
        tokens or TokenFile(folder / "web-token.json"),
        retry_seconds=retry_seconds,
        limits=limits,
    )
    async with asyncio.TaskGroup() as tasks:
        running = tasks.create_task(door.run())
        try:
            async with asyncio.timeout(40):
                await door.tried.wait()
            yield door
        finally:
            running.cancel()


@contextlib.asynccontextmanager
async def client(door: WebChannel, **headers: str) -> AsyncIterator[httpx.AsyncClient]:
    address = f"http://127.0.0.1:{door.port}"
    async with httpx.AsyncClient(base_url=address, headers=headers, trust_env=False, timeout=30) as found:
        yield found


@contextlib.asynccontextmanager
async def asking(
    folder: Path, answer: Answer = unasked, events: EventBus | None = None, **options: Any
) -> AsyncIterator[tuple[httpx.AsyncClient, Feed, WebChannel]]:
    """A client of `/api/ask` and `/api/events`, the feed behind them, and their channel."""
    feed = Feed(events or EventBus())

    def routes(start: Start) -> Sequence[Any]:
        return [AskApi(answer, feed, start).router()]

    async with served(folder, routes, **options) as channel, client(channel) as http:
        yield http, feed, channel


async def raw(door: WebChannel, request: bytes) -> bytes:
    """What comes back for bytes that no well-behaved client sends, until the connection ends."""
    reader, writer = await asyncio.open_connection("127.0.0.1", door.port)
    try:
        writer.write(request)
        async with asyncio.timeout(40):
            return await reader.read()
    except ConnectionError:
        return b""
    finally:
        writer.close()
