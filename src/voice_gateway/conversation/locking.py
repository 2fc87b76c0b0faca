"""One utterance at a time in each conversation: inside this process, and across gateways with one store."""

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field

from voice_gateway.conversation.store import CLAIMED, Store

LEASE_SECONDS = 6.0  # who has not renewed a claim for so long is gone
LOOK_SECONDS = 0.2  # how often somebody else's claim is looked at

log = logging.getLogger(__name__)


@dataclass
class _Lock:
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    users: int = 0  # who holds it or waits for it; without any it is forgotten


class Locks:
    """`on_failure` gets what a shared store raised: one that is down costs memory, not the answer."""

    def __init__(
        self,
        store: Store,
        on_failure: Callable[[str, Exception], None],
        *,
        look_seconds: float = LOOK_SECONDS,
    ) -> None:
        self._store = store
        self._look_seconds = look_seconds
        self._on_failure = on_failure
        self._locks: dict[str, _Lock] = {}

    def __len__(self) -> int:
        return len(self._locks)

    @contextlib.asynccontextmanager
    async def of(self, key: str) -> AsyncIterator[None]:
        mine = self._locks.setdefault(key, _Lock())
        mine.users += 1
        try:
            async with mine.lock, await self._claim(f"{key}:lock"):
                yield
        finally:
            mine.users -= 1
            if not mine.users:
                self._locks.pop(key, None)

    async def _claim(self, key: str) -> contextlib.AbstractAsyncContextManager[None]:
        if not self._store.shared:
            return contextlib.nullcontext()
        try:
            await claim_when_free(self._store, key, look_seconds=self._look_seconds)
        except Exception as error:  # each kind of store has errors of its own
            self._on_failure("conversation could not be claimed", error)
            return contextlib.nullcontext()
        return held(self._store, key)


async def claim_when_free(store: Store, key: str, *, look_seconds: float = LOOK_SECONDS) -> None:
    while not await store.claim(key, expiry_seconds=LEASE_SECONDS):  # noqa: ASYNC110 (it is in another process)
        await asyncio.sleep(look_seconds)


@contextlib.asynccontextmanager
async def held(store: Store, key: str, *, lease_seconds: float = LEASE_SECONDS) -> AsyncIterator[None]:
    """Keeps a claim alive inside the block and gives it back behind it; a killed process loses it soon.

    A store that fails meanwhile does not tear what runs inside: the claim then runs out by itself.
    """

    async def renew() -> None:
        while True:
            await asyncio.sleep(lease_seconds / 3)
            await _attempted(store.put(key, CLAIMED, expiry_seconds=lease_seconds), key)

    async with asyncio.TaskGroup() as tasks:
        renewing = tasks.create_task(renew(), name=f"claim {key}")
        try:
            yield
        finally:
            renewing.cancel()
            await _attempted(store.release(key), key)


async def _attempted(step: Awaitable[None], key: str) -> None:
    try:
        await step
    except Exception as error:  # each kind of store has errors of its own
        log.warning("claim could not be renewed or released", extra={"key": key, "reason": str(error)})
