"""`voice-gateway run` and `chat`: the text door, and for `run` everything that stays up beside it."""

import argparse
import asyncio
import sys

from voice_gateway.app import Gateway, opened
from voice_gateway.commands.options import loaded, wants_json
from voice_gateway.config import data_folder
from voice_gateway.doors.cli import Source, TextDoor, source
from voice_gateway.mcp_link.integration import ServerStatus
from voice_gateway.store import SqliteStore

FURTHER = (
    "Type a question, or end with Ctrl-D. docs/configuration.md tells how to add a model or your own devices."
)


async def run(options: argparse.Namespace) -> int:
    stays = options.command == "run"
    settings = loaded(options).settings
    behind = source(sys.stdin)
    store = SqliteStore(data_folder() / "conversations.sqlite")
    async with opened(settings, store=store, on_status=_Announcer()) as gateway:
        door = TextDoor(gateway.conversation.answer, as_json=wants_json(options), room=settings.brain.room)
        gateway.start_long_tasks()
        if stays:
            await _announce_ready(gateway, wait=behind is not Source.LINES)
        if behind is Source.NONE:
            return await _until_stopped() if stays else 0
        all_ok = await door.run(sys.stdin, prompt=behind is Source.TERMINAL)
    return 0 if all_ok or behind is Source.TERMINAL else 1


async def _until_stopped() -> int:
    await asyncio.Event().wait()
    return 0


class _Announcer:
    """Says when a server comes or goes after the start; the start itself has its own line."""

    def __init__(self) -> None:
        self._known: dict[str, str] = {}

    def __call__(self, status: ServerStatus) -> None:
        before = self._known.get(status.name)
        self._known[status.name] = status.state
        if before == "connected" and status.state != "connected":
            _tell(f"{status.name}: connection lost, trying again")
        elif before == "degraded" and status.state == "connected":
            _tell(f"{status.name}: connected, {len(status.tools)} tools")


async def _announce_ready(gateway: Gateway, *, wait: bool) -> None:
    """Once, when it is true. Piped input is not kept waiting: what needs a server waits for it by itself."""
    if not wait:
        return
    await gateway.linked()
    _tell(ready_line(gateway))
    _tell(FURTHER)


def ready_line(gateway: Gateway) -> str:
    servers = gateway.link.status()
    up = [_named(status) for status in servers if status.state == "connected"]
    down = [status.name for status in servers if status.state != "connected"]
    provider = gateway.settings.brain.provider
    line = f"ready: {len(gateway.tools.all())} tools, {provider} brain"
    if up:
        line += f", connected to {', '.join(up)}"
    if down:
        line += f"; not answering: {', '.join(down)} (trying on in the background)"
    return line


def _named(status: ServerStatus) -> str:
    return f"{status.name} (simulated home)" if status.simulated else status.name


def _tell(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
