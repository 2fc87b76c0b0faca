"""The one way in which tests wait for what nobody announces to them."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

T = TypeVar("T")

LIMIT_SECONDS = 30.0  # a loaded machine may need long; a hang never ends
LOOK_SECONDS = 0.01


async def until(check: Callable[[], T | Awaitable[T]], limit_seconds: float = LIMIT_SECONDS) -> T:
    """What `check` gives, as soon as that is something. An event is better where there is one."""
    async with asyncio.timeout(limit_seconds):
        while True:
            found = check()
            value = await found if isinstance(found, Awaitable) else found
            if value:
                return value
            await asyncio.sleep(LOOK_SECONDS)
