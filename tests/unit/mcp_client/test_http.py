"""Servers that are reached by an address: the same promises, against a real HTTP server process."""

import asyncio
import contextlib
import socket
import subprocess
import sys
import time

import pytest
from tests.fakes.linked import FAKES, LIMIT, Linked, linked
from tests.fakes.ports import free_port

from voice_gateway.config import ServerSettings
from voice_gateway.errors import ToolError, ToolUnavailable
from voice_gateway.mcp_client.connection import LinkTimeouts

NOT_UNIT = "a web server as a process"


@contextlib.contextmanager
def http_server(port: int, *faults: str):
    command = [sys.executable, str(FAKES / "http_server.py"), str(port), *faults]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + LIMIT
        while time.monotonic() < deadline:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
                break
            time.sleep(0.02)
        yield process
    finally:
        process.kill()
        process.wait()


def at(port: int, **more: object) -> dict[str, ServerSettings]:
    return {"web": ServerSettings(url=f"http://127.0.0.1:{port}/mcp", **more)}


async def test_tools_of_an_http_server_are_called_and_its_errors_survive():
    port = free_port()
    with http_server(port):
        async with linked(at(port)) as link:
            assert await link.call("add", "web", a=40, b=2) == "42"
            with pytest.raises(ToolError, match="device not found"):
                await link.call("fail", "web")
            with pytest.raises(ToolError):
                await link.call("add", "web", a="x")
            assert link.tools["web"]["add"].metadata["traits"].source == "web"
            await _a_call_given_up_ends_at_once_and_the_session_stays(link)


async def _a_call_given_up_ends_at_once_and_the_session_stays(link: Linked) -> None:
    started = time.monotonic()
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.2):
            await link.call("hang", "web")  # would go on for ten minutes
    assert time.monotonic() - started < LIMIT
    assert await link.call("add", "web", a=1, b=1) == "2"


@pytest.mark.slow
async def test_a_server_that_dies_fails_the_call_and_is_reached_again_when_it_is_back():
    port = free_port()
    with http_server(port):
        async with linked(at(port)) as link:
            with pytest.raises(ToolUnavailable):
                async with asyncio.timeout(LIMIT):
                    await link.call("die", "web")
            with contextlib.suppress(ToolUnavailable):
                async with asyncio.timeout(LIMIT):
                    await link.call("add", "web", a=1, b=1)
            await link.until(lambda: link.status("web").state == "degraded")
            assert link.tools["web"] == {}
            with http_server(port):
                link.go_on.set()
                await link.until(lambda: bool(link.tools["web"]))
                assert await link.call("add", "web", a=40, b=2) == "42"


async def test_nobody_at_the_address_is_reported_without_login_or_query(caplog):
    port = free_port()
    server = ServerSettings(url=f"http://user:geheim@127.0.0.1:{port}/mcp?token=geheim")
    async with linked({"web": server}) as link:
        assert link.status("web").state == "degraded"
    assert f"server: web (http://127.0.0.1:{port}/mcp)" in caplog.text
    assert "geheim" not in caplog.text


async def test_headers_are_sent_and_without_them_the_refusal_is_named(caplog):
    port = free_port()
    with http_server(port, "token"):
        async with linked(at(port, headers={"Authorization": "Bearer t0ken"})) as link:
            assert await link.call("add", "web", a=1, b=2) == "3"
        async with linked(at(port), attempts=1) as link:
            assert "HTTP status 401" in link.status("web").last_error
    assert "t0ken" not in caplog.text


async def test_a_server_that_is_gone_is_noticed_without_a_call():
    port = free_port()
    with http_server(port) as process:
        async with linked(at(port), timeouts=LinkTimeouts(ping_every_seconds=0.1)) as link:
            assert (link.status("web").state, link.status("web").restarts) == ("connected", 0)
            process.kill()
            await link.until(lambda: link.status("web").restarts > 0)

            assert link.status("web").state != "connected"
