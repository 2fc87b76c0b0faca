"""Find a tool by name; argument: how many there are."""

import sys
from time import perf_counter

from langchain_core.tools import StructuredTool

from bench.worker import Figures, serve
from voice_gateway.tools.manager import ToolManager

COUNT = int(sys.argv[1])


async def nothing(**_: object) -> str:
    return ""


def tool(number: int) -> StructuredTool:
    schema = {"type": "object", "properties": {"a": {"type": "integer"}}}
    return StructuredTool(name=f"tool_{number}", description="A tool.", args_schema=schema, coroutine=nothing)


tools = ToolManager()
tools.add_mcp_tools("many", [tool(number) for number in range(COUNT)])


def measure() -> Figures:
    """The slowest of many lookups counts: found first, found last, not found."""
    slowest = 0.0
    for name in ("tool_0", f"tool_{COUNT - 1}", "nobody") * 100:
        started = perf_counter()
        found = tools.find(name)
        slowest = max(slowest, perf_counter() - started)
        assert (found is None) == (name == "nobody")
    return {"slowest_ms": slowest * 1e3}


serve(measure)
