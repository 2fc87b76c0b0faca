"""Where acts are kept: each is given once, for an hour, by door, room and conversation."""

import asyncio
from pathlib import Path

import pytest
from tests.fakes.home_talk import HomeTalk
from tests.fakes.redis_server import redis_fixture  # noqa: F401

from voice_gateway.conversation.store import MemoryStore, SqliteStore
from voice_gateway.conversation.undo_log import MOST_ACTS, KeptActs, acts_from
from voice_gateway.languages import say
from voice_gateway.shared.store import RedisStore
from voice_gateway.turns.acts import Acts, UndoEntry, Where

NOT_UNIT = "a Redis of its own"
ONE_LAMP = "[home]\nradio_seconds = 0\n[[device]]\nname = 'Lamp'\nkind = 'switch'\n"
HERE = Where("cli", "kitchen", "c1")


class Clock:
    time = 1_000_000.0

    def __call__(self) -> float:
        return self.time


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(params=["memory", "sqlite", "redis"])
async def acts(request, tmp_path, clock):
    if request.param == "memory":
        yield KeptActs(MemoryStore(clock), now=clock)
    elif request.param == "sqlite":
        yield KeptActs(SqliteStore(tmp_path / "undo.sqlite", clock), now=clock)
    else:
        redis = request.getfixturevalue("redis")
        store = RedisStore(redis.url)
        yield KeptActs(store, "gateway", clock)
        redis.ask("FLUSHALL")
        await store.aclose()


def act(name: str, clock: Clock) -> UndoEntry:
    done = {"name": name, "args": {"deviceName": "Läm\np", "level": 4}}
    return UndoEntry((done,), (done,), ("It is not known.",), clock.time)


async def test_the_newest_is_given_once(acts: Acts, clock: Clock):
    for name in ("one", "two"):
        await acts.add(act(name, clock), HERE)

    assert await acts.newest(HERE, take=False) == act("two", clock)
    assert await acts.newest(HERE, take=True) == act("two", clock)
    assert await acts.newest(HERE, take=True) == act("one", clock)
    assert await acts.newest(HERE, take=True) is None


async def test_after_an_hour_it_is_gone(acts: Acts, clock: Clock):
    await acts.add(act("one", clock), HERE)
    clock.time += 3601
    assert await acts.newest(HERE, take=True) is None


async def test_one_of_many_concurrent_takers_gets_the_act(acts: Acts, clock: Clock):
    await acts.add(act("one", clock), HERE)

    got = await asyncio.gather(*(acts.newest(HERE, take=True) for _ in range(8)))

    assert sum(one is not None for one in got) == 1


@pytest.mark.slow
async def test_only_so_many_are_kept(acts: Acts, clock: Clock):
    for number in range(MOST_ACTS + 3):
        await acts.add(act(str(number), clock), HERE)

    left = 0
    while await acts.newest(HERE, take=True):
        left += 1
    assert left == MOST_ACTS


async def test_entries_of_another_version_are_ignored(clock: Clock):
    store = MemoryStore(clock)
    for text in ("[[", "7", '[["", "c1", "{}"], 3, ["kitchen", "c1", "{"calls": 3}"]]'):
        await store.put("acts::cli", text, expiry_seconds=60.0)

        assert await KeptActs(store, now=clock).newest(HERE, take=True) is None


async def test_a_turn_is_answered_without_an_undo_store(tmp_path: Path):
    (tmp_path / "undo.sqlite").mkdir()  # no file can be there
    acts = acts_from(MemoryStore(), tmp_path / "undo.sqlite", "", on_damage=print)
    talk = HomeTalk(ONE_LAMP, acts=acts)

    done = await talk.hears("turn on the lamp")
    undone = await talk.hears("undo")

    assert done.ok
    assert (undone.text, undone.ok) == (say("undo.unknown"), False)
    assert (await talk.hears("no, I meant the other one")).outcomes == ()
