"""Speech to text by Whisper (`faster-whisper`) with a model folder: more exact, and ten times slower."""

from pathlib import Path
from typing import Any

from voice_gateway.errors import HearingError
from voice_gateway.hearing.transcriber import NativeTranscriber
from voice_gateway.sound.packages import need
from voice_gateway.sound.samples import Samples, to_floats

INSTALL = "`pip install faster-whisper`"


class WhisperTranscriber(NativeTranscriber):
    name = "whisper"

    def __init__(self, model: Path) -> None:
        super().__init__()
        self._folder = model

    def _text(self, engine: Any, samples: Samples) -> str:
        segments, _ = engine.transcribe(
            to_floats(samples),
            language="en",
            beam_size=1,  # a command is short: a search brings nothing but time
            condition_on_previous_text=False,
            without_timestamps=True,
        )
        return " ".join(segment.text.strip() for segment in segments).strip()

    def _load(self) -> Any:
        package = need("faster_whisper", "speech to text by Whisper", advice=INSTALL)
        if not (self._folder / "model.bin").is_file():
            raise HearingError(
                f"{self._folder} holds no faster-whisper model (no model.bin): check voice.stt"
            )
        try:
            # A folder, never a name: nothing is downloaded.
            return package.WhisperModel(
                str(self._folder), device="cpu", compute_type="int8", local_files_only=True
            )
        except Exception as error:
            raise HearingError(f"the Whisper model in {self._folder} cannot be loaded: {error}") from error
