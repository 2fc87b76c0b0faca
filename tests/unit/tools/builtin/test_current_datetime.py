"""The clock: zones by the names people use, and sums that are right across daylight saving."""

from datetime import UTC, datetime
from typing import Any

import pytest
from tests.fakes.some_tools import said_by
from tests.fakes.spoken_times import spoken_times

from voice_gateway.errors import BadArguments
from voice_gateway.tools.builtin.times import datetime_tool, resolve_zone

# Half past midnight in Berlin, on the Sunday whose clocks go forward at two.
BEFORE_SPRING = datetime(2026, 3, 28, 23, 30, 15, tzinfo=UTC)


async def ask(now: datetime = BEFORE_SPRING, **arguments: str) -> tuple[str, dict[str, Any]]:
    return await said_by(datetime_tool(lambda: now, spoken_times()), **arguments)


@pytest.fixture
def berlin(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "Europe/Berlin")


async def test_without_arguments_it_is_the_local_time(berlin: None) -> None:
    text, facts = await ask()

    assert text == "It is Sunday, 29 March 2026, 12:30 AM local time (UTC+01:00)."
    assert facts == {
        "iso": "2026-03-29T00:30:15+01:00",
        "date": "2026-03-29",
        "weekday": "Sunday",
        "time": "00:30",
        "timezone": "Europe/Berlin",
        "utc_offset": "+01:00",
    }


@pytest.mark.parametrize(
    ("zone", "problem"),
    [
        ("Tokio", r'do not know the time zone "Tokio".*Asia/Tokyo'),
        ("usa", r"USA has several time zones.*New York, Chicago"),
        ("../../etc/passwd", "do not know"),
        ("x" * 5_000_000, "too long"),
        ("\x00", "do not know"),
        ("UTC+99", "between UTC-12 and UTC[+]14"),
        ("Europe/", "do not know"),
    ],
)
async def test_a_name_that_is_no_zone_is_refused_with_names_to_choose_from(zone: str, problem: str) -> None:
    with pytest.raises(BadArguments, match=problem) as refusal:
        await ask(timezone=zone)

    assert len(str(refusal.value)) < 300


@pytest.mark.parametrize(
    ("offset", "now", "then"),
    [
        ("+1 day", BEFORE_SPRING, "2026-03-30T00:30:15+02:00"),  # days keep the wall clock
        ("+24 hours", BEFORE_SPRING, "2026-03-30T01:30:15+02:00"),  # hours are absolute
        # A wall time that the clocks skip becomes one that exists.
        ("tomorrow", datetime(2026, 3, 28, 1, 30, tzinfo=UTC), "2026-03-29T03:00:00+02:00"),
    ],
)
async def test_offsets_across_daylight_saving(offset: str, now: datetime, then: str) -> None:
    _, facts = await ask(now, timezone="Berlin", offset=offset)

    assert facts["iso"] == then


@pytest.mark.parametrize(
    "offset", ["soon", "in 99999999 days", "9" * 90 + " years", "minus", "3", "in 8000 years"]
)
async def test_an_offset_that_cannot_be_counted_is_refused(offset: str) -> None:
    with pytest.raises(BadArguments):
        await ask(offset=offset)


def test_the_local_zone_follows_the_link_of_the_system(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", ":Asia/Tokyo")
    assert getattr(resolve_zone(None)[0], "key", None) == "Asia/Tokyo"

    monkeypatch.setenv("TZ", "no such zone")
    zone, place = resolve_zone("here")
    assert place == "local time"
    assert datetime.now(zone).utcoffset() is not None
