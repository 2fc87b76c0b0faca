"""Text to speech by hibari, a small neural voice whose package carries the model."""

import asyncio
import threading
from typing import Any

import numpy as np

from voice_gateway.errors import SpeakingError
from voice_gateway.speaking.synthesizer import trimmed
from voice_gateway.turn import Speech

ADVICE = "run `make setup` again, or `pip install --force-reinstall 'voice-gateway[speech]'`"
WARM_UP = "Ready."


class HibariSynthesizer:
    name = "hibari"

    def __init__(self) -> None:
        self._engine: Any = None
        self._lock = threading.Lock()  # a sentence whose caller has gone may still be in the works

    async def warm_up(self) -> None:
        await self.speak(WARM_UP)  # the first run costs a third of a second

    async def speak(self, text: str) -> Speech:
        return await asyncio.to_thread(self._speak, text)

    async def close(self) -> None:
        self._engine = None

    def _speak(self, text: str) -> Speech:
        with self._lock:
            engine = self._engine = self._engine or _load()
            try:
                samples = engine(text)
            except Exception as error:  # the engine's own errors are not documented
                raise SpeakingError(f"text to speech failed: {error!r}") from error
        return Speech(trimmed(np.asarray(samples), engine.sample_rate), engine.sample_rate, text)


def _load() -> Any:
    try:
        from hibari import Hibari
    except (ImportError, OSError) as error:
        raise SpeakingError(f"speaking needs the package hibari-tts, which is missing: {ADVICE}") from error
    try:
        return Hibari()
    except Exception as error:  # onnxruntime's own types, or a file that is not there
        raise SpeakingError(f"the voice cannot be loaded ({error}): {ADVICE}") from error
