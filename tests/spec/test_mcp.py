"""Connecting to MCP servers: rows MCP-1 to MCP-10 with real servers, and the link's side of MGR-2."""

import ast
import asyncio
import inspect
from pathlib import Path

import pytest
from langchain_core.tools import StructuredTool
from tests.fakes.linked import LIMIT, fault_server, linked

from voice_gateway.config import McpSettings, ServerSettings, ToolsSettings, load
from voice_gateway.errors import ToolUnavailable
from voice_gateway.mcp_client.connection import LinkTimeouts
from voice_gateway.mcp_client.integration import MCPIntegration
from voice_gateway.tools.builtin import builtin_tools
from voice_gateway.tools.executor import ToolExecutor
from voice_gateway.tools.gateway_tool import typed
from voice_gateway.tools.manager import ToolManager
from voice_gateway.turn import ToolCall

NOT_UNIT = "servers that fail to start, each a process"

SOURCES = Path(__file__).resolve().parents[2] / "src"


def logged(caplog, phrase):
    return [record for record in caplog.records if phrase in record.getMessage()]


@pytest.fixture(autouse=True)
def everything_is_logged(caplog):
    caplog.set_level("INFO")


@pytest.mark.scenario("MCP-1")
async def test_a_server_that_is_up_connects_at_once_and_its_tools_are_added(caplog):
    manager = ToolManager()
    async with linked(fault_server()) as link:
        manager.add_mcp_tools("fault", list(link.tools["fault"].values()))
        outcome = await ToolExecutor(manager).execute(ToolCall("1", "pid"))

        assert outcome.ok
        assert link.delays == []
        assert link.status().attempts == 1
        assert link.status().state == "connected"
    assert logged(caplog, "MCP connection succeeded on attempt 1")


@pytest.mark.scenario("MCP-2")
async def test_after_a_failed_attempt_the_next_follows_in_two_seconds(caplog, tmp_path):
    async with linked(fault_server(f"fails=1:{tmp_path / 'starts'}")) as link:
        assert link.delays == [2.0]
        assert await link.call("echo") == "{}"
    assert logged(caplog, "MCP connection succeeded on attempt 2")


@pytest.mark.scenario("MCP-3")
async def test_after_three_failed_attempts_the_system_goes_on_with_local_tools(caplog):
    manager = ToolManager()
    for tool in builtin_tools(ToolsSettings()):
        manager.add(tool)
    async with linked(fault_server("exit_at_start")) as link:
        (error,) = logged(caplog, "MCP connection failed after 3 attempts")
        assert error.levelname == "ERROR"
        assert "MQTT connection refused: 127.0.0.1:1883" in error.getMessage()
        assert link.status().state == "degraded"
        assert link.status().tools == ()
        assert (await ToolExecutor(manager).execute(ToolCall("1", "get_current_datetime"))).ok


@pytest.mark.scenario("MCP-4")
async def test_delays_double_and_each_attempt_is_logged_with_number_and_delay(caplog):
    async with linked(fault_server("exit_at_start")) as link:
        assert link.delays[:2] == [2.0, 4.0]  # about 6 s in all
        attempts = logged(caplog, "MCP connection attempt")
        started = [record for record in attempts if record.levelname == "INFO"]
        assert [(record.attempt, record.delay_seconds) for record in started] == [
            (1, 0.0),
            (2, 2.0),
            (3, 4.0),
        ]


@pytest.mark.scenario("MCP-4")
async def test_later_attempts_go_on_in_the_background_with_growing_delays_up_to_a_limit():
    async with linked(fault_server("exit_at_start"), max_delay_seconds=30, patience=16) as link:
        await link.until(lambda: len(link.delays) >= 5)
        assert link.delays == [2, 4, 8, 16, 30]


@pytest.mark.scenario("MCP-5")
async def test_the_servers_stderr_is_kept_for_errors_and_never_read_as_an_answer(caplog):
    async with linked(fault_server("banner")) as link:
        await link.call("stderr_flood", bytes=500)
        tail = link.status().stderr_tail
        assert tail.splitlines() == ["e" * 99] * 5
        assert "Welcome" not in tail  # that was on stdout
        with pytest.raises(ToolUnavailable) as failure:
            await link.call("die")
        await link.until(lambda: link.status().restarts == 1)
    assert "the bus is gone" in logged(caplog, "MCP server is gone")[0].stderr
    assert "the bus is gone" not in str(failure.value)
    assert not [record for record in logged(caplog, "not JSON-RPC") if "eee" in record.content]


@pytest.mark.scenario("MCP-6")
async def test_the_final_message_says_what_failed_why_what_to_check_and_what_remains(caplog):
    server = ServerSettings(command="zwave-server-of-nobody", args=("--token", "secret"))
    async with linked({"zwave": server}, local_tools=["get_current_datetime", "search_web"]):
        (error,) = logged(caplog, "MCP connection failed after 3 attempts")
        assert error.getMessage().splitlines() == [
            "MCP connection failed after 3 attempts",
            "  server: zwave (zwave-server-of-nobody)",
            '  reason: the command "zwave-server-of-nobody" was not found',
            "  the server's stderr: nothing",
            "  check: that zwave-server-of-nobody is installed and starts by hand with the same arguments, "
            "and that what it needs is running (for a Z-Wave server: the MQTT broker)",
            "  continuing with local tools only: get_current_datetime, search_web",
            "  the connection is tried again in the background",
        ]


@pytest.mark.scenario("MCP-6")
async def test_the_final_message_names_the_servers_that_remain(caplog):
    servers = {"zwave": ServerSettings(command="zwave-server-of-nobody"), "fault": fault_server()}
    async with linked(servers, settle=False, patience=1.0, local_tools=["search_web"]) as link:
        await link.until(lambda: link.status("fault").state == "connected")
        link.patience = 4.0
        link.go_on.set()  # for the wait under way alone
        link.go_on.clear()
        await link.integration.settled()
        (error,) = logged(caplog, "MCP connection failed after 3 attempts")
        left = "  continuing with local tools: search_web; and with the tools of: fault"
        assert left in error.getMessage().splitlines()


@pytest.mark.scenario("MCP-6")
@pytest.mark.parametrize(
    ("fault", "reason", "said"),
    [
        ("exit_at_start", "the server ended with exit code 1", "MQTT connection refused"),
        ("exit_in_initialize", "the server ended with exit code 5", "cannot open the serial port"),
        ("hang_in_initialize", "it did not answer within 0.9 s", "waiting for the MQTT broker"),
        ("garbage_in_initialize", "it did not answer within 0.3 s", "nothing"),
        ("hang_in_list", "it did not answer within 0.3 s", "nothing"),
        ("wrong_initialize", "it did not speak the protocol", "nothing"),
        ("no_tools_key", "its reply to tools/list holds no list of tools", "nothing"),
        ("endless_pages", "its list of tools has more than 1000 pages", "nothing"),
    ],
)
async def test_whatever_goes_wrong_in_connecting_is_named(caplog, fault, reason, said):
    limit = float(reason.split()[-2]) if "within" in reason else LIMIT
    async with linked(fault_server(fault), attempts=1, connect_timeout_seconds=limit) as link:
        (error,) = logged(caplog, "MCP connection failed after 1 attempts")
        assert reason in error.getMessage()
        assert said in error.getMessage()
        assert reason in (link.status().last_error or "")


@pytest.mark.scenario("MCP-8")
@pytest.mark.parametrize(
    ("file", "environment", "delays"),
    [
        ("", {}, [2.0, 4.0]),
        ("[mcp]\nattempts = 2\nbase_delay_seconds = 0.5\n", {}, [0.5]),
        (
            "[mcp]\nattempts = 2\n",
            {"MCP_RETRY_ATTEMPTS": "4", "MCP_RETRY_BASE_DELAY": "0.25"},
            [0.25, 0.5, 1.0],
        ),
    ],
    ids=["default", "file", "environment over file"],
)
async def test_attempts_and_base_delay_are_settings_and_what_is_set_is_done(
    tmp_path, caplog, file, environment, delays
):
    written = tmp_path / "voice-gateway.toml"
    written.write_text(file)
    known = load(written, environ=environment).settings.mcp

    wanted = fault_server("exit_at_start")
    async with linked(wanted, attempts=known.attempts, base_delay_seconds=known.base_delay_seconds) as link:
        assert link.status().state == "degraded"
        assert link.delays[: len(delays)] == delays
        assert logged(caplog, f"MCP connection failed after {len(delays) + 1} attempts")


@pytest.mark.scenario("MCP-8")
def test_they_are_set_in_one_place():
    """Nobody else has a number for them: the link takes its settings whole, and has no default for them."""
    assert inspect.signature(MCPIntegration).parameters["settings"].default is inspect.Parameter.empty
    fields = {"attempts", "base_delay_seconds"}
    assert fields <= McpSettings.model_fields.keys()
    for path in SOURCES.rglob("*.py"):
        if path.is_relative_to(SOURCES / "voice_gateway" / "config"):
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.keyword) and node.arg in fields:
                assert not isinstance(node.value, ast.Constant), path
            if isinstance(node, ast.AnnAssign) and ast.unparse(node.target).rpartition(".")[2] in fields:
                assert node.value is None, path


@pytest.mark.scenario("MCP-9")
async def test_what_cannot_be_parsed_is_shown(caplog):
    async with linked(fault_server("banner")) as link:
        await link.call("json_lines")
    shown = [record.content for record in logged(caplog, "not JSON-RPC")]
    assert shown[0] == "*** Welcome to the fault server ***"
    assert '{"level": "info", "msg": "not a frame"}' in shown
    assert {"[1, 2]", "42", '"word"', "null"} <= set(shown)


@pytest.mark.scenario("MCP-10")
async def test_after_such_a_line_the_next_message_is_read():
    async with linked(fault_server("banner")) as link, asyncio.timeout(LIMIT):
        for _ in range(30):
            assert await link.call("text_line") == "done"
        assert link.status().restarts == 0


@pytest.mark.scenario("MGR-2")
async def test_the_link_hands_over_langchain_tools_with_the_servers_own_schema():
    async with linked(fault_server(timeout_seconds=7.0)) as link:
        tool = link.tools["fault"]["echo"]
        assert isinstance(tool, StructuredTool)
        assert tool.args_schema == {"type": "object", "properties": {}}
        assert await tool.ainvoke({"deviceName": "Lamp"}) == '{"deviceName": "Lamp"}'
        assert tool.metadata["traits"].source == "fault"
        assert tool.metadata["traits"].timeout_seconds == 7.0


async def test_one_server_that_fails_costs_only_its_own_tools(caplog):
    missing, crashing = ServerSettings(command="nobody-has-this"), fault_server("exit_at_start")
    async with linked({"bad": missing, "good": fault_server(), "worse": crashing}) as link:
        assert await link.call("echo", "good") == "{}"
        assert {status.name: status.state for status in link.integration.status()} == {
            "bad": "degraded",
            "good": "connected",
            "worse": "degraded",
        }


async def test_a_server_that_keeps_crashing_is_started_less_and_less_often_and_loses_its_tools():
    async with linked(fault_server()) as link:
        tools = link.tools["fault"]
        for crashes in (1, 2, 3):
            with pytest.raises(ToolUnavailable):
                await link.call("die")
            await link.until(lambda: link.status().restarts == crashes == len(link.delays))  # noqa: B023
            if crashes < 3:
                await link.until(lambda: link.status().state == "connected")
        assert link.delays == [2.0, 4.0, 8.0]
        assert link.status().state == "degraded"
        assert link.tools["fault"] == {}
        with pytest.raises(ToolUnavailable, match="not connected"):
            await typed(tools["echo"]).ainvoke({})
        link.go_on.set()
        await link.until(lambda: link.status().state == "connected")
        assert await link.call("echo") == "{}"


async def test_a_call_during_a_restart_waits_for_it():
    async with linked(
        fault_server(), timeouts=LinkTimeouts(short_run_seconds=0.0)
    ) as link:  # as after a long run
        with pytest.raises(ToolUnavailable):
            await link.call("die")
        assert await link.call("echo") == "{}"
        assert link.delays == []


async def test_changed_tools_are_listed_again_once_for_a_burst_of_announcements():
    async with linked(fault_server()) as link:
        before = len(link.tools["fault"])
        await link.call("change_tools", tools=["dim", "blink"], times=50)
        await link.until(lambda: len(link.tools["fault"]) == before + 2)
        assert len(link.announcements) == 2
        assert set(link.status().tools) >= {"dim", "blink"}
        await link.until(lambda: "dim" in link.statuses[-1].tools)
