"""The executor against LangGraph's ToolNode and a bare `tool.ainvoke`: one call, and 32 at the same time.

The native tool never waits, so the whole time of a call is time that the event loop is busy.
"""

from bench.driver import OURS, THEIRS, Contestant, alternate
from bench.table import Row


def run(passes: int) -> list[Row]:
    with (
        Contestant(OURS, "gateway_executor", "warning") as quiet,
        Contestant(OURS, "gateway_executor", "info") as talking,
        Contestant(THEIRS, "toolnode") as toolnode,
    ):
        figures = alternate({"warning": quiet, "info": talking, "toolnode": toolnode}, passes)
    theirs = figures["toolnode"]
    against = "ToolNode"
    return [
        Row(
            "one call, log level warning",
            figures["warning"]["single_us"],
            "µs",
            1 / 8,
            theirs["single_us"],
            against,
        ),
        Row(
            "one call, log level info",
            figures["info"]["single_us"],
            "µs",
            1 / 4,
            theirs["single_us"],
            against,
        ),
        Row(
            "one call, log level warning",
            figures["warning"]["single_us"],
            "µs",
            1 / 6,
            figures["warning"]["bare_us"],
            "bare tool.ainvoke",
        ),
        Row(
            "32 calls at once, event loop",
            figures["warning"]["parallel_us"],
            "µs",
            1 / 6,
            theirs["parallel_us"],
            against,
        ),
    ]
