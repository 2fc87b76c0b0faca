"""A file and a Redis make the same promises: routines and timers are kept, claimed once, and never half."""

import signal
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from tests.fakes.gateway_process import Commands, Running
from tests.fakes.redis_server import RedisServer
from tests.fakes.running_gateway import ask
from tests.fakes.waiting import until

from voice_gateway.errors import ToolUnavailable
from voice_gateway.routines.model import Condition, Event, Every, LastRun, Once, Routine, Sun, Trigger
from voice_gateway.routines.store import Finished, RoutineStore, Row, TooMany, kept_in
from voice_gateway.shared import connected
from voice_gateway.shared.rows import RedisRows, SharedRedis
from voice_gateway.tools.builtin.timers.store import Kind, TimerStore

NOW = datetime(2026, 11, 16, 7, tzinfo=UTC)
LAMP = {"name": "control_zwave_device", "args": {"deviceName": "Floor Lamp", "action": "on"}}


def once(seconds: float = 60, **more) -> Routine:
    due = NOW + timedelta(seconds=seconds)
    return Routine("lamp on", Once(due), (LAMP,), next=due, made=NOW, **more)


@pytest.fixture(params=["sqlite", "redis"])
def store(request, tmp_path: Path) -> RoutineStore:
    """It holds the lease; `again` opens it once more, as another process does."""
    setting = "sqlite"
    if request.param == "redis":
        setting = request.getfixturevalue("redis").url
        request.getfixturevalue("redis").ask("FLUSHALL")
    made, lease = kept_in(connected(setting), tmp_path)
    assert lease.renew()
    made.again = lambda: kept_in(connected(setting), tmp_path)[0]  # type: ignore[attr-defined]
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
    last = LastRun(NOW, ok=False, text="It is jammed.")
    more = ("hello", condition, (("Lamp", "Hall", "zwave"),), True)
    due = [*(NOW + timedelta(seconds=second, microseconds=123456) for second in range(3)), None]
    routines = [
        Routine("x", one, (LAMP,), *more, last=last, next=at) for one, at in zip(kinds, due, strict=True)
    ]
    made = store.add(routines, 10)
    assert store.again().all() == made
    assert len({one.id for one in made}) == 4


def test_many_are_kept_together_or_not_at_all(store):
    for kept, limit in ((0, 10), (1, 1)):
        with pytest.raises(TooMany):
            store.add([once()] * (limit + 1 - kept), limit)
        assert len(store.all()) == kept
        store.add([once()], 10)


def test_many_threads_claim_each_run_once(store):
    made = store.add([once()] * 20, 100)
    wanted = [(one.id, one.next) for one in made]

    def claim(name: str) -> list[int]:
        return [one.id for pair in wanted for one in store.claim([pair], name)]

    with ThreadPoolExecutor(4) as pool:
        claimed = list(pool.map(claim, "abcd"))
    assert sorted(one for ids in claimed for one in ids) == sorted(one.id for one in made)


def test_what_was_moved_paused_or_cancelled_is_not_claimed(store):
    moved, paused, gone = store.add([once()] * 3, 10)
    store.replace([replace(moved, next=NOW + timedelta(hours=1)), replace(paused, paused=True)])
    store.remove([gone.id])
    assert store.claim([(one.id, one.next) for one in (moved, paused, gone)], "me") == []


def test_what_a_dead_gateway_claimed_is_known_and_can_be_finished_by_another(store):
    [made] = store.add([once()], 10)
    store.claim([(made.id, made.next)], "dead")
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
    [ours] = store.claim([(made.id, NOW)], "me")
    done = replace(ours, last=LastRun(NOW, True, "Done."))
    store.finish([Finished(done, NOW + timedelta(days=1))], "me")
    [kept] = store.all()
    assert (kept.next, kept.last) == (NOW + timedelta(days=1), LastRun(NOW, True, "Done."))
    assert store.claim([(made.id, NOW)], "me") == []


def test_what_people_change_while_it_runs_stays_as_they_have_it(store):
    daily = Routine("x", Every("FREQ=DAILY", NOW), (LAMP,), next=NOW)
    moved, paused, single = store.add([daily, daily, once(0)], 10)
    claimed = store.claim([(one.id, one.next) for one in (moved, paused, single)], "me")
    later = NOW + timedelta(hours=3)
    other = Every("FREQ=WEEKLY", NOW)
    store.replace(
        [
            replace(moved, trigger=other, next=later),
            replace(paused, paused=True),
            replace(single, trigger=Once(later), next=later),
        ]
    )
    tomorrow, last = NOW + timedelta(days=1), LastRun(NOW, True, "Done.")
    over = [Finished(replace(one, last=last), tomorrow, one.id == single.id) for one in claimed]
    store.finish(over, "me")

    kept = {one.id: one for one in store.all()}
    assert (kept[moved.id].trigger, kept[moved.id].next, kept[moved.id].last) == (other, later, last)
    assert (kept[paused.id].paused, kept[paused.id].next) == (True, tomorrow)
    assert kept[single.id].next == later
    assert store.unfinished("nobody") == []


def test_what_must_stay_so_is_planned_unless_it_runs_or_is_paused(store):
    event = Routine("x", Event("zwave", "zwave://devices/7/0", "open", 600.0), (LAMP,))
    waiting, runs, paused, clock = store.add([event, event, replace(event, paused=True), once()], 10)
    store.claim([(runs.id, None)], "me")
    due = NOW + timedelta(seconds=600, microseconds=7)
    store.plan({one.id: due for one in (waiting, runs, paused, clock)})
    found = {one.id: one.next for one in store.all()}
    assert found == {waiting.id: due, runs.id: None, paused.id: None, clock.id: clock.next}
    store.plan({waiting.id: None})
    assert {one.next for one in store.all()} == {None, clock.next}


# --- a Redis that fails


def works(store: RoutineStore) -> bool:
    try:
        store.stamp()
    except ToolUnavailable:
        return False
    return True


def test_a_row_that_cannot_be_read_is_left_out(redis):
    redis.ask("FLUSHALL")
    store, _ = kept_in(connected(redis.url), Path())
    kept, _spoilt, empty = store.add([once()] * 3, 10)
    redis.ask("HSET", "voice-gateway:routines:rows", str(_spoilt.id), '["{}", false, 1.0, false, null, null]')
    redis.ask("HSET", "voice-gateway:routines:rows", str(empty.id), "")
    assert [one.id for one in store.all()] == [kept.id]


def test_a_gateway_that_stalled_while_it_held_the_lease_starts_nothing(redis):
    redis.ask("FLUSHALL")
    stalled, its_lease = kept_in(connected(redis.url), Path())
    other, lease = kept_in(connected(redis.url), Path())
    [made] = stalled.add([once()], 10)
    assert its_lease.renew()
    redis.ask("DEL", "voice-gateway:lease")  # it ran out

    assert stalled.claim([(made.id, made.next)], "stalled") == []
    assert lease.renew()
    assert stalled.claim([(made.id, made.next)], "stalled") == []
    assert not its_lease.renew()
    assert other.claim([(made.id, made.next)], "other") == [made]


def test_a_lease_that_changes_hands_during_a_claim_aborts_it(redis):
    redis.ask("FLUSHALL")
    shared = SharedRedis(redis.url)
    store, _ = kept_in(connected(redis.url), Path())
    assert shared.lease.renew()
    [made] = store.add([once()], 10)
    rows = RedisRows(shared, "routines", Row, "lost")
    seen = []

    def work(found):
        seen.append(list(found))
        if found:
            redis.ask("SET", "voice-gateway:lease", "another gateway")
        for number, row in found.items():
            found[number] = row._replace(claimed_by="me")

    rows.change(work, [made.id], as_holder=True)
    assert seen == [[made.id], []]
    assert store.unfinished("nobody") == []


async def test_routines_survive_a_redis_that_is_killed(tmp_path: Path):
    server = RedisServer(tmp_path)
    store, lease = kept_in(connected(server.url), tmp_path)
    assert lease.renew()
    made = store.add([once(), once()], 10)
    claimed = store.claim([(made[0].id, made[0].next)], "me")
    server.kill()
    for step in (store.all, store.stamp, lambda: store.add([once()], 10), lease.renew):
        with pytest.raises(ToolUnavailable):
            step()
    server.start()
    await until(lambda: works(store))
    assert store.all() == made
    assert store.unfinished("another") == claimed
    await until(lease.renew)
    server.stop()


async def test_a_claim_whose_answer_was_lost_can_be_repeated_by_its_gateway_only(tmp_path: Path):
    server = RedisServer(tmp_path)
    store, lease = kept_in(connected(server.url), tmp_path)
    [made] = store.add([once()], 10)
    assert lease.renew()
    server.freeze()
    with pytest.raises(ToolUnavailable):
        store.claim([(made.id, made.next)], "me")
    server.thaw()
    await until(lambda: works(store))
    assert lease.renew()
    assert store.claim([(made.id, made.next)], "me") == [made]
    assert store.claim([(made.id, made.next)], "another") == []
    server.stop()


# --- timers


@pytest.fixture(params=["sqlite", "redis"])
def timers(request, tmp_path: Path) -> TimerStore:
    if request.param == "sqlite":
        return TimerStore(tmp_path / "timers.sqlite3")
    redis = request.getfixturevalue("redis")
    redis.ask("FLUSHALL")
    shared = SharedRedis(redis.url)
    assert shared.lease.renew()
    return TimerStore(shared)


def test_timers_are_kept_moved_and_removed(timers):
    pasta = timers.add(due=NOW + timedelta(minutes=9, microseconds=5), now=NOW, name="pasta")
    call = timers.add(due=NOW + timedelta(minutes=1), now=NOW, message="call Ann")
    assert timers.all() == [call, pasta]
    assert (pasta.kind, call.kind) == (Kind.TIMER, Kind.REMINDER)
    before = timers.stamp()
    moved = timers.move(pasta, NOW + timedelta(seconds=5), 5.0)
    assert moved.id != pasta.id
    assert timers.stamp() != before
    assert timers.all() == [moved, call]
    assert timers.move(pasta, NOW, 0.0) is None
    assert timers.remove([moved.id, 99]) == [moved]
    assert timers.all() == [call]


@pytest.mark.slow
async def test_two_gateways_with_one_redis_ring_each_timer_once_and_take_over_from_a_frozen_one(
    redis, commands: Commands, tmp_path: Path
):
    redis.ask("FLUSHALL")
    commands.file("voice-gateway.toml", f'[brain]\nstore = "{redis.url}"\n[tools]\nsearch = false\n')
    (tmp_path / "other").mkdir()
    other = Commands(tmp_path / "other")
    other.file("voice-gateway.toml", f'[brain]\nstore = "{redis.url}"\n[tools]\nsearch = false\n')
    async with Running.opened(commands) as first, Running.opened(other) as second:
        await until(lambda: redis.ask("GET", "voice-gateway:lease"))
        assert (await ask(commands, "set a timer for 1 second called tea"))["ok"]
        timers = TimerStore(SharedRedis(redis.url))
        await until(lambda: any(timer.rang for timer in timers.all()))
        assert (await ask(other, "stop"))["ok"]
        assert timers.all() == []
        first.process.send_signal(signal.SIGSTOP)
        assert (await ask(other, "set a timer for 3 seconds called eggs"))["ok"]
        await until(lambda: any(timer.rang for timer in timers.all()))
        first.process.send_signal(signal.SIGCONT)
        assert (await ask(other, "stop"))["ok"]
        outs = [await _ended(one) for one in (first, second)]
    said = "".join(outs).lower()
    assert said.count("tea timer is done") == 1
    assert said.count("eggs timer is done") == 1


async def _ended(running: Running) -> str:
    running.process.send_signal(signal.SIGTERM)
    out, _ = await running.process.communicate()
    return out.decode()
