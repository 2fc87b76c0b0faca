"""Every kind of store keeps the same promises, and one that fails tears nothing."""

import asyncio

import pytest

from voice_gateway.channels.mqtt.channel import INTERRUPTED, Requests
from voice_gateway.channels.mqtt.topics import Request
from voice_gateway.conversation.history import Histories
from voice_gateway.conversation.store import MemoryStore, store_from
from voice_gateway.events import EventBus
from voice_gateway.turn import Reply


@pytest.fixture(params=["memory", "sqlite", "redis"])
async def store(request, tmp_path):
    if request.param != "redis":
        yield store_from(request.param, tmp_path / "s.sqlite")
        return
    redis = request.getfixturevalue("redis")
    shared = store_from(redis.url, tmp_path / "unused")
    yield shared
    redis.ask("FLUSHALL")
    await shared.aclose()


async def test_what_is_put_is_found_until_it_expires(store):
    await store.put("k", "ä\n", expiry_seconds=60)
    await store.put("short", "x", expiry_seconds=0.001)
    await asyncio.sleep(0.01)

    assert await store.get("k") == "ä\n"
    assert await store.get("short") is None
    assert await store.get("never") is None


async def test_a_stalled_writer_does_not_overwrite(store):
    assert await store.exchange("k", None, "first ä", expiry_seconds=60)
    assert not await store.exchange("k", None, "began anew", expiry_seconds=60)
    assert await store.exchange("k", "first ä", "second", expiry_seconds=60)
    assert not await store.exchange("k", "first ä", "stalled", expiry_seconds=60)
    assert await store.get("k") == "second"
    await store.put("gone", "old", expiry_seconds=0.001)
    await asyncio.sleep(0.01)
    assert await store.exchange("gone", "old", "new", expiry_seconds=60), "nobody else has put anything there"


async def test_one_of_many_concurrent_writers_wins(store):
    won = await asyncio.gather(*(store.exchange("c", None, str(n), expiry_seconds=60) for n in range(10)))

    assert won.count(True) == 1
    assert await store.get("c") == str(won.index(True))


async def test_memory_forgets_what_expired_and_then_the_oldest():
    now = 0.0
    store = MemoryStore(lambda: now, most_entries=100)
    for number in range(50):
        await store.put(f"short {number}", "x", expiry_seconds=10)
    now = 100.0
    await store.put("kept", "x", expiry_seconds=1000)
    assert len(store._entries) == 1

    for number in range(99):
        await store.put(f"long {number}", "x", expiry_seconds=1000)
    await store.put("kept", "y", expiry_seconds=1000)  # in use, so it is not the oldest
    await store.put("last", "x", expiry_seconds=1000)

    assert len(store._entries) == 100
    assert await store.get("kept") == "y"
    assert await store.get("long 0") is None


def request_of(id: str) -> Request:
    return Request("turn on the lamp", id, "c", "voice/res", repeatable=True)


async def test_the_first_of_two_answers_stays(store):
    """A gateway whose machine slept, and lost its turn, wakes up after another one answered for it."""
    began, wake = asyncio.Event(), asyncio.Event()

    async def sleepy(utterance, read_only_reason=None):
        began.set()
        await wake.wait()
        return Reply("It is now on.")

    async def awake(utterance, read_only_reason=None):
        return Reply(read_only_reason or "acted twice", ok=False)

    async with asyncio.TaskGroup() as tasks:
        late = tasks.create_task(Requests(sleepy, store, None).answered(request_of("r")))
        await began.wait()
        second = await Requests(awake, store, None).answered(request_of("r"))
        wake.set()

    assert second["text"] == INTERRUPTED
    assert late.result() == second


async def test_a_stalled_turn_does_not_overwrite_a_newer_history(store):
    """A question that was settled by others must not be open again, nor one of theirs be forgotten."""
    histories = [Histories(store, 60.0, EventBus()) for _gateway in range(2)]
    stalled, quick = [await one.load("conversation:c") for one in histories]
    quick.add_user("turn on the lamp")
    stalled.state["confirmation"] = {"calls": []}

    await histories[1].save("conversation:c", quick)
    await histories[0].save("conversation:c", stalled)

    kept = await histories[0].load("conversation:c")
    assert kept.state == {}
    assert [message.text for message in kept.messages] == ["turn on the lamp"]
    kept.add_user("and off")
    await histories[0].save("conversation:c", kept)
    assert len((await histories[1].load("conversation:c")).messages) == 2
