"""Text to speech: the Protocol of an engine, and what all engines' sound needs."""

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from voice_gateway.turn import Speech

Floats = NDArray[np.float32]

AUDIBLE = 0.005  # of full scale; what is softer before the first word is a pause nobody wants
LEAD_SECONDS = 0.01  # kept, so that the first sound is not cut
TAIL_SECONDS = 0.15  # kept, so that sentences do not run into each other


class Synthesizer(Protocol):
    """Says one sentence at a time. The event loop is never blocked; trouble comes out as SpeakingError."""

    name: str

    async def warm_up(self) -> None:
        """Load the model and run it once, so that the first sentence is not slow."""

    async def speak(self, text: str) -> Speech: ...

    async def close(self) -> None: ...


def trimmed(samples: NDArray[Any], rate: int) -> Floats:
    """Without the silence that engines put around a sentence: a third of a second by the neural ones."""
    floats = np.nan_to_num(np.asarray(samples, np.float32))
    loud = np.flatnonzero(np.abs(floats) > AUDIBLE)
    if not len(loud):
        return np.zeros(0, np.float32)
    first = max(0, int(loud[0]) - round(LEAD_SECONDS * rate))
    last = min(len(floats), int(loud[-1]) + round(TAIL_SECONDS * rate))
    return floats[first:last]


def from_pcm16(raw: bytes, channels: int = 1) -> Floats:
    whole = len(raw) - len(raw) % (2 * channels)
    values = np.frombuffer(raw[:whole], "<i2").astype(np.float32) / np.float32(32768)
    mono: Floats = values.reshape(-1, channels).mean(axis=1, dtype=np.float32)
    return mono


def resampled(samples: Floats, rate: int, target: int) -> Floats:
    """A whole sentence at another rate, by its spectrum: exact, and fast for a few seconds of sound."""
    if rate == target or not len(samples):
        return samples
    length = round(len(samples) * target / rate)
    spectrum = np.fft.rfft(samples)
    wanted = np.zeros(length // 2 + 1, spectrum.dtype)
    shared = min(len(spectrum), len(wanted))
    wanted[:shared] = spectrum[:shared]
    return np.asarray(np.fft.irfft(wanted, length) * (length / len(samples)), np.float32)
