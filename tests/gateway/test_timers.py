"""Timers of real gateways: `run` rings, and only `run`; whoever is killed loses nothing."""

import asyncio
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from tests.fakes.gateway_process import LIMIT_SECONDS, Commands, Running
from tests.fakes.running_gateway import ask
from tests.fakes.waiting import until

from voice_gateway.routines.store import RoutineStore, kept_in
from voice_gateway.tools.builtin.timers import TimerStore

NO_SERVER = "mcpServers = {}\n[tools]\nsearch = false\n[home]\ntimezone = 'UTC'\n"
WARNING = "It only rings while the gateway is running."


@pytest.fixture
def store(commands: Commands) -> TimerStore:
    commands.file("voice-gateway.toml", NO_SERVER)
    return TimerStore(commands.folder / "data" / "voice-gateway" / "timers.sqlite3")


def due_now(store: TimerStore, name: str) -> None:
    now = datetime.now(UTC)
    store.add(due=now, now=now - timedelta(seconds=5), name=name)


async def shows(gateway: Running, words: str) -> None:
    async with asyncio.timeout(LIMIT_SECONDS):
        assert gateway.process.stdout is not None
        assert (await gateway.process.stdout.readline()).decode().strip() == words


@pytest.mark.slow
async def test_what_is_set_while_no_gateway_runs_says_so(commands: Commands, store: TimerStore) -> None:
    alone = await commands.run("ask", "set a timer for one hour")
    assert alone.out.strip() == f"Timer set for 1 hour. {WARNING}"

    async with Running.opened(commands):
        assert (await ask(commands, "set a timer for two hours"))["text"] == "Timer set for 2 hours."
        beside = await commands.run("--provider", "local", "ask", "set a timer for three hours")
        assert beside.out.strip() == "Timer set for 3 hours."
    assert len(store.all()) == 3


@pytest.mark.slow
async def test_chat_leaves_timers_to_the_gateway_that_can_ring_them(
    commands: Commands, store: TimerStore
) -> None:
    due_now(store, "tea")
    chat = await commands.start("chat", stdin=asyncio.subprocess.PIPE)
    assert chat.stdin is not None
    assert chat.stdout is not None
    chat.stdin.write(b"set a timer for one hour\n")
    assert WARNING in (await chat.stdout.readline()).decode()
    assert [timer.rang for timer in store.all()] == [None, None]

    async with Running.opened(commands) as gateway:
        await shows(gateway, "Tea timer is done.")
        chat.stdin.write(b"stop\n")
        assert (await chat.stdout.readline()).decode().strip() == "Okay, the timer is off."
        await until(lambda: len(store.all()) == 1)


@pytest.mark.slow
async def test_a_gateway_that_is_killed_while_it_rings_rings_again_when_it_is_back(
    commands: Commands, store: TimerStore
) -> None:
    due_now(store, "tea")
    async with Running.opened(commands) as first:
        await shows(first, "Tea timer is done.")
        first.process.kill()
        await first.process.wait()
    assert [timer.name for timer in store.all()] == ["tea"]

    async with Running.opened(commands) as second:
        await shows(second, "Tea timer is done.")
        assert (await ask(commands, "stop"))["text"] == "Okay, the timer is off."
    assert store.all() == []


# --- Alarms and reminders that come again and again, in a real gateway: set, listed, rung and cancelled


@pytest.fixture
def routines(commands: Commands) -> RoutineStore:
    commands.file("voice-gateway.toml", NO_SERVER)
    return kept_in(None, commands.folder / "data" / "voice-gateway")[0]


def routine_due_now(routines: RoutineStore) -> None:
    [kept] = routines.all()
    routines.replace([replace(kept, next=datetime.now(UTC).replace(microsecond=0))])


@pytest.mark.slow
async def test_a_repeated_alarm_is_confirmed_listed_and_cancelled(
    commands: Commands, routines: RoutineStore
) -> None:
    async with Running.opened(commands):
        for words, reply in (
            ("wake me at 7 every weekday", "Okay, I'll ring an alarm every weekday at 7 AM."),
            ("remind me every friday at 5 to take out the bins", "“take out the bins” every Friday at 5 PM."),
            ("what alarms do i have", "1 alarm: every weekday at 7 AM."),
            ("what reminders do i have", "1 reminder: take out the bins, every Friday at 5 PM."),
            ("what is planned", "ring an alarm every weekday at 7 AM"),
            ("cancel my weekday alarm", "cancelled"),
            ("what alarms do i have", "There are no alarms."),
            ("undo that", ""),
            ("what alarms do i have", "1 alarm: every weekday at 7 AM."),
            ("cancel all alarms", "cancelled"),
        ):
            assert reply in (await ask(commands, words))["text"], words
        assert [kept.calls[0]["args"]["message"] for kept in routines.all()] == ["take out the bins"]
        assert "cancelled" in (await ask(commands, "cancel the bins reminder"))["text"]
    assert routines.all() == []


@pytest.mark.slow
async def test_a_repeated_reminder_rings_and_is_due_again(commands: Commands, routines: RoutineStore) -> None:
    timers = TimerStore(commands.folder / "data" / "voice-gateway" / "timers.sqlite3")
    async with Running.opened(commands):
        await ask(commands, "remind me every day at noon to stretch")
        routine_due_now(routines)
        await until(lambda: any(timer.rang for timer in timers.all()))
        assert [timer.message for timer in timers.all()] == ["stretch"]
        assert (await ask(commands, "snooze"))["text"] == "Okay, again in 10 minutes."
        assert [timer.rang for timer in timers.all()] == [None]
        [kept] = routines.all()
        assert kept.next is not None
        assert kept.next > datetime.now(UTC)
