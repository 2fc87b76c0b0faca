"""A tool that only runs as a task: begin it, ask how it is, and fetch what came of it."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from voice_gateway.errors import ToolError
from voice_gateway.mcp_client.connection import NOT_UNDERSTOOD
from voice_gateway.progress import listener, read_progress

# A request of the protocol and its result; one whose answer nobody waits for.
Request = Callable[[str, Mapping[str, Any]], Awaitable[Mapping[str, Any]]]
Post = Callable[[str, Mapping[str, Any]], None]

KEPT_MILLISECONDS = 600_000  # the server may forget it after that
LEAST_POLL_SECONDS, POLL_SECONDS, MOST_POLL_SECONDS = 0.1, 1.0, 5.0


def only_as_task(definition: Mapping[str, Any]) -> bool:
    execution = definition.get("execution")
    return isinstance(execution, Mapping) and execution.get("taskSupport") == "required"


async def run_as_task(
    request: Request, post: Post, tool: str, arguments: Mapping[str, Any]
) -> Mapping[str, Any]:
    """The result, as of a plain call. Who gives it up gives the task up, too."""
    params = {"name": tool, "arguments": dict(arguments), "task": {"ttl": KEPT_MILLISECONDS}}
    begun = await request("tools/call", params)
    task = begun.get("task")
    if not isinstance(task, Mapping):
        return begun  # it was quick, and answered at once
    task_id = task.get("taskId")
    if not isinstance(task_id, str):
        raise ToolError(NOT_UNDERSTOOD)
    try:
        status = await _ended(request, task_id, task)
    except BaseException:
        post("tasks/cancel", {"taskId": task_id})
        raise
    if status == "input_required":
        post("tasks/cancel", {"taskId": task_id})
        raise ToolError("The tool wanted to ask something, and nobody can be asked from here.")
    if status == "cancelled":
        raise ToolError("The server has cancelled it.")
    return await request("tasks/result", {"taskId": task_id})


async def _ended(request: Request, task_id: str, task: Mapping[str, Any]) -> str:
    """How it ended. An answer that it is at work is progress: its limit is the hard one."""
    told, steps = listener(), 0
    while (status := task.get("status")) == "working":
        steps += 1
        if told is not None and (moved := read_progress(steps, None, task.get("statusMessage"))):
            told(moved)
        await asyncio.sleep(_pause(task.get("pollInterval")))
        task = await request("tasks/get", {"taskId": task_id})
    if status not in ("completed", "failed", "cancelled", "input_required"):
        raise ToolError(NOT_UNDERSTOOD)
    return str(status)


def _pause(milliseconds: Any) -> float:
    if isinstance(milliseconds, bool) or not isinstance(milliseconds, int | float):
        return POLL_SECONDS
    return min(max(milliseconds / 1000, LEAST_POLL_SECONDS), MOST_POLL_SECONDS)
