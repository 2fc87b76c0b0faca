"""Conversations in a file: an older file is taken over, a damaged one is replaced and told of."""

import asyncio
import sqlite3
import time
from contextlib import closing
from pathlib import Path

from tests.fakes.waiting import until

from voice_gateway.conversation.history import Histories
from voice_gateway.conversation.store import store_from
from voice_gateway.events import EventBus, PartState, State
from voice_gateway.reports import damaged_file


def older_file(path: Path, entries: int = 3) -> None:
    """As the first version wrote it: no version in it."""
    with closing(sqlite3.connect(path)) as other, other:
        other.execute("CREATE TABLE IF NOT EXISTS entries (key TEXT PRIMARY KEY, expires REAL, text TEXT)")
        rows = [(f"conversation:{n}", time.time() + 900, "x" * 500) for n in range(entries)]
        other.executemany("INSERT OR REPLACE INTO entries VALUES (?, ?, ?)", rows)


async def test_a_damaged_file_is_reported_and_begun_anew(tmp_path: Path) -> None:
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
