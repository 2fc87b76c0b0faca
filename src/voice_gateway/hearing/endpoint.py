"""Where speech begins and ends: pure logic on seconds of sound and how likely each of them is speech."""

from collections import deque
from dataclasses import dataclass

import numpy as np

from voice_gateway.hearing.audio import RATE, Samples
from voice_gateway.turn import SpeechSegment

SPEECH_ABOVE = 0.5  # noise and beeps stay below it
STILL_ABOVE = 0.35  # speech that goes on may be softer than speech that begins
SPECULATE_SECONDS = 0.192  # no pause within a command is longer in 99 of 100 (measured)


@dataclass(frozen=True, slots=True)
class EndpointSettings:
    silence_seconds: float = 0.5
    min_speech_seconds: float = 0.2
    max_speech_seconds: float = 15.0
    pre_roll_seconds: float = 0.3
    speculate_seconds: float = SPECULATE_SECONDS


@dataclass(frozen=True, slots=True)
class SpeechStarted:
    """Enough speech to be worth listening to has been heard; sent once for a segment."""

    at_seconds: float


@dataclass(frozen=True, slots=True)
class Speculate:
    """A pause that may be the end: transcribe the segment now, and use it if `Ended` says so."""

    segment: SpeechSegment


@dataclass(frozen=True, slots=True)
class Resumed:
    """Speech went on: what was transcribed from the last `Speculate` is void."""

    at_seconds: float


@dataclass(frozen=True, slots=True)
class Ended:
    """The segment is complete. `speculated`: nothing was said since the last `Speculate`."""

    segment: SpeechSegment
    speculated: bool


@dataclass(frozen=True, slots=True)
class NoSpeech:
    """Nobody spoke in the time that was given; sent once for a `start`."""

    at_seconds: float


EndpointEvent = SpeechStarted | Speculate | Resumed | Ended | NoSpeech


class Endpoint:
    """Collects one segment after the other. Time is the sound that was fed, never the clock."""

    def __init__(self, settings: EndpointSettings) -> None:
        self._settings = settings
        self._position = 0  # in the stream, in samples
        self._deadline: int | None = None
        self._before: deque[Samples] = deque()  # pre-roll
        self._forget_segment()

    def _forget_segment(self) -> None:
        self._frames: list[Samples] = []
        self._start = 0
        self._speech = 0  # samples of speech
        self._speech_end = 0
        self._started = self._speculated = False
        self._silence = self._settings.silence_seconds

    @property
    def speaking(self) -> bool:
        """A segment has begun and is not complete."""
        return bool(self._frames)

    def start(self, at: int, *, no_speech_seconds: float | None = None) -> None:
        """Begin anew at this sample of the stream: what was heard so far belongs to nothing."""
        self._position = at
        self._before.clear()
        self._forget_segment()
        self._deadline = None
        if no_speech_seconds is not None:
            self._deadline = self._position + round(no_speech_seconds * RATE)

    def needed_silence(self, seconds: float) -> None:
        """How long this pause must last to be the end: less for a complete command, more for half a sentence.

        It holds until speech resumes.
        """
        self._silence = seconds

    def feed(self, frame: Samples, probability: float) -> list[EndpointEvent]:
        self._position += len(frame)
        was_speech = bool(self._frames) and self._speech_end == self._position - len(frame)
        speech = probability >= (STILL_ABOVE if was_speech else SPEECH_ABOVE)
        if not self._frames and not speech:
            self._keep_before([frame])
            return self._timed_out()
        if not self._frames:
            self._frames = list(self._before)
            self._start = self._position - len(frame) - sum(map(len, self._before))
            self._before.clear()
        self._frames.append(frame)
        return self._heard_speech(len(frame)) if speech else self._heard_silence()

    def _keep_before(self, frames: list[Samples]) -> None:
        self._before.extend(frames)
        most = round(self._settings.pre_roll_seconds * RATE)
        while self._before and sum(map(len, self._before)) - len(self._before[0]) >= most:
            self._before.popleft()

    def _timed_out(self) -> list[EndpointEvent]:
        if self._deadline is None or self._position < self._deadline:
            return []
        self._deadline = None
        return [NoSpeech(self._position / RATE)]

    def _heard_speech(self, count: int) -> list[EndpointEvent]:
        events: list[EndpointEvent] = []
        if self._speculated:
            events.append(Resumed(self._position / RATE))
        self._speculated, self._silence = False, self._settings.silence_seconds
        self._speech += count
        self._speech_end = self._position
        if not self._started and self._speech >= self._settings.min_speech_seconds * RATE:
            self._started = True
            events.append(SpeechStarted(self._position / RATE))
        if self._position - self._start >= self._settings.max_speech_seconds * RATE:
            events.extend(self._end(cut=True))
        return events

    def _heard_silence(self) -> list[EndpointEvent]:
        silence = (self._position - self._speech_end) / RATE
        if not self._started:
            if silence >= self._settings.silence_seconds:  # a click, a cough
                self._keep_before(self._frames)
                self._forget_segment()
            return self._timed_out()
        if silence >= self._silence or self._too_long():
            return self._end(cut=silence < self._silence)
        if not self._speculated and silence >= self._settings.speculate_seconds:
            self._speculated = True
            return [Speculate(self._segment(cut=False))]
        return []

    def _too_long(self) -> bool:
        return self._position - self._start >= self._settings.max_speech_seconds * RATE

    def _end(self, *, cut: bool) -> list[EndpointEvent]:
        ended = Ended(self._segment(cut=cut), self._speculated)
        self._forget_segment()
        self._deadline = None
        return [ended]

    def _segment(self, *, cut: bool) -> SpeechSegment:
        return SpeechSegment(
            samples=np.concatenate(self._frames),
            start_seconds=self._start / RATE,
            speech_end_seconds=self._speech_end / RATE,
            end_seconds=self._position / RATE,
            speech_seconds=self._speech / RATE,
            cut=cut,
        )
