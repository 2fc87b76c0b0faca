"""Routines in words: when they come, spelled out, and a "when" that is read as the same again."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import yaml

from voice_gateway.routines.model import Condition, Event, Every, Once, Routine, Sun, Trigger
from voice_gateway.routines.schedule import Place, next_run
from voice_gateway.routines.wording import clock, on_day, say_event, say_news, say_rule, say_when, when_text

ZONE = ZoneInfo("Europe/Berlin")
PLACE = Place(ZONE, 52.5, 13.4)
NOON = datetime(2026, 11, 16, 12, tzinfo=ZONE)  # a Monday
DOOR = Event("zwave", "zwave://devices/6/0", "open", device="Kitchen Door")
AT_7 = "BYHOUR=7;BYMINUTE=0;BYSECOND=0"


def routine(trigger: Trigger, **more: object) -> Routine:
    return replace(Routine("", trigger, next=next_run(trigger, NOON, PLACE)), **more)  # type: ignore[arg-type]


def later(**length: float) -> datetime:
    return (NOON + timedelta(**length)).astimezone(UTC)


def compare(found: dict[Any, str], expected: list[str]) -> None:
    wrong = [
        (what, text, wanted)
        for (what, text), wanted in zip(found.items(), expected, strict=True)
        if text != wanted
    ]
    assert wrong == []


def test_clock_times_and_days() -> None:
    times = [(7, 0, 0), (19, 30, 0), (0, 0, 0), (12, 5, 0), (20, 0, 45)]
    expected = ["7 AM", "7:30 PM", "12 AM", "12:05 PM", "8:00:45 PM"]
    compare({time: clock(datetime(2026, 11, 16, *time)) for time in times}, expected)
    expected = [
        "at 12 PM today",
        "tomorrow at 12 PM",
        "on Friday, 20 November at 12 PM",
        "on Friday, 15 January 2027 at 12 PM",
    ]
    compare({days: on_day(NOON + timedelta(days=days), NOON) for days in (0, 1, 4, 60)}, expected)


def test_rules() -> None:
    rules = yaml.safe_load(Path(__file__).with_name("tables.yaml").read_text())["said"]
    compare({rule: say_rule(rule) for rule in rules}, [*rules.values()])


def test_when_a_routine_comes() -> None:
    rule = Every("FREQ=DAILY;BYHOUR=20;BYMINUTE=0;BYSECOND=0", later())
    triggers = {
        routine(Once(later(minutes=10), 600.0)): "in 10 minutes",
        routine(Once(later(minutes=90), 5400.0)): "in 1 hour 30 minutes, at 1:30 PM today",
        routine(Once(later(seconds=45), 45.0)): "in 45 seconds",
        routine(Sun("sunset", once=True)): "at sunset, at 4:11 PM today",
        routine(Sun("sunset", -1200, once=True)): "20 minutes before sunset, at 3:51 PM today",
        routine(
            Sun("sunrise", 1800)
        ): "every day 30 minutes after sunrise, the next time tomorrow at 8:01 AM",
        routine(
            Sun("sunset", days=(5, 6))
        ): "every Saturday and Sunday at sunset, the next time on Saturday, 21 November at 4:05 PM",
        routine(rule, until=later(days=4)): "every day at 8 PM until Friday, 20 November",
    }
    compare({one: say_when(one, NOON, PLACE) for one in triggers}, [*triggers.values()])
    other_day = say_when(routine(Once(later(hours=7))), NOON, PLACE, absolute=True)
    assert other_day == "on Monday, 16 November at 7 PM"
    counted = say_when(routine(Every(f"FREQ=DAILY;INTERVAL=2;{AT_7}", later())), NOON, PLACE)
    assert counted.startswith("every 2 days at 7 AM, the next time ")


def test_events_and_conditions() -> None:
    events = {
        DOOR: "whenever the Kitchen Door opens",
        replace(DOOR, once=True): "the next time the Kitchen Door opens",
        replace(DOOR, seconds=600.0): "whenever the Kitchen Door opens and stays so for 10 minutes",
        replace(
            DOOR, becomes="temperature < 18"
        ): "whenever the Kitchen Door tells a temperature below 18 degrees",
        replace(DOOR, device="", becomes="dancing"): "whenever the zwave://devices/6/0 becomes dancing",
    }
    compare({event: say_event(event) for event in events}, [*events.values()])
    assert say_news(DOOR) == "The Kitchen Door is open."
    assert say_news(replace(DOOR, becomes="motion")) == "The Kitchen Door sees motion."
    conditions = {
        Condition(weekdays=(0, 1, 2, 3, 4)): ", only on weekdays",
        Condition(weekdays=(6,)): ", only on Sundays",
        Condition(after="22:00"): ", after 10 PM",
        Condition(before="09:00"): ", before 9 AM",
        Condition(after="22:00", before="06:00"): ", between 10 PM and 6 AM",
        Condition(after="sunset"): ", after sunset",
        Condition(resource="r", device="Lamp", state="on", unless=True): ", if the Lamp is not on",
    }
    compare(
        {one: say_when(routine(DOOR, condition=one), NOON, PLACE) for one in conditions},
        [f"{events[DOOR]}{text}" for text in conditions.values()],
    )


def test_a_when_can_be_read_again() -> None:
    triggers: dict[Trigger, str] = {
        Once(datetime(2026, 11, 17, 6, tzinfo=UTC)): "2026-11-17T06:00:00+00:00",
        Every("FREQ=HOURLY", later()): "RRULE:FREQ=HOURLY",
        Sun("sunset", -1200): "every day 20 minutes before sunset",
        DOOR: "whenever the Kitchen Door opens",
    }
    compare({trigger: when_text(routine(trigger)) for trigger in triggers}, [*triggers.values()])
