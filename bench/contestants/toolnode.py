"""LangGraph's ToolNode on the same native async tool."""

from statistics import median
from time import perf_counter

from langchain_core.messages import AIMessage
from langchain_core.tools import tool
from langgraph.prebuilt import ToolNode
from langgraph.runtime import Runtime

from bench.worker import Figures, serve_async

CALLS = 300
PARALLEL = 32


@tool
async def add(a: int, b: int) -> str:
    """Add two numbers."""
    return str(a + b)


node = ToolNode([add])
CONFIG = {"configurable": {"__pregel_runtime": Runtime()}}


def request(count: int) -> dict[str, list[AIMessage]]:
    calls = [
        {"type": "tool_call", "id": str(number), "name": "add", "args": {"a": 1, "b": 2}}
        for number in range(count)
    ]
    return {"messages": [AIMessage(content="", tool_calls=calls)]}


async def measure() -> Figures:
    single = []
    one = request(1)
    for _ in range(CALLS):
        started = perf_counter()
        answer = await node.ainvoke(one, CONFIG)
        single.append(perf_counter() - started)
        assert answer["messages"][0].content == "3"
    parallel = []
    many = request(PARALLEL)
    for _ in range(15):
        started = perf_counter()
        answer = await node.ainvoke(many, CONFIG)
        parallel.append(perf_counter() - started)
        assert len(answer["messages"]) == PARALLEL
    return {"single_us": median(single) * 1e6, "parallel_us": median(parallel) * 1e6}


serve_async(measure)
