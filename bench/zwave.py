"""The Z-Wave server: finding a name among 1,000 devices, listing them, and the time until it says hello."""

from bench.driver import OURS, Contestant, alternate
from bench.table import Row


def run(passes: int) -> list[Row]:
    with Contestant(OURS, "zwave_names") as names, Contestant(OURS, "zwave_start") as start:
        figures = alternate({"names": names, "start": start}, passes)
    found, started = figures["names"], figures["start"]
    return [
        Row("a name among 1,000 devices, the slowest of ten", found["slowest_ms"], "ms", 10),
        Row("a name among 1,000 devices, in the middle", found["middle_ms"], "ms", 10),
        Row("list_zwave_devices from a warm snapshot", found["list_ms"], "ms", 5),
        Row(
            "from start to the answer of initialize, beyond the import of mcp",
            started["beyond_ms"],
            "ms",
            150,
            total=started["hello_ms"],
        ),
    ]
