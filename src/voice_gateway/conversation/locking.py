"""One utterance at a time in each conversation: inside this process, and across gateways with one store."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field

from voice_gateway.conversation.store import Store


@dataclass
class _Lock:
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    users: int = 0  # tasks that hold it or wait for it; without any it is forgotten


class Locks:
    """First come, first served in this process; gateways that share the store take turns.

    `on_failure` gets what a shared store raises: a store that is away costs the order among gateways, not the
    answer."""

    def __init__(self, store: Store, on_failure: Callable[[str, Exception], None]) -> None:
        self._store = store
        self._on_failure = on_failure
        self._locks: dict[str, _Lock] = {}

    def __len__(self) -> int:
        return len(self._locks)

    @contextlib.asynccontextmanager
    async def of(self, key: str) -> AsyncIterator[None]:
        mine = self._locks.setdefault(key, _Lock())
        mine.users += 1
        try:
            async with mine.lock, contextlib.AsyncExitStack() as shared:
                try:
                    await shared.enter_async_context(self._store.lock(key))
                except Exception as error:  # each kind of store has errors of its own
                    self._on_failure("conversation could not be claimed", error)
                yield
        finally:
            mine.users -= 1
            if not mine.users:
                self._locks.pop(key, None)
