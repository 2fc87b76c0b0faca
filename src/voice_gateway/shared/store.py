"""Conversations in the shared Redis: texts by key, and a lock for each conversation."""

import asyncio
import contextlib
import hashlib
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from functools import partial
from typing import TypeVar

from voice_gateway.backoff import end_when_stopping
from voice_gateway.errors import ConfigError, LinkError
from voice_gateway.shared import LIMIT_SECONDS, NOT_INSTALLED, PREFIX
from voice_gateway.turn import new_id

BEAT_SECONDS = 1.0  # how often locks are renewed, and a Redis that is away is tried again
SILENT_SECONDS = 4.0  # a gateway that has not renewed its lock for so long has lost it
POLL_SECONDS = 0.03  # between two looks of a gateway that waits for its turn

# Writes only over what was read. Compared by digest, because a conversation may be long.
_EXCHANGE = """
local found = redis.call('GET', KEYS[1])
if found and redis.sha1hex(found) ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
return 1
"""
# Takes the lock KEYS[1] for the gateway ARGV[1], or renews it; 0: another gateway holds it.
_CLAIM = """
local holder = redis.call('GET', KEYS[1])
if holder and holder ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1
"""
_RELEASE = "if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end return 1"

log = logging.getLogger(__name__)

T = TypeVar("T")


class RedisAway(LinkError):
    """The Redis does not answer. Until it does again, every call fails at once."""


class RedisStore:
    """The `Store` of conversations for gateways that share a Redis.

    A turn waits for a silent Redis once, for `LIMIT_SECONDS`; a task tries it again in the background.
    """

    shared: bool = True

    def __init__(self, url: str) -> None:
        try:
            from redis.asyncio import Redis
            from redis.asyncio.retry import Retry
            from redis.backoff import NoBackoff
            from redis.exceptions import ConnectionError as Disconnected
            from redis.exceptions import RedisError
        except ImportError as error:
            raise ConfigError(NOT_INSTALLED) from error
        self._trouble = (RedisError, TimeoutError, OSError)
        # A connection that died meanwhile is opened once more; one that is silent is not.
        again = Retry(NoBackoff(), 1, supported_errors=(Disconnected,))
        self._redis = Redis.from_url(
            url, decode_responses=True, retry=again, socket_timeout=None, socket_connect_timeout=None
        )
        self._scripts = {text: self._redis.register_script(text) for text in (_EXCHANGE, _CLAIM, _RELEASE)}
        self._name = new_id()
        self._away: str | None = None
        self._held: set[str] = set()
        self._keeper: asyncio.Task[None] | None = None
        self._listeners: list[Callable[[Exception | None], None]] = []

    # --- texts by key

    async def get(self, key: str) -> str | None:
        text = await self._ask(lambda: self._redis.get(PREFIX + key))
        return None if text is None else str(text)

    async def put(self, key: str, text: str, *, expiry_seconds: float) -> None:
        await self._ask(lambda: self._redis.set(PREFIX + key, text, px=_milliseconds(expiry_seconds)))

    async def exchange(self, key: str, old: str | None, text: str, *, expiry_seconds: float) -> bool:
        """Puts the text where `old` or nothing is; False where another gateway has written since."""
        digest = "" if old is None else hashlib.sha1(old.encode(), usedforsecurity=False).hexdigest()
        expiry = _milliseconds(expiry_seconds)
        return bool(await self._ask(lambda: self._run(_EXCHANGE, PREFIX + key, digest, text, expiry)))

    # --- one turn at a time

    @contextlib.asynccontextmanager
    async def lock(self, key: str) -> AsyncIterator[None]:
        """Held by one gateway, whose own callers take turns. RedisAway: it cannot be had.

        A gateway that stalls loses it after `SILENT_SECONDS`; `exchange` then keeps it from writing over what
        others have said meanwhile."""
        name = f"{PREFIX}lock:{key}"
        while not await self._ask(lambda: self._claimed(name)):  # noqa: ASYNC110
            await asyncio.sleep(POLL_SECONDS)
        self._held.add(name)
        try:
            yield
        finally:
            self._held.discard(name)
            with contextlib.suppress(RedisAway):  # then it runs out by itself
                await self._ask(lambda: self._run(_RELEASE, name, self._name))

    async def _claimed(self, name: str) -> object:
        return await self._run(_CLAIM, name, self._name, _milliseconds(SILENT_SECONDS))

    async def _run(self, script: str, key: str, *words: str | int) -> object:
        return await self._scripts[script](keys=[key], args=words)

    # --- whether the Redis is there

    def on_change(self, listener: Callable[[Exception | None], None]) -> None:
        """`listener` gets the trouble when the Redis goes away, and None when it is back."""
        self._listeners.append(listener)

    async def _ask(self, step: Callable[[], Awaitable[T]]) -> T:
        if self._away is not None:
            raise RedisAway(self._away)
        if self._keeper is None or self._keeper.done():
            # Not in a TaskGroup: it lives from the first use of this store to `aclose`, which awaits it.
            self._keeper = asyncio.create_task(self._keep(), name="store.redis")  # noqa: TID251
        try:
            return await self._in_time(step)
        except RedisAway as error:
            if self._away is None:
                log.warning("Redis is away, going on without it", extra={"reason": str(error)})
                self._away = str(error)
                self._publish(error)
            raise

    async def _in_time(self, step: Callable[[], Awaitable[T]]) -> T:
        try:
            async with asyncio.timeout(LIMIT_SECONDS):
                return await step()
        except self._trouble as error:
            raise RedisAway(str(error) or f"Redis did not answer within {LIMIT_SECONDS:g} s") from error

    async def _keep(self) -> None:
        """Renews the locks that are held, and tries a Redis that is away."""
        while True:
            await asyncio.sleep(BEAT_SECONDS)
            end_when_stopping()
            with contextlib.suppress(RedisAway):
                if self._away is not None:
                    await self._in_time(self._redis.ping)
                    self._away = None
                    log.warning("Redis is back")
                    self._publish(None)
                for name in [*self._held]:
                    await self._in_time(partial(self._claimed, name))

    def _publish(self, trouble: Exception | None) -> None:
        for listener in self._listeners:
            listener(trouble)

    async def aclose(self) -> None:
        if self._keeper is not None:
            self._keeper.cancel()
            await asyncio.wait([self._keeper])
        await self._redis.aclose()


def _milliseconds(seconds: float) -> int:
    return max(1, round(seconds * 1000))
