"""Recordings as voice input: each goes through the whole pipeline as if it were spoken."""

import asyncio
import contextlib
import sys
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Coroutine
from functools import partial
from pathlib import Path
from typing import Any

from voice_gateway.channels import Answer
from voice_gateway.channels.voice.speech_output import SpeechOutput
from voice_gateway.channels.voice.transcriber import BackgroundTranscriber, Recorded
from voice_gateway.config import VoiceSettings
from voice_gateway.events import EventBus
from voice_gateway.hearing.engines import load_hearing
from voice_gateway.hearing.microphone import WavMicrophone
from voice_gateway.hearing.transcriber import whole_segment
from voice_gateway.sound.wav import WavFile, read_wav
from voice_gateway.speaking.speaker import KeepingSpeaker
from voice_gateway.speaking.synthesizer import new_synthesizer
from voice_gateway.turn import AudioChunk

TRAILING_SECONDS = 1.5  # of silence, so that speech at the very end is completed
LONGEST_COMMAND_SECONDS = 120.0  # for --no-wake, which takes all of it at once

Hear = Callable[[Path, Callable[[Recorded], None]], Awaitable[None]]


def check_recording(path: Path) -> None:
    """Raises HearingError if the file cannot be used. Blocking."""
    with WavFile(path) as wav:
        next(wav.pieces(), None)


@contextlib.asynccontextmanager
async def listening(
    settings: VoiceSettings,
    answer: Answer,
    speaker: KeepingSpeaker,
    *,
    events: EventBus,
    is_complete: Callable[[str], bool],
    ready: Callable[[], Coroutine[Any, Any, None]],
    whole: bool = False,
) -> AsyncIterator[Hear]:
    """Loads the engines and gives a function that hears one recording and returns when all in it is answered.

    `ready` returns when the home is known. With `whole`, a recording is one command without a wake word.
    """
    voice = settings.model_copy(update={"wake": "none"}) if whole else settings
    show = partial(print, file=sys.stderr)
    output = SpeechOutput(new_synthesizer(voice), speaker, events=events, show=show, earcons=False)
    async with asyncio.TaskGroup() as tasks:  # side by side
        tasks.create_task(output.warm_up())
        tasks.create_task(ready())
        loading = tasks.create_task(load_hearing(voice))
    engines = loading.result()

    async def hear(path: Path, on_turn: Callable[[Recorded], None]) -> None:
        microphone = _Recording(path, whole=whole)
        microphone.channel = BackgroundTranscriber(
            engines,
            microphone,
            output,
            answer,
            voice,
            events=events,
            is_complete=is_complete,
            on_turn=on_turn,
            retry_seconds=None,
        )
        await microphone.channel.run()

    try:
        yield hear
    finally:
        await engines.close()
        await output.close()


class _Recording:
    """A microphone that waits for each answer, as a person would. A whole recording is submitted as one
    command."""

    channel: BackgroundTranscriber

    def __init__(self, path: Path, *, whole: bool) -> None:
        self._path, self._whole = path, whole

    async def chunks(self) -> AsyncGenerator[AudioChunk, None]:
        if self._whole:
            samples = await asyncio.to_thread(read_wav, self._path, LONGEST_COMMAND_SECONDS)
            self.channel.submit(await asyncio.to_thread(whole_segment, samples))
            return
        microphone = WavMicrophone(self._path, trailing_silence_seconds=TRAILING_SECONDS)
        async for chunk in microphone.chunks():
            await self.channel.settled()
            yield chunk
