"""How long the manager takes to find a tool."""

from bench.driver import OURS, Contestant, alternate
from bench.table import Row


def run(passes: int) -> list[Row]:
    with Contestant(OURS, "lookup", "20") as few, Contestant(OURS, "lookup", "10000") as many:
        figures = alternate({"few": few, "many": many}, passes)
    return [
        Row("lookup among 20 tools, slowest", figures["few"]["slowest_ms"], "ms", 1.0),
        Row("lookup among 10,000 tools, slowest", figures["many"]["slowest_ms"], "ms", 1.0),
    ]
