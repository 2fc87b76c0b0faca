"""`voice-gateway replay`: recorded turns once more, with today's settings and the recorded tool results."""

import argparse
import asyncio
import re
import sys
import time
from typing import Any

from voice_gateway.app.replay import Replay, differences, result_of, why_not
from voice_gateway.channels.terminal import print_json, print_reply
from voice_gateway.cli.command import loaded, wants_json
from voice_gateway.cli.turns import SHOWN_ID, found, opened_store
from voice_gateway.config import Settings
from voice_gateway.recorder.again import before_it
from voice_gateway.recorder.store import TurnStore

_UNITS = {"m": 60.0, "h": 3600.0, "d": 86_400.0, "w": 604_800.0}


async def replay(options: argparse.Namespace) -> int:
    """Exit code 0: all that could be run again came to the same; 1: something is different now."""
    since = _since(options.since) if options.since else None
    if (options.id is None) == (options.since is None) or (options.since and since is None):
        text = "say which turn, or --since with a length of time such as 7d"
        print(f"voice-gateway: {text} (see voice-gateway replay --help)", file=sys.stderr)
        return 2
    settings = loaded(options).settings
    store = await opened_store(options, settings)
    if since is None:
        turns = [await asyncio.to_thread(found, store, options.id)]
    else:
        listed = await asyncio.to_thread(lambda: store.turns(since=time.time() - since, limit=100_000))
        turns = [await asyncio.to_thread(found, store, one["id"]) for one in reversed(listed)]
    told = [await _again(turn, store, settings) for turn in turns]
    _print(options, told)
    return 1 if any(one["differences"] for one in told) else 0


def _since(text: str) -> float | None:
    read = re.fullmatch(r"(\d{1,6})([mhdw])", text.strip())
    return int(read[1]) * _UNITS[read[2]] if read else None


async def _again(turn: dict[str, Any], store: TurnStore, settings: Settings) -> dict[str, Any]:
    before = before_it(store, turn, settings.brain.conversation_expiry_seconds)
    recorded = result_of(turn["events"])
    told = {"id": turn["id"], "text": turn["text"], "recorded": recorded.to_json()}
    if reason := why_not(turn, before):
        return {**told, "now": None, "differences": [], "left_out": reason}
    again = Replay(settings, store.shared(turn["tools"]) or [], store.shared(turn["home"]) or [])
    now = await again.run(turn, [one for one in before if not why_not(one, ())])
    return {**told, "now": now.to_json(), "differences": differences(recorded, now), "left_out": None}


def _print(options: argparse.Namespace, told: list[dict[str, Any]]) -> None:
    if wants_json(options):
        print_json(told if options.since else told[0])
        return
    for one in told:
        mark = "–" if one["left_out"] else "≠" if one["differences"] else "="
        print_reply(f"{mark} {one['id'][:SHOWN_ID]}  {one['text']}")
        for line in one["differences"] or ([one["left_out"]] if one["left_out"] else []):
            print_reply(f"      {line}")
    counted = sum(not one["left_out"] for one in told)
    other = sum(bool(one["differences"]) for one in told)
    print_reply(f"{counted} run again, {other} different, {len(told) - counted} left out.")
