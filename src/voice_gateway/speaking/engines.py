"""The synthesizer of the settings: hibari, espeak-ng, Piper or a Wyoming server."""

import asyncio
import contextlib
import threading
from pathlib import Path
from typing import Any

import numpy as np

from voice_gateway.config import VoiceSettings
from voice_gateway.errors import SpeakingError
from voice_gateway.sound.packages import need
from voice_gateway.speaking.piper import PiperSynthesizer
from voice_gateway.speaking.synthesizer import PROGRAM_SECONDS, Synthesizer, from_wav, trimmed
from voice_gateway.speaking.wyoming_synthesizer import WyomingSynthesizer
from voice_gateway.turn import Speech

ESPEAK_ADVICE = "install it (`apt-get install espeak-ng`), or choose another voice.tts"
HIBARI_ADVICE = "run `make setup` again, or `pip install --force-reinstall 'voice-gateway[speech]'`"


def new_synthesizer(settings: VoiceSettings) -> Synthesizer:
    """Loaded by its `warm_up` or its first sentence."""
    if settings.tts_engine == "espeak":
        return EspeakSynthesizer()
    if settings.tts_engine == "piper":
        return PiperSynthesizer(Path(settings.tts))
    return WyomingSynthesizer(settings.tts) if settings.tts_engine == "wyoming" else HibariSynthesizer()


class HibariSynthesizer(Synthesizer):
    """A small neural voice whose package carries the model."""

    name = "hibari"

    def __init__(self) -> None:
        self._engine: Any = None
        self._lock = threading.Lock()  # a sentence whose caller has gone may still be in the works

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
    package = need("hibari", "speaking", advice=HIBARI_ADVICE, error_type=SpeakingError)
    try:
        return package.Hibari()
    except Exception as error:  # onnxruntime's own types, or a file that is not there
        raise SpeakingError(f"the voice cannot be loaded ({error}): {HIBARI_ADVICE}") from error


class EspeakSynthesizer(Synthesizer):
    """espeak-ng, where it is installed: tinny and tiny. It starts in ten milliseconds for each sentence."""

    name = "espeak"

    def __init__(self, *, program: str = "espeak-ng") -> None:
        self._program = program

    async def speak(self, text: str) -> Speech:
        return from_wav(await self._output(text), text, self._program)

    async def close(self) -> None:
        """Nothing stays open."""

    async def _output(self, text: str) -> bytes:
        try:
            process = await asyncio.create_subprocess_exec(
                *(self._program, "-v", "en-us", "--stdin", "--stdout"),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
            )
        except OSError as error:
            problem = f"{self._program} cannot be started ({error.strerror or error}): {ESPEAK_ADVICE}"
            raise SpeakingError(problem) from error
        try:
            async with asyncio.timeout(PROGRAM_SECONDS):
                output, complaint = await process.communicate(text.encode())
        except TimeoutError as error:
            raise SpeakingError(f"{self._program} did not answer in {PROGRAM_SECONDS:g} s") from error
        finally:
            if process.returncode is None:
                with contextlib.suppress(ProcessLookupError):
                    process.kill()
                await process.wait()
        if process.returncode:
            last = complaint.decode(errors="replace").strip().splitlines()[-1:] or ["no reason given"]
            raise SpeakingError(f"{self._program} failed ({last[0]}): {ESPEAK_ADVICE}")
        return output
