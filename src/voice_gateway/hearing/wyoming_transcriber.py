"""Speech to text by a Wyoming server, such as one that Home Assistant uses."""

import asyncio
from urllib.parse import urlsplit

from voice_gateway.errors import HearingError
from voice_gateway.hearing.transcriber import Transcriber
from voice_gateway.sound.packages import need
from voice_gateway.sound.samples import RATE, Samples

TIMEOUT_SECONDS = 15.0  # a large model on a small machine is slow; a server that hangs never answers
CHUNK_SAMPLES = RATE // 10
DEFAULT_PORT = 10300
SILENT = "the speech to text server is not answering"
FAILED = "the speech to text server does not work as it should"


class WyomingTranscriber(Transcriber):
    """One connection for each segment: servers come and go, and connecting costs a millisecond."""

    name = "wyoming"

    def __init__(self, url: str, *, timeout_seconds: float = TIMEOUT_SECONDS) -> None:
        self._url, self._timeout = url, timeout_seconds

    async def transcribe(self, samples: Samples) -> str:
        try:
            async with asyncio.timeout(self._timeout):
                return await self._ask(samples)
        except TimeoutError as error:
            text = f"the speech to text server {self._url} did not answer in {self._timeout:g} s"
            raise HearingError(text, spoken=SILENT) from error
        except (OSError, ValueError, KeyError, TypeError) as error:
            text = f"the speech to text server {self._url} failed ({error}): check it, and voice.stt"
            raise HearingError(text, spoken=SILENT if isinstance(error, OSError) else FAILED) from error

    async def close(self) -> None:
        """Nothing stays open."""

    async def _ask(self, samples: Samples) -> str:
        need("wyoming", "a Wyoming server")
        from wyoming.asr import Transcribe, Transcript
        from wyoming.audio import AudioChunk, AudioStart, AudioStop
        from wyoming.client import AsyncTcpClient
        from wyoming.error import Error

        address = urlsplit(self._url)
        async with AsyncTcpClient(address.hostname or "", address.port or DEFAULT_PORT) as client:
            await client.write_event(Transcribe(language="en").event())
            await client.write_event(AudioStart(RATE, 2, 1).event())
            for start in range(0, len(samples), CHUNK_SAMPLES):
                audio = samples[start : start + CHUNK_SAMPLES].tobytes()
                await client.write_event(AudioChunk(RATE, 2, 1, audio).event())
            await client.write_event(AudioStop().event())
            while (event := await client.read_event()) is not None:
                if Transcript.is_type(event.type):
                    return str(Transcript.from_event(event).text).strip()
                if Error.is_type(event.type):
                    raise ValueError(Error.from_event(event).text)
        raise ValueError("it closed the connection without an answer")
