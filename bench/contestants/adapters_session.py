"""langchain-mcp-adapters on a session that is held open for a pass, against the same minimal stdio server."""

import sys
from statistics import median
from time import perf_counter

from langchain_mcp_adapters.client import MultiServerMCPClient
from langchain_mcp_adapters.tools import load_mcp_tools

from bench.driver import ROOT
from bench.worker import Figures, serve_async

CALLS = 300
SERVER = {
    "transport": "stdio",
    "command": sys.executable,
    "args": [str(ROOT / "tests" / "fakes" / "minimal_server.py")],
}

client = MultiServerMCPClient({"minimal": SERVER})


async def measure() -> Figures:
    seconds = []
    async with client.session("minimal") as session:
        (tool,) = await load_mcp_tools(session)
        for number in range(CALLS):
            call = {"type": "tool_call", "id": str(number), "name": "add", "args": {"a": 1, "b": 2}}
            started = perf_counter()
            message = await tool.ainvoke(call)
            seconds.append(perf_counter() - started)
            assert message.content[0]["text"] == "3"
    return {"call_us": median(seconds) * 1e6}


serve_async(measure)
