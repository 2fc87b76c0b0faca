"""One utterance at a time, first come, first served; across gateways see tests/gateway/test_shared.py."""

import asyncio
import contextlib
from collections.abc import AsyncIterator

from voice_gateway.conversation.history import Locks
from voice_gateway.conversation.store import MemoryStore

LIMIT = 30.0


class DownStore(MemoryStore):
    @contextlib.asynccontextmanager
    async def lock(self, key: str) -> AsyncIterator[None]:
        raise ConnectionError("gone")
        yield


class Gateway:
    def __init__(self, store: MemoryStore) -> None:
        self.failures: list[str] = []
        self.locks = Locks(store, lambda phrase, error: self.failures.append(phrase))
        self.inside, self.leave = asyncio.Event(), asyncio.Event()
        self.order: list[str] = []

    async def answers(self, key: str = "c", name: str = "") -> None:
        async with self.locks.of(key):
            self.order.append(name)
            self.inside.set()
            await self.leave.wait()


async def test_those_who_wait_for_one_conversation_come_in_their_order():
    gateway = Gateway(MemoryStore())
    async with asyncio.timeout(LIMIT), asyncio.TaskGroup() as tasks:
        for number in range(20):
            tasks.create_task(gateway.answers(name=str(number)))
        await gateway.inside.wait()
        assert gateway.order == ["0"]
        gateway.leave.set()

    assert gateway.order == [str(number) for number in range(20)]
    assert len(gateway.locks) == 0


async def test_a_shared_store_that_is_down_costs_the_order_and_not_the_answer():
    gateway = Gateway(DownStore())
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
