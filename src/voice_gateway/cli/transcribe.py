"""`voice-gateway transcribe`: what is said in a recording, segment by segment."""

import argparse
import sys
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

from voice_gateway.channels.terminal import print_json
from voice_gateway.cli.command import loaded, wants_json
from voice_gateway.config import VoiceSettings
from voice_gateway.hearing.endpoint import Ended, SegmentRecorder
from voice_gateway.hearing.engines import load_recorder, new_transcriber
from voice_gateway.hearing.microphone import WavMicrophone
from voice_gateway.hearing.transcriber import judged
from voice_gateway.sound.worker import Worker
from voice_gateway.turn import SpeechSegment, Transcript

TRAILING_SECONDS = 1.0  # of silence, so that speech up to the very end is complete too


@dataclass(frozen=True, slots=True)
class SegmentText:
    segment: SpeechSegment
    transcript: Transcript

    def to_json(self) -> dict[str, Any]:
        return {
            "start_seconds": round(self.segment.start_seconds, 3),
            "end_seconds": round(self.segment.speech_end_seconds, 3),
            "text": self.transcript.text,
            "noise": self.transcript.noise,
            "seconds": round(self.transcript.seconds, 4),
        }


async def transcribe(options: argparse.Namespace) -> int:
    settings = loaded(options).settings.voice
    started, said = perf_counter(), []
    async for one in segments(Path(options.file), settings):
        said.append(one)
        if one.transcript.text and not wants_json(options):
            print(one.transcript.text, flush=True)
    text = " ".join(one.transcript.text for one in said if one.transcript.text)
    if wants_json(options):
        seconds = round(perf_counter() - started, 3)
        told = [one.to_json() for one in said]
        print_json({"text": text, "segments": told, "engine": settings.stt, "seconds": seconds})
    elif not text:
        print(f"no speech was found in {options.file}", file=sys.stderr)
    return 0


async def segments(path: Path, settings: VoiceSettings) -> AsyncIterator[SegmentText]:
    """Each stretch of speech as soon as it is complete; text from noise is dropped, with its reason kept."""
    microphone = WavMicrophone(path, trailing_silence_seconds=TRAILING_SECONDS)
    worker, transcriber = Worker("ears"), new_transcriber(settings)
    recorder: SegmentRecorder | None = None
    try:
        async for chunk in microphone.chunks():  # the file first: what is wrong with it is said at once
            if recorder is None:
                recorder = await worker.run(load_recorder, settings)
            for event in await worker.run(recorder.feed, chunk.samples):
                if isinstance(event, Ended):
                    started = perf_counter()
                    text = await transcriber.transcribe(event.segment.samples)
                    yield SegmentText(event.segment, judged(text, event.segment, perf_counter() - started))
    finally:
        await worker.end()
        await transcriber.close()
