"""Numbers, claims and facts one by one."""

from typing import Any

import pytest

from voice_gateway.brain.receipts_amounts import amounts_in
from voice_gateway.brain.receipts_claim import Aspect, Kind
from voice_gateway.brain.receipts_claims import claims_in
from voice_gateway.brain.receipts_facts import Status, facts_of, status_of
from voice_gateway.brain.receipts_words import plain, words_of
from voice_gateway.turn import ToolOutcome


def outcome(**given: Any) -> ToolOutcome:
    known: dict[str, Any] = {"call_id": "1", "name": "control", "text": "ok", "ok": True, "seconds": 0.1}
    return ToolOutcome(**{**known, **given})


@pytest.mark.parametrize(
    ("said", "known", "covered"),
    [
        ("30 percent", "level 30", True),
        ("thirty percent", "30 %", True),
        ("half", "50", True),
        ("30 percent", "0.3", True),
        ("21 degrees", "21.4 °C", True),
        ("23 degrees", "21.4 °C", False),
        ("31 percent", "30", False),
        ("ten minutes", "600", True),
        ("10 minutes", "10 hours", False),
        ("half an hour", "30 minutes", True),
        ("an hour and 30 minutes", "90 minutes", True),
        ("30 minutes", "1 hour and 30 minutes", False),
        ("7 pm", "19:00", True),
        ("7 am", "19:00", False),
        ("half past seven", "7:30 pm", True),
        ("a quarter to eight", "19:45", True),
        ("seven", "2026-11-15T19:00:00+01:00", True),
        ("7 o'clock", "7:05", False),
        ("minus 5 degrees", "-5.0 °C", True),
        ("5 degrees", "-5.0 °C", False),
    ],
)
def test_numbers_mean_the_same_in_many_forms(said: str, known: str, covered: bool) -> None:
    assert amounts_in(words_of(said)).missing(amounts_in(words_of(known))) is not covered


@pytest.mark.parametrize(
    ("text", "kind", "aspect", "effect"),
    [
        ("I've turned on the lamp.", Kind.ACT, Aspect.DONE, "on"),
        ("The lamp has been switched off.", Kind.ACT, Aspect.DONE, "off"),
        ("Turning on the lamp.", Kind.ACT, Aspect.ONGOING, "on"),
        ("The blind is closing.", Kind.ACT, Aspect.ONGOING, "closed"),
        ("The door is being unlocked.", Kind.ACT, Aspect.ONGOING, "unlocked"),
        ("I will lock the door.", Kind.ACT, Aspect.FUTURE, "locked"),
        ("I asked the blind to close.", Kind.ACT, Aspect.SENT, "closed"),
        ("I tried to turn on the lamp.", Kind.ACT, Aspect.TRIED, "on"),
        ("The lamp may have been turned on.", Kind.ACT, Aspect.HEDGED, "on"),
        ("I could not open the blind.", Kind.FAILED, Aspect.DONE, "open"),
        ("The lamp is off.", Kind.STATE, Aspect.DONE, "off"),
        ("The door is not locked.", Kind.STATE, Aspect.DONE, "unlocked"),
        ("The door is no longer locked.", Kind.STATE, Aspect.DONE, "unlocked"),
        ("It is half past ten.", Kind.TIME, Aspect.DONE, ""),
        ("I checked the door.", Kind.LOOKED, Aspect.DONE, ""),
    ],
)
def test_what_is_claimed_and_how(text: str, kind: Kind, aspect: Aspect, effect: str) -> None:
    (claim,) = claims_in(text)

    assert (claim.kind, claim.aspect, claim.effect) == (kind, aspect, effect)


def test_one_sentence_may_claim_several_things_of_several_devices() -> None:
    first, second = claims_in("I've turned off the heater and the floor lamp, and locked the front door.")

    assert [set(thing.words) for thing in first.things] == [{"heater"}, {"floor", "lamp"}]
    assert [set(thing.words) for thing in second.things] == [{"front", "door"}]
    assert (first.effect, second.effect) == ("off", "locked")


@pytest.mark.parametrize(
    "text",
    [
        "Shall I turn on the lamp?",
        "I can turn on the lamp and lock the door.",
        "If you like, I will turn on the lamp.",
        "I will turn it on if you say so.",
        "You turned on the lamp.",
        'Say "I have turned on the lamp".',
        "She turned on the lamp.",
        "The locked door is green.",
        "It turned out well.",
        "",
        "…",
    ],
)
def test_what_claims_nothing(text: str) -> None:
    assert claims_in(text) == []


def test_quoted_speech_goes_and_a_quoted_name_stays() -> None:
    assert "lamp" not in plain('Just say "turn on the lamp" to me.')
    assert "Floor Lamp" in plain('I turned on "Floor Lamp" now.')
    assert plain("“I did it.”") == "I did it."


@pytest.mark.parametrize(
    ("given", "status"),
    [
        ({}, Status.DONE),
        ({"structured": {"outcome": "confirmed"}}, Status.DONE),
        ({"structured": {"outcome": "working"}}, Status.WORKING),
        ({"structured": {"outcome": "queued"}}, Status.QUEUED),
        ({"structured": {"outcome": "unconfirmed"}, "ok": False}, Status.UNCONFIRMED),
        ({"structured": {"outcome": "something new"}}, Status.FAILED),
        ({"structured": {"outcome": 7}}, Status.DONE),
        ({"ok": False, "error": "timeout"}, Status.UNCONFIRMED),
        ({"ok": False, "error": "failed"}, Status.FAILED),
        ({"read_only": True}, Status.READ),
        ({"args": {"action": "get"}}, Status.READ),
        ({"args": {"action": "get"}, "structured": {"outcome": "confirmed"}}, Status.READ),
    ],
)
def test_what_counts_as_a_receipt(given: dict[str, Any], status: Status) -> None:
    assert status_of(outcome(**given)) is status


def test_a_failed_look_shows_nothing() -> None:
    assert facts_of(outcome(read_only=True, ok=False, text="Error: The door is locked.")) == []


def test_a_list_gives_one_fact_for_each_of_its_entries() -> None:
    entries = [{"name": "Desk Lamp", "room": "Office", "state": "on"}, {"name": "Fan", "state": "off"}]
    own, lamp, fan = facts_of(outcome(read_only=True, structured={"devices": entries}))

    assert not own.listed
    assert (lamp.state, fan.state) == ({"on"}, {"off"})
    assert {"desk", "lamp", "office"} <= lamp.words
