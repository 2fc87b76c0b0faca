"""Text to speech by espeak-ng, where it is installed: tinny, tiny, and it speaks nearly every language."""

from voice_gateway.speaking.program import from_wav, output_of
from voice_gateway.turn import Speech

ADVICE = "install it (`apt-get install espeak-ng`), or choose another voice.tts"


class EspeakSynthesizer:
    name = "espeak"

    def __init__(self, *, program: str = "espeak-ng", voice: str = "en-us") -> None:
        self._command = (program, "-v", voice, "--stdin", "--stdout")

    async def warm_up(self) -> None:
        await self.speak("Ready.")

    async def speak(self, text: str) -> Speech:
        return from_wav(await output_of(self._command, text, advice=ADVICE), text, self._command[0])

    async def close(self) -> None:
        """Nothing stays open: the program starts in ten milliseconds."""
