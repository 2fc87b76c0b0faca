"""Memory after 100,000 calls of every kind: fine, repaired, refused, failed, unknown."""

from bench.driver import OURS, Contestant
from bench.table import Row

CALLS = 100_000


def run(passes: int) -> list[Row]:
    with Contestant(OURS, "memory", str(CALLS)) as contestant:
        contestant.measure()
    (figures,) = contestant.passes
    return [
        # Pages that the allocator keeps are not ours to give back: 2 MB in 100,000 calls is 20 bytes a call.
        Row("memory grown by 100,000 calls", figures["grown_kb"], "kB", 2048),
        Row("objects left per call", figures["objects_per_call"], "", 0.01),
        Row("tasks left", figures["tasks"], "", 0),
    ]
