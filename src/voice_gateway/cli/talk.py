"""`voice-gateway talk`: push to talk; the running gateway listens now, without a wake word."""

import argparse
import sys

from voice_gateway.channels.terminal import print_json
from voice_gateway.cli.command import ask_running

NOT_RUNNING = "No gateway is running that could listen: start one with `voice-gateway run --voice`."


async def talk(options: argparse.Namespace) -> int:
    problem = await ask_running(options, {"op": "talk"})
    if problem is None:
        problem = NOT_RUNNING
    if options.json:
        print_json({"ok": not problem, "problem": problem or None})
    else:
        print(problem or "I listen: speak now.", file=sys.stderr)
    return 1 if problem else 0
