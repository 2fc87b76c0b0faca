"""Tools that only run as tasks: start one, poll its status, fetch its result."""

import asyncio
from collections.abc import Callable, Mapping
from typing import Any

from voice_gateway.errors import ToolError
from voice_gateway.mcp_client.connection import NOT_UNDERSTOOD, Requester, mapping
from voice_gateway.progress import listener, read_progress

KEPT_MILLISECONDS = 600_000  # the server may forget the task after that
LEAST_POLL_SECONDS, POLL_SECONDS, MOST_POLL_SECONDS = 0.1, 1.0, 5.0


def only_as_task(definition: Mapping[str, Any]) -> bool:
    return mapping(definition.get("execution")).get("taskSupport") == "required"


async def run_as_task(
    request: Requester,
    post: Callable[[str, Mapping[str, Any]], None],
    tool: str,
    arguments: Mapping[str, Any],
) -> Mapping[str, Any]:
    """The result, as of a plain call. Cancelling it cancels the task at the server."""
    params = {"name": tool, "arguments": dict(arguments), "task": {"ttl": KEPT_MILLISECONDS}}
    created = await request("tools/call", params)
    task = created.get("task")
    if not isinstance(task, Mapping):
        return created  # it was quick, and answered at once
    task_id = task.get("taskId")
    if not isinstance(task_id, str):
        raise ToolError(NOT_UNDERSTOOD)
    try:
        status = await _final_status(request, task_id, task)
    except BaseException:
        post("tasks/cancel", {"taskId": task_id})
        raise
    if status == "input_required":  # an elicitation would be answered here
        post("tasks/cancel", {"taskId": task_id})
        raise ToolError("The tool has a question, and questions of tools cannot be asked yet.")
    if status == "cancelled":
        raise ToolError("The server has cancelled it.")
    return await request("tasks/result", {"taskId": task_id})


async def _final_status(request: Requester, task_id: str, task: Mapping[str, Any]) -> str:
    """Each answer that it is still working is progress: only the hard limit applies."""
    on_progress, steps = listener(), 0
    while (status := task.get("status")) == "working":
        steps += 1
        if on_progress is not None and (progress := read_progress(steps, None, task.get("statusMessage"))):
            on_progress(progress)
        await asyncio.sleep(_poll_seconds(task.get("pollInterval")))
        task = await request("tasks/get", {"taskId": task_id})
    if status not in ("completed", "failed", "cancelled", "input_required"):
        raise ToolError(NOT_UNDERSTOOD)
    return str(status)


def _poll_seconds(milliseconds: Any) -> float:
    if isinstance(milliseconds, bool) or not isinstance(milliseconds, int | float):
        return POLL_SECONDS
    return min(max(milliseconds / 1000, LEAST_POLL_SECONDS), MOST_POLL_SECONDS)
