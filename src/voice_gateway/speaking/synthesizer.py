"""Text to speech: the Protocol of an engine, and what engines share."""

import io
import wave
from abc import abstractmethod
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from voice_gateway.errors import SpeakingError
from voice_gateway.sound.samples import Floats, from_pcm16
from voice_gateway.turn import Speech

AUDIBLE = 0.005  # of full scale; softer sound before the first word is a pause
LEAD_SECONDS = 0.01  # kept, so that the first sound is not cut
TAIL_SECONDS = 0.15  # kept, so that sentences do not run into each other
PROGRAM_SECONDS = 20.0  # a sentence takes a tenth of a second; a program that hangs must not hold the turn


class Synthesizer(Protocol):
    """Says one sentence at a time. The event loop is never blocked; trouble comes out as SpeakingError."""

    name: str

    async def warm_up(self) -> None:
        """Load the model and run it once, so that the first sentence is not slow."""
        await self.speak("Ready.")

    @abstractmethod
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


def from_wav(raw: bytes, text: str, program: str) -> Speech:
    """What a program wrote."""
    try:
        with wave.open(io.BytesIO(raw)) as sound:
            if sound.getsampwidth() != 2:
                raise SpeakingError(f"{program} gave sound of {8 * sound.getsampwidth()} bit instead of 16")
            # A program that writes into a pipe does not know the length: read what is there.
            samples = from_pcm16(sound.readframes(len(raw)), sound.getnchannels())
            return Speech(trimmed(samples, sound.getframerate()), sound.getframerate(), text)
    except (wave.Error, EOFError) as error:
        raise SpeakingError(f"{program} gave no sound ({error})") from error
