"""Public MCP servers: all stdio ones at once on one running gateway, and those that listen on a port."""

import json
import os
import signal
import threading
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from tests.fakes.gateway_process import Commands, Running
from tests.fakes.linked import linked
from tests.fakes.others import HttpServer, with_children
from tests.fakes.running_gateway import parts, socket_of
from tests.fakes.waiting import until

from voice_gateway.channels.control import request
from voice_gateway.config import ServerSettings

pytestmark = pytest.mark.others

# One call for each server: its tool, the arguments, and what the answer has.
CALLS: dict[str, tuple[str, dict[str, Any], str]] = {
    "everything": ("get-sum", {"a": 2, "b": 3}, "5"),
    "filesystem": ("read_text_file", {"path": "{folder}/files/note.txt"}, "milk and bread"),
    "memory": ("read_graph", {}, "entities"),
    "thinking": (
        "sequentialthinking",
        {"thought": "Why?", "nextThoughtNeeded": False, "thoughtNumber": 1, "totalThoughts": 1},
        "thoughtHistoryLength",
    ),
    "time": ("get_current_time", {"timezone": "Asia/Tokyo"}, "Asia/Tokyo"),
    "git": ("git_status", {"repo_path": "{folder}/repository"}, "new.txt"),
    "fetch": ("fetch", {"url": "{page}"}, "milk and bread"),
    "sqlite": ("read_query", {"query": "SELECT 2 + 3 AS sum"}, "5"),
    "fastmcp": ("add", {"a": 2, "b": 3}, "5"),
    "mcp1": ("add", {"a": 2, "b": 3}, "5"),
}


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def page(tmp_path: Path) -> Iterator[str]:
    """A page on this machine, for the server that fetches pages."""
    folder = tmp_path / "pages"
    folder.mkdir()
    (folder / "page.html").write_text("<html><body><p>milk and bread</p></body></html>", encoding="utf-8")
    server = ThreadingHTTPServer(("127.0.0.1", 0), lambda *how: Quiet(*how, directory=str(folder)))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}/page.html"
    server.shutdown()
    thread.join()
    server.server_close()


def settings(servers: dict[str, ServerSettings]) -> str:
    """As a person writes them down; ten interpreters that start at once need their time on a busy machine."""
    text = "[mcp]\nsimulated_home = false\nbase_delay_seconds = 0.1\nconnect_timeout_seconds = 30\n"
    for name, server in servers.items():
        text += f"[mcpServers.{name}]\ncommand = {json.dumps(server.command)}\n"
        text += f"args = {json.dumps(list(server.args))}\n"
        text += "".join(f"env.{key} = {json.dumps(value)}\n" for key, value in server.env.items())
    return text


async def connected(commands: Commands) -> set[str]:
    states = await parts(commands)
    return {name.removeprefix("server ") for name, part in states.items() if part["state"] == "ok"}


async def call(commands: Commands, server: str, **fill: object) -> dict[str, Any]:
    tool, args, _ = CALLS[server]
    filled = {key: value.format(**fill) if isinstance(value, str) else value for key, value in args.items()}
    message = {"op": "call", "name": f"{server}__{tool}", "args": filled, "timeout": 20}
    outcome: dict[str, Any] = await request(socket_of(commands), message, limit_seconds=30)
    return outcome


@pytest.mark.timeout(180)
async def test_all_stdio_servers_at_once_answer_a_call_each_and_come_back_when_they_are_killed(
    commands, servers, tmp_path, page
):
    commands.file("voice-gateway.toml", settings(servers))
    async with Running.opened(commands) as gateway:
        await until(lambda: all_connected(commands, servers), 60)
        outcomes = {name: await call(commands, name, folder=tmp_path, page=page) for name in CALLS}
        assert {name: one["text"] for name, one in outcomes.items() if not one["ok"]} == {}
        assert [name for name, (*_, has) in CALLS.items() if has not in outcomes[name]["text"]] == []

        killed = set(with_children(gateway.process.pid)) - {gateway.process.pid}
        assert len(killed) >= len(servers)
        for pid in killed:
            os.kill(pid, signal.SIGKILL)
        await until(lambda: all_connected(commands, servers), 60)
        again = {name: await call(commands, name, folder=tmp_path, page=page) for name in CALLS}
        assert {name: one["text"] for name, one in again.items() if not one["ok"]} == {}

        last = set(with_children(gateway.process.pid)) - {gateway.process.pid}
        assert not killed & last
        assert await gateway.stop() == 0
    assert [pid for pid in last if Path(f"/proc/{pid}").exists()] == []


async def all_connected(commands: Commands, servers: dict[str, ServerSettings]) -> bool:
    return set(servers) <= await connected(commands)


async def sum_over(server: HttpServer, tool: str) -> str:
    async with linked({"it": ServerSettings(url=server.url)}) as link:
        assert link.status("it").state == "connected"
        return await link.call(tool, "it", a=2, b=3)


async def test_everything_over_http(everything_http):
    assert "5" in await sum_over(everything_http, "get-sum")


async def test_fastmcp_over_http(fastmcp_http):
    assert await sum_over(fastmcp_http, "add") == "5"


async def test_a_server_on_the_older_sdk_over_http(mcp1_http):
    assert await sum_over(mcp1_http, "add") == "5"
