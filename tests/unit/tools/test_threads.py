"""Blocking tools: real threads, real limits, and an end of the program that waits for none of them."""

import asyncio
import subprocess
import sys
import threading

import pytest
from langchain_core.tools import BaseTool, StructuredTool, tool
from tests.fakes.some_tools import executor_with, outcome_of

from voice_gateway.tools import threads
from voice_gateway.turn import ToolCall

SOON = 5.0


def blocking(name: str, release: threading.Event) -> StructuredTool:
    def block() -> str:
        release.wait(SOON)
        return "done"

    return StructuredTool.from_function(block, name=name, description="Block.")


@pytest.fixture
def release():
    event = threading.Event()
    yield event
    event.set()


async def until(condition) -> None:
    async with asyncio.timeout(SOON):
        while not condition():
            await asyncio.sleep(0.005)


async def test_a_blocking_tool_runs_in_a_daemon_thread_of_its_own_with_the_turns_context():
    import contextvars

    turn = contextvars.ContextVar("turn", default="")

    @tool
    def where() -> str:
        """Where."""
        thread = threading.current_thread()
        return f"{thread.name} {thread.daemon} {turn.get()}"

    turn.set("t1")
    assert (await outcome_of(where)).text == "tool where True t1"


async def test_a_tool_class_with_only_a_blocking_way_runs_in_a_thread_too():
    class Slow(BaseTool):
        name: str = "slow"
        description: str = "Slow."

        def _run(self, word: str) -> str:
            return f"{word} in {threading.current_thread().name}"

    assert (await outcome_of(Slow(), {"word": "hey"})).text == "hey in tool slow"


async def test_more_calls_than_threads_are_refused_and_later_run_again(release):
    executor = executor_with(blocking("block", release), max_parallel=2)
    limit = executor._threads.limit
    running = [
        asyncio.create_task(executor.execute(ToolCall(str(number), "block", {}))) for number in range(limit)
    ]
    await until(lambda: executor._threads.running == limit)

    refused = await executor.execute(ToolCall("x", "block", {}))

    assert refused.error == "unavailable"
    assert f"block is busy: all {limit} threads for blocking tools are taken" in refused.text
    release.set()
    assert all(outcome.ok for outcome in await asyncio.gather(*running))
    assert (await executor.execute(ToolCall("y", "block", {}))).ok
    assert executor._threads.running == 0


async def test_a_tool_that_hangs_gets_no_more_threads_and_others_still_do(release):
    other = threading.Event()
    other.set()
    executor = executor_with(blocking("hang", release), blocking("fine", other))
    for _ in range(threads.MOST_HUNG_PER_TOOL):
        assert (await executor.execute(ToolCall("1", "hang", {}), timeout_seconds=0.01)).error == "timeout"

    refused = await executor.execute(ToolCall("2", "hang", {}))

    assert refused.error == "unavailable"
    assert "4 earlier calls of it still hang" in refused.text
    assert (await executor.execute(ToolCall("3", "fine", {}))).ok
    release.set()
    await until(lambda: not executor._threads.hung)
    assert (await executor.execute(ToolCall("4", "hang", {}))).ok


def test_the_end_of_the_program_waits_for_no_hung_tool():
    program = """
import asyncio, time
from langchain_core.tools import tool
from voice_gateway.tools.executor import ToolExecutor
from voice_gateway.tools.manager import ToolManager
from voice_gateway.turn import ToolCall

@tool
def hang() -> str:
    "Hang."
    time.sleep(3600)
    return "never"

async def main():
    tools = ToolManager()
    tools.add(hang)
    return (await ToolExecutor(tools).execute(ToolCall("1", "hang", {}), timeout_seconds=0.05)).error

print(asyncio.run(main()))
"""
    ended = subprocess.run(
        [sys.executable, "-c", program], check=False, capture_output=True, text=True, timeout=50
    )
    assert (ended.stdout, ended.returncode) == ("timeout\n", 0)
