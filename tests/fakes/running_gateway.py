"""What tests see of a running gateway from outside: its socket, its parts, its processes."""

import json
import os
import sys
from pathlib import Path
from unittest.mock import patch

from tests.fakes.gateway_process import Commands

from voice_gateway.channels.control import request
from voice_gateway.config import control_file

FAKES = Path(__file__).parent


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
