"""Text to speech by espeak-ng, where it is installed: tinny, tiny, and it speaks nearly every language."""

import asyncio
import contextlib

from voice_gateway.errors import SpeakingError
from voice_gateway.speaking.synthesizer import PROGRAM_SECONDS, from_wav
from voice_gateway.turn import Speech

ADVICE = "install it (`apt-get install espeak-ng`), or choose another voice.tts"


class EspeakSynthesizer:
    name = "espeak"

    def __init__(self, *, program: str = "espeak-ng") -> None:
        self._program = program

    async def warm_up(self) -> None:
        await self.speak("Ready.")

    async def speak(self, text: str) -> Speech:
        return from_wav(await self._output(text), text, self._program)

    async def close(self) -> None:
        """Nothing stays open: the program starts in ten milliseconds."""

    async def _output(self, text: str) -> bytes:
        try:
            process = await asyncio.create_subprocess_exec(
                *(self._program, "-v", "en-us", "--stdin", "--stdout"),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
            )
        except OSError as error:
            problem = f"{self._program} cannot be started ({error.strerror or error}): {ADVICE}"
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
            raise SpeakingError(f"{self._program} failed ({last[0]}): {ADVICE}")
        return output
