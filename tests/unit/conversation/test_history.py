"""A store that fails costs the memory, says so, and tells when it is back."""

import asyncio
import contextlib
import json
import sqlite3
import time
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path

import pytest
from langchain_core.messages import HumanMessage, messages_from_dict
from tests.fakes.waiting import until

from voice_gateway.conversation.history import Histories, Locks
from voice_gateway.conversation.store import MemoryStore, store_from
from voice_gateway.events import EventBus, PartState, State
from voice_gateway.reports import damaged_file
from voice_gateway.turn import ToolCall, ToolOutcome
from voice_gateway.turns.history import MOST_KEPT_BYTES, History, pair


class Failing(MemoryStore):
    failing = True

    async def get(self, key):
        if self.failing:
            raise ConnectionError("gone")
        return await super().get(key)

    async def put(self, key, text, *, expiry_seconds):
        if self.failing:
            raise ConnectionError("gone")
        await super().put(key, text, expiry_seconds=expiry_seconds)


async def test_a_store_failure_and_its_recovery_are_reported(caplog):
    store, watch = Failing(), EventBus()
    histories = Histories(store, 60.0, watch)

    assert (await histories.load("c")).messages == []
    assert watch.state("memory") is State.DEGRADED
    history = History()
    history.add_user("hello")
    await histories.save("c", history)
    assert [record.getMessage() for record in caplog.records] == [
        "conversation could not be read, starting a new one",
        "conversation could not be kept",
    ]
    assert watch.part("memory").advice == "check brain.store: gone"

    store.failing = False
    await histories.save("c", history)

    assert watch.state("memory") is State.OK
    assert [message.text for message in (await histories.load("c")).messages] == ["hello"]


class Texts(MemoryStore):
    """Remembers how long each text was."""

    def __init__(self):
        super().__init__()
        self.sizes: list[int] = []

    async def put(self, key, text, *, expiry_seconds):
        self.sizes.append(len(text))
        await super().put(key, text, expiry_seconds=expiry_seconds)


def say(history: History, turn: int, result: str = "The lamp is on.") -> None:
    history.add_user(f"lamp on, for the {turn}th time")
    history.add_ai("", [ToolCall(f"call {turn}", "lamp", {"on": True})])
    history.add_outcomes([ToolOutcome(f"call {turn}", "lamp", result, True, 0.1)])
    history.add_ai(result)


@pytest.mark.parametrize(("turns", "result"), [(120, "The lamp is on."), (40, "long " * 5_000)])
async def test_a_kept_history_is_bounded_and_stays_valid(turns: int, result: str) -> None:
    store = Texts()
    histories = Histories(store, 60.0, EventBus())
    for turn in range(turns):
        history = await histories.load("c")
        say(history, turn, result)
        await histories.save("c", history)

        kept = messages_from_dict(json.loads(await store.get("c") or "")["messages"])
        assert isinstance(kept[0], HumanMessage), "a turn goes as a whole"
        assert pair(kept) == kept
        assert kept[-4].text == f"lamp on, for the {turn}th time"
    assert max(store.sizes[turns // 2 :]) <= max(store.sizes[: turns // 2]) * 1.1
    assert max(store.sizes) <= 2 * MOST_KEPT_BYTES


@pytest.mark.parametrize("who", ["user", "tool", "model"])
async def test_a_single_turn_above_the_limit_is_shortened(who: str) -> None:
    store = Texts()
    histories, huge, history = Histories(store, 60.0, EventBus()), "x" * 3 * MOST_KEPT_BYTES, History()
    history.add_user(huge if who == "user" else "hello")
    history.add_ai("", [ToolCall("1", "lamp", {})])
    history.add_outcomes([ToolOutcome("1", "lamp", huge if who == "tool" else "on", True, 0.1)])
    history.add_ai(huge if who == "model" else "It is on.")

    await histories.save("c", history)

    assert store.sizes[0] <= MOST_KEPT_BYTES
    assert len((await histories.load("c")).messages) == 4


@pytest.mark.parametrize("stored", ["{", "[1]", '{"messages": [{"type": "of tomorrow"}]}'])
async def test_an_unreadable_conversation_is_replaced(stored):
    """Damaged, or of another version: else nothing that is said in it would be kept until it expires."""
    store = MemoryStore()
    await store.put("c", stored, expiry_seconds=60)
    histories = Histories(store, 60.0, EventBus())

    history = await histories.load("c")
    assert history.messages == []
    history.add_user("hello")
    await histories.save("c", history)

    assert [message.text for message in (await histories.load("c")).messages] == ["hello"]


async def test_a_recovered_store_is_noticed_without_a_turn() -> None:
    store, watch = Failing(), EventBus()
    histories = Histories(store, 60.0, watch)
    watching = asyncio.ensure_future(histories.watch_store(0.0))
    histories.failed("conversation could not be kept", OSError("database or disk is full"))
    for _ in range(20):
        await asyncio.sleep(0)
    assert watch.state("memory") is State.DEGRADED
    store.failing = False
    await until(lambda: watch.state("memory") is State.OK)
    watching.cancel()
    await asyncio.gather(watching, return_exceptions=True)


# --- One utterance at a time, first come, first served; across gateways see tests/gateway/test_shared.py


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


async def test_a_turn_runs_without_the_lock_of_a_lost_store():
    gateway = Gateway(DownStore())
    gateway.leave.set()

    await asyncio.wait_for(gateway.answers(), LIMIT)

    assert gateway.inside.is_set()
    assert gateway.failures == ["conversation could not be claimed"]


async def test_a_cancelled_wait_releases_its_lock():
    gateway = Gateway(MemoryStore())
    async with asyncio.timeout(LIMIT), asyncio.TaskGroup() as tasks:
        tasks.create_task(gateway.answers())
        await gateway.inside.wait()
        waiting = asyncio.ensure_future(gateway.answers())
        await asyncio.sleep(0)
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
        del waiting
        assert len(gateway.locks._locks) == 1
        gateway.leave.set()

    assert not gateway.locks._locks


# --- Conversations in a file: an older file is taken over, a damaged one is replaced and told of


def older_file(path: Path, entries: int = 3) -> None:
    """As the first version wrote it: no version in it."""
    with closing(sqlite3.connect(path)) as other, other:
        other.execute("CREATE TABLE IF NOT EXISTS entries (key TEXT PRIMARY KEY, expires REAL, text TEXT)")
        rows = [(f"conversation:{n}", time.time() + 900, "x" * 500) for n in range(entries)]
        other.executemany("INSERT OR REPLACE INTO entries VALUES (?, ?, ?)", rows)


async def test_a_damaged_file_is_reported_and_replaced(tmp_path: Path) -> None:
    path, watch, told = tmp_path / "conversations.sqlite", EventBus(), []
    watch.subscribe(lambda event: told.append(event) if isinstance(event, PartState) else None)
    older_file(path, entries=500)
    with path.open("r+b") as file:  # the middle of the file, which nobody reads to open it
        file.seek(path.stat().st_size // 2 // 4096 * 4096)
        file.write(b"\xff" * 4096 * 3)
    store = store_from("sqlite", path, on_damage=damaged_file(watch, "memory", "conversations"))
    histories = Histories(store, 60.0, watch)

    for number in range(500):
        await store.get(f"conversation:{number}")
    await until(lambda: told)
    assert (told[0].part, told[0].state) == ("memory", State.DEGRADED)
    assert "was damaged, so I began a new one" in told[0].sentence
    assert "conversations.sqlite.damaged" in told[0].advice

    await histories.save("c", await histories.load("c"))
    assert watch.state("memory") is State.OK
    assert await asyncio.to_thread((tmp_path / "conversations.sqlite.damaged").exists)
