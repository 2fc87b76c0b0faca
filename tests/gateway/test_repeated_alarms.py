"""Alarms and reminders that come again and again, in a real gateway: set, listed, rung and cancelled."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from tests.fakes.gateway_process import Commands, Running
from tests.fakes.running_gateway import ask
from tests.fakes.waiting import until

from voice_gateway.routines.store import RoutineStore, kept_in
from voice_gateway.tools.builtin.timers import TimerStore

NO_SERVER = "mcpServers = {}\n[tools]\nsearch = false\n[home]\ntimezone = 'UTC'\n"


@pytest.fixture
def routines(commands: Commands) -> RoutineStore:
    commands.file("voice-gateway.toml", NO_SERVER)
    return kept_in(None, commands.folder / "data" / "voice-gateway")[0]


def due_now(routines: RoutineStore) -> None:
    [kept] = routines.all()
    routines.replace([replace(kept, next=datetime.now(UTC).replace(microsecond=0))])


@pytest.mark.slow
async def test_it_is_said_back_listed_and_cancelled(commands: Commands, routines: RoutineStore) -> None:
    async with Running.opened(commands):

        async def said(words: str) -> str:
            return (await ask(commands, words))["text"]

        assert await said("wake me at 7 every weekday") == "Okay, I'll ring an alarm every weekday at 7 AM."
        assert (
            await said("remind me every friday at 5 to take out the bins")
            == "Okay, I'll remind you of “take out the bins” every Friday at 5 PM."
        )
        assert await said("what alarms do i have") == "1 alarm: every weekday at 7 AM."
        assert (
            await said("what reminders do i have") == "1 reminder: take out the bins, every Friday at 5 PM."
        )
        assert "ring an alarm every weekday at 7 AM" in await said("what is planned")
        assert "cancelled" in await said("cancel my weekday alarm")
        assert await said("what alarms do i have") == "There are no alarms."
        assert len(routines.all()) == 1
        await said("undo that")
        assert await said("what alarms do i have") == "1 alarm: every weekday at 7 AM."
        assert "cancelled" in await said("cancel all alarms")
        assert "cancelled" in await said("cancel the bins reminder")
    assert routines.all() == []


@pytest.mark.slow
async def test_it_rings_like_any_alarm_and_comes_again(commands: Commands, routines: RoutineStore) -> None:
    timers = TimerStore(commands.folder / "data" / "voice-gateway" / "timers.sqlite3")
    async with Running.opened(commands):
        await ask(commands, "remind me every day at noon to stretch")
        due_now(routines)
        await until(lambda: any(timer.rang for timer in timers.all()))
        assert [timer.message for timer in timers.all()] == ["stretch"]
        assert (await ask(commands, "snooze"))["text"] == "Okay, again in 10 minutes."
        assert [timer.rang for timer in timers.all()] == [None]
        [kept] = routines.all()
        assert kept.next is not None
        assert kept.next > datetime.now(UTC)
