"""Gateways that share a Redis take turns; one that dies, stalls or loses the Redis stops no other."""

import asyncio
import contextlib
import time

import pytest
from tests.fakes.redis_server import RedisServer
from tests.fakes.waiting import until

from voice_gateway.config import BrainSettings, PermissionSettings
from voice_gateway.conversation.conversation import Conversation
from voice_gateway.conversation.history import Locks
from voice_gateway.events import EventBus, State
from voice_gateway.shared.store import BEAT_SECONDS, SILENT_SECONDS, RedisAway, RedisStore
from voice_gateway.tools.executor import ToolExecutor
from voice_gateway.tools.manager import ToolManager
from voice_gateway.turn import Utterance
from voice_gateway.understanding.stage import UnderstandingStage

LIMIT = 50.0  # a loaded machine may need long; a hang never ends
LOCK = "voice-gateway:lock:c"


@pytest.fixture
def redis(tmp_path):
    server = RedisServer(tmp_path)
    yield server
    server.stop()


class Gateway:
    def __init__(self, redis: RedisServer, order: list[str], inside: list[str]) -> None:
        self.store = RedisStore(redis.url)
        self.away: Exception | None = None
        self.store.on_change(self._store_changed)
        self.failures: list[str] = []
        self.locks = Locks(self.store, lambda phrase, error: self.failures.append(str(error)))
        self._order, self._inside = order, inside

    def _store_changed(self, trouble: Exception | None) -> None:
        self.away = trouble

    async def answers(self, name: str, key: str = "c", work: asyncio.Event | None = None) -> None:
        async with self.locks.of(key):
            self._inside.append(name)
            assert len(self._inside) == 1, self._inside
            self._order.append(name)
            await (work.wait() if work else asyncio.sleep(0))
            self._inside.remove(name)

    def die(self) -> None:
        """It renews nothing and gives nothing back, as a process that was killed."""
        self.store._keeper.cancel()


@contextlib.asynccontextmanager
async def gateways(redis, count: int = 2):
    order: list[str] = []
    inside: list[str] = []
    opened = [Gateway(redis, order, inside) for _ in range(count)]
    try:
        async with asyncio.timeout(LIMIT):
            yield opened, order
    finally:
        for gateway in opened:
            await gateway.store.aclose()


async def test_gateways_take_turns_and_each_keeps_its_own_order(redis):
    async with gateways(redis, 3) as (opened, order):
        async with asyncio.timeout(30), asyncio.TaskGroup() as tasks:
            for number in range(60):
                tasks.create_task(opened[number % 3].answers(str(number)))
        for one in range(3):
            own = [number for number in map(int, order) if number % 3 == one]
            assert own == sorted(own)
        assert len(order) == 60
        assert redis.ask("EXISTS", LOCK) == 0
        assert [len(gateway.locks._locks) for gateway in opened] == [0, 0, 0]


@pytest.mark.slow
async def test_a_turn_longer_than_the_lock_time_keeps_the_lock(redis):
    async with gateways(redis) as ((first, second), order), asyncio.TaskGroup() as tasks:
        work = asyncio.Event()
        tasks.create_task(first.answers("long", work=work))
        await until(lambda: redis.ask("EXISTS", LOCK) == 1)
        tasks.create_task(second.answers("next"))
        await asyncio.sleep(SILENT_SECONDS + BEAT_SECONDS)
        assert order == ["long"]
        work.set()


@pytest.mark.slow
async def test_a_gateway_that_died_with_the_lock_loses_it(redis):
    async with gateways(redis) as ((dead, second), order):
        held = asyncio.ensure_future(dead.answers("dead", work=asyncio.Event()))
        await until(lambda: order == ["dead"])
        dead.die()
        started = time.monotonic()
        async with second.locks.of("c"):
            assert time.monotonic() - started < SILENT_SECONDS + 3
        held.cancel()
        await asyncio.gather(held, return_exceptions=True)


async def test_a_stalled_gateway_does_not_free_the_lock_of_the_next(redis):
    async with gateways(redis, 3) as ((stalled, second, third), _), contextlib.AsyncExitStack() as held:
        await held.enter_async_context(stalled.store.lock("c"))
        stalled.die()
        redis.ask("DEL", LOCK)  # it was silent for too long
        async with second.store.lock("c"):
            await held.aclose()  # it wakes up
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.3), third.store.lock("c"):
                    pass
        async with third.store.lock("c"):
            pass


async def seconds_of_a_turn(talk: Conversation) -> float:
    started = time.monotonic()
    assert (await talk.answer(Utterance("hello", conversation_id="c"))).text
    return time.monotonic() - started


async def test_a_frozen_redis_costs_a_second_once_and_comes_back_by_itself(redis):
    async with gateways(redis, 1) as ((gateway,), _order):
        events = EventBus()
        tools = ToolExecutor(ToolManager())
        local, brain = UnderstandingStage(tools, BrainSettings()), BrainSettings()
        talk = Conversation(
            [], tools, brain, PermissionSettings(), context=local, store=gateway.store, events=events
        )
        await seconds_of_a_turn(talk)
        redis.freeze()
        assert await seconds_of_a_turn(talk) > 0.9
        assert await seconds_of_a_turn(talk) < 0.9
        assert events.state("memory") is State.DEGRADED
        with pytest.raises(RedisAway):
            await gateway.store.get("k")
        redis.thaw()
        await until(lambda: events.state("memory") is State.OK)  # although nothing was said
        assert await seconds_of_a_turn(talk) < 0.9


@pytest.mark.slow
async def test_waiters_go_on_when_redis_freezes_and_leave_no_stale_lock(redis):
    async with gateways(redis) as ((first, second), _order):
        async with first.locks.of("c"):
            waiting = asyncio.ensure_future(_entered(second))
            await until(lambda: len(second.locks._locks) == 1)
            redis.freeze()
            await waiting
            assert second.failures
            redis.thaw()
        await until(lambda: not (second.away or first.away))
        started = time.monotonic()
        await _entered(second)
        await _entered(first)
        assert time.monotonic() - started < SILENT_SECONDS


async def _entered(gateway: Gateway) -> None:
    async with gateway.locks.of("c"):
        pass
