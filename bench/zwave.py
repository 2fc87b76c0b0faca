"""The Z-Wave server: finding a name among 1,000 devices, a large home, and the time until it says hello."""

from bench.driver import OURS, Contestant, alternate
from bench.table import Row


def run(passes: int) -> list[Row]:
    with (
        Contestant(OURS, "zwave_names") as names,
        Contestant(OURS, "zwave_start") as start,
        Contestant(OURS, "zwave_large") as large,
    ):
        figures = alternate({"names": names, "start": start, "large": large}, passes)
    with Contestant(OURS, "zwave_event") as event:  # alone: what it waits for is a few milliseconds
        told = alternate({"event": event}, min(passes, 2))["event"]
    house = figures["large"]
    found, started = figures["names"], figures["start"]
    return [
        Row("a name among 1,000 devices, the slowest of ten", found["slowest_ms"], "ms", 10),
        Row("a name among 1,000 devices, in the middle", found["middle_ms"], "ms", 10),
        Row(
            "from start to the answer of initialize, beyond the import of mcp",
            started["beyond_ms"],
            "ms",
            150,
            total=started["hello_ms"],
        ),
        Row("200 nodes, 6,000 values: a snapshot, in processor time", house["snapshot_ms"], "ms", 300),
        Row("200 nodes, 6,000 values: the first list after 20 nodes changed", house["list_ms"], "ms", 5),
        # As after a restart of the gateway.
        Row("200 nodes, 6,000 values: the first list after all changed", house["list_anew_ms"], "ms", 5),
        Row("200 nodes, 6,000 values: memory at most", house["peak_mb"], "MB", 120),
        Row("200 nodes, 6,000 values: from an event to the gateway", told["event_ms"], "ms", 50),
    ]
