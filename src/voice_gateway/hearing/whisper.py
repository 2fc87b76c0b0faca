"""Speech to text by Whisper (`faster-whisper`) with a model folder: more exact, and ten times slower."""

from pathlib import Path
from typing import Any

import numpy as np

from voice_gateway.errors import HearingError
from voice_gateway.hearing.packages import need
from voice_gateway.sound.samples import RATE, Samples, to_floats
from voice_gateway.sound.worker import Worker

INSTALL = "`pip install faster-whisper`"


class WhisperTranscriber:
    name = "whisper"

    def __init__(self, model: Path, *, language: str = "en") -> None:
        self._folder = model
        self._language = language
        self._worker = Worker("whisper")
        self._engine: Any = None

    async def warm_up(self) -> None:
        await self._worker.run(self._transcribe, np.zeros(RATE // 2, np.int16))

    async def transcribe(self, samples: Samples) -> str:
        return await self._worker.run(self._transcribe, samples)

    async def close(self) -> None:
        await self._worker.end()

    def _transcribe(self, samples: Samples) -> str:
        if self._engine is None:
            self._engine = self._load()
        try:
            segments, _ = self._engine.transcribe(
                to_floats(samples),
                language=self._language,
                beam_size=1,  # a command is short: a search brings nothing but time
                condition_on_previous_text=False,
                without_timestamps=True,
            )
            return " ".join(segment.text.strip() for segment in segments).strip()
        except Exception as error:  # native code: anything may come out
            raise HearingError(f"speech to text failed: {error}") from error

    def _load(self) -> Any:
        package = need("faster_whisper", "speech to text by Whisper", advice=INSTALL)
        if not (self._folder / "model.bin").is_file():
            raise HearingError(
                f"{self._folder} holds no faster-whisper model (no model.bin): check voice.whisper_model"
            )
        try:
            # A folder, never a name: nothing is downloaded.
            return package.WhisperModel(
                str(self._folder), device="cpu", compute_type="int8", local_files_only=True
            )
        except Exception as error:
            raise HearingError(f"the Whisper model in {self._folder} cannot be loaded: {error}") from error
