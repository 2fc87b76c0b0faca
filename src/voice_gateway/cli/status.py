"""`voice-gateway status`: how each part of the running gateway is, in a sentence."""

import argparse
import sys
import time

from voice_gateway.channels.control import Silent
from voice_gateway.channels.terminal import DIM, GREEN, RED, YELLOW, painted, print_json, printable
from voice_gateway.cli.command import ask_running

COLOURS = {"ok": GREEN, "degraded": RED, "starting": YELLOW, "off": DIM}
NOT_RUNNING = (
    "No gateway is running. Start one with `voice-gateway run`; `ask` and `tools call` work without."
)


async def status(options: argparse.Namespace) -> int:
    try:
        parts = await ask_running(options, {"op": "status"})
    except Silent:
        if options.json:
            print_json({"running": True, "parts": []})
        raise  # printed on stderr, with exit code 1
    if options.json:
        print_json({"running": parts is not None, "parts": parts or []})
        return 0 if parts is not None else 1
    if parts is None:
        print(NOT_RUNNING)
        return 1
    for part in parts:
        since = time.strftime("%H:%M", time.localtime(part["since"]))
        mark = painted(f"{part['state']:<9}", COLOURS[part["state"]], sys.stdout)
        text = printable(f"{part['part']}: {part['sentence']} (since {since})")
        print(f"{mark} {text}")
        if part["advice"]:
            print(f"          {printable(part['advice'])}")
    return 0
