"""The hearing engines: chosen by the settings, loaded in threads of their own."""

import asyncio
from dataclasses import dataclass
from pathlib import Path

from voice_gateway.config import VoiceSettings
from voice_gateway.errors import HearingError, first_error
from voice_gateway.hearing.endpoint import SegmentRecorder, SileroActivity
from voice_gateway.hearing.transcriber import (
    MoonshineTranscriber,
    Transcriber,
    WhisperTranscriber,
    WyomingTranscriber,
)
from voice_gateway.hearing.wake_word import MicroWakeWords, OpenWakeWords, WakeWord
from voice_gateway.sound.worker import Worker


def new_transcriber(settings: VoiceSettings) -> Transcriber:
    """A transcriber, loaded by `warm_up` or the first segment. One serves any number of streams."""
    if settings.stt_engine == "whisper":
        return WhisperTranscriber(Path(settings.stt))
    return WyomingTranscriber(settings.stt) if settings.stt_engine == "wyoming" else MoonshineTranscriber()


def load_wake_word(settings: VoiceSettings) -> WakeWord | None:
    """Blocking; for one stream. None: there is no wake word, only push to talk."""
    if settings.wake == "none":
        return None
    engine = MicroWakeWords if settings.wake == "microwakeword" else OpenWakeWords
    return engine(settings.wake_words, threshold=settings.wake_threshold)


def load_recorder(settings: VoiceSettings) -> SegmentRecorder:
    """Blocking; for one stream."""
    return SegmentRecorder(SileroActivity(), settings)


@dataclass(slots=True)
class HearingEngines:
    """All that one stream needs. `wake` and `recorder` block: call them by `worker.run(…)`."""

    worker: Worker
    wake: WakeWord | None
    recorder: SegmentRecorder
    transcriber: Transcriber

    async def close(self) -> None:
        await self.worker.end()
        await self.transcriber.close()


async def load_hearing(settings: VoiceSettings, transcriber: Transcriber | None = None) -> HearingEngines:
    """Loads everything side by side. Raises HearingError with what is missing."""
    worker, own = Worker("ears"), transcriber or new_transcriber(settings)

    async def load_stream() -> tuple[WakeWord | None, SegmentRecorder]:
        return await worker.run(load_wake_word, settings), await worker.run(load_recorder, settings)

    try:
        async with asyncio.TaskGroup() as tasks:
            stream = tasks.create_task(load_stream(), name="load wake word and voice activity")
            tasks.create_task(own.warm_up(), name="warm up speech to text")
    except* HearingError as errors:
        worker.close()
        raise first_error(errors) from None
    wake, recorder = stream.result()
    return HearingEngines(worker, wake, recorder, own)
