"""Where speech begins and ends, by scripted speech: time is sound, never the clock."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.fakes.limits import with_limits

from voice_gateway.config import VoiceSettings
from voice_gateway.hearing.endpoint import Ended, SegmentRecorder, Signal, Speculate
from voice_gateway.sound.samples import RATE

FRAME, BLOCK = 0.032, 512


def script(parts: str):
    """Sound from words: "0.5 silence, 1.0 speech". No two samples are the same sound by chance."""
    pieces, random = [], np.random.default_rng(7)
    for part in parts.split(","):
        seconds, what = part.split()
        loud = 8000 if what == "speech" else 20
        pieces.append(random.integers(-loud, loud, round(float(seconds) * RATE)).astype(np.int16))
    return np.concatenate(pieces)


class LoudIsSpeech:
    """A voice activity that everybody understands."""

    def probability(self, frame) -> float:
        return float(np.mean(np.abs(frame.astype(int)) > 100) > 0.5)

    def reset(self) -> None:
        """It remembers nothing."""


def fed(recorder, sound):
    """The events of each block of the sound."""
    for at in range(0, len(sound), BLOCK):
        yield recorder.feed(sound[at : at + BLOCK])


def record(sound, settings=None, **start):
    recorder = SegmentRecorder(LoudIsSpeech(), settings or VoiceSettings())
    return [*recorder.start(**start), *itertools.chain.from_iterable(fed(recorder, sound))]


def kinds(events):
    return [event if isinstance(event, Signal) else type(event) for event in events]


def test_a_command_is_started_speculated_and_ended():
    events = record(script("1.0 silence, 1.0 speech, 1.0 silence"))

    assert kinds(events) == [Signal.STARTED, Speculate, Ended]
    _, speculate, ended = events
    assert speculate.segment.end_seconds == pytest.approx(2.192, abs=2 * FRAME)
    assert ended.segment.speech_end_seconds == pytest.approx(2.0, abs=FRAME)
    assert ended.segment.end_seconds == pytest.approx(2.5, abs=2 * FRAME)
    assert ended.segment.speech_seconds == pytest.approx(1.0, abs=2 * FRAME)
    assert ended.speculated


def test_the_segment_begins_with_the_pre_roll_and_ends_with_the_silence():
    sound = script("1.0 silence, 1.0 speech, 1.0 silence")
    segment = record(sound, with_limits(VoiceSettings, pre_roll_seconds=0.3))[-1].segment

    assert 0.7 - FRAME <= segment.start_seconds <= 0.7 + FRAME
    first, last = round(segment.start_seconds * RATE), round(segment.end_seconds * RATE)
    assert np.array_equal(segment.samples, sound[first:last])


def test_speech_that_goes_on_voids_the_speculation():
    events = record(script("1.0 speech, 0.3 silence, 1.0 speech, 1.0 silence"))

    assert kinds(events) == [Signal.STARTED, Speculate, Signal.RESUMED, Speculate, Ended]
    assert events[-1].segment.speech_end_seconds == pytest.approx(2.3, abs=2 * FRAME)


def test_a_complete_command_ends_sooner_and_half_a_sentence_later():
    sound = script("1.0 speech, 2.0 silence")
    ends = {}
    for needed in (0.3, 0.5, 1.2):
        recorder = SegmentRecorder(LoudIsSpeech(), VoiceSettings())
        for event in itertools.chain.from_iterable(fed(recorder, sound)):
            if isinstance(event, Speculate):
                recorder.needed_silence(needed)
            if isinstance(event, Ended):
                ends[needed] = event.segment.end_seconds

    assert ends == {needed: pytest.approx(1.0 + needed, abs=2 * FRAME) for needed in (0.3, 0.5, 1.2)}


def test_the_shorter_wait_ends_with_the_pause_it_was_meant_for():
    recorder = SegmentRecorder(LoudIsSpeech(), VoiceSettings())
    events = []
    for block in fed(recorder, script("1.0 speech, 0.25 silence, 0.5 speech, 0.4 silence")):
        if kinds(block) == [Speculate] and not events:
            recorder.needed_silence(0.3)
        events += [event for event in block if event is Signal.RESUMED or isinstance(event, Ended)]

    assert events == [Signal.RESUMED]  # 0.4 s of silence do not end it: 0.5 s are needed again


def test_a_click_is_no_speech_and_stays_in_the_pre_roll():
    events = record(script("0.5 silence, 0.1 speech, 0.6 silence, 1.0 speech, 1.0 silence"))

    assert kinds(events) == [Signal.STARTED, Speculate, Ended]
    assert events[-1].segment.start_seconds == pytest.approx(0.9, abs=2 * FRAME)


def test_endless_speech_is_cut():
    events = record(script("6.0 speech, 1.0 silence"), with_limits(VoiceSettings, max_speech_seconds=2.0))
    ended = [event for event in events if isinstance(event, Ended)]

    assert [event.segment.end_seconds for event in ended[:2]] == pytest.approx([2.0, 4.0], abs=2 * FRAME)
    assert not ended[0].speculated


def test_nobody_speaks_in_the_given_time_is_said_once():
    assert record(script("1.9 silence"), no_speech_seconds=2.0) == []
    assert record(script("5.0 silence"), no_speech_seconds=2.0) == [Signal.NO_SPEECH]


@settings(deadline=None, max_examples=60)
@given(
    parts=st.lists(
        st.tuples(st.floats(0.02, 1.5), st.sampled_from(("silence", "speech"))), min_size=1, max_size=8
    )
)
def test_segments_are_what_was_heard_in_order_and_every_started_one_ends(parts):
    sound = script(", ".join(f"{seconds} {what}" for seconds, what in [*parts, (1.0, "silence")]))

    events = record(sound, with_limits(VoiceSettings, max_speech_seconds=4.0))

    before = 0.0
    for event in events:
        if isinstance(event, Ended | Speculate):
            segment = event.segment
            first, last = round(segment.start_seconds * RATE), round(segment.end_seconds * RATE)
            assert np.array_equal(segment.samples, sound[first:last])
            assert before <= segment.start_seconds < segment.speech_end_seconds <= segment.end_seconds
            before = segment.end_seconds if isinstance(event, Ended) else before
    assert events.count(Signal.STARTED) == sum(isinstance(event, Ended) for event in events)
    assert Signal.NO_SPEECH not in events


# --- behind a wake word: all of the command, nothing of the word


def heard_behind_wake_word(sound, wake_at: float):
    """The segment that is recorded when the wake word is noticed at this second."""
    recorder = SegmentRecorder(LoudIsSpeech(), VoiceSettings())
    noticed = -(-round(wake_at * RATE) // BLOCK) * BLOCK
    for at in range(0, noticed, BLOCK):
        recorder.watch(sound[at : at + BLOCK])
    events = recorder.start(behind_wake_word=True, no_speech_seconds=2.0)
    events += itertools.chain.from_iterable(fed(recorder, sound[noticed:]))
    [segment] = [event.segment for event in events if isinstance(event, Ended)]
    return segment


# The sound, when the wake word is noticed, where the segment begins (within), and its speech.
BEHIND_WAKE_WORD = {
    "a pause": ("1.0 silence, 0.8 speech, 0.5 silence, 1.0 speech, 1.0 silence", 1.95, 2.0, 0.13, 1.0),
    "no pause": ("1.0 silence, 2.0 speech, 1.0 silence", 1.92, 1.8, 0.064, 1.2),
    "has begun": ("1.0 silence, 0.8 speech, 0.1 silence, 1.0 speech, 1.0 silence", 2.05, 1.8, 0.064, 1.0),
}


@pytest.mark.parametrize("case", BEHIND_WAKE_WORD)
def test_behind_a_wake_word_the_whole_command_is_recorded(case):
    sound, wake_at, begins, within, speech = BEHIND_WAKE_WORD[case]

    segment = heard_behind_wake_word(script(sound), wake_at)

    assert segment.start_seconds == pytest.approx(begins, abs=within)
    assert segment.speech_seconds == pytest.approx(speech, abs=3 * FRAME)


def test_without_a_wake_word_what_was_before_belongs_to_nothing():
    recorder = SegmentRecorder(LoudIsSpeech(), VoiceSettings())
    recorder.watch(script("1.0 speech"))

    events = [*recorder.start(), *recorder.feed(script("1.0 silence, 1.0 speech, 1.0 silence"))]

    assert events[-1].segment.start_seconds == pytest.approx(1.7, abs=2 * FRAME)  # of the whole stream
