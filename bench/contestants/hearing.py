"""What one stream of hearing costs: CPU time beside wall time, on spoken recordings."""

import asyncio
import itertools
from collections.abc import Callable
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import numpy as np

from bench.worker import Figures, serve
from voice_gateway.config import VoiceSettings
from voice_gateway.hearing.engines import load_recorder
from voice_gateway.hearing.transcriber import MoonshineTranscriber
from voice_gateway.hearing.wake_word import MicroWakeWords, OpenWakeWords
from voice_gateway.sound.wav import read_wav

RECORDINGS = Path(__file__).resolve().parent.parent.parent / "tests" / "audio_data"
BLOCK = 512
LISTENED_SECONDS = 4.0
MICRO_TIMES = 8  # it costs so little that more of it must be timed

talk = read_wav(RECORDINGS / "distractor_0.wav")[: round(LISTENED_SECONDS * 16000)]
padding = np.zeros(4000, np.int16)
names = ("cmd_17", "cmd_24", "cmd_33", "cmd_36")  # each about two seconds
commands = itertools.cycle(
    np.concatenate([padding, read_wav(RECORDINGS / f"{name}_am_michael.wav"), padding]) for name in names
)
open_words, micro_words = OpenWakeWords(["hey_jarvis"]), MicroWakeWords(["hey_jarvis"])
recorder, transcriber = load_recorder(VoiceSettings()), MoonshineTranscriber()


def percent_of_a_core(feed: Callable[[Any], object], times: int = 1) -> float:
    started = process_time()
    for _ in range(times):
        for at in range(0, len(talk), BLOCK):
            feed(talk[at : at + BLOCK])
    return 100 * (process_time() - started) / LISTENED_SECONDS / times


def measure() -> Figures:
    samples = next(commands)
    figures = {
        "open_percent": percent_of_a_core(open_words.feed),
        "micro_percent": percent_of_a_core(micro_words.feed, MICRO_TIMES),
        "activity_percent": percent_of_a_core(recorder.feed),
    }
    wall, cpu = perf_counter(), process_time()
    text = asyncio.run(transcriber.transcribe(samples))
    assert text, "nothing was understood"
    return {
        **figures,
        "stt_wall_ms": 1e3 * (perf_counter() - wall),
        "stt_cpu_ms": 1e3 * (process_time() - cpu),
    }


if __name__ == "__main__":
    serve(measure)
