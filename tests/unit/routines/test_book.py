"""Routines are made whole or not at all, found by what people call them, and changed as they wish."""

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.fakes.limits import with_limits

from voice_gateway.config import RoutinesSettings
from voice_gateway.errors import BadArguments, ToolError
from voice_gateway.routines.book import JudgedCalls, RoutineBook, has_time
from voice_gateway.routines.model import Event, Every, Later, Missing, Once, Routine
from voice_gateway.routines.schedule import Place, due_next
from voice_gateway.routines.store import kept_in
from voice_gateway.routines.tools import routine_tools
from voice_gateway.tools.traits import traits

NOW = datetime(2026, 11, 16, 7, tzinfo=UTC)
LAMP = {"name": "control_zwave_device", "args": {"deviceName": "Floor Lamp", "action": "on"}}
DAILY = "FREQ=DAILY;BYHOUR=8;BYMINUTE=0;BYSECOND=0"


class Home:
    """Reads what it was told to read."""

    def __init__(self) -> None:
        self.later: Later | Missing | None = Later(Once(NOW + timedelta(hours=1)))
        self.opens = False

    def when(self, text: str) -> Later | Missing | None:
        """ "at 07:30 …" is the next such time; what is behind it says how it was meant."""
        if not (found := re.match(r"at (\d\d):(\d\d)", text)):
            return self.later
        at = NOW.replace(hour=int(found[1]), minute=int(found[2]))
        return Later(Once(at if at > NOW else at + timedelta(days=1)))

    def order(self, text: str) -> Any:
        return [LAMP] if text == "turn on the floor lamp" else "I don't know that."

    def judged(self, calls: Any) -> JudgedCalls:
        names = " and ".join(call["args"]["deviceName"] for call in calls)
        sensitive = "Door" in names
        return JudgedCalls(f"turn on the {names}" if names else "", sensitive=sensitive, opens=self.opens)


@pytest.fixture
def home() -> Home:
    return Home()


@pytest.fixture
def book(tmp_path: Path, home: Home) -> RoutineBook:
    store = kept_in(None, tmp_path)[0]
    return RoutineBook(store, home, Place(UTC), with_limits(RoutinesSettings, limit=5), now=lambda: NOW)


def kept(
    book: RoutineBook, trigger: Any, text: str = "turn on the Floor Lamp every day", **more: Any
) -> Routine:
    due = trigger.at if isinstance(trigger, Once) else more.pop("next", None)
    return book.store.add([Routine(text, trigger, (LAMP,), next=due, made=NOW, **more)], 100)[0]


def daily(book: RoutineBook, text: str = "turn on the Floor Lamp every day at 8 AM") -> Routine:
    return kept(book, Every(DAILY, NOW), text, next=NOW + timedelta(hours=1))


@pytest.mark.parametrize(
    ("later", "do", "say", "sentence"),
    [
        (None, "turn on the floor lamp", "", "I can't read"),
        (Missing("There is no such day as 30 February."), "turn on the floor lamp", "", "30 February"),
        (Later(Once(NOW + timedelta(hours=1))), "fly to the moon", "", "I don't know that"),
        (Later(Once(NOW + timedelta(hours=1))), "", "", "nothing in it to do"),
        (Later(Once(NOW + timedelta(hours=1))), "", "x" * 301, "300 characters"),
    ],
)
def test_what_cannot_be_kept_is_told_and_nothing_is(book, home, later, do, say, sentence):
    home.later = later
    with pytest.raises(BadArguments, match=sentence):
        book.keep(book.drafted("some time", do, say=say))
    assert book.store.all() == []


def test_opening_the_house_needs_the_setting(book, home, tmp_path):
    home.opens = True
    with pytest.raises(ToolError, match="may not open the house"):
        book.drafted("at 8", "turn on the floor lamp")
    allowed = RoutineBook(book.store, home, Place(UTC), RoutinesSettings(allow_opening=True), now=lambda: NOW)
    assert allowed.drafted("at 8", "turn on the floor lamp").calls == (LAMP,)


def test_a_script_that_makes_two_thousand_gets_to_the_limit_and_no_further(book):
    drafted = book.drafted("at 8", "turn on the floor lamp")
    for _ in range(5):
        book.keep(drafted)
    for _ in range(10):
        with pytest.raises(ToolError, match="There are 5 routines already"):
            book.keep(drafted)
    assert len(book.store.all()) == 5


def test_one_is_found_by_its_words_and_never_more_than_was_meant(book):
    first, second = daily(book), daily(book, "turn on the Coffee Maker every day at 8 AM")
    assert book.find("coffee maker") == [second]
    assert book.find("last") == [second]
    assert book.find(str(first.id)) == [first]
    assert book.find("all") == [first, second]
    with pytest.raises(ToolError, match="Which routine"):
        book.find("every day")
    with pytest.raises(ToolError, match="don't find"):
        book.find("garage")


def test_one_is_found_by_the_day_and_part_of_the_day_of_its_next_time(book):
    light = kept(book, Every(DAILY, NOW), "turn on the Light", next=NOW + timedelta(hours=23, minutes=30))
    lamp = kept(book, Once(NOW + timedelta(hours=16)), "turn off the Lamp")
    for name, routine in {
        "the morning one": light,
        "6:30": light,
        "tomorrow": light,
        "night": lamp,
        "today": lamp,
    }.items():
        assert book.find(name) == [routine], name
    for name in ("tonight", "the toaster"):
        with pytest.raises(ToolError, match="don't find"):
            book.find(name)


def test_a_day_that_is_named_is_the_only_one_skipped(book):
    daily(book)
    far = kept(book, Once(NOW + timedelta(days=1)), "turn on the Desk Lamp")
    assert book.find_next("", "tomorrow") == [far]
    with pytest.raises(ToolError, match="Nothing of that is planned for today"):
        book.find_next("desk lamp", "today")
    with pytest.raises(ToolError, match=r"planned for \w+day, 24 December"):
        book.find_next("desk lamp", f"{NOW.year}-12-24")
    kept(book, Once(NOW + timedelta(days=1, hours=1)))
    with pytest.raises(ToolError, match="Which routine"):
        book.find_next("", "tomorrow")


def test_a_routine_stays_in_its_half_of_the_day(book):
    rule = Every("FREQ=DAILY;BYHOUR=6;BYMINUTE=30;BYSECOND=0", NOW)
    wrong = []
    for when, hour in {"at 19:30": 19, "at 07:30": 7, "at 06:45": 6}.items():
        moved = book.moved(Routine("x", rule, (LAMP,), next=NOW.replace(hour=6, minute=30)), when)
        wrong += [(when, moved.trigger)] if f"BYHOUR={hour};" not in moved.trigger.rrule else []
    evening = book.moved(kept(book, Once(NOW.replace(hour=23))), "at 10")  # the reader takes it for 8 AM
    assert evening.trigger.at.hour == 20
    assert wrong == []


def cancel_tool(book):
    return next(tool for tool in routine_tools(book, lambda: True) if tool.name == "cancel_routine")


def test_moving_and_resuming_ask_again_where_a_yes_was_needed(book):
    call = {"name": "control_zwave_device", "args": {"deviceName": "Front Door", "action": "unlock"}}
    book.keep(book.drafted("at 08:00", calls=[call]))
    daily(book, "turn on the Desk Lamp")
    cancel: Any = traits(cancel_tool(book))
    moving = {"name": "front door", "action": "move", "when": "at 09:00"}
    assert cancel.sensitive(moving)
    assert cancel.asked(moving) == "turn on the Front Door at 9 AM today"
    assert not cancel.sensitive({**moving, "name": "desk lamp"})
    assert not cancel.sensitive({"name": "front door"})
    assert not cancel.sensitive({"action": "resume"})  # nothing is paused
    book.pause(paused=True)
    for name in ("all", "", "front door"):
        assert cancel.sensitive({"name": name, "action": "resume"}), name
        assert cancel.asked({"name": name, "action": "resume"}).startswith("turn on the Front Door")
    assert not cancel.sensitive({"name": "desk lamp", "action": "resume"})


async def test_undoing_a_pause_resumes_no_other_routine(book):
    book.pause(paused=True, routines=[daily(book, "turn on the Light")])
    lamp = daily(book, "turn on the Desk Lamp")
    call = {"name": "cancel_routine", "args": {"name": "desk lamp", "action": "pause"}}
    message = await cancel_tool(book).ainvoke({**call, "id": "1", "type": "tool_call"})
    undo = message.artifact["structured"]["before"]
    assert undo == [{"name": "cancel_routine", "args": {"name": str(lamp.id), "action": "resume"}}]


def test_of_two_with_one_name_only_the_one_that_has_a_time_is_skipped_and_moved(book):
    timed = daily(book)
    kept(book, Event("zwave", "zwave://devices/7/0", "open"), "turn on the Floor Lamp whenever it opens")

    assert book.find_next("floor lamp", "today") == [timed]
    assert book.find_next("floor lamp", "") == [timed]
    assert book.find("floor lamp", has_time) == [timed]
    with pytest.raises(ToolError, match="Which routine"):
        book.find("floor lamp")


def test_one_time_is_skipped_a_single_one_is_cancelled_and_a_state_that_lasts_counts_anew(book):
    assert book.skip(daily(book)).next == NOW + timedelta(days=1, hours=1)
    assert book.skip(kept(book, Once(NOW + timedelta(hours=1)))) is None
    event = Event("zwave", "zwave://devices/7/0", "open", 600.0)
    assert book.skip(kept(book, event, next=NOW + timedelta(minutes=3))).next is None
    with pytest.raises(ToolError, match="nothing to skip"):
        book.skip(kept(book, event))
    assert len(book.store.all()) == 3


def test_a_day_further_ahead_is_left_out_and_the_next_time_stays(book):
    lamp = daily(book)
    sunday = (NOW + timedelta(days=4)).date()

    [found] = book.find_next("floor lamp", sunday.isoformat())
    left = book.skip(found, sunday)

    assert left.next == lamp.next
    assert due_next(left, NOW + timedelta(days=3, hours=2), book.place).date() == sunday + timedelta(days=1)


def test_moving_keeps_the_rule_and_what_something_starts_has_no_time(book, home):
    home.later = Later(Once(NOW.replace(hour=9, minute=30)))
    moved = book.move(daily(book), "at half past nine")
    assert moved.trigger.rrule == "FREQ=DAILY;BYHOUR=9;BYMINUTE=30;BYSECOND=0"
    assert moved.next == NOW.replace(hour=9, minute=30)
    with pytest.raises(ToolError, match="no time to move"):
        book.move(kept(book, Event("zwave", "zwave://devices/7/0", "open")), "at 9")


def test_who_goes_on_counts_from_now_and_what_is_over_goes(book):
    rule, over = daily(book), kept(book, Once(NOW - timedelta(hours=1)))
    assert len(book.pause(paused=True)) == 2
    assert all(one.paused for one in book.store.all())
    assert [one.id for one in book.pause(paused=False)] == [rule.id]
    assert [(one.id, one.next) for one in book.store.all()] == [(rule.id, NOW + timedelta(hours=1))]
    assert over.id not in {one.id for one in book.store.all()}


def test_what_takes_something_back_goes_on_while_all_are_paused(book, home):
    home.later = Later(Once(NOW + timedelta(minutes=10)), back=True)
    back = book.keep(book.drafted("for ten minutes", calls=[LAMP]))
    rule = kept(book, Every(DAILY, NOW), next=NOW + timedelta(hours=1))

    assert [one.id for one in book.pause(paused=True)] == [rule.id]
    assert [one.id for one in book.store.all() if not one.paused] == [back.id]
    assert [one.id for one in book.pause(paused=True, routines=[back])] == [back.id]
