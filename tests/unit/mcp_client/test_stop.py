"""After a stop nothing that we started is alive, however the server and the program end."""

import asyncio
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.fakes.limits import with_limits
from tests.fakes.linked import LIMIT, alive, fault_server, linked
from tests.fakes.waiting import until

from voice_gateway.config import McpSettings, ServerSettings
from voice_gateway.errors import ToolUnavailable
from voice_gateway.mcp_client.integration import MCPIntegration
from voice_gateway.tools.gateway_tool import typed

NOT_UNIT = "servers that misbehave, each a process"

ROOT = Path(__file__).parents[3]


def pids(file: Path) -> list[int]:
    return [int(line) for line in file.read_text().split()]


@pytest.mark.parametrize("fault", ["nothing", "ignores_eof", "ignores_term"])
async def test_a_stop_is_quick_and_complete_whatever_the_server_ignores(fault, tmp_path):
    async with linked(fault_server(fault, f"pid={tmp_path / 'pids'}"), stop_timeout_seconds=2.0) as link:
        child = int(await link.call("grandchild"))
        started = time.monotonic()
    assert time.monotonic() - started < LIMIT / 3
    assert not alive(child)
    assert not any(alive(pid) for pid in pids(tmp_path / "pids"))


async def test_a_server_that_does_not_read_with_much_waiting_for_it_is_stopped_too():
    async with linked(fault_server()) as link:
        pid = int(await link.call("pid"))
        calls = [asyncio.create_task(link.call(name, text="x" * 3_000_000)) for name in ("deaf", "echo")]
        await asyncio.sleep(0)
    assert not alive(pid)
    outcomes = await asyncio.gather(*calls, return_exceptions=True)
    assert [type(outcome) for outcome in outcomes] == [ToolUnavailable, ToolUnavailable]


@pytest.mark.parametrize("times", [1, 3])
async def test_cancelling_run_once_or_more_stops_the_servers_and_ends(times, tmp_path):
    server = fault_server("ignores_term", f"pid={tmp_path / 'pids'}")
    integration = MCPIntegration(
        {"stubborn": server}, with_limits(McpSettings, stop_timeout_seconds=0.6), on_tools=lambda *_: None
    )
    run = asyncio.create_task(integration.run())
    await integration.settled()
    for _ in range(times):
        run.cancel()
        await asyncio.sleep(0.05)
    async with asyncio.timeout(LIMIT):
        outcome = await asyncio.gather(run, return_exceptions=True)
    assert isinstance(outcome[0], asyncio.CancelledError)
    assert not any(alive(pid) for pid in pids(tmp_path / "pids"))
    assert [status.state for status in integration.status()] == ["stopped"]


@pytest.mark.parametrize("fault", ["hang_in_initialize", "hang_in_list"])
async def test_a_stop_during_connecting_does_not_wait_for_the_limit(fault, tmp_path):
    server = fault_server(fault, f"pid={tmp_path / 'pids'}")
    async with linked(server, settle=False, connect_timeout_seconds=600):
        await until((tmp_path / "pids").exists)
    # Stopped within the limit of every stop, and long before that of connecting.
    assert not any(alive(pid) for pid in pids(tmp_path / "pids"))


@pytest.mark.parametrize("rounds", range(1, 8))
async def test_a_stop_while_the_process_starts_leaves_no_child(rounds, tmp_path):
    script = f'sleep 600 & echo $! > "{tmp_path}/pids"; exec sleep 600'
    async with asyncio.timeout(LIMIT):
        async with linked(ServerSettings(command="/bin/sh", args=("-c", script)), settle=False):
            for _ in range(rounds):
                await asyncio.sleep(0)
    if (tmp_path / "pids").exists():
        assert not any(alive(pid) for pid in pids(tmp_path / "pids"))


async def test_a_stop_between_attempts_ends_at_once_and_one_after_connecting_takes_the_tools_along():
    async with linked(ServerSettings(command="nobody-has-this")) as link:
        await link.until(lambda: link.delays == [2.0, 4.0, 8.0])  # it waits in the third
    async with linked(fault_server()) as link:
        tool = link.tools["fault"]["echo"]
    assert link.tools["fault"] == {}
    with pytest.raises(ToolUnavailable, match="not connected"):
        await typed(tool).ainvoke({})


async def test_without_servers_there_is_nothing_to_run():
    integration = MCPIntegration({}, McpSettings(), on_tools=lambda *_: None)
    await integration.run()
    await integration.settled()
    assert integration.status() == []


PROGRAM = """
import asyncio, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job would ignore it
from voice_gateway.config import McpSettings
from voice_gateway.mcp_client.integration import MCPIntegration
from tests.fakes.limits import with_limits
from tests.fakes.linked import fault_server

async def main():
    server = fault_server("ignores_term", "pid=" + sys.argv[1])
    settings = with_limits(McpSettings, stop_timeout_seconds=0.4)
    integration = MCPIntegration({"s": server}, settings, on_tools=lambda *_: None)
    run = asyncio.create_task(integration.run())
    await integration.settled()
    END

try:
    asyncio.run(main())
except KeyboardInterrupt:
    pass
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("end", "sent"),
    [
        ("return", None),  # it was not stopped
        ("asyncio.get_running_loop().stop()", None),  # nothing is awaited any more: the last resort
        ("print('ready', flush=True); await run", signal.SIGINT),
    ],
)
def test_no_server_outlives_the_program(end, sent, tmp_path):
    command = [sys.executable, "-c", PROGRAM.replace("END", end), str(tmp_path / "pids")]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as program:
        try:
            if sent is not None:
                assert program.stdout.readline() == b"ready\n"
                program.send_signal(sent)
            program.communicate(timeout=LIMIT)
        finally:
            program.kill()
    assert not any(alive(pid) for pid in pids(tmp_path / "pids"))
