"""One utterance at a time: in one process by a lock, across gateways by a claim in their store."""

import asyncio

from voice_gateway.conversation.locking import Locks
from voice_gateway.conversation.store import MemoryStore

LIMIT = 2.0


class SharedStore(MemoryStore):
    """As several gateways have it; one that is down raises."""

    shared = True
    down = False

    async def claim(self, key, **facts):
        if self.down:
            raise ConnectionError("gone")
        return await super().claim(key, **facts)


class Gateway:
    def __init__(self, store: MemoryStore) -> None:
        self.failures: list[str] = []
        self.locks = Locks(store, lambda phrase, error: self.failures.append(phrase), look_seconds=0.001)
        self.inside, self.leave = asyncio.Event(), asyncio.Event()

    async def answers(self, key: str = "c") -> None:
        async with self.locks.of(key):
            self.inside.set()
            await self.leave.wait()


async def test_two_gateways_with_one_store_take_turns():
    store = SharedStore()
    first, second = Gateway(store), Gateway(store)
    async with asyncio.timeout(LIMIT), asyncio.TaskGroup() as tasks:
        tasks.create_task(first.answers())
        await first.inside.wait()
        tasks.create_task(second.answers())
        tasks.create_task(second.answers("another conversation"))
        await second.inside.wait()  # by the other one
        assert len(second.locks) == 2

        second.leave.set()
        first.leave.set()

    assert (len(first.locks), len(second.locks)) == (0, 0)
    assert await store.claim("c:lock", expiry_seconds=1), "it was given back"


async def test_a_shared_store_that_is_down_costs_the_claim_and_not_the_answer():
    store = SharedStore()
    store.down = True
    gateway = Gateway(store)
    gateway.leave.set()

    await asyncio.wait_for(gateway.answers(), LIMIT)

    assert gateway.inside.is_set()
    assert gateway.failures == ["conversation could not be claimed"]


async def test_whoever_waited_and_was_cancelled_leaves_nothing_behind():
    gateway = Gateway(MemoryStore())
    async with asyncio.timeout(LIMIT), asyncio.TaskGroup() as tasks:
        tasks.create_task(gateway.answers())
        await gateway.inside.wait()
        waiting = asyncio.ensure_future(gateway.answers())
        await asyncio.sleep(0)
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
        assert len(gateway.locks) == 1
        gateway.leave.set()

    assert len(gateway.locks) == 0
