"""Alarms are kept until they were heard, whatever ends in between."""

from dataclasses import replace
from pathlib import Path

import pytest

from home_words.alarm_words import means_heard
from voice_gateway.integrations.alarms import AlarmBook
from voice_gateway.integrations.events import EventPage, HomeEvent, read_page

SMOKE = HomeEvent(
    "zwave", 1, 1000.0, "smoke", "on", "Smoke Alarm", "Kitchen", 7, 0,
    "Smoke is detected in the Kitchen.", urgent=True,
)  # fmt: skip
STANDS = EventPage(1.0, (), (SMOKE,), frozenset())
CALM = EventPage(1.0, (), (), frozenset({SMOKE.key}))
UNKNOWN = EventPage(2.0, (), (), frozenset())


@pytest.fixture
def book(tmp_path: Path) -> AlarmBook:
    return AlarmBook(tmp_path / "alarms.json")


def test_an_alarm_is_unheard_until_somebody_has_heard_it(book: AlarmBook) -> None:
    book.take(STANDS)
    assert [alarm.told for alarm in book.unheard] == ["Smoke is detected in the Kitchen."]

    assert [alarm.kind for alarm in book.acknowledge()] == ["smoke"]
    book.take(STANDS)

    assert book.unheard == []
    assert len(book.all) == 1


def test_a_new_gateway_knows_what_was_not_heard(book: AlarmBook, tmp_path: Path) -> None:
    book.take(STANDS)

    assert AlarmBook(tmp_path / "alarms.json").unheard == book.unheard


def test_what_was_heard_is_not_told_again_after_a_restart(book: AlarmBook, tmp_path: Path) -> None:
    book.take(STANDS)
    book.acknowledge()
    again = AlarmBook(tmp_path / "alarms.json")

    again.take(STANDS)

    assert again.unheard == []


def test_what_is_over_before_anybody_heard_it_is_still_told(book: AlarmBook) -> None:
    book.take(STANDS)
    book.take(CALM)

    [alarm] = book.unheard
    assert alarm.told.startswith("Smoke was detected in the Kitchen. It began at ")
    assert alarm.told.endswith("and is over now.")
    book.acknowledge()
    assert book.all == []


def test_a_server_that_does_not_know_yet_takes_nothing_back(book: AlarmBook) -> None:
    book.take(STANDS)
    book.take(UNKNOWN)

    assert [alarm.over for alarm in book.all] == [False]


def test_an_alarm_that_comes_again_is_another_one(book: AlarmBook) -> None:
    book.take(STANDS)
    book.acknowledge()
    book.take(CALM)
    book.take(STANDS)

    assert len(book.unheard) == 1


def test_an_alarm_that_was_over_when_the_list_was_read_is_told(book: AlarmBook) -> None:
    book.happened(SMOKE)
    book.take(CALM)

    assert [alarm.over for alarm in book.unheard] == [True]


def test_another_gateways_user_has_heard_it(book: AlarmBook, tmp_path: Path) -> None:
    book.take(STANDS)
    AlarmBook(tmp_path / "alarms.json").acknowledge()

    assert book.unheard == []


@pytest.mark.parametrize("text", ["", "{", "[1]", '[{"server": "x"}]', "null", "7"])
def test_a_file_that_cannot_be_read_costs_only_itself(book: AlarmBook, tmp_path: Path, text: str) -> None:
    (tmp_path / "alarms.json").write_text(text)

    assert book.all == []
    book.take(STANDS)
    assert len(book.unheard) == 1


def test_tamper_is_no_alarm_that_sounds(book: AlarmBook) -> None:
    book.take(replace(STANDS, alarms=(replace(SMOKE, kind="tamper", urgent=False),)))

    assert book.all == []


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "null",
        '{"events": 3}',
        '{"events": [1, {"id": "x"}, null], "alarms": 3, "watched": [1]}',
        "[" * 9999,
    ],
)
def test_what_a_server_tells_wrongly_is_left_out(text: str) -> None:
    page = read_page(text, "zwave")

    assert page is None or (page.events, page.alarms) == ((), ())


@pytest.mark.parametrize(
    "words",
    [
        "okay", "I heard it", "Okay, I heard it.", "stop the alarm", "stop", "silence the smoke alarm please",
        "yes I know", "turn the alarm off", "turn off the alarm", "acknowledge the alarm", "got it, thanks",
        "we hear you",
        "I've heard the alarm", "quiet", "stop it", "acknowledged", "I'm on it", "okay, thank you",
    ],
)  # fmt: skip
def test_words_that_say_that_it_was_heard(words: str) -> None:
    assert means_heard(words)


@pytest.mark.parametrize(
    "words",
    [
        "yes", "no", "stop the siren", "turn off the light", "is there smoke", "stop the music", "what is it",
        "okay turn on the light", "set an alarm", "unlock the door", "i heard a song", "",
    ],
)  # fmt: skip
def test_words_that_say_something_else(words: str) -> None:
    assert not means_heard(words)
