"""Routines start in time, at most once, and never in silence; no test waits for the clock on the wall."""

import asyncio
import contextlib
import itertools
from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from tests.fakes.timer_clock import StoppedClock

from voice_gateway.errors import ToolUnavailable
from voice_gateway.routines.model import Condition, Event, Every, LastRun, Once, ResourceState, Routine
from voice_gateway.routines.runner import ROUNDS, RoutineRunner, StateChange
from voice_gateway.routines.schedule import Place
from voice_gateway.routines.store import kept_in
from voice_gateway.shared.lease import FileLease

START = datetime(2026, 11, 16, 7, tzinfo=UTC)
PLACE = Place(UTC, 52.5, 13.4)
LAMP = {"name": "control_zwave_device", "args": {"deviceName": "Floor Lamp", "action": "on"}}
DOOR = ("zwave", "zwave://devices/7/0")
EVERY_DAY = "FREQ=DAILY;BYHOUR=8;BYMINUTE=0;BYSECOND=0"


class House:
    """What the gateway is to a runner."""

    def __init__(self) -> None:
        self.done: list[str] = []
        self.told: list[str] = []
        self.asked: list[str] = []
        self.states: dict[str, str] = {}
        self.blocked: asyncio.Event | None = None

    async def carry_out(self, routine: Routine) -> LastRun:
        self.done.append(routine.text)
        if self.blocked is not None:
            await self.blocked.wait()
        return LastRun(START, ok=True, text="Done.")

    async def missed(self, routine: Routine) -> None:
        self.asked.append(routine.text)

    async def state_of(self, _server: str, resource: str) -> ResourceState | None:
        return ResourceState(self.states[resource]) if resource in self.states else None

    def tell(self, text: str) -> None:
        self.told.append(text)


class Gateway:
    def __init__(
        self, folder: Path, clock: StoppedClock, monotonic: Callable[[], float] | None = None
    ) -> None:
        self.clock, self.house = clock, House()
        self.store = kept_in(None, folder)[0]
        self.runner = RoutineRunner(
            self.store,
            FileLease(folder / "routines.lease"),
            PLACE,
            self.house,
            grace_seconds=120,
            now=clock.now,
            monotonic=monotonic or clock.monotonic,
            wait=clock.wait,
        )

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncIterator["Gateway"]:
        task = asyncio.create_task(self.runner.run())
        try:
            await self.clock.settled()
            yield self
        finally:
            task.cancel()
            await asyncio.wait([task])

    async def settle(self) -> None:
        """Until what was started is done and written down."""
        for _ in range(5):
            self.clock.wake()
            await self.clock.settled()

    def add(self, trigger, text: str = "lamp on", due: datetime | None = None, **more) -> Routine:
        due = trigger.at if isinstance(trigger, Once) else due
        return self.store.add([Routine(text, trigger, (LAMP,), next=due, **more)], 2000)[0]

    def told(self, before: str, after: str, resource: str = DOOR[1]) -> None:
        self.runner.happened(StateChange(DOOR[0], resource, ResourceState(before), ResourceState(after)))


@pytest.fixture
def clock() -> StoppedClock:
    return StoppedClock(START)


@pytest.fixture
def gateway(tmp_path: Path, clock: StoppedClock) -> Gateway:
    return Gateway(tmp_path, clock)


async def test_once_runs_when_its_time_has_come_and_leaves_the_list(gateway):
    gateway.add(Once(START + timedelta(minutes=1)))
    async with gateway.running():
        await gateway.clock.advance(59)
        assert gateway.house.done == []
        await gateway.clock.advance(1)
        await gateway.settle()
        assert gateway.house.done == ["lamp on"]
        assert gateway.store.all() == []


async def test_a_repeated_one_is_due_again_and_says_how_it_went(gateway):
    gateway.add(Every(EVERY_DAY, START), due=START + timedelta(hours=1))
    async with gateway.running():
        gateway.clock.time = START + timedelta(hours=1)
        await gateway.settle()
        [kept] = gateway.store.all()
        assert (kept.next, kept.last.text) == (START + timedelta(days=1, hours=1), "Done.")


async def test_a_clock_that_is_set_back_during_a_run_starts_it_no_second_time(gateway):
    due = START + timedelta(hours=1)
    gateway.add(Every(EVERY_DAY, START), due=due)
    async with gateway.running():
        gateway.house.blocked = slow = asyncio.Event()
        gateway.clock.time = due
        await gateway.settle()
        gateway.clock.time = START
        slow.set()
        await gateway.settle()
        gateway.clock.time = due
        await gateway.settle()
        assert gateway.house.done == ["lamp on"]
        assert gateway.store.all()[0].next == due + timedelta(days=1)


async def test_a_duration_is_time_that_passes(tmp_path, clock):
    """The clock jumps ahead by an hour; the lamp stays on for its ten minutes."""
    passed = [1000.0]
    gateway = Gateway(tmp_path, clock, lambda: passed[0])
    gateway.add(Once(START + timedelta(minutes=10, microseconds=5), 600.0))
    async with gateway.running():
        gateway.clock.time = START + timedelta(hours=1)
        await gateway.settle()
        assert gateway.house.done == []
        passed[0] += 601
        await gateway.settle()
        assert gateway.house.done == ["lamp on"]


@pytest.mark.parametrize(("late", "done", "asked"), [(100, 1, 0), (121, 0, 1)])
async def test_a_single_one_is_done_a_little_late_or_asked_about(gateway, late, done, asked):
    gateway.add(Once(START - timedelta(seconds=late)))
    async with gateway.running():
        await gateway.settle()
        assert (len(gateway.house.done), len(gateway.house.asked)) == (done, asked)
        assert gateway.store.all() == []


async def test_a_repeated_one_that_was_missed_waits_for_its_next_time(gateway):
    gateway.add(Every(EVERY_DAY, START), due=START - timedelta(seconds=30))
    async with gateway.running():
        await gateway.settle()
        assert gateway.house.done == []
        assert gateway.store.all()[0].next == START + timedelta(hours=1)


async def test_what_was_interrupted_is_told_and_not_done_again(gateway):
    made = gateway.add(Once(START))
    gateway.store.claim([(made.id, made.next)], "a gateway that died")
    async with gateway.running():
        await gateway.settle()
        assert gateway.house.done == []
        assert "may have happened: lamp on" in gateway.house.told[0]
        assert gateway.store.all() == []


async def test_of_two_gateways_one_runs_it_and_the_other_takes_over(tmp_path, clock):
    first, second = Gateway(tmp_path, clock), Gateway(tmp_path, StoppedClock(START))
    for minute in (1, 2):
        first.add(Once(START + timedelta(minutes=minute)))
    async with second.running():
        async with first.running():
            for one in (first, second):
                one.clock.time = START + timedelta(minutes=1)
                await one.settle()
            assert len(first.house.done + second.house.done) == 1
        for one in (first, second):
            one.clock.time = START + timedelta(minutes=2)
        await second.settle()
        assert len(first.house.done + second.house.done) == 2


async def test_a_starting_gateway_will_run_routines_before_it_holds_the_lease(gateway):
    assert not gateway.runner.will_run()
    task = asyncio.create_task(gateway.runner.run())
    await asyncio.sleep(0)  # the first look has not come to its end
    assert gateway.runner.will_run()
    task.cancel()
    await asyncio.wait([task])
    assert not gateway.runner.will_run()


async def test_a_change_starts_what_waits_for_it(gateway):
    gateway.add(Event(*DOOR, "open"))
    async with gateway.running():
        gateway.told("closed", "open")
        await gateway.settle()
        gateway.told("open", "open")  # it was so before
        gateway.told("closed", "open", resource="zwave://devices/8/0")
        await gateway.settle()
        assert gateway.house.done == ["lamp on"]
        gateway.told("open", "closed")
        gateway.told("closed", "open")
        await gateway.settle()
        assert gateway.house.done == ["lamp on"] * 2


async def test_it_must_stay_so(gateway):
    gateway.add(Event(*DOOR, "open", 60.0))
    async with gateway.running():
        gateway.told("closed", "open")
        await gateway.clock.advance(30)
        gateway.told("open", "closed")
        await gateway.clock.advance(40)
        assert gateway.house.done == []
        gateway.told("closed", "open")
        await gateway.clock.advance(61)
        await gateway.settle()
        assert gateway.house.done == ["lamp on"]


async def test_a_reading_starts_it_when_it_crosses_its_limit_and_not_with_each_report(gateway):
    gateway.add(Event(*DOOR, "battery < 20"))
    async with gateway.running():
        levels = [None, 25, 21, 19, 18, 17, None, 16, 22, 15]
        shown = [ResourceState("locked", () if one is None else (f"battery {one} %",)) for one in levels]
        done = []
        for before, after in itertools.pairwise(shown):
            gateway.runner.happened(StateChange(*DOOR, before, after))
            await gateway.settle()
            done.append(len(gateway.house.done))
        assert done == [0, 0, 1, 1, 1, 1, 1, 1, 2]


@pytest.mark.parametrize(("state", "done"), [("open", 1), ("closed", 0), (None, 1)])
async def test_how_long_it_has_been_so_survives_a_restart(tmp_path, state, done):
    """A gateway that comes back looks whether it is still so; one that cannot tell believes it."""
    clock = StoppedClock(START)
    first = Gateway(tmp_path, clock)
    first.add(Event(*DOOR, "open", 600.0))
    async with first.running():
        first.told("closed", "open")
        await first.settle()
        [kept] = first.store.all()
        assert (kept.next - START).total_seconds() == pytest.approx(600, abs=1)
    second = Gateway(tmp_path, StoppedClock(START + timedelta(seconds=400)))
    second.house.states |= {DOOR[1]: state} if state else {}
    async with second.running():
        await second.clock.advance(150)
        assert second.house.done == []
        await second.clock.advance(51)
        await second.settle()
        assert len(second.house.done) == done
        assert [one.next for one in second.store.all()] == [None]


async def test_what_happens_while_the_store_is_away_is_done_when_it_is_back_or_told(gateway):
    gateway.add(Event(*DOOR, "open"))
    async with gateway.running():
        claim = gateway.store.claim

        def away(*_):
            raise ToolUnavailable("Routines are not available.")

        for seconds, done, told in ((5, 1, 0), (11, 1, 1)):
            gateway.store.claim = away
            gateway.told("closed", "open")
            await gateway.clock.advance(seconds)
            gateway.store.claim = claim
            await gateway.settle()
            assert (len(gateway.house.done), len(gateway.house.told)) == (done, told)
        assert gateway.house.told == ["I missed this, because routines were not available: lamp on."]


async def test_a_claim_of_one_who_has_just_lost_the_lease_is_told(gateway):
    async with gateway.running():
        made = gateway.add(Once(START + timedelta(hours=1)))
        gateway.store.claim([(made.id, made.next)], "a gateway that was frozen")
        await gateway.settle()
        assert "may have happened" in gateway.house.told[0]
        assert gateway.store.all() == []


@pytest.mark.parametrize(("late", "done"), [(100, 1), (121, 0)])
async def test_an_alarm_that_repeats_may_be_as_late_as_a_single_one(gateway, late, done):
    alarm = {"name": "set_timer", "args": {"at": "now", "kind": "alarm"}}
    due = START + timedelta(hours=1)
    gateway.store.add([Routine("wake me", Every(EVERY_DAY, START), (alarm,), next=due)], 10)
    gateway.clock.time = due + timedelta(seconds=late)
    async with gateway.running():
        await gateway.settle()
        assert len(gateway.house.done) == done
        assert gateway.house.asked == []
        assert gateway.store.all()[0].next == due + timedelta(days=1)


@pytest.mark.parametrize(("state", "done"), [("on", 0), ("off", 1)])
async def test_a_condition_is_judged_when_it_starts(gateway, state, done):
    condition = Condition(resource="zwave://devices/3/0", server="zwave", state="off")
    gateway.add(Event(*DOOR, "open"), condition=condition)
    gateway.house.states["zwave://devices/3/0"] = state
    async with gateway.running():
        gateway.told("closed", "open")
        await gateway.settle()
        assert len(gateway.house.done) == done


@pytest.mark.parametrize(("apart_seconds", "paused"), [(1, True), (5, False)])
async def test_a_routine_that_goes_in_a_circle_is_paused(gateway, apart_seconds, paused):
    gateway.add(Event(*DOOR, "open"))
    async with gateway.running():
        for _ in range(ROUNDS):
            gateway.told("closed", "open")
            await gateway.settle()
            gateway.clock.time += timedelta(seconds=apart_seconds)
        assert len(gateway.house.done) == ROUNDS - paused
        assert gateway.store.all()[0].paused is paused
        assert ["20 times within a minute" in text for text in gateway.house.told] == [True] * paused


async def test_a_slow_run_is_written_down_although_others_end_meanwhile(gateway):
    gateway.add(Event(*DOOR, "open"), "slow")
    async with gateway.running():
        gateway.house.blocked = slow = asyncio.Event()
        gateway.told("closed", "open")
        await gateway.settle()
        gateway.house.blocked = None
        gateway.add(Once(gateway.clock.now()), "quick")
        await gateway.settle()
        slow.set()
        await gateway.settle()
        assert gateway.house.done == ["slow", "quick"]
        assert [one.last.text for one in gateway.store.all()] == ["Done."]
