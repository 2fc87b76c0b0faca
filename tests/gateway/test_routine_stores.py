"""Every place where routines are kept makes the same promises: kept, claimed once, and never half."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from tests.fakes.redis_server import RedisServer
from tests.fakes.waiting import until

from voice_gateway.errors import ToolUnavailable
from voice_gateway.routines.model import Condition, Event, Every, Last, Once, Routine, Sun, Trigger
from voice_gateway.routines.redis_store import RedisLease, RedisRoutines, connected
from voice_gateway.routines.store import Finished, RoutineStore, TooMany, kept_in

NOW = datetime(2026, 11, 16, 7, tzinfo=UTC)
LAMP = {"name": "control_zwave_device", "args": {"deviceName": "Floor Lamp", "action": "on"}}


def once(seconds: float = 60, **more) -> Routine:
    due = NOW + timedelta(seconds=seconds)
    return Routine("lamp on", Once(due), (LAMP,), next=due, made=NOW, **more)


@pytest.fixture(scope="module")
def redis(tmp_path_factory) -> Iterator[RedisServer]:
    server = RedisServer(tmp_path_factory.mktemp("redis"))
    yield server
    server.stop()


@pytest.fixture(params=["sqlite", "redis"])
def store(request, tmp_path: Path) -> RoutineStore:
    """`again` opens it once more, as another process does."""
    setting = "sqlite"
    if request.param == "redis":
        setting = request.getfixturevalue("redis").url
        connected(setting).flushall()
    made, _ = kept_in(setting, tmp_path)
    made.again = lambda: kept_in(setting, tmp_path)[0]  # type: ignore[attr-defined]
    return made


def test_each_kind_comes_back_as_it_was(store):
    kinds: list[Trigger] = [
        Once(NOW, 60.0),
        Every("FREQ=DAILY;BYHOUR=7", NOW),
        Sun("sunset", -1200, (0, 1), once=True),
        Event("zwave", "zwave://devices/7/0", "temperature < 18", 600.0, "Hall Sensor"),
    ]
    condition = Condition(
        (0, 4), "22:00", "sunrise", "zwave", "zwave://devices/3/0", "Lamp", "on", unless=True
    )
    last = Last(NOW, ok=False, text="It is jammed.")
    more = ("hello", condition, (("Lamp", "Hall", "zwave"),), True)
    due = [*(NOW + timedelta(seconds=second, microseconds=123456) for second in range(3)), None]
    routines = [
        Routine("x", one, (LAMP,), *more, last=last, next=at) for one, at in zip(kinds, due, strict=True)
    ]
    made = store.add(routines, 10)
    assert store.again().all() == made
    assert len({one.id for one in made}) == 4


def test_many_are_kept_together_or_not_at_all(store):
    with pytest.raises(TooMany):
        store.add([once()] * 11, 10)
    assert store.all() == []


def test_no_more_than_the_limit_are_kept(store):
    store.add([once()], 1)
    with pytest.raises(TooMany, match="1 routines already"):
        store.add([once()], 1)
    assert len(store.all()) == 1


def test_of_many_one_gets_the_claim(store):
    made = store.add([once()] * 20, 100)
    wanted = [(one.id, one.next) for one in made]

    def claim(name: str) -> list[int]:
        own = store.again()
        return [one.id for pair in wanted for one in own.claim([pair], name, NOW)]

    with ThreadPoolExecutor(4) as pool:
        got = list(pool.map(claim, "abcd"))
    assert sorted(one for ids in got for one in ids) == sorted(one.id for one in made)


def test_what_was_moved_paused_or_cancelled_is_not_claimed(store):
    moved, paused, gone = store.add([once()] * 3, 10)
    store.replace([replace(moved, next=NOW + timedelta(hours=1)), replace(paused, paused=True)])
    store.remove([gone.id])
    assert store.claim([(one.id, one.next) for one in (moved, paused, gone)], "me", NOW) == []


def test_what_a_dead_gateway_claimed_is_known_and_can_be_finished_by_another(store):
    [made] = store.add([once()], 10)
    store.claim([(made.id, made.next)], "dead", NOW)
    assert store.unfinished("dead") == []
    [found] = store.unfinished("me")
    assert found.id == made.id
    store.finish([Finished(found, gone=True)], "me")  # not ours
    assert store.unfinished("me")
    store.finish([Finished(found, gone=True)], None)
    assert store.all() == []


def test_what_is_finished_is_due_again(store):
    daily = Routine("x", Every("FREQ=DAILY", NOW), (LAMP,), next=NOW)
    [made] = store.add([daily], 10)
    [ours] = store.claim([(made.id, NOW)], "me", NOW)
    done = replace(ours, last=Last(NOW, True, "Done."))
    store.finish([Finished(done, NOW + timedelta(days=1))], "me")
    [kept] = store.all()
    assert (kept.next, kept.last) == (NOW + timedelta(days=1), Last(NOW, True, "Done."))
    assert store.claim([(made.id, NOW)], "me", NOW) == []


def test_every_change_changes_the_stamp(store):
    before = store.stamp()
    [made] = store.add([once()], 10)
    assert store.stamp() != before
    before = store.stamp()
    store.remove([made.id])
    assert store.stamp() != before


def test_what_people_change_while_it_runs_stays_as_they_have_it(store):
    daily = Routine("x", Every("FREQ=DAILY", NOW), (LAMP,), next=NOW)
    moved, paused, single = store.add([daily, daily, once(0)], 10)
    claimed = store.claim([(one.id, one.next) for one in (moved, paused, single)], "me", NOW)
    later = NOW + timedelta(hours=3)
    other = Every("FREQ=WEEKLY", NOW)
    store.replace(
        [
            replace(moved, trigger=other, next=later),
            replace(paused, paused=True),
            replace(single, trigger=Once(later), next=later),
        ]
    )
    tomorrow, last = NOW + timedelta(days=1), Last(NOW, True, "Done.")
    over = [Finished(replace(one, last=last), tomorrow, one.id == single.id) for one in claimed]
    store.finish(over, "me")

    kept = {one.id: one for one in store.all()}
    assert (kept[moved.id].trigger, kept[moved.id].next, kept[moved.id].last) == (other, later, last)
    assert (kept[paused.id].paused, kept[paused.id].next) == (True, tomorrow)
    assert kept[single.id].next == later
    assert store.unfinished("nobody") == []


def test_an_answer_that_was_lost_is_given_again(store):
    [made] = store.add([once()], 10)
    first = store.claim([(made.id, made.next)], "me", NOW)
    assert store.claim([(made.id, made.next)], "me", NOW) == first
    assert store.claim([(made.id, made.next)], "another", NOW) == []


def test_what_must_stay_so_is_planned_unless_it_runs_or_is_paused(store):
    event = Routine("x", Event("zwave", "zwave://devices/7/0", "open", 600.0), (LAMP,))
    waiting, runs, paused, clock = store.add([event, event, replace(event, paused=True), once()], 10)
    store.claim([(runs.id, None)], "me", NOW)
    due = NOW + timedelta(seconds=600, microseconds=7)
    store.plan({one.id: due for one in (waiting, runs, paused, clock)})
    found = {one.id: one.next for one in store.planned()}
    assert found == {waiting.id: due, runs.id: None, paused.id: None, clock.id: clock.next}
    assert {one.id for one in store.events()} == {waiting.id, runs.id}
    store.plan({waiting.id: None})
    assert {one.next for one in store.planned()} == {None, clock.next}


def test_the_next_one_is_the_first_and_what_has_no_time_the_last(store):
    event = Routine("event", Event("zwave", "r", "open"), (LAMP,))
    store.add([event, once(60), replace(once(10), paused=True), once(30)], 10)
    assert [(one.text, one.next) for one in store.all()][:2] == [
        ("lamp on", NOW + timedelta(seconds=30)),
        ("lamp on", NOW + timedelta(seconds=60)),
    ]


# --- a Redis that fails


def works(store: RoutineStore) -> bool:
    try:
        store.stamp()
    except ToolUnavailable:
        return False
    return True


def test_a_damaged_one_is_set_aside_and_the_others_stay(redis):
    client = connected(redis.url)
    client.flushall()
    store = RedisRoutines(client)
    kept, spoilt, empty = store.add([once()] * 3, 10)
    client.hset("voice-gateway:routines:body", str(spoilt.id), "{}")
    client.hset("voice-gateway:routines:plan", str(empty.id), "")
    assert [one.id for one in store.all()] == [kept.id]
    assert [one.id for one in store.planned()] == [kept.id]
    assert client.hlen("voice-gateway:routines:damaged") == 2
    assert client.get("voice-gateway:routines:version") == "1"


def test_of_two_gateways_one_has_the_lease_until_it_lets_go(redis):
    connected(redis.url).flushall()
    first, second = RedisLease(connected(redis.url)), RedisLease(connected(redis.url))
    assert not second.held()
    assert first.renew(loud=False)
    assert not second.renew(loud=False)
    assert first.renew(loud=False)
    second.release()  # not its own
    assert first.held()
    first.release()
    assert second.renew(loud=False)


async def test_what_was_kept_survives_a_redis_that_is_killed(tmp_path: Path):
    server = RedisServer(tmp_path)
    store, lease = kept_in(server.url, tmp_path)
    made = store.add([once(), once()], 10)
    claimed = store.claim([(made[0].id, made[0].next)], "me", NOW)
    server.kill()
    for step in (store.all, store.stamp, lambda: store.add([once()], 10), lambda: lease.renew(loud=False)):
        with pytest.raises(ToolUnavailable, match="Routines"):
            step()
    server.start()
    await until(lambda: works(store))  # it reads what it had written down first
    assert store.all() == made
    assert store.unfinished("another") == claimed
    assert lease.renew(loud=False)
    server.stop()


async def test_a_redis_that_hangs_is_not_waited_for_and_nothing_is_done_twice_when_it_wakes(tmp_path: Path):
    server = RedisServer(tmp_path)
    store, _ = kept_in(server.url, tmp_path)
    [made] = store.add([once()], 10)
    server.freeze()
    with pytest.raises(ToolUnavailable):
        store.claim([(made.id, made.next)], "me", NOW)
    server.thaw()
    await until(lambda: works(store))
    assert store.claim([(made.id, made.next)], "me", NOW) == [made], "whether or not it came through"
    assert store.claim([(made.id, made.next)], "another", NOW) == []
    server.stop()
