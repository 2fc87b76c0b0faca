"""When a routine is due: rules, the sun, and both changes of daylight saving."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import islice, pairwise
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
import yaml

from voice_gateway.routines.model import Condition, Event, Every, Once, Routine, Sun, Trigger
from voice_gateway.routines.schedule import (
    NoPlace,
    Place,
    due_next,
    holds_at,
    next_run,
    on_clock,
)

TABLES = Path(__file__).with_name("tables.yaml")
BERLIN = ZoneInfo("Europe/Berlin")
HOME = Place(BERLIN, 52.5, 13.4)
DAILY = "FREQ=DAILY;BYHOUR={hour};BYMINUTE={minute};BYSECOND=0"


def at(*when: int, zone=BERLIN, fold: int = 0) -> datetime:
    return datetime(*when, tzinfo=zone, fold=fold).astimezone(UTC)  # type: ignore[arg-type, misc]


def runs(trigger: Trigger, after: datetime, place: Place) -> Iterator[datetime]:
    """One behind the other."""
    moment: datetime | None = after
    while (moment := next_run(trigger, moment or after, place)) is not None:
        yield moment


def every(rrule: str, start: datetime | None = None) -> Every:
    return Every(rrule, start or at(2026, 1, 1))


def shown(moments, count: int, zone=BERLIN) -> list[str]:
    return [f"{moment.astimezone(zone):%m-%d %H:%M%z}" for moment in islice(moments, count)]


def test_once_is_due_once():
    moment = at(2026, 11, 16, 8)
    assert next_run(Once(moment), moment - timedelta(seconds=1), HOME) == moment
    assert next_run(Once(moment), moment, HOME) is None


def test_rules_follow_the_clock_of_the_home():
    for rrule, now, expected in yaml.safe_load(TABLES.read_text())["rules"]:
        after = datetime.fromisoformat(now).replace(tzinfo=BERLIN)
        assert shown(runs(every(rrule), after, HOME), len(expected)) == expected, rrule


def test_a_time_in_the_gap_comes_once_at_the_first_valid_moment():
    found = shown(runs(every(DAILY.format(hour=2, minute=30)), at(2026, 3, 28, 12), HOME), 2)
    assert found == ["03-29 03:00+0200", "03-30 02:30+0200"]


def test_a_time_in_the_fold_comes_once():
    found = shown(runs(every(DAILY.format(hour=2, minute=30)), at(2026, 10, 24, 12), HOME), 2)
    assert found == ["10-25 02:30+0200", "10-26 02:30+0100"]
    # Asked again in the repeated hour, the clock shows the same time, and it is over.
    again = next_run(every(DAILY.format(hour=2, minute=30)), at(2026, 10, 25, 2, 10, fold=1), HOME)
    assert shown(iter([again]), 1) == ["10-26 02:30+0100"]


def test_a_time_said_in_the_repeated_hour_is_of_that_hour():
    second = at(2026, 10, 25, 2, 10, fold=1)
    assert on_clock(datetime(2026, 10, 25, 2, 50), BERLIN, second) == at(2026, 10, 25, 2, 50, fold=1)


def test_what_comes_every_two_hours_knows_no_clocks():
    rule = every("FREQ=HOURLY;INTERVAL=2", at(2026, 10, 24, 12))
    moments = list(islice(runs(rule, at(2026, 10, 24, 12), HOME), 20))
    assert {b - a for a, b in pairwise(moments)} == {timedelta(hours=2)}


def test_a_rule_of_years_ago_is_counted_from_its_start():
    rule = every("FREQ=MINUTELY;INTERVAL=7", datetime(2000, 1, 1, tzinfo=UTC))
    moment = next_run(rule, datetime(2026, 11, 16, tzinfo=UTC), HOME)
    assert moment is not None
    assert (moment - datetime(2000, 1, 1, tzinfo=UTC)) % timedelta(minutes=7) == timedelta()
    fortnight = every("FREQ=WEEKLY;INTERVAL=2;BYDAY=MO;BYHOUR=7;BYMINUTE=0;BYSECOND=0", at(2020, 1, 6))
    assert shown(runs(fortnight, at(2026, 11, 16), HOME), 2) == ["11-16 07:00+0100", "11-30 07:00+0100"]


def test_the_sun_sets_every_day_at_another_time():
    found = shown(runs(Sun("sunset", -1200), at(2026, 3, 28, 12), HOME), 2)
    assert found == ["03-28 18:13+0100", "03-29 19:15+0200"]
    weekdays = runs(Sun("sunrise", days=(5, 6)), at(2026, 11, 16), HOME)
    assert {moment.astimezone(BERLIN).weekday() for moment in islice(weekdays, 4)} == {5, 6}


def test_without_a_place_nobody_knows_the_sun():
    with pytest.raises(NoPlace):
        next_run(Sun("sunset"), at(2026, 1, 1), Place(BERLIN))


def test_an_event_has_no_next_time_and_an_end_is_kept():
    assert next_run(Event("zwave", "zwave://devices/1", "open"), at(2026, 1, 1), HOME) is None
    routine = Routine("x", every(DAILY.format(hour=7, minute=0)), until=at(2026, 11, 17, 12))
    assert due_next(routine, at(2026, 11, 16, 12), HOME) == at(2026, 11, 17, 7)
    assert due_next(routine, at(2026, 11, 17, 12), HOME) is None


def test_conditions_of_the_clock():
    for condition, hour, holds in yaml.safe_load(TABLES.read_text())["conditions"]:
        assert holds_at(Condition(**condition), at(2026, 11, 16, hour), HOME) is holds, (condition, hour)
