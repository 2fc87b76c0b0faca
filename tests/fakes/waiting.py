"""The one way in which tests wait for what nobody announces to them."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

LIMIT_SECONDS = 30.0  # a loaded machine may need long; a hang never ends
LOOK_SECONDS = 0.01
AT_ONCE = 500  # looks without a pause: what comes from this very loop is seen before it is gone again


async def until(check: Callable[[], Any], limit_seconds: float = LIMIT_SECONDS) -> Any:
    """What `check` gives, or what awaiting that gives, as soon as it is something.

    An event is better where there is one.
    """
    looks, found = 0, None
    async with asyncio.timeout(limit_seconds):
        while not found:
            await asyncio.sleep(0 if looks < AT_ONCE else LOOK_SECONDS)
            looks += 1
            found = check()
            if isinstance(found, Awaitable):
                found = await found
    return found
