"""Speech to text by Moonshine tiny-en, whose package carries the model."""

from typing import Any

import numpy as np

from voice_gateway.errors import HearingError
from voice_gateway.hearing.packages import REPAIR, check_files, need
from voice_gateway.sound.samples import RATE, Samples, to_floats
from voice_gateway.sound.worker import Worker

MODEL = "tiny-en"
# Our own voice activity has cut the segment already; theirs would split a command into several lines.
OPTIONS = {"vad_threshold": "0.0", "identify_speakers": "false", "return_audio_data": "false"}
LONGEST_SECONDS = 30.0  # the model was made for less than this at once


class MoonshineTranscriber:
    name = "moonshine"

    def __init__(self) -> None:
        self._worker = Worker("moonshine")
        self._engine: Any = None

    async def warm_up(self) -> None:
        await self._worker.run(self._transcribe, np.zeros(RATE // 2, np.int16))

    async def transcribe(self, samples: Samples) -> str:
        return await self._worker.run(self._transcribe, samples)

    async def close(self) -> None:
        await self._worker.end()

    def _transcribe(self, samples: Samples) -> str:
        if self._engine is None:
            self._engine = _load()
        step = round(LONGEST_SECONDS * RATE)
        texts = [self._once(samples[start : start + step]) for start in range(0, len(samples), step)]
        return " ".join(text for text in texts if text)

    def _once(self, samples: Samples) -> str:
        try:
            lines = self._engine.transcribe_without_streaming(to_floats(samples).tolist(), RATE).lines
        except Exception as error:  # native code: anything may come out
            raise HearingError(f"speech to text failed: {error}") from error
        return " ".join(line.text.strip() for line in lines).strip()


def _load() -> Any:
    package = need("moonshine_voice", "speech to text")
    check_files("moonshine-voice", "moonshine_voice/assets/tiny-en/", "the speech to text model")
    try:
        # The default architecture is BASE, whatever the folder holds.
        return package.Transcriber(package.get_model_path(MODEL), package.ModelArch.TINY, options=OPTIONS)
    except Exception as error:
        raise HearingError(f"the speech to text model cannot be loaded ({error}): {REPAIR}") from error
