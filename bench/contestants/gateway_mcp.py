"""Our executor on an MCP tool, over our link to a minimal stdio server."""

import asyncio
import sys
from statistics import median
from time import perf_counter

from bench.driver import ROOT
from bench.worker import Figures, serve_async
from voice_gateway import logs
from voice_gateway.config import McpSettings, ServerSettings
from voice_gateway.mcp_client.integration import MCPIntegration
from voice_gateway.tools.executor import ToolExecutor
from voice_gateway.tools.manager import ToolManager
from voice_gateway.tools.messages import to_message
from voice_gateway.turn import ToolCall

CALLS = 1000
MINIMAL = str(ROOT / "tests" / "fakes" / "minimal_server.py")
SERVER = ServerSettings(command=sys.executable, args=(MINIMAL,), trusted=True)  # its words are not quoted

logs.set_up("warning")
tools = ToolManager()
executor = ToolExecutor(tools, timeout_seconds=30)
integration = MCPIntegration({"minimal": SERVER}, McpSettings(), on_tools=tools.add_mcp_tools)
running: list[asyncio.Task[None]] = []


async def measure() -> Figures:
    if not running:
        running.append(asyncio.create_task(integration.run()))
        await integration.settled()
    seconds = []
    for number in range(CALLS):
        started = perf_counter()
        message = to_message(await executor.execute(ToolCall(str(number), "add", {"a": 1, "b": 2})))
        seconds.append(perf_counter() - started)
        assert message.content == "3"
    return {"call_us": median(seconds) * 1e6}


serve_async(measure)
