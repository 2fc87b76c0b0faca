"""Gateways that share a Redis take turns by arrival; one that dies, stalls or loses it stops nobody."""

import asyncio
import contextlib
import functools
import time

import pytest
from tests.fakes.redis_server import RedisServer
from tests.fakes.waiting import until

from voice_gateway.config import BrainSettings, PermissionSettings
from voice_gateway.conversation.conversation import Conversation
from voice_gateway.conversation.locking import Locks
from voice_gateway.conversation.redis_lines import BEAT_SECONDS, LEASE_SECONDS
from voice_gateway.conversation.redis_store import LIMIT_SECONDS, RedisAway, RedisStore, patience
from voice_gateway.events import EventBus, State
from voice_gateway.tools.executor import ToolExecutor
from voice_gateway.tools.manager import ToolManager
from voice_gateway.turn import Utterance

LIMIT = 50.0  # a loaded machine may need long; a hang never ends


@pytest.fixture
def redis(tmp_path):
    server = RedisServer(tmp_path)
    yield server
    server.stop()


class Gateway:
    """Its place in the line, and whom it let in."""

    def __init__(self, redis: RedisServer, order: list[str], at_work: list[str]) -> None:
        self.redis = redis
        self.store = RedisStore(redis.url)
        self.away: Exception | None = None
        self.store.on_change(self._store_changed)
        self.failures: list[str] = []
        self.locks = Locks(self.store, lambda phrase, error: self.failures.append(str(error)))
        self._order, self.at_work = order, at_work

    def _store_changed(self, trouble: Exception | None) -> None:
        self.away = trouble

    async def answers(self, name: str, key: str = "c", work: asyncio.Event | None = None) -> None:
        async with self.locks.of(key):
            self.at_work.append(name)
            assert len(self.at_work) == 1, self.at_work
            self._order.append(name)
            await (work.wait() if work else asyncio.sleep(0))
            self.at_work.remove(name)


@contextlib.asynccontextmanager
async def gateways(redis, count: int = 2):
    order: list[str] = []
    at_work: list[str] = []
    opened = [Gateway(redis, order, at_work) for _ in range(count)]
    try:
        async with asyncio.timeout(LIMIT):
            yield opened, order
    finally:
        for gateway in opened:
            await gateway.store.aclose()


def line_length(gateway: Gateway, key: str = "c") -> int:
    return gateway.redis.ask("LLEN", f"voice-gateway:line:{key}")


def alive(redis: RedisServer) -> list[str]:
    """Where each gateway says that it lives."""
    return redis.ask("KEYS", "voice-gateway:alive:*")


def kill_the_only_one() -> None:
    """As its process would be: it says no more that it lives, and takes nothing back."""
    [keeper] = (task for task in asyncio.all_tasks() if task.get_name() == "store.redis")
    keeper.cancel()


async def test_the_order_of_a_conversation_is_that_of_arrival_on_whichever_gateway(redis):
    async with gateways(redis, 3) as (opened, order):
        work = asyncio.Event()
        async with asyncio.TaskGroup() as tasks:
            for number in range(60):
                tasks.create_task(opened[number % 3].answers(str(number), work=work))
                await until(functools.partial(_inside, opened[0], number + 1))
            work.set()

        assert order == [str(number) for number in range(60)]
        assert line_length(opened[0]) == 0
        assert [len(gateway.locks) for gateway in opened] == [0, 0, 0]


def _inside(gateway: Gateway, count: int) -> bool:
    return line_length(gateway) == count


async def test_who_was_sent_before_is_first_although_it_arrives_later(redis):
    async with gateways(redis) as ((first, second), _order):
        late = await second.store.lines.enter("c", "2", ["0", "1"])
        early = await first.store.lines.enter("c", "1")
        asked = asyncio.ensure_future(late.turn())
        # Nobody comes for "0": its place is kept for a moment only.
        await early.turn()
        assert not asked.done()
        await early.leave()
        await asked
        await late.leave()

        again = await first.store.lines.enter("c", "1")  # a repeat
        await again.turn()
        await again.leave()
        assert line_length(first) == 0


async def test_names_of_lines_and_of_those_in_them_do_not_meet(redis):
    """Whoever asks chooses both: what is spelled alike when put together waits for nobody."""
    async with gateways(redis) as ((one, other), _order):
        held = [
            await one.store.lines.enter(key, name)
            for key, name in (("a", "b:c"), ("a:b", "c"), ("a:b:c", ""), ("b", ""))
        ]
        for place in held:
            await place.turn()
        behind = await other.store.lines.enter("a", "")
        asked = asyncio.ensure_future(behind.turn())
        for place in held[1:]:
            await place.leave()
        assert not asked.done(), "its own line is the only one it waits in"
        await held[0].leave()
        await asked
        await behind.leave()


async def test_another_conversation_does_not_wait(redis):
    async with gateways(redis) as ((first, second), _order), asyncio.TaskGroup() as tasks:
        work = asyncio.Event()
        tasks.create_task(first.answers("slow", work=work))
        await until(lambda: _inside(first, 1))
        async with second.locks.of("another"):
            assert first.at_work == ["slow"], "it goes on meanwhile"
        work.set()
    assert first.at_work == []


async def test_a_turn_is_handed_over_without_looking_again_and_again(redis):
    """Two hundred hand-overs: by looking each would cost a beat, and all of them minutes."""
    async with gateways(redis) as (opened, order):
        async with asyncio.timeout(200 * BEAT_SECONDS / 5), asyncio.TaskGroup() as tasks:
            for number in range(200):
                tasks.create_task(opened[number % 2].answers(str(number)))
        assert len(order) == 200


async def test_who_waited_and_was_cancelled_is_no_longer_in_line(redis):
    async with gateways(redis) as ((first, second), order), asyncio.TaskGroup() as tasks:
        work = asyncio.Event()
        tasks.create_task(first.answers("1", work=work))
        await until(lambda: _inside(first, 1))
        waiting = [asyncio.ensure_future(second.answers(name)) for name in ("2", "3")]
        await until(lambda: _inside(first, 3))
        waiting[0].cancel()
        await until(lambda: _inside(first, 2))
        work.set()
        await asyncio.gather(*waiting, return_exceptions=True)

        assert order == ["1", "3"]


@pytest.mark.slow
async def test_a_gateway_that_died_in_front_makes_room(redis):
    async with gateways(redis) as ((first, second), order):
        dead = asyncio.ensure_future(first.answers("dead", work=asyncio.Event()))
        behind = asyncio.ensure_future(first.answers("dead, too"))
        await until(lambda: _inside(first, 2))
        await until(lambda: order == ["dead"])
        [its_life] = alive(redis)
        kill_the_only_one()

        await _entered(second)

        assert its_life not in alive(redis), "not before it was known to be gone"
        for task in (dead, behind):
            task.cancel()
        await asyncio.gather(dead, behind, return_exceptions=True)
        assert order == ["dead"]


async def _entered(gateway: Gateway) -> None:
    async with gateway.locks.of("c"):
        pass


async def test_a_stalled_holder_does_not_free_the_place_of_whoever_came_after_it(redis):
    async with gateways(redis, 3) as ((stalled, second, third), _order):
        place = await stalled.store.lines.enter("c")
        await place.turn()
        redis.ask("DEL", *alive(redis))
        kill_the_only_one()
        other = await second.store.lines.enter("c")
        await other.turn()  # it was thought to be gone

        await place.leave()

        waiting = await third.store.lines.enter("c")
        asked = asyncio.ensure_future(waiting.turn())
        done, _ = await asyncio.wait([asked], timeout=1.5)
        assert not done, "the second one still has the turn"
        await other.leave()
        await asked
        await waiting.leave()


async def test_of_a_claim_only_its_owner_frees_it(redis):
    async with gateways(redis, 1) as ((one,), _order):
        assert await one.store.claim("k", text="mine", expiry_seconds=60)
        await one.store.release("k", "somebody else's")
        assert await one.store.get("k") == "mine"
        await one.store.release("k", "mine")
        assert await one.store.get("k") is None


def talk_with(store: RedisStore, watch: EventBus) -> Conversation:
    tools = ToolExecutor(ToolManager())
    return Conversation([], tools, BrainSettings(), PermissionSettings(), store=store, watch=watch)


async def waits(talk: Conversation, monkeypatch: pytest.MonkeyPatch) -> int:
    """How often a turn waited for a Redis that said nothing."""
    turn, waited = asyncio.current_task(), 0

    @contextlib.asynccontextmanager
    async def counted(seconds):
        nonlocal waited
        try:
            async with patience(seconds):
                yield
        except Exception:
            waited += asyncio.current_task() is turn
            raise

    with monkeypatch.context() as patched:
        patched.setattr("voice_gateway.conversation.redis_store.patience", counted)
        assert (await talk.answer(Utterance("hello", conversation_id="c"))).text
    return waited


async def test_a_frozen_redis_costs_a_second_once_and_comes_back_by_itself(redis, monkeypatch):
    async with gateways(redis, 1) as ((one,), _order):
        watch = EventBus()
        talk = talk_with(one.store, watch)
        assert await waits(talk, monkeypatch) == 0
        redis.freeze()
        assert await waits(talk, monkeypatch) <= 1
        assert await waits(talk, monkeypatch) == 0
        assert watch.state("memory") is State.DEGRADED
        with pytest.raises(RedisAway):
            await one.store.get("k")

        redis.thaw()
        await until(lambda: watch.state("memory") is State.OK)  # nobody said anything meanwhile

        assert await waits(talk, monkeypatch) == 0
        assert watch.state("memory") is State.OK


async def test_a_gateway_that_is_late_itself_does_not_take_its_redis_for_silent(redis):
    async with gateways(redis, 1) as ((one,), _order):
        await one.store.put("k", "v", expiry_seconds=60)
        asked = asyncio.ensure_future(one.store.get("k"))
        for _ in range(3):
            await asyncio.sleep(0)
        time.sleep(LIMIT_SECONDS * 1.5)  # all cores are taken, or a turn takes its time

        assert await asked == "v"


@pytest.mark.slow
async def test_a_redis_that_freezes_while_somebody_waits_in_line_lets_them_go_on(redis):
    async with gateways(redis) as ((first, second), _order):
        work = asyncio.Event()
        holding = asyncio.ensure_future(first.answers("1", work=work))
        await until(lambda: _inside(first, 1))
        waiting = asyncio.ensure_future(_entered(second))
        await until(lambda: _inside(first, 2))
        redis.freeze()
        await waiting
        assert second.failures
        redis.thaw()
        work.set()
        await holding

        # Whatever it did late with what was sent before, the line is free again.
        await until(lambda: not (second.away or first.away))
        await _entered(second)
        await _entered(first)


async def test_what_a_redis_does_late_holds_up_nobody_when_it_is_back(redis):
    """What was asked before it froze puts somebody into the line who has long gone on."""
    async with gateways(redis, 1) as ((one,), _order):
        await _entered(one)
        redis.freeze()
        await _entered(one)
        assert one.failures
        redis.thaw()
        await until(lambda: not one.away)

        started = time.monotonic()
        await _entered(one)
        assert time.monotonic() - started < LEASE_SECONDS, "nobody has to be given up first"
