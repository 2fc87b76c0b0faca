"""One MCP tool over stdio, through the executor, against langchain-mcp-adapters.

The server is minimal, so the figures are what the clients cost.
"""

from bench.driver import OURS, THEIRS, Contestant, alternate
from bench.table import Row


def run(passes: int) -> list[Row]:
    with (
        Contestant(OURS, "gateway_mcp") as ours,
        Contestant(OURS, "bare_pipe") as bare,
        Contestant(THEIRS, "adapters_session") as session,
        Contestant(THEIRS, "adapters_default") as default,
    ):
        figures = alternate({"ours": ours, "bare": bare, "session": session, "default": default}, passes)
    call = figures["ours"]["call_us"]
    return [
        Row("one call, over the bare pipe", call, "µs", 2, figures["bare"]["call_us"], "asyncio alone"),
        Row("one call, session held", call, "µs", 1 / 3, figures["session"]["call_us"], "persistent session"),
        Row("one call, as one gets it", call, "µs", 1 / 100, figures["default"]["call_us"], "get_tools()"),
    ]
