"""SRV: being an MCP server."""

import json
import subprocess
import textwrap
from pathlib import Path

import pytest
from tests.fakes import warm_python
from tests.fakes.zwave_server import environment

NOISE = """
import os, subprocess, sys
print("noise from {name} by print")
sys.stdout.write("noise from {name} by sys.stdout\\n")
sys.__stdout__.write("noise from {name} by sys.__stdout__\\n"); sys.__stdout__.flush()
os.write(1, b"noise from {name} by descriptor\\n")
subprocess.run(["echo", "noise from {name} by a child"], check=True)
"""
# Takes the place of a library, makes its noise, and gives the real one.
STAND_IN = (
    NOISE
    + """
sys.path.remove(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
del sys.modules[{name!r}]
import {name}
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
"""
)


def talk(
    *requests: dict, noisy: Path | None = None, level: str = "INFO", state: Path
) -> subprocess.CompletedProcess[str]:
    """One conversation with the real process; its input ends after the last request."""
    params = {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    }
    lines = [
        {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        *requests,
    ]
    more = {"PYTHONPATH": str(noisy)} if noisy else {}
    options = ("--simulate", "--log-level", level, "--state-file", str(state))
    return subprocess.run(
        [warm_python.python(), "-m", "zwave_mcp", *options],
        input="".join(json.dumps(line) + "\n" for line in lines),
        capture_output=True,
        text=True,
        timeout=30,
        env=environment(**more),
        check=False,
    )


def call(number: int, name: str, **arguments: object) -> dict:
    params = {"name": name, "arguments": arguments}
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}


@pytest.mark.scenario("SRV-1")
def test_diagnostics_go_to_stderr(tmp_path: Path):
    ended = talk(
        call(1, "control_zwave_device", deviceName="floor lamp", action="on"), state=tmp_path / "state.json"
    )
    assert ended.returncode == 0
    assert "tool finished" in ended.stderr
    assert "outcome='confirmed'" in ended.stderr
    assert "tool finished" not in ended.stdout


@pytest.mark.scenario("SRV-2")
def test_json_rpc_goes_to_stdout_one_message_a_line(tmp_path: Path):
    ended = talk(
        {"jsonrpc": "2.0", "id": 1, "method": "tools/list"},
        call(2, "list_zwave_devices"),
        {"jsonrpc": "2.0", "id": 3, "method": "no/such/method"},
        state=tmp_path / "state.json",
    )
    assert ended.stdout.endswith("\n")
    messages = [json.loads(line) for line in ended.stdout.splitlines()]
    assert all(message["jsonrpc"] == "2.0" for message in messages)
    assert {message["id"] for message in messages} == {0, 1, 2, 3}
    assert "error" in next(message for message in messages if message["id"] == 3)


@pytest.mark.scenario("SRV-3")
def test_stdout_stays_clean_when_libraries_print(tmp_path: Path):
    noisy = tmp_path / "noisy"
    for name in ("aiomqtt", "mcp", "platformdirs", "rapidfuzz"):
        (noisy / name).mkdir(parents=True)
        (noisy / name / "__init__.py").write_text(
            textwrap.dedent(STAND_IN).format(name=name), encoding="utf-8"
        )
    ended = talk(
        call(1, "control_zwave_device", deviceName="flor lump", action="on"),  # needs the noisy rapidfuzz
        call(2, "list_zwave_devices"),
        noisy=noisy,
        state=tmp_path / "state.json",
    )
    assert ended.returncode == 0, ended.stderr
    for name in ("mcp", "rapidfuzz"):
        for way in ("print", "sys.stdout", "sys.__stdout__", "descriptor", "a child"):
            assert f"noise from {name} by {way}" in ended.stderr
    messages = [json.loads(line) for line in ended.stdout.splitlines()]
    assert {message["id"] for message in messages} == {0, 1, 2}
    answer = next(message for message in messages if message["id"] == 1)
    assert answer["result"]["structuredContent"]["device"] == "Floor Lamp"
