"""How a server is started: its environment, why it did not start, slow first starts, the log."""

import json
import logging
import subprocess
import sys
from pathlib import Path

import pytest
from tests.fakes.linked import FAKES, LIMIT, fault_server, linked

from voice_gateway.config import ServerSettings
from voice_gateway.mcp_client.process import find_program, server_environment
from voice_gateway.reports import INSTALLING, server_report


async def test_a_server_sees_its_own_environment_and_none_of_our_secrets(monkeypatch):
    for name in (
        "ANTHROPIC_API_KEY",
        "MQTT_PASSWORD",
        "VOICE_GATEWAY_BRAIN__PROVIDER",
        "PYTHONPATH",
        "HTTPS_PROXY",
    ):
        monkeypatch.setenv(name, "secret")
    monkeypatch.setenv("LC_TIME", "C.UTF-8")
    monkeypatch.setenv("XDG_DATA_HOME", "/data")
    async with linked(fault_server(env={"MQTT_URL": "mqtt://127.0.0.1"})) as link:
        seen = json.loads(await link.call("environment"))
    assert "secret" not in seen.values()
    assert (seen["MQTT_URL"], seen["LC_TIME"], seen["XDG_DATA_HOME"]) == (
        "mqtt://127.0.0.1",
        "C.UTF-8",
        "/data",
    )
    assert seen["PATH"]


def test_configured_values_win_and_shell_functions_do_not_pass():
    own = {"PATH": "/bin", "HOME": "() { :; }", "LANG": "C", "AWS_SECRET": "x"}
    assert server_environment({"LANG": "de_DE.UTF-8"}, own) == {"PATH": "/bin", "LANG": "de_DE.UTF-8"}


def test_a_program_beside_this_python_is_found_without_path():
    assert find_program(Path(sys.executable).name, "/nowhere") == str(Path(sys.executable))
    assert find_program("sh", "/bin:/usr/bin") == "sh"
    assert find_program("nobody-has-this", "/bin") == "nobody-has-this"
    assert find_program("~/bin/x", "/bin") == str(Path("~/bin/x").expanduser())


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ({"command": "nobody-has-this"}, 'the command "nobody-has-this" was not found'),
        (
            {"command": sys.executable, "cwd": Path("/nowhere")},
            "its working folder /nowhere does not exist",
        ),
        ({"command": str(FAKES / "fault_server.py")}, "may not be executed"),
        ({"command": "bad\0name"}, "could not be started"),
    ],
)
async def test_a_program_that_cannot_be_started_is_named(settings, reason):
    async with linked(ServerSettings(**settings), attempts=1) as link:
        assert reason in link.status().last_error


STDIO_ALONE = """
import asyncio, sys
from tests.fakes.linked import fault_server, linked

async def main():
    async with linked(fault_server()) as link:
        assert await link.call("echo") == "{}"

asyncio.run(main())
print("mcp" in sys.modules)
"""


@pytest.mark.slow
def test_a_stdio_server_is_used_without_the_sdk():
    done = subprocess.run([sys.executable, "-c", STDIO_ALONE], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


FAILED = "MCP connection attempt failed"


def logged(caplog, level):
    return [record.attempt for record in caplog.records if record.msg == FAILED and record.levelno == level]


async def test_another_reason_is_warned_of_at_once(caplog, tmp_path):
    caplog.set_level("DEBUG", logger="voice_gateway.mcp_client.server")
    count = tmp_path / "count"
    # It reads first: a broken pipe would be another reason.
    script = (
        f"import sys; sys.stdin.readline(); file = open({str(count)!r}, 'a'); file.write('x'); "
        "sys.exit(1 + (file.tell() > 5))"
    )
    async with linked(ServerSettings(command=sys.executable, args=("-c", script)), patience=100) as link:
        await link.until(lambda: len(link.delays) >= 7)

    assert logged(caplog, logging.WARNING)[:4] == [1, 2, 4, 6]
    assert 7 in logged(caplog, logging.DEBUG)


async def test_a_slow_first_start_gets_its_time_and_the_others_start_meanwhile(tmp_path):
    script = f"""while [ ! -e {tmp_path}/fetched ]; do sleep 0.02; done; exec "$0" "$@" """
    fault = fault_server()
    slow = ServerSettings(command="/bin/sh", args=("-c", script, str(fault.command), *fault.args))
    async with linked(
        {"slow": slow, "quick": fault}, connect_timeout_seconds=1.0, first_start_seconds=LIMIT
    ) as link:
        assert link.status("quick").state == "connected"
        assert server_report(link.status("slow"))[1] == INSTALLING.format(name="slow")
        (tmp_path / "fetched").touch()
        await link.integration.settled(installed=True)
        assert (link.status("slow").state, link.delays) == ("connected", [])


async def test_after_one_timeout_a_server_gets_the_usual_limit():
    hangs = fault_server("hang_in_initialize")
    async with linked(hangs, connect_timeout_seconds=0.1, first_start_seconds=0.4, attempts=2) as link:
        await link.until(lambda: link.status().state == "degraded")
        assert link.status().last_error == "it did not answer within 0.1 s"
