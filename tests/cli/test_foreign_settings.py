"""Commands in a folder that somebody else has filled: nothing in it is run before it was allowed."""

import asyncio
import json
import sys
from pathlib import Path

import pytest
from tests.fakes.gateway_process import LIMIT_SECONDS, Commands

from voice_gateway.config.folders import FILE_NAME


@pytest.fixture
def marker(commands: Commands) -> Path:
    """What the file's command would leave behind."""
    marker = commands.folder / "it-ran"
    server = f'[mcpServers.evil]\ncommand = "touch"\nargs = ["{marker}"]\n'
    file = commands.folder / FILE_NAME
    file.write_text(f"[mcp]\nattempts = 1\n{server}", encoding="utf-8")
    file.chmod(0o600)
    return marker


@pytest.mark.parametrize(
    "words",
    [
        ("ask", "what time is it"),
        ("tools", "list", "--json"),
        ("run",),
        ("config", "show"),
    ],
    ids=" ".join,
)
async def test_its_command_is_not_run_and_one_line_says_so(commands, marker, words):
    ended = await commands.run(*words, text="what time is it\n")

    assert ended.code == 0
    assert not marker.exists()
    assert "evil" not in ended.out
    (line,) = [line for line in ended.err.splitlines() if FILE_NAME in line]
    assert line.startswith(
        f"voice-gateway: {commands.folder / FILE_NAME} is not used: you have not allowed it"
    )
    assert "`voice-gateway config allow`" in line


@pytest.mark.slow
async def test_after_it_was_allowed_or_named_it_is_run(commands, marker):
    await commands.run("tools", "list", "--config", FILE_NAME)
    assert marker.exists()

    marker.unlink()
    assert (await commands.run("config", "allow")).code == 0
    assert not marker.exists()
    assert "evil" in (await commands.run("config", "show")).out
    await commands.run("tools", "list")
    assert marker.exists()


async def test_the_doctor_says_the_same(commands, marker):
    ended = await commands.run("doctor", "--json")

    rows = [row for row in ended.json["checks"] if row["check"] == "configuration"]
    assert [row["verdict"] for row in rows] == ["ok", "warning"]
    assert rows[0]["text"] == "no file, so the defaults hold"
    assert "you have not allowed it" in rows[1]["text"]
    assert not marker.exists()
    assert "evil" not in json.dumps(ended.json)


@pytest.mark.slow
@pytest.mark.parametrize("safely", [["-P"], []], ids=["as installed", "python -m"])
async def test_no_module_of_the_folder_takes_the_place_of_ours(commands, safely):
    marker = commands.folder / "it-ran"
    for name in ("zwave_mcp/__init__.py", "zwave_mcp/__main__.py", "platformdirs.py", "mcp.py", "json.py"):
        module = commands.folder / name
        module.parent.mkdir(exist_ok=True)
        module.write_text(f"open({str(marker)!r}, 'w')\n")

    process = await asyncio.create_subprocess_exec(
        *(sys.executable, *safely, "-m", "voice_gateway", "tools", "list"),
        cwd=commands.folder,
        env=commands.env,
        stdout=asyncio.subprocess.PIPE,
    )
    async with asyncio.timeout(LIMIT_SECONDS):
        out, _ = await process.communicate()

    assert b"control_zwave_device" in out
    assert not marker.exists()
