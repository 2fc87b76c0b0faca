"""What the flight recorder costs a turn, and how long a search takes among very many."""

from bench.driver import OURS, Contestant, alternate
from bench.table import Row


def run(passes: int) -> list[Row]:
    with Contestant(OURS, "recorder") as recorder:
        figures = alternate({"recorder": recorder}, passes)["recorder"]
    return [
        Row("a turn on the event loop (9 events), median", figures["loop_ms"], "ms", 1.0),
        Row("… the slowest of 200", figures["slowest_ms"], "ms", 20.0),
        Row(
            "… and written, 200 that come together, processor time of each", figures["together_ms"], "ms", 1.0
        ),
        Row(
            "… one alone, of the thread that writes (of the whole program)",
            figures["alone_ms"],
            "ms",
            1.0,
            total=figures["alone_whole_ms"],
        ),
        # The processor has forgotten us by then, above all where other programs keep it busy.
        Row(
            "… one alone after a tenth of a second",
            figures["seldom_ms"],
            "ms",
            2.0,
            total=figures["seldom_whole_ms"],
        ),
        Row("… and until it is in the file", figures["seldom_until_ms"], "ms", 20.0),
        Row("a rare word among 100,000 turns", figures["rare_ms"], "ms", 100.0),
        Row("a word that every turn has", figures["common_ms"], "ms", 100.0),
        Row("two beginnings of words", figures["prefix_ms"], "ms", 100.0),
        Row("the last 50 turns", figures["list_ms"], "ms", 100.0),
    ]
