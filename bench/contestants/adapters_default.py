"""langchain-mcp-adapters as one gets it from `get_tools()`: it starts the server again for every call."""

import sys
from statistics import median
from time import perf_counter

from langchain_core.tools import BaseTool
from langchain_mcp_adapters.client import MultiServerMCPClient

from bench.driver import ROOT
from bench.worker import Figures, serve_async

CALLS = 7
SERVER = {
    "transport": "stdio",
    "command": sys.executable,
    "args": [str(ROOT / "tests" / "fakes" / "minimal_server.py")],
}

client = MultiServerMCPClient({"minimal": SERVER})
tools: list[BaseTool] = []


async def measure() -> Figures:
    if not tools:
        tools.extend(await client.get_tools())
    seconds = []
    for number in range(CALLS):
        call = {"type": "tool_call", "id": str(number), "name": "add", "args": {"a": 1, "b": 2}}
        started = perf_counter()
        message = await tools[0].ainvoke(call)
        seconds.append(perf_counter() - started)
        assert message.content[0]["text"] == "3"
    return {"call_us": median(seconds) * 1e6}


serve_async(measure)
