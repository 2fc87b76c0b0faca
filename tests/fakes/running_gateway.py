"""What tests see of a running gateway from outside: its socket, its parts, its processes."""

import contextlib
import json
import os
import sys
from pathlib import Path
from unittest.mock import patch

import httpx
from tests.fakes.gateway_process import Commands, Running
from tests.fakes.waiting import until

from voice_gateway.channels.control import request
from voice_gateway.config import control_file

FAKES = Path(__file__).parent
CONSOLE = {"VOICE_GATEWAY_WEB_ENABLED": "true", "VOICE_GATEWAY_WEB_PORT": "0"}


def socket_of(commands: Commands) -> Path:
    """Where the gateway itself would look: a long path is replaced by a short one."""
    with patch.dict(os.environ, commands.env):
        return control_file()


async def ask(commands: Commands, text: str, conversation_id: str = "test"):
    """Through the socket, as `voice-gateway ask` does; the reply's JSON."""
    message = {"op": "ask", "text": text, "conversation_id": conversation_id}
    return (await request(socket_of(commands), message))["reply"]


async def parts(commands: Commands) -> dict[str, dict]:
    return {part["part"]: part for part in await request(socket_of(commands), {"op": "status"})}


async def state_of(commands: Commands, part: str) -> str | None:
    return (await parts(commands)).get(part, {}).get("state")


def processes(word: str) -> list[int]:
    """Every process that has this word in its command line, ourselves aside."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            line = (entry / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if any(word.encode() in argument for argument in line[1:]) and int(entry.name) != os.getpid():
            found.append(int(entry.name))
    return found


def server(name: str, script: str, *arguments: object) -> str:
    """An MCP server of ours, as the settings file names it."""
    words = json.dumps([str(FAKES / script), *map(str, arguments)])
    return f"[mcpServers.{name}]\ncommand = {json.dumps(sys.executable)}\nargs = {words}\n"


@contextlib.asynccontextmanager
async def console(commands: Commands, *words: str, **env: str):
    """A running gateway, and a client of its console."""
    gateway = Running(await commands.start("run", *words, **CONSOLE, **env))
    try:
        line = await gateway.says("http://")
        await gateway.says("ready")
        address = line.split()[-1].rstrip("/")
        async with httpx.AsyncClient(base_url=address, trust_env=False, timeout=30) as http:
            yield gateway, http
    finally:
        if gateway.process.returncode is None:
            await gateway.stop()


async def device(http, name):
    async def found():
        devices = (await http.get("/api/devices")).json()["devices"]
        return next((one for one in devices if one["name"] == name), None)

    return await until(found)


async def ask_console(http, text, conversation="c"):
    answer = await http.post("/api/ask", json={"text": text, "conversation_id": conversation})
    assert answer.status_code == 200
    return answer.json()
