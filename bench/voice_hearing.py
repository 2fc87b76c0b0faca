"""Hearing: what a stream costs, how long speech to text takes, and the cold start of all voice models."""

import os
import subprocess
from statistics import median

from bench.driver import OURS, ROOT, Contestant, alternate
from bench.table import Row

STARTS = 3


def run(passes: int) -> list[Row]:
    with Contestant(OURS, "hearing") as contestant:
        figures = alternate({"hearing": contestant}, passes)["hearing"]
    starts = [_start() for _ in range(STARTS + 1)][1:]  # the first one fills the file cache
    wall, cpu, memory = (median(column) for column in zip(*starts, strict=True))
    return [
        Row("wake word by openWakeWord, of a core per stream", figures["open_percent"], "%", 10),
        Row("wake word by microWakeWord, of a core per stream", figures["micro_percent"], "%", 0.5),
        Row("voice activity while recording, of a core per stream", figures["activity_percent"], "%", 10),
        # Begun in the trailing silence at 192 ms, it should be done when 300 ms of silence end a command.
        Row("speech to text of a 2 s command, wall", figures["stt_wall_ms"], "ms", 108),
        Row("speech to text of a 2 s command, CPU", figures["stt_cpu_ms"], "ms", 200),
        Row("cold start of hearing and speaking, wall", wall, "s", 2),
        Row("cold start of hearing and speaking, CPU", cpu, "s", 4),
        Row("memory with all voice models", memory, "MB", 450),
    ]


def _start() -> tuple[float, ...]:
    env = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    ended = subprocess.run(
        [OURS, "-m", "bench.contestants.voice_start"],
        cwd=ROOT,
        env=env,
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    return tuple(map(float, ended.stdout.split()))
