"""Servers that want a login: made with a browser, kept, renewed, refused and revoked."""

import asyncio
import json
import os
import re
import stat
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from tests.fakes.linked import LIMIT, linked
from tests.fakes.oauth_server import Logins, oauth_server
from tests.fakes.ports import free_port

from voice_gateway.config import ServerSettings
from voice_gateway.errors import ToolUnavailable
from voice_gateway.mcp_client.connection import LinkTimeouts
from voice_gateway.mcp_client.login import LoginFile
from voice_gateway.mcp_client.status import Refusal

NOT_UNIT = "a web server on the loopback address, and the program as a process"
QUICK = LinkTimeouts(ping_seconds=LIMIT, ping_every_seconds=0.2, short_run_seconds=1e-9)


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.setenv("BROWSER", "/bin/false")
    return tmp_path


@pytest.fixture
async def private() -> AsyncIterator[Logins]:
    async with oauth_server(free_port()) as logins:
        yield logins


def at(private: Logins) -> dict[str, ServerSettings]:
    return {"private": ServerSettings(url=private.mcp_url)}


async def _log_in(private: Logins, home: Path, action: str = "login", *more: str) -> tuple[int, str]:
    """As a person: the command shows an address, a browser goes there and comes back."""
    config = home / "voice-gateway.toml"
    config.write_text(f'[mcpServers.private]\nurl = "{private.mcp_url}"\n')
    program = [sys.executable, "-m", "voice_gateway", "--config", str(config)]
    command = [*program, "mcp", action, "private", *more]
    process = await asyncio.create_subprocess_exec(
        *command, stdin=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.PIPE, env=os.environ
    )
    assert process.stderr is not None
    output = ""
    async with asyncio.timeout(LIMIT):
        while line := (await process.stderr.readline()).decode():
            output += line
            if address := re.search(r"http://\S+/authorize\S+", line):
                async with httpx2.AsyncClient(follow_redirects=True, timeout=LIMIT) as browser:
                    assert "close this window" in (await browser.get(address[0])).text
        return await process.wait(), output


def _kept(home: Path) -> dict[str, Any]:
    return json.loads((home / "voice-gateway" / "mcp-logins" / "private.json").read_text())


async def _age(home: Path) -> None:
    """Its token is over by the clock, as after a night."""
    file = home / "voice-gateway" / "mcp-logins" / "private.json"
    file.write_text(json.dumps({**_kept(home), "expires_at": 1.0}))


@pytest.mark.slow
async def test_without_a_login_the_command_is_named_and_with_one_it_works(private: Logins, home: Path):
    async with linked(at(private), attempts=1, timeouts=QUICK) as link:
        assert (link.status("private").state, link.status("private").refusal) == ("degraded", Refusal.LOGIN)

        code, output = await _log_in(private, home)
        assert (code, "Logged in at private" in output) == (0, True)
        link.go_on.set()
        await link.until(lambda: link.status("private").state == "connected")
        assert await link.call("whoami", "private") == "somebody"

    file = LoginFile("private", private.mcp_url).path
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    code, output = await _log_in(private, home, "logout")
    assert (code, file.exists()) == (0, False)


@pytest.mark.slow
async def test_a_token_that_ran_out_is_renewed_after_a_restart_and_before_its_time(
    private: Logins, home: Path
):
    await _log_in(private, home)
    await _age(home)
    async with linked(at(private), timeouts=QUICK) as link:
        assert await link.call("whoami", "private") == "somebody"
        assert private.renewed == 1
        private.access.clear()  # revoked early; the right to renew it was not
        assert await link.call("whoami", "private") == "somebody"
        assert private.renewed == 2
        assert link.status("private").restarts == 0
    assert _kept(home)["tokens"]["access_token"] in private.access


@pytest.mark.slow
async def test_a_login_that_is_refused_or_revoked_is_reported_and_not_tried_again(
    private: Logins, home: Path
):
    private.refuses = True
    code, output = await _log_in(private, home)
    assert (code, "the login was refused: not you" in output, "Traceback" in output) == (1, True, False)
    private.refuses = False
    await _log_in(private, home)
    async with linked(at(private), attempts=1, patience=60, timeouts=QUICK) as link:
        private.access.clear()
        private.refresh.clear()
        with pytest.raises(ToolUnavailable, match="voice-gateway mcp login private"):
            await link.call("whoami", "private")
        await link.until(lambda: link.status("private").refusal is Refusal.LOGIN)
        assert private.tried == 1
    assert "tokens" not in _kept(home)


async def test_a_token_is_only_for_the_address_that_it_was_given_for(private: Logins):
    mine = LoginFile("private", private.mcp_url)
    from mcp.shared.auth import OAuthToken

    await mine.set_tokens(OAuthToken(access_token="geheim"))
    assert mine.has_tokens()
    assert not LoginFile("private", "http://elsewhere/mcp").has_tokens()
