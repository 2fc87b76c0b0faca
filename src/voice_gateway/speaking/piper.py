"""Text to speech by Piper with a voice file, in a process of its own: its licence (GPL-3) is not ours."""

import json
import shutil
import sys
from pathlib import Path

from voice_gateway.errors import SpeakingError
from voice_gateway.speaking.program import output_of
from voice_gateway.speaking.synthesizer import from_pcm16, trimmed
from voice_gateway.turn import Speech

ADVICE = "install it (`pip install piper-tts`), check voice.piper_voice, or choose another voice.tts"


class PiperSynthesizer:
    name = "piper"

    def __init__(self, voice: Path, *, program: str = "piper") -> None:
        self._voice = voice
        self._program = program

    async def warm_up(self) -> None:
        await self.speak("Ready.")

    async def speak(self, text: str) -> Speech:
        rate = self._rate()
        found = shutil.which(self._program)
        start = (
            [found] if found else [sys.executable, "-m", "piper"]
        )  # a package without its program's folder
        raw = await output_of([*start, "-m", str(self._voice), "--output-raw"], text + "\n", advice=ADVICE)
        if not raw:
            raise SpeakingError(f"piper gave no sound: {ADVICE}")
        return Speech(trimmed(from_pcm16(raw), rate), rate, text)

    async def close(self) -> None:
        """Each sentence has its own process: nothing stays open."""

    def _rate(self) -> int:
        """Beside every voice stands a description with its rate."""
        if not self._voice.is_file():
            raise SpeakingError(
                f"the voice {self._voice} is not there: set voice.piper_voice to an .onnx file"
            )
        beside = Path(f"{self._voice}.json")
        try:
            return int(json.loads(beside.read_text())["audio"]["sample_rate"])
        except FileNotFoundError:
            raise SpeakingError(f"{beside.name} is missing beside the voice; it comes with it") from None
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise SpeakingError(f"{beside} cannot be read ({error!r}); it comes with the voice") from error
