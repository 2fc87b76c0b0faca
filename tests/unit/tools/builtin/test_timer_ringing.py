"""No timer is lost before it was heard: whoever dies, whoever else runs, whatever becomes of the file."""

from contextlib import AsyncExitStack
from datetime import timedelta
from pathlib import Path

import pytest
from tests.fakes.timer_clock import House, StoppedClock
from tests.fakes.waiting import until

from voice_gateway.errors import ToolUnavailable
from voice_gateway.shared.rows import FileRows
from voice_gateway.tools.builtin.timers import Timer, TimerStore


def set_timer(store: TimerStore, clock: StoppedClock, seconds: float = 10, name: str = "tea") -> Timer:
    return store.add(due=clock.time + timedelta(seconds=seconds), now=clock.time, name=name)


async def test_who_rings_no_more_is_replaced(path: Path, store: TimerStore, clock: StoppedClock) -> None:
    set_timer(store, clock)
    second = House(path, clock)
    async with AsyncExitStack() as ends:
        loud = await ends.enter_async_context(House(path, clock).running())
        async with second.running():
            await loud.later(10)
            await second.look()
            assert (loud.rings, second.rings) == (["tea"], [])
            await ends.aclose()
            await second.look()
            assert second.rings == ["tea"]


async def test_stop_is_understood_by_those_that_do_not_ring(
    path: Path, store: TimerStore, clock: StoppedClock
) -> None:
    set_timer(store, clock)
    house, chat = House(path, clock), House(path, clock)
    assert await chat.timers.answer("stop") is None
    async with house.running():
        assert await chat.timers.answer("stop") is None
        await house.later(10)

        assert await chat.timers.answer("stop") == "Okay, the timer is off."
        await house.look()

        assert house.silenced == ["tea"]
        assert store.all() == []


async def test_a_missed_timer_stays_until_it_was_told(
    path: Path, store: TimerStore, clock: StoppedClock
) -> None:
    set_timer(store, clock)
    house = House(path, clock)
    house.told.clear()
    clock.time += timedelta(minutes=10)
    async with house.running():
        await house.later(1)
        assert [timer.name for timer in store.all()] == ["tea"]
        house.told.set()
        await until(lambda: not store.all())
        assert house.missed == ["tea"]
    async with House(path, clock).running() as later:
        assert later.missed == []


@pytest.mark.parametrize("jump", [timedelta(hours=1), timedelta(hours=-1), timedelta(days=3)])
async def test_a_clock_that_is_set_changes_neither_a_timer_nor_its_ring(
    path: Path, store: TimerStore, clock: StoppedClock, jump: timedelta
) -> None:
    """As a machine without a clock of its own does when it first hears the time."""
    set_timer(store, clock)
    house = House(path, clock)
    async with house.running():
        await house.later(3)
        clock.shift = jump
        await house.later(6)
        assert (house.rings, house.missed) == ([], [])
        await house.later(1)
        assert house.rings == ["tea"]
        clock.shift = timedelta()
        await house.later(58)
        assert (house.rings, house.silenced) == (["tea"], [])
        await house.later(2)
        assert (house.silenced, store.all()) == (["tea"], [])


@pytest.mark.parametrize("jump", [timedelta(hours=1), timedelta(hours=-1)])
async def test_an_alarm_follows_the_clock_that_is_set(
    path: Path, store: TimerStore, clock: StoppedClock, jump: timedelta
) -> None:
    """An alarm at seven rings when the clock shows seven."""
    night = clock.time.replace(hour=22, microsecond=0)
    clock.time = night
    store.add(due=night + timedelta(hours=9), now=clock.time, name="seven")
    house = House(path, clock)
    async with house.running():
        clock.shift = jump
        await house.later((timedelta(hours=9) - jump).total_seconds() - 1)
        assert (house.rings, house.missed) == ([], [])
        await house.later(1)
        assert house.rings == ["seven"]


async def test_while_the_file_takes_nothing_a_due_timer_rings_and_can_be_stopped(
    path: Path, store: TimerStore, clock: StoppedClock, monkeypatch: pytest.MonkeyPatch, caplog
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise ToolUnavailable("the disk is full")

    for name in ("tea", "eggs"):
        set_timer(store, clock, name=name)
    house = House(path, clock)
    async with house.running():
        with monkeypatch.context() as disk:
            disk.setattr(FileRows, "change", refuse)
            await house.later(10)
            assert sorted(house.rings) == ["eggs", "tea"]
            await house.later(10)
            assert (len(house.rings), type(house.troubles[-1])) == (2, ToolUnavailable)

            assert await house.timers.answer("stop") == "Okay, the timers are off."
            await house.later(1)
            assert (len(house.rings), sorted(house.silenced)) == (2, ["eggs", "tea"])
            assert len(store.all()) == 2

        await house.later(1)
        assert store.all() == []
        await house.later(1)
        assert house.troubles[-1] is None
        assert caplog.text.count("the file of timers cannot be used") == 1
