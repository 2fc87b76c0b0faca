"""A Redis that several gateways share: texts by key, and lines in which they wait for each other."""

import asyncio
import contextlib
import hashlib
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import TypeVar

from voice_gateway.backoff import end_when_stopping
from voice_gateway.conversation.redis_lines import BEAT_SECONDS, RedisLines
from voice_gateway.conversation.store import CLAIMED, Lines
from voice_gateway.errors import ConfigError, LinkError

PREFIX = "voice-gateway:"
LIMIT_SECONDS = 1.0  # a turn waits so long for a Redis that is silent, once; then it is away
LOOKS = 10
AGAIN_SECONDS = 1.0  # between two tries of one that is away, in the background: no turn waits for them

# Whoever was stalled must not free what somebody else has by now.
_RELEASE = "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0"
# Whoever was stalled must not write over what was said meanwhile. A digest, as a conversation may be long.
_EXCHANGE = """
local found = redis.call('GET', KEYS[1])
if found and redis.sha1hex(found) ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
return 1
"""

log = logging.getLogger(__name__)

T = TypeVar("T")


class RedisAway(LinkError):
    """The Redis did not answer a moment ago, so nobody waits for it now."""


class RedisStore:
    """`redis` is an extra: only those who share need it.

    One task of its own, from the first use to `aclose`, says that this gateway lives, hears when it is its
    turn in a line, and tries a Redis that is away.
    """

    def __init__(self, url: str) -> None:
        try:
            from redis.asyncio import Redis
            from redis.asyncio.retry import Retry
            from redis.backoff import NoBackoff
            from redis.exceptions import ConnectionError as Disconnected
            from redis.exceptions import RedisError
        except ImportError as error:
            raise ConfigError(
                "a redis:// store needs the extra: pip install 'voice-gateway[redis]'"
            ) from error
        self._trouble = (RedisError, TimeoutError, OSError)
        # Once more for a connection that has died meanwhile, and never for one that says nothing.
        again = Retry(NoBackoff(), 1, supported_errors=(Disconnected,))
        self._redis = Redis.from_url(
            url,
            decode_responses=True,
            retry=again,
            socket_timeout=None,  # `patience` is the limit
            socket_connect_timeout=None,
        )
        self._release = self._redis.register_script(_RELEASE)
        self._exchange = self._redis.register_script(_EXCHANGE)
        self._lines = RedisLines(self._redis, PREFIX, self._asked, self._begin)
        self.lines: Lines | None = self._lines
        self._away: str | None = None
        self._keeper: asyncio.Task[None] | None = None
        self._watchers: list[Callable[[Exception | None], None]] = []

    # --- texts by key

    async def get(self, key: str) -> str | None:
        found = await self._asked(lambda: self._redis.get(PREFIX + key))
        return None if found is None else str(found)

    async def put(self, key: str, text: str, *, expiry_seconds: float) -> None:
        await self._asked(lambda: self._redis.set(PREFIX + key, text, px=_milliseconds(expiry_seconds)))

    async def exchange(self, key: str, old: str | None, text: str, *, expiry_seconds: float) -> bool:
        digest = "" if old is None else hashlib.sha1(old.encode(), usedforsecurity=False).hexdigest()
        args = [digest, text, str(_milliseconds(expiry_seconds))]
        return bool(await self._asked(lambda: self._exchange(keys=[PREFIX + key], args=args)))

    async def claim(self, key: str, *, expiry_seconds: float, text: str = CLAIMED) -> bool:
        lasting = _milliseconds(expiry_seconds)
        took = await self._asked(lambda: self._redis.set(PREFIX + key, text, px=lasting, nx=True))
        return bool(took)

    async def release(self, key: str, text: str = CLAIMED) -> None:
        await self._asked(lambda: self._release(keys=[PREFIX + key], args=[text]))

    # --- lists of texts, newest first

    async def push(self, key: str, text: str, *, most: int, expiry_seconds: float) -> None:
        """In front of the others, of which so many are kept until nothing was pushed for this long."""

        async def step() -> None:
            async with self._redis.pipeline(transaction=True) as together:
                together.lpush(PREFIX + key, text)
                together.ltrim(PREFIX + key, 0, most - 1)
                together.pexpire(PREFIX + key, _milliseconds(expiry_seconds))
                await together.execute()

        await self._asked(step)

    async def pushed(self, key: str) -> list[str]:
        found = await self._asked(lambda: self._redis.lrange(PREFIX + key, 0, -1))
        return [str(text) for text in found]

    async def drop(self, key: str, text: str) -> bool:
        """True for the one who takes it out."""
        return bool(await self._asked(lambda: self._redis.lrem(PREFIX + key, 1, text)))

    async def aclose(self) -> None:
        if self._keeper is not None:
            self._keeper.cancel()
            await asyncio.wait([self._keeper])
        if self._keeper is not None and self._away is None:
            with contextlib.suppress(RedisAway):  # then it expires by itself
                await self._tried(self._lines.goodbye)
        await self._redis.aclose()

    # --- whether it is there

    def on_change(self, tell: Callable[[Exception | None], None]) -> None:
        """`tell` gets the trouble when the Redis goes away, and None when it is back."""
        self._watchers.append(tell)

    def _begin(self) -> None:
        if self._away is not None:
            raise RedisAway(self._away)
        if self._keeper is None or self._keeper.done():
            # Not in a TaskGroup: it lives from the first use of this store to its `aclose`, which awaits it.
            self._keeper = asyncio.create_task(self._keep(), name="store.redis")  # noqa: TID251

    async def _asked(self, step: Callable[[], Awaitable[T]]) -> T:
        self._begin()
        return await self._tried(step)

    async def _tried(self, step: Callable[[], Awaitable[T]]) -> T:
        try:
            async with patience(LIMIT_SECONDS):
                return await step()
        except self._trouble as error:
            raise self._went_away(error) from error

    def _went_away(self, error: Exception) -> RedisAway:
        """What was sent may still be done when it wakes up, so places in lines are not ours any more."""
        news = RedisAway(str(error) or f"Redis did not answer within {LIMIT_SECONDS:g} s")
        if self._away is None:
            log.warning("Redis is away, going on without it", extra={"reason": str(news)})
            self._away = str(news)
            self._lines.forsake(news)
            self._tell(news)
        return news

    def _tell(self, news: Exception | None) -> None:
        for watcher in self._watchers:
            watcher(news)

    async def _keep(self) -> None:
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._lines.write(), name="store.redis.lines")
            while True:
                with contextlib.suppress(RedisAway):
                    end_when_stopping()
                    await self._tried(self._lines.beat)
                    if self._away is not None:
                        self._away = None
                        log.warning("Redis is back")
                        self._tell(None)
                    await self._heard()
                if self._away is not None:
                    await asyncio.sleep(AGAIN_SECONDS)

    async def _heard(self) -> None:
        """Until it is time to say again that we live."""
        try:
            async with patience(BEAT_SECONDS + LIMIT_SECONDS):
                await self._lines.listen()
        except self._trouble as error:
            raise self._went_away(error) from error


@contextlib.asynccontextmanager
async def patience(seconds: float) -> AsyncIterator[None]:
    """As `asyncio.timeout`, but a gateway that is late itself does not take the Redis for silent.

    The time is counted in looks of our own loop: between two of them it has read what has come.
    """
    loop = asyncio.get_running_loop()
    timer: asyncio.Handle
    async with asyncio.timeout(None) as limit:

        def look(left: int) -> None:
            nonlocal timer
            if left:
                timer = loop.call_later(seconds / LOOKS, look, left - 1)
            else:
                limit.reschedule(loop.time())

        timer = loop.call_soon(look, LOOKS)
        try:
            yield
        finally:
            timer.cancel()


def _milliseconds(seconds: float) -> int:
    return max(1, round(seconds * 1000))
