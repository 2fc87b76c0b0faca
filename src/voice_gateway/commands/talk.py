"""`voice-gateway talk`: push to talk; the running gateway listens now, without a wake word."""

import argparse
import sys

from voice_gateway.commands.remote import ask_running


async def talk(options: argparse.Namespace) -> int:
    if await ask_running(options, {"op": "talk"}):
        return 0
    print("No gateway with a voice is running: start one with `voice-gateway run --voice`", file=sys.stderr)
    return 1
