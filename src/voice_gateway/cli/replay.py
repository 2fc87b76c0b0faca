"""`voice-gateway replay`: a recorded turn once more, with today's settings and the recorded tool results."""

import argparse
import asyncio

from voice_gateway.app.replay import Replay, differences, result_of
from voice_gateway.channels.terminal import print_json, print_reply
from voice_gateway.cli.command import loaded
from voice_gateway.cli.parser import Parser
from voice_gateway.cli.turns import SHOWN_ID, opened_store, turn_named
from voice_gateway.recorder.story import before_it, why_not


def arguments(command: Parser) -> None:
    command.description = (
        "With today's settings, against the recorded tool results: no server is asked, nothing is switched. "
        "Exit code 0: nothing is different; 1: something is."
    )
    command.add_argument("id", metavar="ID", help="as `voice-gateway turns` shows it")


async def replay(options: argparse.Namespace) -> int:
    settings = loaded(options).settings
    store = await opened_store(options, settings)
    turn = await asyncio.to_thread(turn_named, store, options.id)
    before = before_it(store, turn, settings.brain.conversation_expiry_seconds)
    recorded, now, lines = result_of(turn["events"]), None, []
    reason = why_not(turn, before)
    if not reason:
        again = Replay(settings, store.shared(turn["tools"]) or [], store.shared(turn["home"]) or [])
        now = await again.run(turn, [earlier for earlier in before if not why_not(earlier, ())])
        lines = differences(recorded, now)
    if options.json:
        facts = {"id": turn["id"], "text": turn["text"], "recorded": recorded}
        print_json({**facts, "now": now, "differences": lines, "left_out": reason or None})
    else:
        mark = "–" if reason else "≠" if lines else "="
        print_reply(f"{mark} {turn['id'][:SHOWN_ID]}  {turn['text']}")
        for line in lines or ([reason] if reason else []):
            print_reply(f"      {line}")
    return 1 if lines else 0
