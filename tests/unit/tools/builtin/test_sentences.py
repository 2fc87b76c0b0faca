"""The sentences of the built-in tools, from sentences.yaml: each test lists every one that fails."""

from collections.abc import Callable, Coroutine, Iterable
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.tools import BaseTool
from tests.fakes.some_tools import said_by
from tests.fakes.spoken_times import spoken_times
from tests.fakes.timer_clock import StoppedClock

from voice_gateway.errors import BadArguments
from voice_gateway.tools.builtin.calculate import calculate_tool, plain, read_asked
from voice_gateway.tools.builtin.lists import split_items
from voice_gateway.tools.builtin.timers.store import TimerStore
from voice_gateway.tools.builtin.timers.tools import timer_tools
from voice_gateway.tools.builtin.times import Times, datetime_tool, resolve_zone, say_seconds

TABLES = yaml.safe_load(Path(__file__).with_name("sentences.yaml").read_text(encoding="utf-8"))
BERLIN = ZoneInfo("Europe/Berlin")
SUNDAY_3_PM = datetime(2026, 11, 15, 15, 0, tzinfo=BERLIN)
HALF_PAST_MIDNIGHT = datetime(2026, 3, 28, 23, 30, 15, tzinfo=UTC)  # in Berlin, before the clocks go forward


@pytest.fixture(autouse=True)
def _in_berlin(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "Europe/Berlin")


def failures(rows: Iterable[tuple[Any, Any]], read: Callable[[Any], Any]) -> dict[str, Any]:
    return {str(said): (got, wanted) for said, wanted in rows if (got := read(said)) != wanted}


async def answer(tool: BaseTool, **arguments: Any) -> tuple[str, dict[str, Any]]:
    """What the tool says and its facts; a refusal is what it says, too."""
    try:
        return await said_by(tool, **arguments)
    except BadArguments as error:
        return f"refused: {error}", {}


async def wrong(rows: Iterable[tuple[Any, str]], say: Callable[[Any], Coroutine[Any, Any, str]]) -> list[str]:
    """Sentences whose answer does not contain what is wanted."""
    answers = [(given, wanted, await say(given)) for given, wanted in rows]
    return [f"{given}: {got!r}, not {wanted!r}" for given, wanted, got in answers if wanted not in got]


def test_times_of_day() -> None:
    def read(spoken: str) -> str | None:
        try:
            moment = spoken_times().moment(spoken, SUNDAY_3_PM)
        except BadArguments:
            return None
        return None if moment is None else moment.astimezone(BERLIN).strftime("%dT%H:%M")

    assert failures(TABLES["times"].items(), read) == {}
    assert failures(((text, None) for text in TABLES["no times"]), read) == {}


def test_lengths_of_time() -> None:
    read = spoken_times().length
    assert failures(TABLES["lengths"].items(), read) == {}
    assert failures(((text, None) for text in TABLES["no lengths"]), read) == {}


@given(st.text(max_size=120))
def test_any_text_is_a_time_or_none(text: str) -> None:
    with suppress(BadArguments):
        spoken_times().length(text)
    with suppress(BadArguments):
        spoken_times().moment(text, SUNDAY_3_PM)


@given(st.integers(min_value=1, max_value=10**7))
def test_a_length_that_is_said_is_read_again(seconds: int) -> None:
    assert Times().length(say_seconds(seconds)) == seconds


def test_an_alarm_across_daylight_saving_follows_the_wall_clock() -> None:
    evening = datetime(2026, 3, 28, 22, 0, tzinfo=BERLIN)

    moment = spoken_times().moment("7 am", evening)

    assert moment is not None
    assert (moment - evening).total_seconds() == 8 * 3600  # one hour of that night is missing


def test_zones_by_the_names_of_places() -> None:
    assert failures(TABLES["zones"].items(), lambda name: getattr(resolve_zone(name)[0], "key", None)) == {}


async def test_dates_from_now_and_offsets_from_utc() -> None:
    tool = datetime_tool(lambda: HALF_PAST_MIDNIGHT, spoken_times())
    for offset, (date, start) in TABLES["offsets"].items():
        text, facts = await answer(tool, offset=offset)
        assert (facts["date"], text.startswith(start)) == (date, True), (offset, text)
    for zone, offset in TABLES["zone offsets"].items():
        assert (await answer(tool, timezone=zone))[1]["utc_offset"] == offset


async def test_sums_units_and_days() -> None:
    tool = calculate_tool(lambda: datetime(2026, 11, 16, 12, tzinfo=UTC), spoken_times())

    async def say(expression: str) -> str:
        return (await answer(tool, expression=expression))[0]

    assert await wrong(TABLES["calculate"].items(), say) == []
    assert await wrong(TABLES["cannot calculate"].items(), say) == []
    assert failures(((text, None) for text in TABLES["no sums"]), lambda text: read_asked(plain(text))) == {}


def test_several_things_on_a_list() -> None:
    rows = [((items, name), things) for items, name, things in TABLES["items"]]
    assert failures(rows, lambda given: split_items(*given)) == {}


async def test_what_is_set_is_said_back_in_full(store: TimerStore, clock: StoppedClock) -> None:
    tools = {tool.name: tool for tool in timer_tools(store, clock.now, times=spoken_times())}

    async def say(arguments: dict[str, Any]) -> str:
        return (await answer(tools["set_timer"], **arguments))[0]

    for arguments, sentence, seconds in TABLES["timers"]:
        text, facts = await answer(tools["set_timer"], **arguments)
        assert (text, facts["remaining_seconds"]) == (sentence, seconds)
    alarms = [({"at": at, "kind": "alarm"}, text) for at, text in TABLES["alarms"].items()]
    reminders = [({"at": at, "message": "x"}, text) for at, text in TABLES["reminders"].items()]
    assert await wrong([*alarms, *reminders], say) == []
    set_already = len(store.all())
    assert await wrong([(arguments, said) for arguments, said in TABLES["no timers"]], say) == []
    assert len(store.all()) == set_already
