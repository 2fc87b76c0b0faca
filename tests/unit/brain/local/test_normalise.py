"""Politeness, fillers, punctuation and spelled numbers go; what was meant stays."""

import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from home_names.names import plain_words
from voice_gateway.brain.local.normalise import normalise


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("Turn on the floor lamp.", "turn on the floor lamp"),
        ("could you please turn on the lamp", "turn on the lamp"),
        ("would you mind turning on the lamp", "turn on the lamp"),
        ("um turn uh on the lamp thank you", "turn on the lamp"),
        ("Hey Jarvis, turn on the lamp!", "turn on the lamp"),
        ("set it to 21.5°C", "set it to 21.5 degrees"),
        ("set it to nineteen point five degrees", "set it to 19.5 degrees"),
        ("set the volume to 30%", "set the volume to 30 percent"),
        ("dim it to one hundred percent", "dim it to 100 percent"),
        ("two hundred and five", "205"),
        ("set it to a hundred percent", "set it to 100 percent"),
        ("hundred percent", "100 percent"),
        ("twenty one and a half degrees", "21.5 degrees"),
        ("21 and a half degrees", "21.5 degrees"),
        ("one and a half minutes", "1.5 minutes"),
        ("an hour and a half", "an hour and a half"),
        ("twenty point two five", "20.25"),
        ("set it to point five", "set it to 0.5"),
        ("what is the point one wonders", "what is the point one wonders"),
        ("by half a degree", "by 0.5 degree"),
        ("the third one", "the third one"),
        ("the second and a half", "the second and a half"),
        ("who won in nineteen ninety eight", "who won in 1998"),
        ("a timer for one hour", "a timer for 1 hour"),
        ("the one in the kitchen", "the one in the kitchen"),
        ("don’t turn it on", "do not turn it on"),
        ("what's today's date", "what is todays date"),
        ("wake me at 6:30 p.m.", "wake me at 6:30 pm"),
        ("please", "please"),
        ("rock ''n'' roll''s 0''0", "rock n rolls 00"),
        ("♪♪ 🎵", ""),
    ],
)
def test_what_is_said_becomes_plain_words(said: str, meant: str) -> None:
    assert normalise(said).text == meant


def test_a_polite_question_is_a_request_and_a_bare_one_is_not() -> None:
    assert not normalise("Can you turn on the lamp?").question
    assert not normalise("Turn on the lamp, would you?").question
    assert normalise("Turn on the lamp?").question


def test_somebody_elses_name_is_no_wake_word() -> None:
    assert normalise("Hey Travis, dinner is ready").text == "travis dinner is ready"


def test_names_lose_case_accents_and_spelled_numbers() -> None:
    assert plain_words("Küche – Lampe Nr. Two!") == ("kuche", "lampe", "nr", "2")
    assert plain_words("Switch One") == ("switch", "1")
    assert plain_words("🎄") == ("🎄",)


@given(st.text(max_size=200))
@example("0X0")
def test_any_text_can_be_read_and_stays_the_same_when_read_again(raw: str) -> None:
    once = normalise(raw)

    assert normalise(once.whole).whole == once.whole
    assert len(once.text) <= len(once.whole)


def seconds_for(text: str) -> float:
    """Of this thread, the least of three: others run beside it."""
    times = []
    for _ in range(3):
        started = time.thread_time()
        normalise(text)
        times.append(time.thread_time() - started)
    return min(times)


@pytest.mark.slow
@pytest.mark.parametrize("filler", ["and then ", "please ", "could you ", "well ", "thanks "])
def test_fillers_without_end_cost_no_more_than_other_words(filler):
    long = seconds_for(filler * (8_000 // len(filler)))

    assert long < 8 * seconds_for(filler * (2_000 // len(filler))), "four times the text"
