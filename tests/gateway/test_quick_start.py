"""What makes the start quick must change nothing else."""

import subprocess
import sys

import pytest


def run(program: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.slow
def test_langsmith_stays_out_until_a_trace_is_made():
    program = """
import sys
from voice_gateway import quick_start
quick_start.begin()
import voice_gateway.app, langchain_core.tools
assert langchain_core.tools.StructuredTool
print("langsmith" in sys.modules)
from langchain_core.tracers.schemas import Run
run = Run(name="x", run_type="tool", inputs={})
print(type(run).__module__)
"""
    assert run(program).split() == ["False", "langsmith.run_trees"]


def test_langchain_traces_as_ever():
    program = """
import asyncio
from voice_gateway import quick_start
quick_start.begin()
from langchain_core.runnables import RunnableLambda
from langchain_core.tracers.schemas import Run

async def main():
    plus = RunnableLambda(lambda number: number + 1)
    seen = []
    heard = plus.with_listeners(on_end=lambda run: seen.append(run.outputs))
    assert await heard.ainvoke(1) == 2
    print(seen)
    print([event["event"] async for event in plus.astream_events(1, version="v2")][-1])

asyncio.run(main())
"""
    assert run(program).splitlines() == ["[{'output': 2}]", "on_chain_end"]


def test_a_langchain_that_is_already_there_is_left_alone():
    program = """
import langchain_core.tracers.schemas as schemas
from voice_gateway import quick_start
quick_start.begin()
import langchain_core.tracers.schemas as again
print(schemas is again, again.Run.__name__)
"""
    assert run(program) == "True RunTree"


@pytest.mark.parametrize(("opened", "again"), [(False, False), (True, True)])
def test_garbage_is_collected_again_once_everything_is_built(tmp_path, opened, again):
    program = f"""
import asyncio, gc, os
os.environ["XDG_DATA_HOME"] = {str(tmp_path)!r}
from voice_gateway import quick_start
quick_start.begin()
from voice_gateway.app import opened
from voice_gateway.config import Settings

async def main():
    async with opened(Settings()):
        pass

if {opened}:
    asyncio.run(main())
print(gc.get_threshold() == quick_start.RUNNING)
"""
    assert run(program) == str(again)
