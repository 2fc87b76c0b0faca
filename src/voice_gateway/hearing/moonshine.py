"""Speech to text by Moonshine tiny-en, whose package carries the model."""

from typing import Any

from voice_gateway.errors import HearingError
from voice_gateway.hearing.transcriber import NativeTranscriber
from voice_gateway.sound.packages import REPAIR, check_files, need
from voice_gateway.sound.samples import RATE, Samples, to_floats

MODEL = "tiny-en"
# Our own voice activity has cut the segment already; theirs would split a command into several lines.
OPTIONS = {"vad_threshold": "0.0", "identify_speakers": "false", "return_audio_data": "false"}
LONGEST_SECONDS = 30.0  # the model was made for less than this at once


class MoonshineTranscriber(NativeTranscriber):
    name = "moonshine"

    def _text(self, engine: Any, samples: Samples) -> str:
        step = round(LONGEST_SECONDS * RATE)
        parts = [samples[start : start + step] for start in range(0, len(samples), step)]
        heard = [engine.transcribe_without_streaming(to_floats(part).tolist(), RATE) for part in parts]
        texts = [line.text.strip() for part in heard for line in part.lines]
        return " ".join(text for text in texts if text)

    def _load(self) -> Any:
        package = need("moonshine_voice", "speech to text")
        check_files("moonshine-voice", "moonshine_voice/assets/tiny-en/", "the speech to text model")
        try:
            # The default architecture is BASE, whatever the folder holds.
            return package.Transcriber(package.get_model_path(MODEL), package.ModelArch.TINY, options=OPTIONS)
        except Exception as error:
            raise HearingError(f"the speech to text model cannot be loaded ({error}): {REPAIR}") from error
