"""A bad entry of an `mcp.json` in a gateway as people run it: reported everywhere, and the others work."""

import json
import sys

import pytest
from tests.fakes.running_gateway import FAKES, parts

from voice_gateway.config.environment import CONFIG_FILE

GOOD = {"command": sys.executable, "args": [str(FAKES / "naming_server.py"), "good"]}
BAD = {"command": "x", "cwd": "${env:NOWHERE}"}
REASON = "The bad server of mcp.json is left out: the environment variable NOWHERE is not set"


@pytest.mark.slow
async def test_a_bad_entry_is_reported_by_status_doctor_and_check(commands):
    commands.file("voice-gateway.toml", '[mcp]\nmcp_config = "mcp.json"\nsimulated_home = false\n')
    commands.file("mcp.json", json.dumps({"mcpServers": {"good one": GOOD, "bad": BAD}}))

    doctor = await commands.run("doctor", "--json")
    checked = await commands.run("config", "check")
    process = await commands.start("run")
    assert process.stderr is not None
    while "ready" not in (await process.stderr.readline()).decode():
        pass
    called = await commands.run("tools", "call", "good_one__get_owner")
    bad = (await parts(commands))["server bad"]
    process.terminate()
    await process.communicate()

    assert called.out == "good\n"
    assert (bad["state"], bad["sentence"]) == ("degraded", f"{REASON}.")
    checks = {check["check"]: check for check in doctor.json["checks"]}
    assert checks["server good_one"]["verdict"] == "ok"
    assert (checks["server bad"]["verdict"], checks["server bad"]["text"]) == ("failed", f"{REASON}.")
    assert checked.code == 2
    assert f"{REASON}. (correct it in " in checked.out
    assert 'server "good one" is called good_one here' in checked.out


@pytest.mark.slow
async def test_nothing_of_the_current_folder_is_run(commands):
    """No settings file, and no module that takes the place of ours."""
    marker = commands.folder / "it-ran"
    server = f'[mcpServers.evil]\ncommand = "touch"\nargs = ["{marker}"]\n'
    commands.file("voice-gateway.toml", server)
    del commands.env[CONFIG_FILE]
    for name in ("zwave_mcp/__init__.py", "zwave_mcp/__main__.py", "platformdirs.py", "mcp.py", "json.py"):
        module = commands.folder / name
        module.parent.mkdir(exist_ok=True)
        module.write_text(f"open({str(marker)!r}, 'w')\n")

    listed = await commands.run("tools", "list")

    assert "control_zwave_device" in listed.out
    assert not marker.exists()
