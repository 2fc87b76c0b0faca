"""Timers: set, listed, cancelled, rung, missed, and shared between processes."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.fakes.some_tools import said_by
from tests.fakes.spoken_times import spoken_times
from tests.fakes.timer_clock import House, StoppedClock

from voice_gateway.errors import ToolError
from voice_gateway.tools.builtin.timers.store import TimerStore
from voice_gateway.tools.builtin.timers.tools import timer_tools


@pytest.fixture(autouse=True)
def _in_berlin(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "Europe/Berlin")


class Tools:
    """Calls the tools the way the executor does."""

    def __init__(self, store: TimerStore, clock: StoppedClock) -> None:
        self.tools = {tool.name: tool for tool in timer_tools(store, clock.now, times=spoken_times())}

    async def call(self, tool: str, **arguments: Any) -> tuple[str, dict[str, Any]]:
        return await said_by(self.tools[tool], **arguments)

    async def set(self, **arguments: Any) -> tuple[str, dict[str, Any]]:
        return await self.call("set_timer", **arguments)

    async def cancel(self, **arguments: Any) -> str:
        return (await self.call("cancel_timer", **arguments))[0]

    async def list(self) -> str:
        return (await self.call("list_timers"))[0]


@pytest.fixture
def tools(store: TimerStore, clock: StoppedClock) -> Tools:
    return Tools(store, clock)


async def test_a_timer_is_set_by_its_duration(tools: Tools) -> None:
    text, facts = await tools.set(duration="ten minutes", name="pasta")

    assert text == "Pasta timer set for 10 minutes."
    assert facts == {
        "id": facts["id"],
        "kind": "timer",
        "name": "pasta",
        "message": "",
        "seconds": 600,
        "due": "2026-11-15T15:10:00+01:00",
        "remaining_seconds": 600,
        "ringing": False,
        "paused": False,
        "before": [{"name": "cancel_timer", "args": {"name": str(facts["id"])}}],
    }


async def test_a_timer_that_was_cancelled_is_set_again_with_what_was_left(
    tools: Tools, clock: StoppedClock
) -> None:
    clock.time += timedelta(seconds=0.25)  # nobody sets a timer on the full second
    await tools.set(duration="ten minutes", name="pasta")
    clock.time += timedelta(seconds=240)

    _, facts = await tools.call("cancel_timer", name="pasta")
    clock.time += timedelta(seconds=30)
    [call] = facts["before"]
    await tools.call(call["name"], **call["args"])

    assert call == {"name": "set_timer", "args": {"duration": "360", "name": "pasta"}}
    assert await tools.list() == "1 timer: pasta timer, 6 minutes left."


async def test_a_timer_that_rang_cannot_be_put_back(
    tools: Tools, store: TimerStore, clock: StoppedClock
) -> None:
    await tools.set(duration="1 minute", name="egg")
    clock.time += timedelta(seconds=61)
    store.start_ringing(store.all(), clock.now())

    _, facts = await tools.call("cancel_timer")

    assert facts["before"] == []
    assert facts["undo"] == "The egg timer had run out already."


async def test_running_timers_are_listed_next_first(tools: Tools, clock: StoppedClock) -> None:
    await tools.set(duration="1 hour")
    await tools.set(duration="10 minutes", name="pasta")
    await tools.set(duration="30 minutes", message="water the plants")
    clock.time += timedelta(minutes=4, seconds=20)

    text, facts = await tools.call("list_timers")

    assert text == (
        "2 timers: pasta timer, 5 minutes 40 seconds left; 1 hour timer, 56 minutes left. "
        "1 reminder: water the plants, in 26 minutes."
    )
    assert [timer["remaining_seconds"] for timer in facts["timers"]] == [340, 1540, 3340]


async def test_a_timer_is_cancelled_by_what_people_call_it(tools: Tools) -> None:
    await tools.set(duration="20 minutes", name="tea")
    for name in ("pasta", "Pasta timer", "the pasta timer", "10 minutes", "the ten minute timer", "{id}"):
        _text, pasta = await tools.set(duration="10 minutes", name="pasta")
        assert await tools.cancel(name=name.format(**pasta)) == "Pasta timer cancelled."
        assert (await tools.list()).startswith("1 timer: tea timer")


async def test_an_unclear_wish_is_asked_back_and_cancels_nothing(tools: Tools) -> None:
    await tools.set(duration="10 minutes", name="pasta")
    await tools.set(duration="20 minutes", name="tea")

    with pytest.raises(
        ToolError, match=r"Which timer do you mean\? pasta timer, 10 minutes left; tea"
    ) as question:
        await tools.cancel()

    assert question.value.structured["outcome"] == "ambiguous"
    assert len(question.value.structured["timers"]) == 2
    assert (await tools.list()).startswith("2 timers")


@pytest.mark.parametrize("strange", ["🎂", "---", "x" * 5_000_000])
async def test_a_strange_name_never_cancels_another_timer(tools: Tools, strange: str) -> None:
    await tools.set(duration="10 minutes", name="pasta")

    with pytest.raises(ToolError, match="There is no timer") as refusal:
        await tools.cancel(name=strange)

    assert len(str(refusal.value)) < 300


@pytest.mark.parametrize("way", ["clock", "tool"])
async def test_stop_silences_what_rings_and_nothing_else(
    tools: Tools, store: TimerStore, clock: StoppedClock, path: Path, way: str
) -> None:
    async with House(path, clock).running() as house:
        await tools.set(duration="5 seconds", name="tea")
        await tools.set(duration="10 minutes", name="pasta")
        await house.later(5)

        if way == "clock":
            assert await house.timers.answer("stop the bus") is None
            assert await house.timers.answer("ok, stop it please!") == "Okay, the timer is off."
        else:
            assert await tools.cancel() == "Tea timer stopped."
        await house.look()

        assert house.silenced == ["tea"]
        assert (await tools.list()).startswith("1 timer: pasta timer")


# --- timers, alarms and reminders are three things


async def three(tools: Tools, clock: StoppedClock) -> None:
    clock.time += timedelta(seconds=0.25)  # nobody says anything on the full second
    await tools.set(duration="10 minutes", name="pasta")
    await tools.set(at="6:30", kind="alarm")
    await tools.set(at="tomorrow", message="call mum")


async def test_all_of_a_kind_leaves_the_others(tools: Tools, clock: StoppedClock, store: TimerStore) -> None:
    await three(tools, clock)
    for left, kind in ((2, "timer"), (1, "alarm"), (0, "reminder")):
        await tools.cancel(name="all", kind=kind)
        assert (len(store.all()), kind in [timer.kind for timer in store.all()]) == (left, False)
    await three(tools, clock)
    await tools.cancel(name="all")
    assert store.all() == []


@pytest.mark.parametrize("name", ["6:30", "the 6:30 am alarm", "tomorrow"])
async def test_an_alarm_goes_by_its_time(tools: Tools, clock: StoppedClock, name: str) -> None:
    await three(tools, clock)

    _, facts = await tools.call("cancel_timer", name=name, kind="alarm")

    assert [timer["kind"] for timer in facts["cancelled"]] == ["alarm"]


async def test_more_time_goes_to_the_timer_that_is_named(tools: Tools, clock: StoppedClock) -> None:
    await three(tools, clock)
    clock.time += timedelta(minutes=4)

    text, facts = await tools.call("extend_timer", duration="5 minutes", name="pasta")

    assert text == "The pasta timer has 11 minutes left."
    assert [call["name"] for call in facts["before"]] == ["cancel_timer", "set_timer"]
    for call in facts["before"]:
        await tools.call(call["name"], **call["args"])
    text, _ = await tools.call("list_timers", kind="timer")
    assert text == "6 minutes left on the pasta timer."


async def test_a_paused_timer_keeps_what_is_left_and_rings_that_much_after_it_runs_again(
    tools: Tools, clock: StoppedClock, path: Path
) -> None:
    async with House(path, clock).running() as house:
        await tools.set(duration="10 minutes", name="pasta")
        clock.time += timedelta(minutes=4)
        _, facts = await tools.call("pause_timer")
        await house.later(3600)
        more = await tools.call("extend_timer", duration="1 minute")
        assert (facts["paused"], facts["remaining_seconds"], more[1]["remaining_seconds"]) == (True, 360, 420)
        assert facts["due"] is None
        assert house.rings == []

        for again in ("resume", "pause", "resume"):
            _, facts = await tools.call("pause_timer", action=again)
        assert facts["before"] == [
            {"name": "pause_timer", "args": {"name": str(facts["id"]), "action": "pause"}}
        ]
        await house.later(419)
        assert house.rings == []
        await house.later(1)
        assert house.rings == ["pasta"]


@pytest.mark.parametrize(
    ("timer", "action"),
    [({"duration": "9 minutes"}, "resume"), ({"at": "7 pm", "kind": "alarm"}, "pause")],
)
async def test_what_is_not_paused_and_a_time_of_day_stay(
    tools: Tools, timer: dict[str, str], action: str
) -> None:
    await tools.set(**timer)

    with pytest.raises(ToolError):
        await tools.call("pause_timer", action=action)


async def test_snooze_silences_it_and_rings_again(
    tools: Tools, store: TimerStore, clock: StoppedClock, path: Path
) -> None:
    async with House(path, clock).running() as house:
        await tools.set(duration="5 seconds", name="work", kind="alarm")
        await house.later(5)
        assert house.rings == ["work"]

        text, _ = await tools.call("extend_timer")
        await house.look()
        assert (text, house.silenced) == ("Okay, again in 10 minutes.", ["work"])

        clock.time += timedelta(seconds=599)  # an alarm is what the clock shows
        await house.later(1)
        assert house.rings == ["work", "work"]
