"""The voice door: from the end of speech to the first sound of the answer, stage by stage, in real time."""

from bench.driver import OURS, Contestant, alternate
from bench.table import Row

MOST_PASSES = 4  # a pass takes as long as the recordings do
INFORMATION = 10_000  # a stage has no promise of its own, only the whole has


def run(passes: int) -> list[Row]:
    with Contestant(OURS, "voice_latency") as contestant:
        figures = alternate({"voice": contestant}, min(passes, MOST_PASSES))["voice"]
    return [
        Row("silence that ended the command", figures["endpoint"], "ms", 532),
        Row("speech to text, begun in that silence", figures["transcribe"], "ms", INFORMATION),
        Row("  of it waited for behind the silence", figures["transcribe_wait"], "ms", INFORMATION),
        Row("understanding, with its tool", figures["brain"], "ms", INFORMATION),
        Row("  of it the tool", figures["tool"], "ms", INFORMATION),
        Row("first sentence synthesized", figures["synthesize"], "ms", INFORMATION),
        Row("end of speech to first sound of the answer", figures["first_audio"], "ms", INFORMATION),
        Row("  of it beyond silence and tool", figures["beyond"], "ms", 180, total=figures["first_audio"]),
        Row("CPU of a whole session, of a core", figures["cpu_percent"], "%", 60),
    ]
