"""Text that nobody said is dropped; what somebody may have said is not."""

import numpy as np

from voice_gateway.hearing.transcriber import noise_reason, sounds_unfinished, without_wake_words
from voice_gateway.turn import SpeechSegment


def segment(speech_seconds=1.0, loud=3000):
    samples = np.full(round((speech_seconds + 0.5) * 16000), loud, np.int16)
    return SpeechSegment(samples, 0.0, speech_seconds, speech_seconds + 0.5, speech_seconds)


def test_text_that_engines_make_of_noise_is_dropped_and_speech_is_kept():
    noise = ("", " ", "...", "♪♪", "You", "[Music]", "(applause)", "Thanks for watching!", "um", "Hmm.")
    speech = ("Yes.", "no", "Stop!", "Turn on the light.", "are you there", "1 1 1 1 1 1", "21.5")
    assert [text for text in noise if not noise_reason(text, segment())] == []
    assert [text for text in speech if noise_reason(text, segment())] == []


def test_loops_of_words_are_dropped_but_not_a_spoken_pin():
    assert noise_reason("and and and and and and and", segment(3)) == "the same words again and again"
    assert noise_reason("all right, " * 8, segment(5)) == "the same words again and again"
    assert noise_reason("one one one one one one", segment(3)) is None
    assert noise_reason("no no no", segment()) is None


def test_more_words_than_anybody_can_say_are_dropped():
    words = "the quick brown fox jumps over the lazy dog and runs away"

    assert noise_reason(words, segment(0.3)) == "more words than could be said"
    assert noise_reason(words, segment(3.0)) is None


def test_what_is_too_short_or_too_quiet_is_dropped():
    assert noise_reason("turn on", segment(0.1), min_speech_seconds=0.2) == "too short"
    assert noise_reason("turn on", segment(loud=10)) == "too quiet"


def test_half_a_sentence_sounds_unfinished():
    for text in ("Set the living room light to", "turn off the kitchen and.", "what is the"):
        assert sounds_unfinished(text), text
    for text in ("Turn it on.", "what time is it", "", "to"):
        assert not sounds_unfinished(text), text


def test_a_wake_word_at_the_beginning_is_removed():
    for text, left in (
        ("Hey Jarvis, turn on the light.", "turn on the light."),
        ("Jarvis, turn on the light.", "turn on the light."),
        ("Hey Jarvis.", ""),
        ("Okay Nabu what time is it", "what time is it"),
        ("Turn on Jarvis's lamp.", "Turn on Jarvis's lamp."),
        ("Jarvisson called.", "Jarvisson called."),
    ):
        assert without_wake_words(text, ["hey_jarvis", "okay_nabu"]) == left
