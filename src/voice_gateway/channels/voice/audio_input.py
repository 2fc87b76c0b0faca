"""Audio input: one stream of sound, its engines, and the detection of the gateway's own voice."""

import logging
import time
from collections import deque
from typing import Any

import numpy as np

from voice_gateway.channels.voice.own_voice import STEP_SECONDS, OwnVoice
from voice_gateway.config import VoiceSettings
from voice_gateway.events import EventBus
from voice_gateway.hearing.engines import HearingEngines
from voice_gateway.hearing.transcriber import transcript_of
from voice_gateway.sound.samples import BLOCK_SAMPLES, RATE, Samples, to_floats
from voice_gateway.turn import AudioChunk, SpeechSegment, Transcript, WakeDetected

log = logging.getLogger(__name__)

RECENT_STEPS = round(1.2 / STEP_SECONDS)  # of loudness: as long as a wake word


class AudioInput:
    """Tracks the position in the stream, in seconds of sound and by the clock."""

    def __init__(
        self, engines: HearingEngines, settings: VoiceSettings, own_voice: OwnVoice, events: EventBus
    ) -> None:
        self._engines, self._settings = engines, settings
        self._own_voice, self._events = own_voice, events
        self._samples = 0
        self._expected: float | None = None  # where the next chunk should begin
        self._levels: deque[float] = deque(maxlen=RECENT_STEPS)
        self.fresh = False  # set to forget earlier sound before the next wake word
        self.heard_at = time.monotonic()  # the end of the last chunk

    @property
    def seconds(self) -> float:
        return self._samples / RATE

    def take(self, chunk: AudioChunk) -> float:
        """Counts a chunk. Returns the seconds of sound lost before it."""
        lost = 0.0 if self._expected is None else chunk.start_seconds - self._expected
        self._expected = chunk.start_seconds + len(chunk.samples) / RATE
        self._samples += len(chunk.samples)
        self.heard_at = time.monotonic()
        self._levels.append(_loudness(chunk.samples))
        return lost

    def silence(self) -> AudioChunk:
        """A silent chunk, for the end of the stream."""
        return AudioChunk(np.zeros(BLOCK_SAMPLES, np.int16), self._expected or 0.0)

    # --- the wake word

    async def wake_word(self, samples: Samples) -> WakeDetected | None:
        """The wake word, unless it was the gateway's own voice."""
        detected = await self._engines.worker.run(self._watch_for_wake, samples)
        if detected is None:
            return None
        start = self.heard_at - len(self._levels) * STEP_SECONDS
        own = self._own_voice
        if own.said_wake_word(self._settings.wake_words) or own.same_sound(self._levels, start):
            log.info("the wake word was the gateway's own voice")
            return None
        log.info("wake word", extra={"word": detected.word, "score": detected.score})
        return detected

    def _watch_for_wake(self, samples: Samples) -> WakeDetected | None:
        """Runs in the worker."""
        self._engines.recorder.watch(samples)
        if self._engines.wake is None:
            return None
        if self.fresh:
            self.fresh = False
            self._engines.wake.reset()
        return self._engines.wake.feed(samples)

    # --- from sound to words

    async def transcript(self, segment: SpeechSegment) -> Transcript:
        return await transcript_of(segment, self._engines.transcriber, self._settings, self._events)

    def own(self, text: str, segment: SpeechSegment, ended_at: float) -> str | None:
        """Why this was the gateway's own voice; None if a person spoke."""
        start = ended_at - len(segment.samples) / RATE
        whole = len(segment.samples) // BLOCK_SAMPLES * BLOCK_SAMPLES
        heard = [_loudness(segment.samples[at : at + BLOCK_SAMPLES]) for at in range(0, whole, BLOCK_SAMPLES)]
        return self._own_voice.reason(text, heard, start, start + self._settings.pre_roll_seconds)


def ready_sentence(engines: HearingEngines, settings: VoiceSettings) -> str:
    if engines.wake is None:
        return "I listen when you push to talk."
    words = " or ".join(f'"{word.replace("_", " ")}"' for word in settings.wake_words)
    return f"I listen for {words}."


def _loudness(samples: Any) -> float:
    return float(np.sqrt(np.mean(np.square(to_floats(samples))))) if len(samples) else 0.0
