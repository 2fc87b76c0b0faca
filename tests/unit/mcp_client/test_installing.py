"""Servers that npx, uvx and the like have to fetch before they can start them."""

import asyncio
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.fakes.linked import FAKES, LIMIT, alive, linked
from tests.fakes.waiting import until

from voice_gateway.config import ServerSettings
from voice_gateway.mcp_client.connection import LinkTimeouts
from voice_gateway.mcp_client.stdio import StdioConnection
from voice_gateway.mcp_client.stdio.installing import Process, starts_manager

NOT_UNIT = "servers as processes"
ONCE: dict[str, Any] = {
    "attempts": 1,
    "base_delay_seconds": 10,
}  # a second attempt would be left to finish at the end


@pytest.fixture
def npx(tmp_path: Path) -> ServerSettings:
    """One that fetches until the file `fetched` is there, and prints on the way as npm does."""
    program = tmp_path / "npx"
    program.write_text(
        "#!/bin/sh\n"
        f'echo $$ > "{tmp_path}/pid"\n'
        f'until [ -e "{tmp_path}/fetched" ]; do echo "npm warn deprecated" >&2; sleep 0.1; done\n'
        f'touch "{tmp_path}/done"\n'
        f'exec "{sys.executable}" "{FAKES / "fault_server.py"}" "$@"\n'
    )
    program.chmod(0o755)
    return ServerSettings(command=str(program), args=("-y", "@somebody/server"))


@pytest.mark.slow
async def test_it_gets_its_time_and_the_others_start_meanwhile(npx: ServerSettings, tmp_path: Path, caplog):
    caplog.set_level("INFO")
    other = ServerSettings(command=sys.executable, args=(str(FAKES / "fault_server.py"),))
    servers = {"fetched": npx, "other": other}
    async with linked(servers, connect_timeout_seconds=1.5, first_start_seconds=30) as link:
        assert link.status("other").state == "connected"
        assert (link.status("fetched").state, link.status("fetched").installing) == ("connecting", True)
        assert "MCP server is being installed" in caplog.text
        (tmp_path / "fetched").touch()
        await link.until(lambda: link.status("fetched").state == "connected")
        assert not link.status("fetched").installing
        assert await link.call("echo", "fetched", a=1) == '{"a": 1}'


@pytest.mark.slow
async def test_its_time_ends(npx: ServerSettings):
    async with linked(npx, connect_timeout_seconds=0.5, first_start_seconds=2, **ONCE) as link:
        await link.until(lambda: link.status().state == "degraded")
        assert link.status().last_error == "it did not answer within 2 s"


@pytest.mark.slow
async def test_a_server_that_hangs_behind_a_package_manager_gets_the_usual_time(tmp_path: Path):
    program = tmp_path / "uvx"
    program.write_text('#!/bin/sh\n"$0-server" 600 & wait\n')
    (tmp_path / "uvx-server").symlink_to("/bin/sleep")
    program.chmod(0o755)
    hangs = ServerSettings(command=str(program))
    async with linked(hangs, connect_timeout_seconds=0.5, first_start_seconds=60, **ONCE) as link:
        await link.until(lambda: link.status().state == "degraded")
        assert link.status().last_error not in (None, "it did not answer within 60 s")


@pytest.mark.slow
async def test_an_installation_is_not_cut_short_by_the_end_of_the_gateway(
    npx: ServerSettings, tmp_path: Path
):
    connection = StdioConnection("npx", npx, _Nobody(), stop_seconds=1, timeouts=LinkTimeouts())
    await connection.start()
    await until((tmp_path / "pid").exists)
    await until((tmp_path / "pid").read_text)
    pid = int((tmp_path / "pid").read_text())
    async with asyncio.timeout(LIMIT):
        await connection.close(broken=False)

    assert alive(pid)
    (tmp_path / "fetched").touch()
    await until((tmp_path / "done").exists)
    await until(lambda: not alive(pid))  # its input has ended


class _Nobody:
    def __getattr__(self, _name: str):
        return lambda *_: None


@pytest.mark.parametrize(
    ("line", "is_one"),
    [
        ("npx -y @modelcontextprotocol/server-everything", True),
        ("/usr/bin/node /usr/bin/npx -y x", True),
        ("npm exec @modelcontextprotocol/server-everything", True),
        ("node /usr/lib/node_modules/npm/bin/npx-cli.js -y x", True),
        ("env FOO=1 uvx mcp-server-time", True),
        ("/home/me/.local/bin/uv tool run x", True),
        ("python3 -m pip install x", True),
        ("docker run -i --rm mcp/time", True),
        ("node server.js npx", False),
        ("python /srv/npm.d/server.py", False),
        ("zwave-mcp-server --simulate", False),
        ("", False),
    ],
)
def test_package_managers_are_known_by_their_command_line(line: str, is_one: bool):
    assert starts_manager(line.split()) is is_one


@pytest.mark.parametrize(
    ("line", "npm_runs", "is_one"),
    [
        ("node /home/me/.npm/_npx/1/node_modules/.bin/mcp-server-everything", "npx", True),
        ("sh -c mcp-server-everything", "npx", False),
        ("node install.js", "postinstall", False),
        (
            "/home/me/.cache/uv/archive-v0/x/bin/python /home/me/.cache/uv/archive-v0/x/bin/mcp-server-time",
            "",
            True,
        ),
        ("/home/me/.cache/uv/builds-v0/.tmpX/bin/python -c pass", "", False),
        ("npm exec x", "", False),
    ],
)
def test_the_server_itself_is_told_from_the_steps_of_its_installation(line: str, npm_runs: str, is_one: bool):
    assert Process(tuple(line.split()), npm_runs).is_server is is_one
