"""How routines are spoken of: a person hears when, with the time spelled out."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from voice_gateway.brain.local.command.when import Watched, read_when
from voice_gateway.brain.local.normalise import normalise
from voice_gateway.routines.model import Condition, Event, Every, Later, Once, Routine, Sun, Trigger
from voice_gateway.routines.schedule import Place, next_run
from voice_gateway.routines.wording import (
    clock,
    date_of,
    on_day,
    ordinal,
    say_event,
    say_news,
    say_rule,
    say_when,
    when_text,
)

ZONE = ZoneInfo("Europe/Berlin")
PLACE = Place(ZONE, 52.5, 13.4)
NOON = datetime(2026, 11, 16, 12, tzinfo=ZONE)  # a Monday
DOOR = Event("zwave", "zwave://devices/6/0", "open", device="Kitchen Door")


def routine(trigger: Trigger, **more: object) -> Routine:
    return replace(Routine("", trigger, next=next_run(trigger, NOON, PLACE)), **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("at", "said"),
    [
        ((7, 0, 0), "7 AM"),
        ((19, 30, 0), "7:30 PM"),
        ((0, 0, 0), "12 AM"),
        ((12, 5, 0), "12:05 PM"),
        ((20, 0, 45), "8:00:45 PM"),
    ],
)
def test_a_clock_time_has_no_minutes_that_say_nothing(at: tuple[int, int, int], said: str) -> None:
    assert clock(datetime(2026, 11, 16, *at)) == said


@pytest.mark.parametrize(
    ("days", "said"),
    [
        (0, "at 12 PM today"),
        (1, "tomorrow at 12 PM"),
        (4, "on Friday, 20 November at 12 PM"),
        (60, "on Friday, 15 January 2027 at 12 PM"),
    ],
)
def test_a_day_is_named_as_far_as_it_is_away(days: int, said: str) -> None:
    assert on_day(NOON + timedelta(days=days), NOON) == said


def test_the_year_is_said_when_it_is_another() -> None:
    assert date_of(NOON, NOON) == "Monday, 16 November"
    assert date_of(NOON.replace(year=2027), NOON) == "Tuesday, 16 November 2027"


@pytest.mark.parametrize(
    ("number", "said"),
    [(1, "1st"), (2, "2nd"), (3, "3rd"), (4, "4th"), (11, "11th"), (13, "13th"), (22, "22nd"), (31, "31st")],
)
def test_ordinals(number: int, said: str) -> None:
    assert ordinal(number) == said


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ("FREQ=DAILY;BYHOUR=7;BYMINUTE=0;BYSECOND=0", "every day at 7 AM"),
        ("FREQ=DAILY;INTERVAL=2;BYHOUR=7;BYMINUTE=0;BYSECOND=0", "every 2 days at 7 AM"),
        ("FREQ=DAILY;BYHOUR=6,22;BYMINUTE=0;BYSECOND=0", "every day at 6 AM and 10 PM"),
        (
            "FREQ=DAILY;BYHOUR=8,10,12,14;BYMINUTE=0;BYSECOND=0",
            "every day, every 2 hours from 8 AM to 2 PM",
        ),
        (
            "FREQ=DAILY;BYHOUR=8,9,11,12;BYMINUTE=0,30;BYSECOND=0;BYSETPOS=1,4,5,8",
            "every day, every 1 hour 30 minutes from 8 AM to 12:30 PM",
        ),
        ("FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;BYHOUR=6;BYMINUTE=45;BYSECOND=0", "every weekday at 6:45 AM"),
        ("FREQ=WEEKLY;BYDAY=SA,SU;BYHOUR=9;BYMINUTE=0;BYSECOND=0", "every Saturday and Sunday at 9 AM"),
        ("FREQ=WEEKLY;INTERVAL=2;BYDAY=MO;BYHOUR=8;BYMINUTE=0;BYSECOND=0", "every 2 weeks on Monday at 8 AM"),
        ("FREQ=MONTHLY;BYMONTHDAY=1;BYHOUR=9;BYMINUTE=0;BYSECOND=0", "on the 1st of every month at 9 AM"),
        (
            "FREQ=MONTHLY;BYMONTHDAY=-1;BYHOUR=9;BYMINUTE=0;BYSECOND=0",
            "on the last day of every month at 9 AM",
        ),
        (
            "FREQ=MONTHLY;BYDAY=1MO;BYHOUR=20;BYMINUTE=0;BYSECOND=0",
            "on the 1st Monday of every month at 8 PM",
        ),
        (
            "FREQ=MONTHLY;BYDAY=-1FR;BYHOUR=20;BYMINUTE=0;BYSECOND=0",
            "on the last Friday of every month at 8 PM",
        ),
        (
            "FREQ=YEARLY;BYMONTH=12;BYMONTHDAY=24;BYHOUR=17;BYMINUTE=0;BYSECOND=0",
            "on 24 December every year at 5 PM",
        ),
        ("FREQ=HOURLY", "every hour"),
        ("FREQ=MINUTELY;INTERVAL=20", "every 20 minutes"),
        ("FREQ=DAILY;COUNT=3", "by the rule FREQ=DAILY;COUNT=3"),
    ],
)
def test_a_rule_is_said_in_words(rule: str, said: str) -> None:
    assert say_rule(rule) == said


def test_a_length_of_time_is_said_with_the_moment_it_ends() -> None:
    at = (NOON + timedelta(minutes=10)).astimezone(UTC)
    assert say_when(routine(Once(at, 600.0)), NOON, PLACE) == "in 10 minutes, at 12:10 PM today"
    soon = (NOON + timedelta(seconds=45)).astimezone(UTC)
    assert say_when(routine(Once(soon, 45.0)), NOON, PLACE) == "in 45 seconds, at 12:00:45 PM today"


def test_what_is_read_another_day_has_its_date() -> None:
    at = (NOON + timedelta(hours=7)).astimezone(UTC)
    assert say_when(routine(Once(at)), NOON, PLACE, absolute=True) == "on Monday, 16 November at 7 PM"


@pytest.mark.parametrize(
    ("trigger", "said"),
    [
        (Sun("sunset", once=True), "at sunset, at 4:11 PM today"),
        (Sun("sunset", -1200, once=True), "20 minutes before sunset, at 3:51 PM today"),
        (Sun("sunrise", 1800), "every day 30 minutes after sunrise, the next time tomorrow at 8:01 AM"),
        (
            Sun("sunset", days=(5, 6)),
            "every Saturday and Sunday at sunset, the next time on Saturday, 21 November at 4:05 PM",
        ),
    ],
)
def test_the_sun_is_said_with_its_next_time(trigger: Sun, said: str) -> None:
    assert say_when(routine(trigger), NOON, PLACE) == said


def test_every_other_day_is_said_with_the_next_of_them() -> None:
    rule = Every("FREQ=DAILY;INTERVAL=2;BYHOUR=8;BYMINUTE=0;BYSECOND=0", NOON.astimezone(UTC))
    assert say_when(routine(rule), NOON, PLACE).startswith("every 2 days at 8 AM, the next time ")


@pytest.mark.parametrize(
    ("trigger", "said"),
    [
        (DOOR, "whenever the Kitchen Door opens"),
        (replace(DOOR, once=True), "the next time the Kitchen Door opens"),
        (replace(DOOR, seconds=600.0), "whenever the Kitchen Door opens and stays so for 10 minutes"),
        (replace(DOOR, becomes="motion"), "whenever the Kitchen Door sees motion"),
        (
            replace(DOOR, becomes="temperature < 18"),
            "whenever the Kitchen Door tells a temperature below 18 degrees",
        ),
        (replace(DOOR, becomes="power > 500"), "whenever the Kitchen Door tells a power above 500 watts"),
        (replace(DOOR, becomes="battery < 20"), "whenever the Kitchen Door tells a battery below 20 percent"),
        (replace(DOOR, device="", becomes="dancing"), "whenever the zwave://devices/6/0 becomes dancing"),
    ],
)
def test_what_happens_is_said_of_the_device(trigger: Event, said: str) -> None:
    assert say_event(trigger) == said


@pytest.mark.parametrize(
    ("becomes", "said"),
    [
        ("open", "The Kitchen Door is open."),
        ("unlocked", "The Kitchen Door is unlocked."),
        ("motion", "The Kitchen Door sees motion."),
        ("temperature > 25", "The Kitchen Door tells a temperature above 25 degrees."),
    ],
)
def test_news_tell_how_it_is_now(becomes: str, said: str) -> None:
    assert say_news(replace(DOOR, becomes=becomes)) == said


@pytest.mark.parametrize(
    ("condition", "said"),
    [
        (Condition(weekdays=(0, 1, 2, 3, 4)), ", only on weekdays"),
        (Condition(weekdays=(6,)), ", only on Sundays"),
        (Condition(after="22:00"), ", after 10 PM"),
        (Condition(before="09:00"), ", before 9 AM"),
        (Condition(after="22:00", before="06:00"), ", between 10 PM and 6 AM"),
        (Condition(after="sunset"), ", after sunset"),
        (Condition(resource="r", device="Floor Lamp", state="off"), ", if the Floor Lamp is off"),
        (
            Condition(resource="r", device="Floor Lamp", state="on", unless=True),
            ", if the Floor Lamp is not on",
        ),
    ],
)
def test_a_condition_stands_behind_it(condition: Condition, said: str) -> None:
    found = say_when(routine(DOOR, condition=condition), NOON, PLACE)
    assert found == f"whenever the Kitchen Door opens{said}"


def test_an_end_is_said() -> None:
    rule = Every("FREQ=DAILY;BYHOUR=20;BYMINUTE=0;BYSECOND=0", NOON.astimezone(UTC))
    until = datetime(2026, 11, 20, 23, 59, 59, tzinfo=ZONE).astimezone(UTC)
    said = say_when(routine(rule, until=until), NOON, PLACE)
    assert said == "every day at 8 PM until Friday, 20 November"


@pytest.mark.parametrize(
    ("trigger", "text"),
    [
        (Once(datetime(2026, 11, 17, 6, tzinfo=UTC)), "2026-11-17T06:00:00+00:00"),
        (Every("FREQ=HOURLY", datetime(2026, 11, 16, tzinfo=UTC)), "RRULE:FREQ=HOURLY"),
        (Sun("sunset", -1200), "every day 20 minutes before sunset"),
        (DOOR, "whenever the Kitchen Door opens"),
    ],
)
def test_what_was_cancelled_can_be_read_again(trigger: Trigger, text: str) -> None:
    assert when_text(routine(trigger)) == text


@pytest.mark.parametrize("days", [(6,), (0, 1, 2, 3, 4), (0, 2)])
def test_days_beside_an_event_are_read_again(days: tuple[int, ...]) -> None:
    text = when_text(routine(DOOR, condition=Condition(weekdays=days)))

    later = read_when(
        normalise(text).text, NOON, PLACE, lambda thing, becomes: Watched("z", "r", becomes, thing)
    )

    assert isinstance(later, Later)
    assert later.condition == Condition(weekdays=days)
