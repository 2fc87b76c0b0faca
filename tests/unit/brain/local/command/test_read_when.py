"""When something starts: what the words of a time mean."""

from datetime import UTC, datetime

import pytest

from voice_gateway.brain.local.command.when import Repeated, Watched, read_when, repeated, splits
from voice_gateway.routines.model import Event, Every, Later, Missing, Once, Sun
from voice_gateway.routines.schedule import Place

NOON = datetime(2026, 11, 16, 12, tzinfo=UTC)  # a Monday
PLACE = Place(UTC, 52.5, 13.4)


def watch(thing: str, becomes: str) -> Watched:
    return Watched("zwave", "zwave://devices/7/0", becomes, thing)


def meant(text: str) -> Later:
    later = read_when(text, NOON, PLACE, watch)
    assert isinstance(later, Later)
    return later


@pytest.mark.parametrize(
    ("said", "at"),
    [
        ("at 7", datetime(2026, 11, 16, 19, tzinfo=UTC)),
        ("at 7 am", datetime(2026, 11, 17, 7, tzinfo=UTC)),
        ("tomorrow at half past 9", datetime(2026, 11, 17, 9, 30, tzinfo=UTC)),
        ("on friday at 5 pm", datetime(2026, 11, 20, 17, tzinfo=UTC)),
        ("on the 24th of december at 6 pm", datetime(2026, 12, 24, 18, tzinfo=UTC)),
    ],
)
def test_a_time_without_every_comes_once(said: str, at: datetime) -> None:
    assert meant(said).trigger == Once(at)


@pytest.mark.parametrize(
    ("said", "rule"),
    [
        ("every day at 7", "FREQ=DAILY;BYHOUR=7;BYMINUTE=0;BYSECOND=0"),
        ("at 6:45 on weekdays", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;BYHOUR=6;BYMINUTE=45;BYSECOND=0"),
        ("on the last day of every month at 9", "FREQ=MONTHLY;BYMONTHDAY=-1;BYHOUR=9;BYMINUTE=0;BYSECOND=0"),
        ("every 2 hours", "FREQ=HOURLY;INTERVAL=2"),
    ],
)
def test_what_comes_again_is_a_rule(said: str, rule: str) -> None:
    trigger = meant(said).trigger
    assert isinstance(trigger, Every)
    assert trigger.rrule == rule


def test_the_sun_and_an_event_are_triggers_of_their_own() -> None:
    assert meant("20 minutes before sunset").trigger == Sun("sunset", -1200, once=True)
    opened = meant("when the back door opens").trigger
    assert isinstance(opened, Event)
    assert (opened.device, opened.becomes) == ("the back door", "open")


def test_for_a_while_is_taken_back() -> None:
    later = meant("for 10 minutes")
    assert later.back
    assert isinstance(later.trigger, Once)
    assert later.trigger.seconds == 600


@pytest.mark.parametrize(
    "said", ["at 25", "on the 30th of february at 8", "later", "every monday", "at 7 at 8"]
)
def test_what_cannot_be_kept_is_told(said: str) -> None:
    assert isinstance(read_when(said, NOON, PLACE, watch), Missing)


def test_when_and_what_stand_in_any_order() -> None:
    for said in ("at 7 turn on the lamp", "turn on the lamp at 7"):
        first = next(splits(said))
        assert (first.when, first.order) == ("at 7", "turn on the lamp")


@pytest.mark.parametrize(
    ("said", "again"),
    [
        ("at 7 every weekday", Repeated("every weekday", "7")),
        ("6:30 daily", Repeated("daily", "6:30")),
        ("every 2 hours", Repeated("every 2 hours", "")),
        ("tomorrow at 7", None),
        ("every weekday turn on", None),
    ],
)
def test_days_and_time_of_what_repeats(said: str, again: Repeated | None) -> None:
    assert repeated(said) == again
