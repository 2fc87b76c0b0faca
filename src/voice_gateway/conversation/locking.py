"""One utterance at a time in each conversation: inside this process, and across gateways with one store."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field

from voice_gateway.conversation.store import LinePlace, Store


@dataclass
class _Lock:
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    users: int = 0  # who holds it or waits for it; without any it is forgotten


class Locks:
    """First come, first served. `on_failure` gets what a shared store raised: one that is down costs the
    order among gateways, not the answer."""

    def __init__(self, store: Store, on_failure: Callable[[str, Exception], None]) -> None:
        self._lines = store.lines
        self._on_failure = on_failure
        self._locks: dict[str, _Lock] = {}

    def __len__(self) -> int:
        return len(self._locks)

    @contextlib.asynccontextmanager
    async def of(self, key: str, name: str = "", after: Sequence[str] = ()) -> AsyncIterator[None]:
        """`name` and `after` are for the order among gateways, see `Lines`."""
        mine = self._locks.setdefault(key, _Lock())
        mine.users += 1
        try:
            if self._lines is None:
                async with mine.lock:
                    yield
            else:
                async with self._in_line(mine.lock, await self._entered(key, name, after)):
                    yield
        finally:
            mine.users -= 1
            if not mine.users:
                self._locks.pop(key, None)

    @contextlib.asynccontextmanager
    async def _in_line(self, lock: asyncio.Lock, place: LinePlace | None) -> AsyncIterator[None]:
        """The place in the line is taken before the lock: all who wait here stand there, in their order."""
        try:
            async with lock:
                await self._turn(place)
                try:
                    yield
                finally:
                    await _left(place)
        finally:
            await _left(place)  # of whoever did not get the lock

    async def _entered(self, key: str, name: str, after: Sequence[str]) -> LinePlace | None:
        assert self._lines is not None
        try:
            return await self._lines.enter(key, name, after)
        except Exception as error:  # each kind of store has errors of its own
            self._on_failure("conversation could not be claimed", error)
            return None

    async def _turn(self, place: LinePlace | None) -> None:
        try:
            if place is not None:
                await place.turn()
        except Exception as error:
            self._on_failure("conversation could not be claimed", error)


async def _left(place: LinePlace | None) -> None:
    if place is not None:
        await place.leave()
