"""A web door on a port of its own, with whatever routes a test wants behind its guard."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path
from typing import Any

import httpx

from voice_gateway.config import WebSettings
from voice_gateway.doors.web.door import Start, WebDoor
from voice_gateway.doors.web.limits import LIMITS, Limits
from voice_gateway.doors.web.tokens import TokenFile
from voice_gateway.watch import Watch

NOT_UNIT = "a web server on the loopback address"


@contextlib.asynccontextmanager
async def served(
    folder: Path,
    routes: Callable[[Start], Sequence[Any]] = lambda _start: (),
    watch: Watch | None = None,
    *,
    retry_seconds: float = 0.01,
    limits: Limits = LIMITS,
    **settings: Any,
) -> AsyncIterator[WebDoor]:
    """The token file is `web-token.json` in the folder."""
    door = WebDoor(
        WebSettings(**{"port": 0, **settings}),
        routes,
        watch or Watch(),
        TokenFile(folder / "web-token.json"),
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
async def client(door: WebDoor, **headers: str) -> AsyncIterator[httpx.AsyncClient]:
    address = f"http://127.0.0.1:{door.port}"
    async with httpx.AsyncClient(base_url=address, headers=headers, trust_env=False, timeout=30) as found:
        yield found


async def raw(door: WebDoor, request: bytes) -> bytes:
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
