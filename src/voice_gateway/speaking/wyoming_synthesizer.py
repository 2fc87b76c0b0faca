"""Text to speech by a Wyoming server, such as one that Home Assistant uses."""

import asyncio
from urllib.parse import urlsplit

from voice_gateway.errors import SpeakingError
from voice_gateway.sound.packages import need
from voice_gateway.sound.samples import from_pcm16
from voice_gateway.speaking.synthesizer import Synthesizer, trimmed
from voice_gateway.turn import Speech

TIMEOUT_SECONDS = 15.0
DEFAULT_PORT = 10200
ADVICE = "check it, and voice.tts"


class WyomingSynthesizer(Synthesizer):
    """One connection for each sentence: servers come and go, and connecting costs a millisecond."""

    name = "wyoming"

    def __init__(self, url: str) -> None:
        self._url = url

    async def speak(self, text: str) -> Speech:
        try:
            async with asyncio.timeout(TIMEOUT_SECONDS):
                return await self._ask(text)
        except TimeoutError as error:
            problem = f"did not answer in {TIMEOUT_SECONDS:g} s"
            raise SpeakingError(f"the text to speech server {self._url} {problem}: {ADVICE}") from error
        except (OSError, ValueError, KeyError, TypeError) as error:
            message = f"the text to speech server {self._url} failed ({error}): {ADVICE}"
            raise SpeakingError(message) from error

    async def close(self) -> None:
        """Nothing stays open."""

    async def _ask(self, text: str) -> Speech:
        need("wyoming", "a Wyoming server", error_type=SpeakingError)
        from wyoming.audio import AudioChunk, AudioStop
        from wyoming.client import AsyncTcpClient
        from wyoming.error import Error
        from wyoming.tts import Synthesize

        address = urlsplit(self._url)
        chunks: list[AudioChunk] = []
        async with AsyncTcpClient(address.hostname or "", address.port or DEFAULT_PORT) as client:
            await client.write_event(Synthesize(text=text).event())
            while (event := await client.read_event()) is not None:
                if AudioChunk.is_type(event.type):
                    chunks.append(AudioChunk.from_event(event))
                elif Error.is_type(event.type):
                    raise ValueError(Error.from_event(event).text)
                elif AudioStop.is_type(event.type):
                    break
        if not chunks or chunks[0].width != 2:
            raise ValueError("it sent no 16 bit sound")
        samples = from_pcm16(b"".join(chunk.audio for chunk in chunks), chunks[0].channels)
        return Speech(trimmed(samples, chunks[0].rate), chunks[0].rate, text)
