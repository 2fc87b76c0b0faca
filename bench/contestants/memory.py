"""100,000 executed calls of every kind, and the memory that stays."""

import asyncio
import gc
import io
import resource
import sys
from pathlib import Path
from typing import Any

from langchain_core.tools import tool

from bench.worker import Figures, serve_async
from voice_gateway import logs
from voice_gateway.tools.executor import ToolExecutor
from voice_gateway.tools.manager import ToolManager
from voice_gateway.turn import ToolCall

CALLS = int(sys.argv[1])


@tool
async def add(a: int, b: int) -> str:
    """Add two numbers."""
    return str(a + b)


@tool
async def wait(a: int) -> str:
    """Wait for the next moment."""
    await asyncio.sleep(0)
    return str(a)


@tool
async def fail(a: int) -> str:
    """Fail."""
    raise ValueError(f"no {a}")


class NullContext(io.StringIO):
    """Lines are made and then thrown away."""

    def write(self, text: str) -> int:
        return len(text)


logs.set_up("info", stream=NullContext())
tools = ToolManager()
for one in (add, wait, fail):
    tools.add(one)
executor = ToolExecutor(tools)

KINDS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("add", {"a": 1, "b": 2}),
    ("wait", {"a": 1}),
    ("add", {"a": "1", "b": "2"}),
    ("fail", {"a": 1}),
    ("add", {"a": 1, "x": 2}),
    ("nobody", {}),
)


async def calls(count: int) -> None:
    for number in range(count):
        name, args = KINDS[number % len(KINDS)]
        await executor.execute(ToolCall(str(number), name, args))


def _resident_kb() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1]) if Path("/proc/self/statm").exists() else 0
    return pages * resource.getpagesize() / 1024


async def measure() -> Figures:
    await calls(2000)  # plans, caches and pools fill up
    gc.collect()
    resident, blocks = _resident_kb(), sys.getallocatedblocks()
    await calls(CALLS)
    gc.collect()
    left = sys.getallocatedblocks() - blocks
    return {
        "grown_kb": _resident_kb() - resident,
        "objects_per_call": left / CALLS,
        "tasks": len(asyncio.all_tasks()) - 1,
    }


serve_async(measure)
