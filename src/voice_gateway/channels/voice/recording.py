"""Recordings as voice input: each goes through the whole pipeline as if it were spoken."""

import asyncio
import sys
from collections.abc import AsyncGenerator, Callable, Coroutine
from pathlib import Path
from typing import Any, Self

from voice_gateway.channels import Answer
from voice_gateway.channels.voice.speech_output import SpeechOutput
from voice_gateway.channels.voice.transcriber import BackgroundTranscriber, Recorded
from voice_gateway.config import VoiceSettings
from voice_gateway.events import EventBus
from voice_gateway.hearing.engines import HearingEngines, load_hearing
from voice_gateway.hearing.microphone import WavMicrophone
from voice_gateway.hearing.transcriber import whole_segment
from voice_gateway.sound.wav import WavFile, read_wav
from voice_gateway.speaking.engines import new_synthesizer
from voice_gateway.speaking.speaker import KeepingSpeaker
from voice_gateway.turn import AudioChunk

TRAILING_SECONDS = 1.5  # of silence, so that speech at the very end is completed
LONGEST_COMMAND_SECONDS = 120.0  # for --no-wake, which takes all of it at once


def check_recording(path: Path) -> None:
    """Raises HearingError if the file cannot be used. Blocking."""
    with WavFile(path) as wav:
        next(wav.pieces(), None)


class Listener:
    """`async with` loads the engines; `hear` takes one recording after the other.

    `ready` returns when the home is known. With `whole`, a recording is one command without a wake word.
    """

    def __init__(
        self,
        settings: VoiceSettings,
        answer: Answer,
        speaker: KeepingSpeaker,
        *,
        events: EventBus,
        is_complete: Callable[[str], bool],
        ready: Callable[[], Coroutine[Any, Any, None]],
        paced: bool = False,
        whole: bool = False,
    ) -> None:
        self._answer, self._events = answer, events
        self._is_complete, self._ready = is_complete, ready
        self._voice = settings.model_copy(update={"wake": "none"}) if whole else settings
        self._paced, self._whole = paced, whole
        self._output = SpeechOutput(
            new_synthesizer(self._voice),
            speaker,
            events=events,
            show=lambda text: print(text, file=sys.stderr),
            earcons=False,
        )
        self._engines: HearingEngines

    async def __aenter__(self) -> Self:
        async with asyncio.TaskGroup() as tasks:  # side by side
            tasks.create_task(self._output.warm_up())
            tasks.create_task(self._ready())
            loading = tasks.create_task(load_hearing(self._voice))
        self._engines = loading.result()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._engines.close()
        await self._output.close()

    async def hear(self, path: Path, tell: Callable[[Recorded], None]) -> None:
        """Returns when everything in the recording was answered."""
        microphone = _Recording(path, paced=self._paced, whole=self._whole)
        microphone.channel = BackgroundTranscriber(
            self._engines,
            microphone,
            self._output,
            self._answer,
            self._voice,
            events=self._events,
            is_complete=self._is_complete,
            on_turn=tell,
            retry_seconds=None,
        )
        await microphone.channel.run()


class _Recording:
    """A microphone that waits for each answer, as a person would, unless it is paced. A whole recording is
    submitted as one command."""

    channel: BackgroundTranscriber

    def __init__(self, path: Path, *, paced: bool, whole: bool) -> None:
        self._path, self._paced, self._whole = path, paced, whole

    async def chunks(self) -> AsyncGenerator[AudioChunk, None]:
        if self._whole:
            samples = await asyncio.to_thread(read_wav, self._path, LONGEST_COMMAND_SECONDS)
            self.channel.submit(await asyncio.to_thread(whole_segment, samples))
            return
        microphone = WavMicrophone(self._path, paced=self._paced, trailing_silence_seconds=TRAILING_SECONDS)
        async for chunk in microphone.chunks():
            if not self._paced:
                await self.channel.settled()
            yield chunk
