"""MCP tools through the executor: one outcome for every call, in time and of the right kind."""

import asyncio
import os
import random
import time

import pytest
from tests.fakes.linked import LIMIT, fault_server, linked

from voice_gateway.mcp_client.connection import LinkTimeouts
from voice_gateway.tools.executor import ToolExecutor
from voice_gateway.tools.manager import ToolManager
from voice_gateway.turn import ToolCall

SOAK_SECONDS = float(os.environ.get("SOAK_SECONDS", "60"))


def executor_of(link, **settings):
    manager = ToolManager()
    for server, tools in link.tools.items():
        manager.add_mcp_tools(server, list(tools.values()))
    return ToolExecutor(manager, **settings)


@pytest.mark.parametrize(
    ("tool", "args", "kind", "text"),
    [
        ("die", {}, "unavailable", 'Error: The server "fault" ended with exit code 3.'),
        ("kill_self", {}, "unavailable", 'Error: The server "fault" was killed by SIGKILL.'),
        ("close_stdout", {}, "unavailable", 'Error: The server "fault" closed its output.'),
        ("is_error", {}, "failed", "Error: device not found"),
        ("rpc_error", {"code": -32602}, "bad_arguments", "Error: Invalid arguments: deviceName is required"),
        ("rpc_error", {"code": -32603}, "failed", "Error: Invalid arguments: deviceName is required"),
        ("odd_reply", {"reply": {"result": 7}}, "failed", "Error: The server's reply was not understood."),
        ("hang", {}, "timeout", "Error: hang did not finish within 0.3 s"),
        ("deaf", {}, "timeout", "Error: deaf did not finish within 0.3 s"),
    ],
)
async def test_every_failure_is_an_outcome_of_its_kind(tool, args, kind, text):
    async with linked(fault_server()) as link:
        executor = executor_of(link, timeout_seconds=LIMIT if kind != "timeout" else 0.3)
        async with asyncio.timeout(LIMIT):
            outcome = await executor.execute(ToolCall("1", tool, args))
        assert (outcome.ok, outcome.error) == (False, kind)
        assert outcome.text.startswith(text)
        assert "the bus is gone" not in outcome.text + outcome.for_model  # stderr is for the log


@pytest.mark.soak
@pytest.mark.timeout(SOAK_SECONDS + 120)
async def test_random_faults_leave_every_call_answered_and_nothing_behind():
    faults = "die kill_self close_stdout hang deaf invalid_utf8 glued_text no_newline stray_replies".split()
    # As if every run had been long and healthy: restarts follow at once.
    healthy = LinkTimeouts(ping_seconds=0.3, short_run_seconds=0.0)
    async with linked(fault_server(), patience=1e9, timeouts=healthy) as link:
        executor = executor_of(link, timeout_seconds=0.5)
        answered = 0
        deadline = time.monotonic() + SOAK_SECONDS
        while time.monotonic() < deadline:
            names = [random.choice([*faults, *["echo"] * 10]) for _ in range(random.randint(1, 8))]
            calls = [ToolCall(str(n), name, {}) for n, name in enumerate(names)]
            async with asyncio.timeout(15):
                outcomes = await executor.execute_all(calls)
            assert [outcome.call_id for outcome in outcomes] == [call.id for call in calls]
            answered += sum(outcome.ok for outcome in outcomes)
        assert answered > SOAK_SECONDS
        assert link.status().restarts > SOAK_SECONDS / 6
