"""Alarms are kept until they were acknowledged, over restarts too."""

from dataclasses import replace
from pathlib import Path

import pytest

from voice_gateway.integrations.alarms import AlarmBook
from voice_gateway.integrations.events import EventPage, HomeEvent, read_page

SMOKE = HomeEvent(
    server="zwave", id=1, at=1000.0, kind="smoke", state="on", device="Smoke Alarm", room="Kitchen", node=7,
    text="Smoke is detected in the Kitchen.", urgent=True,
)  # fmt: skip
STANDS = EventPage(1.0, (), (SMOKE,), frozenset())
CALM = EventPage(1.0, (), (), frozenset({SMOKE.key}))
UNKNOWN = EventPage(2.0, (), (), frozenset())


@pytest.fixture
def book(tmp_path: Path) -> AlarmBook:
    return AlarmBook(tmp_path / "alarms.json")


def test_an_alarm_is_unheard_until_it_is_acknowledged(book: AlarmBook) -> None:
    book.take(STANDS)
    assert [alarm.told for alarm in book.unheard] == ["Smoke is detected in the Kitchen."]

    assert [alarm.kind for alarm in book.acknowledge()] == ["smoke"]
    book.take(STANDS)

    assert book.unheard == []
    assert len(book.all) == 1


def test_a_restart_forgets_neither_what_was_heard_nor_what_was_not(book: AlarmBook, tmp_path: Path) -> None:
    book.take(STANDS)
    assert AlarmBook(tmp_path / "alarms.json").unheard == book.unheard
    book.acknowledge()
    again = AlarmBook(tmp_path / "alarms.json")
    again.take(STANDS)
    assert again.unheard == []


def test_an_alarm_that_ends_unheard_is_still_reported(book: AlarmBook) -> None:
    book.take(STANDS)
    book.take(CALM)

    [alarm] = book.unheard
    assert alarm.told.startswith("Smoke was detected in the Kitchen. It began at ")
    assert alarm.told.endswith("and is over now.")
    book.acknowledge()
    assert book.all == []


def test_a_server_that_does_not_know_yet_ends_no_alarm(book: AlarmBook) -> None:
    book.take(STANDS)
    book.take(UNKNOWN)

    assert [alarm.over for alarm in book.all] == [False]


def test_an_alarm_that_comes_again_is_another_one(book: AlarmBook) -> None:
    book.take(STANDS)
    book.acknowledge()
    book.take(CALM)
    book.take(STANDS)

    assert [alarm.over for alarm in book.unheard] == [False]
    book.take(CALM)
    assert [alarm.over for alarm in book.unheard] == [True]
    book.take(STANDS)
    assert [alarm.over for alarm in book.unheard] == [False]


def test_an_alarm_that_was_over_when_the_list_was_read_is_reported(book: AlarmBook) -> None:
    book.happened(SMOKE)
    book.take(CALM)

    assert [alarm.over for alarm in book.unheard] == [True]


def test_an_acknowledgement_at_another_gateway_counts(book: AlarmBook, tmp_path: Path) -> None:
    book.take(STANDS)
    AlarmBook(tmp_path / "alarms.json").acknowledge()
    assert book.unheard == []


def test_a_file_that_cannot_be_read_costs_only_itself(tmp_path: Path) -> None:
    for number, text in enumerate(["", "{", "[1]", '[{"server": "x"}]', "null", "7"]):
        file = tmp_path / f"alarms{number}.json"
        file.write_text(text)
        book = AlarmBook(file)
        assert book.all == []
        book.take(STANDS)
        assert len(book.unheard) == 1


def test_tamper_is_no_alarm_that_sounds(book: AlarmBook) -> None:
    book.take(replace(STANDS, alarms=(SMOKE.model_copy(update={"kind": "tamper", "urgent": False}),)))
    assert book.all == []


def test_a_malformed_page_is_left_out() -> None:
    odd = '{"events": [1, {"id": "x"}, null], "alarms": 3, "watched": [1]}'
    for text in ("", "[]", "null", '{"events": 3}', odd, "[" * 9999):
        page = read_page(text, "zwave")
        assert page is None or (page.events, page.alarms) == ((), ())
