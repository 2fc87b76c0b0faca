"""`voice-gateway status`: how each part of the running gateway is, in a sentence."""

import argparse
import time

from voice_gateway.channels.control import Silent
from voice_gateway.channels.terminal import print_json
from voice_gateway.cli.command import ask_running, wants_json
from voice_gateway.cli.parser import Parser

NOT_RUNNING = (
    "No gateway is running. Start one with `voice-gateway run`; `ask` and `tools call` work without."
)


def arguments(_command: Parser) -> None:
    """No arguments of its own."""


async def status(options: argparse.Namespace) -> int:
    try:
        parts = await ask_running(options, {"op": "status"})
    except Silent:
        if wants_json(options):
            print_json({"running": True, "parts": []})
        raise  # printed on stderr, with exit code 1
    if wants_json(options):
        print_json({"running": parts is not None, "parts": parts or []})
        return 0 if parts is not None else 1
    if parts is None:
        print(NOT_RUNNING)
        return 1
    from rich.console import Console
    from rich.markup import escape

    console = Console()
    colours = {"ok": "green", "degraded": "red", "starting": "yellow", "off": "dim"}
    for part in parts:
        since = time.strftime("%H:%M", time.localtime(part["since"]))
        mark = f"[{colours[part['state']]}]{part['state']:<9}[/]"
        console.print(
            f"{mark} {escape(part['part'])}: {escape(part['sentence'])} (since {since})", highlight=False
        )
        if part["advice"]:
            console.print(f"          {escape(part['advice'])}", highlight=False)
    return 0
