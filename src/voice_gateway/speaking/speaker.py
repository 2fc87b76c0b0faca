"""Loudspeakers: the Protocol, the levels of recent playback, and a speaker that writes a file."""

from collections import deque
from pathlib import Path
from typing import Protocol

import numpy as np

from voice_gateway.sound.samples import Floats, resampled
from voice_gateway.sound.wav import save_wav
from voice_gateway.turn import Speech

REMEMBERED_SECONDS = 4.0  # of playback: an echo is over long before
KEPT_RATE = 24_000  # of a file


class Speaker(Protocol):
    """Plays one sound at a time. Trouble comes out as SpeakingError."""

    audible: bool  # a microphone may hear it

    async def play(self, speech: Speech) -> None:
        """Returns when it was heard, or soon after `stop`. Cancellation silences it too."""

    def stop(self) -> None:
        """Silence within 200 ms; nothing happens when nothing plays."""

    def loudness(self, start: float, end: float, step: float) -> list[float]:
        """How loud (0 to 1) it was in each step between two moments of `time.monotonic`."""

    async def close(self) -> None: ...


class PlayedLevels:
    """The loudness of the last seconds, to recognise an echo."""

    def __init__(self) -> None:
        self._levels: deque[tuple[float, float, float]] = deque()  # from, until, loudness

    def add(self, samples: Floats, start: float, seconds: float) -> None:
        if len(samples):
            loud = float(np.sqrt(np.mean(np.square(samples))))
            self._levels.append((start, start + seconds, loud))
        while self._levels and self._levels[0][1] < start - REMEMBERED_SECONDS:
            self._levels.popleft()

    def between(self, start: float, end: float, step: float) -> list[float]:
        known = list(self._levels)
        moments = (start + number * step for number in range(round((end - start) / step)))
        return [max((loud for a, b, loud in known if a <= at < b), default=0.0) for at in moments]


class KeepingSpeaker:
    """Keeps what it should play, for a file."""

    audible = False

    def __init__(self) -> None:
        self._kept: list[Floats] = []

    async def play(self, speech: Speech) -> None:
        self._kept.append(resampled(speech.samples, speech.rate, KEPT_RATE))

    def stop(self) -> None:
        """What was played is kept already."""

    def loudness(self, start: float, end: float, step: float) -> list[float]:
        return [0.0] * round((end - start) / step)

    async def close(self) -> None: ...

    @property
    def seconds(self) -> float:
        return sum(map(len, self._kept)) / KEPT_RATE

    def save(self, path: Path) -> None:
        """Blocking."""
        samples = np.concatenate([np.zeros(0, np.float32), *self._kept])
        save_wav(path, Speech(samples, KEPT_RATE))
