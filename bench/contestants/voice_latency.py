"""One pass: every session in real time through the voice door, with the simulated home behind it."""

import asyncio
import json
import os
import tempfile
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack
from pathlib import Path
from statistics import median
from time import process_time
from typing import Any

from bench.worker import Figures, serve_async
from voice_gateway.app import opened
from voice_gateway.channels.voice.speech_output import SpeechOutput
from voice_gateway.channels.voice.transcriber import BackgroundTranscriber, Recorded
from voice_gateway.config import load
from voice_gateway.events import EventBus
from voice_gateway.hearing.engines import load_hearing
from voice_gateway.hearing.microphone import WavMicrophone
from voice_gateway.sound.samples import RATE
from voice_gateway.speaking.speaker import KeepingSpeaker
from voice_gateway.speaking.synthesizer import new_synthesizer
from voice_gateway.turn import AudioChunk

AUDIO = Path(__file__).resolve().parents[2] / "tests" / "audio_data"
SESSIONS = [
    one for one in json.loads((AUDIO / "manifest.json").read_text())["files"] if one["kind"] == "wake_command"
]


class PacedMicrophone(WavMicrophone):
    """Gives each block when a real microphone would: at its end."""

    async def chunks(self) -> AsyncGenerator[AudioChunk, None]:
        clock = asyncio.get_running_loop().time
        started = clock()
        async for chunk in super().chunks():
            end = chunk.start_seconds + len(chunk.samples) / RATE
            await asyncio.sleep(started + end - clock())
            yield chunk


class Bench:
    """The gateway and its engines, loaded by the first pass and kept."""

    def __init__(self) -> None:
        self._stack = AsyncExitStack()
        self._parts: tuple[Any, ...] = ()

    async def _load(self) -> tuple[Any, ...]:
        if not self._parts:
            settings = load(None).settings
            gateway = await self._stack.enter_async_context(opened(settings))
            await gateway.linked()
            await gateway.local.cache.refresh()
            output = SpeechOutput(
                new_synthesizer(settings.voice),
                KeepingSpeaker(),
                events=EventBus(),
                show=print,
                earcons=False,
            )
            await output.warm_up()
            self._parts = gateway, settings.voice, await load_hearing(settings.voice), output
        return self._parts

    async def measure(self) -> Figures:
        gateway, voice, engines, output = await self._load()
        turns: list[Recorded] = []
        cpu = process_time()
        for session in SESSIONS:
            microphone = PacedMicrophone(AUDIO / session["file"], trailing_silence_seconds=0.5)
            door = BackgroundTranscriber(
                engines,
                microphone,
                output,
                gateway.conversation.answer,
                voice,
                gateway.events,
                is_complete=gateway.is_complete,
                on_turn=turns.append,
                retry_seconds=None,
            )
            await door.run()
        cpu = process_time() - cpu
        assert len(turns) == len(SESSIONS), "a session was not heard"
        tools = [
            1000 * sum(outcome.seconds for outcome in turn.reply.outcomes) if turn.reply else 0.0
            for turn in turns
        ]
        times = [turn.timings_ms for turn in turns]
        beyond = [one["first_audio"] - one["endpoint"] - tool for one, tool in zip(times, tools, strict=True)]
        stages = ("endpoint", "transcribe", "transcribe_wait", "brain", "synthesize", "first_audio")
        seconds = sum(session["duration_s"] for session in SESSIONS)
        return {
            **{stage: median(one[stage] for one in times) for stage in stages},
            "tool": median(tools),
            "beyond": median(beyond),
            "cpu_percent": 100 * cpu / seconds,
        }


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_DATA_HOME"] = folder
        os.environ["PULSE_SERVER"] = "unix:/nowhere"
        serve_async(Bench().measure)
