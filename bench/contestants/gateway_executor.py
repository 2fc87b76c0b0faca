"""Our executor on a native async tool, with timeout, validation and ToolMessage; argument: the log level.

Beside it LangChain's own `tool.ainvoke` alone: no limit, no log, and an error would be raised.
"""

import io
import sys
from statistics import median
from time import perf_counter

from langchain_core.tools import tool

from bench.worker import Figures, serve_async
from voice_gateway import logs
from voice_gateway.tools.executor import ToolExecutor
from voice_gateway.tools.manager import ToolManager
from voice_gateway.tools.messages import to_message
from voice_gateway.turn import ToolCall

CALLS = 1500
BARE_CALLS = 300
PARALLEL = 32


@tool
async def add(a: int, b: int) -> str:
    """Add two numbers."""
    return str(a + b)


class NullContext(io.StringIO):
    """Lines are made and then thrown away, so that no terminal is timed."""

    def write(self, text: str) -> int:
        return len(text)


logs.set_up(sys.argv[1], stream=NullContext())
tools = ToolManager()
tools.add(add)
executor = ToolExecutor(tools, timeout_seconds=30)


async def measure() -> Figures:
    single = []
    for number in range(CALLS):
        started = perf_counter()
        message = to_message(await executor.execute(ToolCall(str(number), "add", {"a": 1, "b": 2})))
        single.append(perf_counter() - started)
        assert message.content == "3"
    parallel = []
    for _ in range(40):
        calls = [ToolCall(str(number), "add", {"a": 1, "b": 2}) for number in range(PARALLEL)]
        started = perf_counter()
        messages = [to_message(outcome) for outcome in await executor.execute_all(calls)]
        parallel.append(perf_counter() - started)
        assert len(messages) == PARALLEL
    return {
        "single_us": median(single) * 1e6,
        "parallel_us": median(parallel) * 1e6,
        "bare_us": await bare(),
    }


async def bare() -> float:
    seconds = []
    for number in range(BARE_CALLS):
        call = {"type": "tool_call", "id": str(number), "name": "add", "args": {"a": 1, "b": 2}}
        started = perf_counter()
        message = await add.ainvoke(call)
        seconds.append(perf_counter() - started)
        assert message.content == "3"
    return median(seconds) * 1e6


serve_async(measure)
