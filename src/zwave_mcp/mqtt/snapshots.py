"""The last list of nodes, asked for again only when it is too old, by one call at a time."""

import asyncio
import time
from collections.abc import Awaitable, Callable

from zwave_mcp.home import HomeError, Node, Snapshot


class Snapshots:
    """Callers that come while a question is under way share its answer, or its failure."""

    def __init__(self, ask: Callable[[], Awaitable[tuple[Node, ...]]]) -> None:
        self._ask = ask
        self._lock = asyncio.Lock()
        self._latest: Snapshot | None = None
        self._changes = 0  # grows with everything that may have changed a value
        self._changes_seen = 0
        self._failure: tuple[float, HomeError] | None = None
        self._listeners: list[Callable[[Snapshot], None]] = []

    def watch(self, listener: Callable[[Snapshot], None]) -> None:
        self._listeners.append(listener)

    def outdate(self) -> None:
        self._changes += 1

    async def get(self, max_age_seconds: float) -> Snapshot:
        arrived = time.monotonic()
        latest = self._fresh(arrived, max_age_seconds)
        if latest is not None:
            return latest
        async with self._lock:
            latest = self._fresh(arrived, max_age_seconds)
            if latest is not None:
                return latest
            if self._failure is not None and self._failure[0] > arrived:
                raise self._failure[1]
            return await self._renew()

    def _fresh(self, arrived: float, max_age_seconds: float) -> Snapshot | None:
        latest = self._latest
        if latest is None or self._changes_seen != self._changes:
            return None
        return latest if latest.taken >= arrived or latest.age_seconds() <= max_age_seconds else None

    async def _renew(self) -> Snapshot:
        changes, started = self._changes, time.monotonic()
        try:
            nodes = await self._ask()
        except HomeError as error:
            self._failure = time.monotonic(), error
            raise
        self._latest = Snapshot(nodes, taken=started)
        self._changes_seen = changes
        for listener in self._listeners:
            listener(self._latest)
        return self._latest
