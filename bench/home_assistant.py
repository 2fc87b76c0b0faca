"""Home Assistant as the home: words for a light beside the raw call for it, and a thousand entities read."""

from bench.driver import OURS, Contestant, alternate
from bench.table import Row


def run(passes: int) -> list[Row]:
    with Contestant(OURS, "home_assistant") as contestant:
        found = alternate({"ours": contestant}, passes)["ours"]
    return [
        Row(
            "from words to the answer for a light, beyond the raw call",
            found["beyond_ms"],
            "ms",
            80,
            total=found["words_ms"],
        ),
        Row("1,000 entities read, in a thread", found["read_ms"], "ms", 50),
        Row("the longest that the event loop stood still meanwhile", found["stood_ms"], "ms", 50),
    ]
