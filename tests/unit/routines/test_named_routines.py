"""Routines are found by what people call them, moved to the hour that is meant, and skipped for a day."""

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest

from voice_gateway.brain.local.command.when import Watched, read_when
from voice_gateway.brain.local.normalise import normalise
from voice_gateway.config import RoutinesSettings
from voice_gateway.errors import ToolError
from voice_gateway.routines.book import JudgedCalls, Origin, RoutineBook
from voice_gateway.routines.model import Call, Later, Missing, Routine
from voice_gateway.routines.schedule import Place
from voice_gateway.routines.store import kept_in
from voice_gateway.routines.tools import routine_tools
from voice_gateway.tools.traits import traits

NOON = datetime(2026, 11, 16, 12, tzinfo=UTC)  # a Monday
PLACE = Place(UTC, 52.5, 13.4)


class Reader:
    """Who reads words: the real reader of times, and one device for each name."""

    def when(self, text: str) -> Later | Missing | None:
        return read_when(normalise(text).text, NOON, PLACE, lambda one, to: Watched("z", "r", to, one))

    def order(self, text: str) -> Sequence[Call]:
        return [{"name": "do", "args": {"what": text}}]

    def judged(self, calls: Sequence[Call]) -> JudgedCalls:
        text = " and ".join(str(call["args"]["what"]) for call in calls)
        risky = text.startswith("unlock")
        return JudgedCalls(text, sensitive=risky, opens=risky)

    def unwatchable(self, _server: str, _resource: str) -> str:
        return ""


@pytest.fixture
def book(tmp_path: Path) -> RoutineBook:
    store = kept_in(None, tmp_path)[0]
    return RoutineBook(store, Reader(), PLACE, RoutinesSettings(allow_opening=True), now=lambda: NOON)


def keep(book: RoutineBook, when: str, do: str) -> Routine:
    return book.keep(book.drafted(when, do), Origin())


@pytest.fixture
def three(book: RoutineBook) -> list[Routine]:
    return [
        keep(book, "every weekday at 6:30 am", "turn on the Kitchen Light"),
        keep(book, "at 11 pm", "turn off the Reading Lamp"),
        keep(book, "on friday at 3 pm", "turn on the Desk Lamp"),
    ]


@pytest.mark.parametrize(
    ("name", "place"),
    [
        ("kitchen light", 0),
        ("the morning one", 0),
        ("6:30", 0),
        ("11 pm", 1),
        ("tonight", None),
        ("night", 1),
        ("today", 1),
        ("friday", 2),
        ("afternoon", 2),
        ("last", 2),
        ("the toaster", None),
    ],
)
def test_one_is_found_by_its_device_its_time_or_its_part_of_the_day(
    book: RoutineBook, three: list[Routine], name: str, place: int | None
) -> None:
    if place is None:
        with pytest.raises(ToolError, match="I don't find that routine"):
            book.find(name)
    else:
        assert [one.id for one in book.find(name)] == [three[place].id]


@pytest.mark.parametrize(
    ("name", "when", "hour"),
    [
        (
            "kitchen light",
            "at 7:30",
            "BYHOUR=7;BYMINUTE=30",
        ),  # it is noon: the next 7:30 would be in the evening
        ("kitchen light", "at 7:30 pm", "BYHOUR=19;BYMINUTE=30"),
        ("kitchen light", "at 19:30", "BYHOUR=19;BYMINUTE=30"),
        ("reading lamp", "at 10", "22:00"),
        ("reading lamp", "at 1 am", "01:00"),
        ("desk lamp", "on friday at 5", "17:00"),
    ],
)
def test_a_routine_stays_in_its_half_of_the_day(
    book: RoutineBook, three: list[Routine], name: str, when: str, hour: str
) -> None:
    moved = book.move(book.find(name)[0], when)

    assert hour in str(moved.to_json(UTC)["trigger"])


def test_not_tomorrow_leaves_out_what_comes_tomorrow(book: RoutineBook, three: list[Routine]) -> None:
    [found] = book.find_next("", "tomorrow")
    left = book.skip(found)

    assert found.id == three[0].id
    assert left is not None
    assert left.next == datetime(2026, 11, 18, 6, 30, tzinfo=UTC)


@pytest.mark.parametrize(("name", "day"), [("kitchen light", "today"), ("desk lamp", "tomorrow")])
def test_what_does_not_come_on_that_day_is_not_skipped(
    book: RoutineBook, three: list[Routine], name: str, day: str
) -> None:
    with pytest.raises(ToolError, match=f"Nothing of that is planned for {day}"):
        book.find_next(name, day)


def test_of_two_that_come_on_that_day_the_user_is_asked(book: RoutineBook, three: list[Routine]) -> None:
    keep(book, "tomorrow at 8 am", "turn on the Desk Lamp")

    with pytest.raises(ToolError, match="Which routine do you mean"):
        book.find_next("", "tomorrow")


def test_a_yes_was_for_one_time_only(book: RoutineBook) -> None:
    keep(book, "tomorrow at 6 am", "unlock the Front Door")
    keep(book, "tomorrow at 8 am", "turn on the Desk Lamp")
    own = {one.name: traits(one) for one in routine_tools(book, lambda: True)}["cancel_routine"]
    assert own.sensitive is not None
    assert own.asked is not None
    moving = {"name": "front door", "action": "move", "when": "at 9 am"}

    assert own.sensitive(moving)
    assert re.fullmatch(r"unlock the Front Door tomorrow at 9 AM", own.asked(moving))
    assert not own.sensitive({**moving, "name": "desk lamp"})
    assert not own.sensitive({"name": "front door"})
    assert not own.sensitive({"name": "toaster", "action": "move", "when": "at 9"})


@pytest.mark.parametrize("name", ["all", "", "front door"])
def test_what_opens_the_house_goes_on_only_after_a_yes(book: RoutineBook, name: str) -> None:
    keep(book, "tomorrow at 6 am", "unlock the Front Door")
    keep(book, "tomorrow at 8 am", "turn on the Desk Lamp")
    own = {one.name: traits(one) for one in routine_tools(book, lambda: True)}["cancel_routine"]
    assert own.sensitive is not None
    assert own.asked is not None
    going_on = {"name": name, "action": "resume"}
    assert not own.sensitive(going_on)  # it is on
    book.pause(paused=True)

    assert own.sensitive(going_on)
    assert own.asked(going_on) == "unlock the Front Door tomorrow at 6 AM"
    assert not own.sensitive({"name": "desk lamp", "action": "resume"})
    assert not own.sensitive({"name": "front door", "action": "pause"})


async def test_a_pause_that_is_taken_back_resumes_no_other_routine(book: RoutineBook) -> None:
    keep(book, "tomorrow at 6 am", "turn on the Kitchen Light")
    lamp = keep(book, "tomorrow at 8 am", "turn on the Desk Lamp")
    book.pause(paused=True, routines=book.find("kitchen light"))
    cancel = next(one for one in routine_tools(book, lambda: True) if one.name == "cancel_routine")
    call = {"name": "cancel_routine", "args": {"name": "desk lamp", "action": "pause"}}
    message = await cancel.ainvoke({**call, "id": "1", "type": "tool_call"})

    back = message.artifact["structured"]["before"]
    assert back == [{"name": "cancel_routine", "args": {"name": str(lamp.id), "action": "resume"}}]
