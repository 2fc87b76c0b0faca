"""What is recorded behind a wake word: all of the command, nothing of the word."""

import pytest
from tests.fakes.hearing import LoudIsSpeech, script

from voice_gateway.hearing.endpoint import Ended, EndpointSettings, Recorder

FRAME = 0.032
BLOCK = 512


def heard_behind_wake_word(sound, wake_at: float, **settings):
    """The segment that is recorded when the wake word is noticed at this second."""
    recorder = Recorder(LoudIsSpeech(), EndpointSettings(**settings))
    events, waiting = [], True
    for at in range(0, len(sound), BLOCK):
        block = sound[at : at + BLOCK]
        if not waiting:
            events += recorder.feed(block)
            continue
        recorder.watch(block)
        if (at + BLOCK) / 16000 >= wake_at:
            events += recorder.start(behind_wake_word=True, no_speech_seconds=2.0)
            waiting = False
    return [event for event in events if not hasattr(event, "segment") or isinstance(event, Ended)]


def test_a_pause_behind_the_wake_word_begins_the_recording():
    sound = script("1.0 silence, 0.8 speech, 0.5 silence, 1.0 speech, 1.0 silence")

    *_, ended = heard_behind_wake_word(sound, wake_at=1.95)

    assert ended.segment.start_seconds == pytest.approx(2.0, abs=0.1 + FRAME)
    assert ended.segment.speech_seconds == pytest.approx(1.0, abs=2 * FRAME)


def test_the_tail_of_a_wake_word_noticed_early_is_left_out():
    sound = script("1.0 silence, 0.8 speech, 0.3 silence, 1.0 speech, 1.0 silence")

    *_, ended = heard_behind_wake_word(sound, wake_at=1.7)  # 0.1 s of the word are still to come

    assert ended.segment.start_seconds >= 1.8 - FRAME
    assert ended.segment.speech_seconds == pytest.approx(1.0, abs=2 * FRAME)


def test_a_command_without_any_pause_is_kept_from_a_little_before():
    sound = script("1.0 silence, 2.0 speech, 1.0 silence")  # the word ends at 1.8

    *_, ended = heard_behind_wake_word(sound, wake_at=1.92)

    assert ended.segment.start_seconds == pytest.approx(1.8, abs=2 * FRAME)


def test_a_command_that_began_before_the_wake_word_was_noticed_is_whole():
    sound = script("1.0 silence, 0.8 speech, 0.1 silence, 1.0 speech, 1.0 silence")

    *_, ended = heard_behind_wake_word(sound, wake_at=2.05)

    assert ended.segment.start_seconds == pytest.approx(1.8, abs=2 * FRAME)
    assert ended.segment.speech_seconds == pytest.approx(1.0, abs=3 * FRAME)


def test_a_wake_word_alone_gives_no_command():
    sound = script("1.0 silence, 0.8 speech, 5.0 silence")

    events = heard_behind_wake_word(sound, wake_at=1.75)

    assert [type(event).__name__ for event in events] == ["NoSpeech"]


def test_without_a_wake_word_what_was_before_belongs_to_nothing():
    recorder = Recorder(LoudIsSpeech(), EndpointSettings())
    recorder.watch(script("1.0 speech"))

    events = [*recorder.start(), *recorder.feed(script("1.0 silence, 1.0 speech, 1.0 silence"))]

    assert events[-1].segment.start_seconds == pytest.approx(1.7, abs=2 * FRAME)  # of the whole stream
    assert not recorder.speaking
