"""The voice door for recordings: each goes through the whole pipeline as if it were spoken."""

import asyncio
import sys
from collections.abc import AsyncGenerator, Callable, Coroutine
from pathlib import Path
from time import monotonic
from typing import Any, Self

import numpy as np

from voice_gateway.channels import Answer
from voice_gateway.channels.voice.recorded import Recorded
from voice_gateway.channels.voice.speech_output import SpeechOutput
from voice_gateway.channels.voice.transcriber import BackgroundTranscriber
from voice_gateway.config import VoiceSettings
from voice_gateway.errors import HearingError
from voice_gateway.events import EventBus
from voice_gateway.hearing.engines import HearingEngines, load_hearing
from voice_gateway.hearing.microphone import WavMicrophone
from voice_gateway.hearing.transcript import whole_segment
from voice_gateway.sound.samples import RATE, Samples
from voice_gateway.sound.wav import WavFile
from voice_gateway.speaking.engines import new_synthesizer
from voice_gateway.speaking.speaker import KeepingSpeaker
from voice_gateway.turn import AudioChunk, SpeechSegment

TRAILING_SECONDS = 1.5  # of silence, so that speech up to the very end is complete too
PROGRESS_SECONDS = 5.0  # how often a long recording says how far it is
LONGEST_COMMAND_SECONDS = 120.0  # for --no-wake, which takes all of it at once


def check_recording(path: Path) -> None:
    """Raises what is wrong with the file, before anything is loaded for it. Blocking."""
    with WavFile(path) as wav:
        next(wav.pieces(), None)


class Listener:
    """A gateway's voice for recordings: `async with` loads the engines, `hear` takes one after the other.

    `ready` returns when the home is known. With `whole`, a recording is one command without a wake word.
    """

    def __init__(
        self,
        settings: VoiceSettings,
        answer: Answer,
        speaker: KeepingSpeaker,
        *,
        watch: EventBus,
        is_complete: Callable[[str], bool],
        ready: Callable[[], Coroutine[Any, Any, None]],
        paced: bool = False,
        whole: bool = False,
        progress_seconds: float = PROGRESS_SECONDS,
    ) -> None:
        self._answer = answer
        self._watch = watch
        self._is_complete = is_complete
        self._ready = ready
        self._voice = settings.model_copy(update={"wake": "none"}) if whole else settings
        self._paced = paced
        self._whole = whole
        self._progress_seconds = progress_seconds
        self._output = SpeechOutput(
            new_synthesizer(self._voice),
            speaker,
            watch=watch,
            show=lambda text: print(text, file=sys.stderr),
            earcons=False,  # what is kept is the answer
        )
        self._engines: HearingEngines

    async def __aenter__(self) -> Self:
        async with asyncio.TaskGroup() as tasks:  # as in a gateway that has been running for a while
            tasks.create_task(self._output.warm_up())
            tasks.create_task(self._ready())
            loading = tasks.create_task(load_hearing(self._voice))
        self._engines = loading.result()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._engines.close()
        await self._output.close()

    async def hear(self, path: Path, tell: Callable[[Recorded], None]) -> None:
        """Returns when everything in it was answered."""
        microphone = (
            _Whole(path) if self._whole else _Recording(path, self._progress_seconds, paced=self._paced)
        )
        microphone.channel = BackgroundTranscriber(
            self._engines,
            microphone,
            self._output,
            self._answer,
            self._voice,
            watch=self._watch,
            is_complete=self._is_complete,
            on_turn=tell,
            retry_seconds=None,
        )
        await microphone.channel.run()


class _Recording:
    """Faster than real time, it waits for each answer, as a person would."""

    channel: BackgroundTranscriber

    def __init__(self, path: Path, progress_seconds: float, *, paced: bool) -> None:
        self._progress_seconds = progress_seconds
        self._microphone = WavMicrophone(path, paced=paced, trailing_silence_seconds=TRAILING_SECONDS)
        self._paced = paced
        self._path = path

    async def chunks(self) -> AsyncGenerator[AudioChunk, None]:
        length, said = await asyncio.to_thread(_length, self._path), monotonic()
        async for chunk in self._microphone.chunks():
            if not self._paced:
                await self.channel.settled()
                if monotonic() - said >= self._progress_seconds:
                    said = monotonic()
                    print(f"heard {_clock(chunk.start_seconds)}{length}", file=sys.stderr)
            yield chunk


def _length(path: Path) -> str:
    with WavFile(path) as wav:
        return f" of {_clock(wav.seconds)}" if wav.seconds is not None else ""


def _clock(seconds: float) -> str:
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes}:{rest:02}"


class _Whole:
    """A microphone that has already heard everything."""

    channel: BackgroundTranscriber

    def __init__(self, path: Path) -> None:
        self._path = path

    async def chunks(self) -> AsyncGenerator[AudioChunk, None]:
        self.channel.submit(await asyncio.to_thread(whole_recording, self._path))
        nothing: tuple[AudioChunk, ...] = ()
        for chunk in nothing:
            yield chunk


def whole_recording(path: Path) -> SpeechSegment:
    """Blocking."""
    pieces: list[Samples] = [np.zeros(0, np.int16)]
    with WavFile(path) as wav:
        for piece in wav.pieces():
            pieces.append(piece)
            if sum(map(len, pieces)) > LONGEST_COMMAND_SECONDS * RATE:
                limit = f"{LONGEST_COMMAND_SECONDS:g} seconds"
                raise HearingError(f"{path} is longer than {limit}, too long for one command")
    return whole_segment(np.concatenate(pieces))
