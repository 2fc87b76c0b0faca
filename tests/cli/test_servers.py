"""A bad entry of an `mcp.json` in a gateway as people run it: reported everywhere, and the others work."""

import json
import sys

import pytest
from tests.fakes.gateway_process import Running
from tests.fakes.running_gateway import FAKES, parts, server

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
async def test_the_current_folder_is_neither_imported_nor_read(commands):
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


# --- Two servers with a tool of one name: from cold, too, it means that of the later one in the settings


PERMITTED = '[permission.permit]\nget_owner = "always"\n'
ONLY_THESE = "[mcp]\nsimulated_home = false\n"
NAMING = "naming_server.py"
QUICK, SLOW = 0, 0.5  # seconds until it greets


@pytest.mark.slow
@pytest.mark.parametrize(("zebra", "ant"), [(QUICK, SLOW), (SLOW, QUICK)])
async def test_eight_calls_from_cold_reach_the_later_server(commands, zebra, ant):
    servers = server("zebra", NAMING, "zebra", zebra) + server("ant", NAMING, "ant", ant)
    commands.file("voice-gateway.toml", ONLY_THESE + PERMITTED + servers)

    said = [(await commands.run("tools", "call", "get_owner")).out for _ in range(4)]
    asked = [(await commands.run("ask", "what is the owner")).out for _ in range(4)]
    named = [(await commands.run("tools", "call", f"{one}__get_owner")).out for one in ("zebra", "ant")]

    assert said == ["ant\n"] * 4
    assert all("ant" in answer.lower() for answer in asked), asked
    assert named == ["zebra\n", "ant\n"]


@pytest.mark.slow
async def test_a_shared_tool_name_is_unavailable_while_the_later_server_is_silent(commands):
    silent = '[mcpServers.later]\ncommand = "sleep"\nargs = ["600"]\n'
    commands.file("voice-gateway.toml", ONLY_THESE + PERMITTED + server("first", NAMING, "first") + silent)

    unsure = await commands.run("tools", "call", "get_owner", "--timeout", "1", "--json")
    named = await commands.run("tools", "call", "first__get_owner", "--timeout", "10")

    assert (unsure.code, unsure.json["error"]) == (1, "unavailable")
    assert "later" in unsure.json["text"]
    assert named.out == "first\n"


# --- `tools` shows what the running gateway has, and without one what it would have; it says which


@pytest.mark.slow
async def test_tools_are_those_of_the_running_gateway(commands):
    commands.file("voice-gateway.toml", ONLY_THESE + server("old", NAMING, "old"))

    async with Running.opened(commands):
        commands.file("voice-gateway.toml", ONLY_THESE + server("new", NAMING, "new"))
        there = await commands.run("tools")
        as_json = await commands.run("tools", "--json")
        one = await commands.run("tools", "get_owner", "--json")
        unknown = await commands.run("tools", "get_onwer")
    alone = await commands.run("tools")
    same_shape = await commands.run("tools", "--json")

    assert there.err == "The tools of the running gateway:\n"
    assert "the server old, not trusted" in there.out
    assert "old" in {tool["source"] for tool in as_json.json}
    assert one.json["qualified_name"] == "old__get_owner"
    assert (unknown.code, "Did you mean get_owner" in unknown.err) == (1, True)
    assert alone.err == "No gateway is running; one would have these:\n"
    assert "the server new, not trusted" in alone.out
    assert [set(tool) for tool in same_shape.json] == [set(tool) for tool in as_json.json]
