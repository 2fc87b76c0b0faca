"""`voice-gateway listen`: a recording goes through the whole pipeline as if it were spoken."""

import argparse
import asyncio
import sys
from collections.abc import AsyncGenerator, Callable
from pathlib import Path
from time import monotonic
from typing import Self

from voice_gateway.cli.options import loaded, wants_json
from voice_gateway.doors.terminal import print_json
from voice_gateway.errors import HearingError

try:
    import numpy as np

    from voice_gateway.app import Gateway, opened
    from voice_gateway.cli.voice import first_error, is_complete
    from voice_gateway.doors.voice.speech_output import SpeechOutput
    from voice_gateway.doors.voice.transcriber import BackgroundTranscriber, Recorded
    from voice_gateway.hearing.endpoint import FRAME_SAMPLES, SPEECH_ABOVE
    from voice_gateway.hearing.engines import HearingEngines, load_hearing
    from voice_gateway.hearing.microphone import WavMicrophone
    from voice_gateway.hearing.silero import SileroActivity
    from voice_gateway.sound.samples import RATE, Samples
    from voice_gateway.sound.wav import WavFile
    from voice_gateway.speaking.engines import new_synthesizer
    from voice_gateway.speaking.speaker import KeepingSpeaker
    from voice_gateway.turn import AudioChunk, SpeechSegment
except ImportError as error:
    raise HearingError(
        f"hearing needs {error.name}: run `make setup`, or `pip install 'voice-gateway[speech]'`"
    ) from error

TRAILING_SECONDS = 1.5  # of silence, so that speech up to the very end is complete too
PROGRESS_SECONDS = 5.0  # how often a long recording says how far it is
LONGEST_COMMAND_SECONDS = 120.0  # for --no-wake, which takes all of it at once


async def listen(options: argparse.Namespace) -> int:
    settings = loaded(options).settings
    path = Path(options.file)
    await asyncio.to_thread(_check, path)  # what is wrong with the file is said before anything is loaded
    heard: list[Recorded] = []

    def tell(recorded: Recorded) -> None:
        heard.append(recorded)
        if wants_json(options):
            print_json(recorded.to_json())
        else:
            print("\n".join(told(recorded)), flush=True)

    speaker = KeepingSpeaker()
    try:
        async with (
            opened(settings) as gateway,
            Listener(gateway, speaker, paced=options.paced, whole=options.no_wake) as listener,
        ):
            await listener.hear(path, tell)
    except BaseExceptionGroup as group:
        raise first_error(group) from None
    if options.out:
        await asyncio.to_thread(speaker.save, Path(options.out))
    if not heard:
        print("no wake word was heard (--no-wake takes the whole recording as a command)", file=sys.stderr)
    return 0 if heard and all(recorded.reply and recorded.reply.ok for recorded in heard) else 1


def _check(path: Path) -> None:
    with WavFile(path) as wav:
        next(wav.pieces(), None)


class Listener:
    """A gateway's voice for recordings: `async with` loads the engines, `hear` takes one after the other.

    With `whole`, a recording is one command without a wake word.
    """

    def __init__(
        self, gateway: Gateway, speaker: KeepingSpeaker, *, paced: bool = False, whole: bool = False
    ) -> None:
        self._gateway = gateway
        voice = gateway.settings.voice
        self._voice = voice.model_copy(update={"wake": "none"}) if whole else voice
        self._paced = paced
        self._whole = whole
        self._mouth = SpeechOutput(
            new_synthesizer(self._voice),
            speaker,
            watch=gateway.watch,
            show=lambda text: print(text, file=sys.stderr),
            earcons=False,  # what is kept is the answer
        )
        self._ears: HearingEngines

    async def __aenter__(self) -> Self:
        async with asyncio.TaskGroup() as tasks:  # as in a gateway that has been running for a while
            tasks.create_task(self._mouth.warm_up())
            tasks.create_task(self._know_home())
            loading = tasks.create_task(load_hearing(self._voice))
        self._ears = loading.result()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._ears.close()
        await self._mouth.close()

    async def _know_home(self) -> None:
        await self._gateway.linked()
        await self._gateway.local.refresh()

    async def hear(self, path: Path, tell: Callable[[Recorded], None]) -> None:
        """Returns when everything in it was answered."""
        microphone = _Whole(path) if self._whole else _Recording(path, paced=self._paced)
        microphone.door = BackgroundTranscriber(
            self._ears,
            microphone,
            self._mouth,
            self._gateway.conversation.answer,
            self._voice,
            watch=self._gateway.watch,
            is_complete=is_complete(self._gateway),
            on_turn=tell,
            retry_seconds=None,
        )
        await microphone.door.run()


class _Recording:
    """Faster than real time, it waits for each answer, as a person would."""

    door: BackgroundTranscriber

    def __init__(self, path: Path, *, paced: bool) -> None:
        self._microphone = WavMicrophone(path, paced=paced, trailing_silence_seconds=TRAILING_SECONDS)
        self._paced = paced
        self._path = path

    async def chunks(self) -> AsyncGenerator[AudioChunk, None]:
        length, said = await asyncio.to_thread(_length, self._path), monotonic()
        async for chunk in self._microphone.chunks():
            if not self._paced:
                await self.door.settled()
                if monotonic() - said >= PROGRESS_SECONDS:
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

    door: BackgroundTranscriber

    def __init__(self, path: Path) -> None:
        self._path = path

    async def chunks(self) -> AsyncGenerator[AudioChunk, None]:
        self.door.submit(await asyncio.to_thread(whole_recording, self._path))
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
    samples = np.concatenate(pieces)
    activity = SileroActivity()
    frames = [samples[at : at + FRAME_SAMPLES] for at in range(0, len(samples), FRAME_SAMPLES)]
    chances = [activity.probability(frame) for frame in frames if len(frame) == FRAME_SAMPLES]
    speech = sum(chance >= SPEECH_ABOVE for chance in chances) * FRAME_SAMPLES / RATE
    seconds = len(samples) / RATE
    return SpeechSegment(samples, 0.0, seconds, seconds, speech)


def told(recorded: Recorded) -> list[str]:
    """Each stage with its time, for people."""
    lines = []
    if recorded.wake is not None:
        lines.append(
            f"{recorded.wake.at_seconds:7.2f} s  wake word {recorded.wake.word} ({recorded.wake.score:.2f})"
        )
    times = recorded.timings_ms
    if recorded.transcript is None:
        return [*lines, "           no command"]
    heard = recorded.text or f"(dropped: {recorded.transcript.noise})"
    lines.append(f"{times['endpoint']:7.0f} ms end of speech")
    lines.append(f"{times['transcribe']:7.0f} ms heard: {heard}")
    if recorded.reply is not None:
        lines.append(f"{times['brain']:7.0f} ms {recorded.reply.stage}: {recorded.reply.text}")
        lines += [f"           {outcome.name}: {outcome.text}" for outcome in recorded.reply.outcomes]
        lines.append(f"{times['synthesize']:7.0f} ms first sentence synthesized")
    if "first_audio" in times:
        lines.append(
            f"{times['first_audio']:7.0f} ms from the end of speech to the first sound of the answer"
        )
    return lines
