"""Calls that take long, over a real link: progress moves their limit on, and is told; tasks; log messages."""

import logging
import sys
from typing import Any

import pytest
from tests.fakes.linked import FAKES, Linked, linked

from voice_gateway.config import ServerSettings
from voice_gateway.progress import Progress, progress_to
from voice_gateway.tools.executor import ToolExecutor
from voice_gateway.tools.manager import ToolManager
from voice_gateway.turn import ToolCall, ToolOutcome

SERVER = ServerSettings(command=sys.executable, args=(str(FAKES / "content_server.py"),))


def executor_of(link: Linked, **options: Any) -> ToolExecutor:
    manager = ToolManager()
    manager.add_mcp_tools("content", list(link.tools["content"].values()))
    return ToolExecutor(manager, **options)


async def called(executor: ToolExecutor, name: str, **arguments: int) -> ToolOutcome:
    return await executor.execute(ToolCall("1", name, arguments))


async def test_each_progress_moves_the_limit_on_and_is_told():
    told: list[Progress] = []
    async with linked({"content": SERVER}) as link:
        executor = executor_of(link, timeout_seconds=0.3)
        with progress_to(told.append):
            outcome = await called(executor, "steps", count=12)

    assert outcome.text == "all steps done"
    assert outcome.seconds > 0.5
    assert told[0].text == "the content server: 8 %, a step"
    assert told[-1].share == 1.0


@pytest.mark.parametrize(
    ("options", "count", "text"),
    [
        ({"timeout_seconds": 0.2, "hard_timeout_seconds": 0.4}, 100, "did not finish within 0.4 s"),
        ({"timeout_seconds": 0.2, "hard_timeout_seconds": 9.0}, 3, "made no progress for 0.2 s"),
    ],
)
async def test_progress_for_ever_and_progress_that_ends_are_both_given_up(options, count, text):
    async with linked({"content": SERVER}) as link:
        outcome = await called(executor_of(link, **options), "stuck", count=count)
    assert text in outcome.text
    assert outcome.error == "timeout"


async def test_a_limit_given_with_the_call_stays():
    async with linked({"content": SERVER}) as link:
        executor = executor_of(link)
        outcome = await executor.execute(ToolCall("1", "steps", {"count": 100}), timeout_seconds=0.2)
    assert "did not finish within 0.2 s" in outcome.text


async def test_a_tool_that_only_runs_as_a_task_is_run_as_one():
    told: list[Progress] = []
    async with linked({"content": SERVER}) as link:
        with progress_to(told.append):
            outcome = await called(executor_of(link), "only_task")
    assert (outcome.ok, outcome.text) == (True, "as a task")
    assert "at it" in told[0].text


async def test_what_a_server_logs_is_in_our_log_at_its_level_without_colours_and_not_as_a_flood(caplog):
    async with linked({"content": SERVER}) as link:
        await called(executor_of(link), "talk", count=500)
    said = [record for record in caplog.records if record.message == "MCP server says"]
    assert said[0].levelno == logging.WARNING
    assert (said[0].server, said[0].logger, said[0].content) == ("content", "inside", "line 0")
    assert len(said) == 60
    assert "MCP server logs too much; the rest of this minute is left out" in caplog.messages
