"""What a server is started with, and what it is not."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from tests.fakes.linked import FAKES, fault_server, linked

from voice_gateway.config import ServerSettings
from voice_gateway.mcp_client.stdio.process import find_program, server_environment


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


async def test_the_working_folder_is_used(tmp_path):
    (tmp_path / "server.py").write_text((FAKES / "minimal_server.py").read_text())
    settings = ServerSettings(command=sys.executable, args=("server.py",), cwd=tmp_path)
    async with linked(settings) as link:
        assert await link.call("add", a=40, b=2) == "42"


@pytest.mark.slow
def test_mcp_is_imported_only_when_a_server_is_started():
    code = "import sys, voice_gateway.mcp_client.integration; print('mcp' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
