"""`voice-gateway turns`: what was said and done, read from the recorder's file."""

import argparse
import asyncio
import contextlib
import sys
from datetime import datetime
from typing import Any

from voice_gateway.channels.terminal import print_json, print_reply
from voice_gateway.cli.command import ask_running, loaded
from voice_gateway.cli.parser import Parser, count
from voice_gateway.config import Settings, data_folder
from voice_gateway.errors import ConfigError, GatewayError, LinkError
from voice_gateway.recorder.recorder import TURNS_FILE
from voice_gateway.recorder.store import MOST_LISTED, TurnStore, public
from voice_gateway.recorder.story import lines_of

SHOWN_ID = 8  # characters
MOST_SHOWN = 50  # turns at a terminal


def arguments(command: Parser) -> None:
    add = command.actions()
    # An absent option of `list` does not undo one that was given before it.
    listed = add("list", "the last ones, newest first (the default)", argument_default=argparse.SUPPRESS)
    for parser in (command, listed):
        parser.add_argument("--search", metavar="WORD", nargs="+", help="only those with all of these words")
        parser.add_argument("--limit", type=count, metavar="N", help="how many (50; 1000 with --json)")
    command.set_defaults(search=[])
    show = add("show", "one turn, step by step")
    show.add_argument("id", metavar="ID", help="as `voice-gateway turns` shows it; its beginning is enough")
    delete = add("delete", "forget one turn, or all")
    delete.add_argument("--all", action="store_true", help="forget every turn")
    delete.add_argument("id", nargs="?", metavar="ID", help="which one")


async def turns(options: argparse.Namespace) -> int:
    settings = loaded(options).settings
    store = await opened_store(options, settings)
    return await asyncio.to_thread(_ACTIONS[options.action or "list"], options, store)


async def opened_store(options: argparse.Namespace, settings: Settings) -> TurnStore:
    """With every turn that a running gateway has answered."""
    with contextlib.suppress(LinkError):  # the file can be read while the gateway hangs
        await ask_running(options, {"op": "turns"})
    kept = settings.recorder
    return TurnStore(data_folder() / TURNS_FILE, days=kept.days, megabytes=kept.megabytes)


def turn_named(store: TurnStore, name: str) -> dict[str, Any]:
    several = store.find(name)
    if not several:
        raise GatewayError(f'there is no turn "{name[:80]}" (see `voice-gateway turns`)')
    if len({turn["id"] for turn in several}) > 1:
        raise GatewayError(f'several turns begin with "{name[:80]}": use more of the id')
    return several[0]


def _list(options: argparse.Namespace, store: TurnStore) -> int:
    search = " ".join(options.search)
    most = options.limit or (MOST_LISTED if options.json else MOST_SHOWN)
    listed = store.turns(search=search, limit=most + 1)
    if len(listed) > most:
        del listed[most:]
        if options.limit is None:
            print(f"voice-gateway: these are the last {most}; --limit N shows more", file=sys.stderr)
    if options.json:
        print_json([public(turn) for turn in listed])
        return 0
    if not listed:
        print("No turn has these words." if search else "No turn is kept.")
    for turn in listed:
        at = f"{datetime.fromtimestamp(turn['at']).astimezone():%Y-%m-%d %H:%M:%S}"
        mark = "✓" if turn["ok"] else "✗"
        words = " ".join(f"{turn['text']} → {turn['reply']}".split())  # each turn is one line
        print_reply(f"{turn['id'][:SHOWN_ID]}  {at}  {turn['door']:<7} {mark} {words}")
    return 0


def _show(options: argparse.Namespace, store: TurnStore) -> int:
    turn = turn_named(store, options.id)
    if options.json:
        print_json(public(turn))
    else:
        for line in lines_of(turn):
            print_reply(line)
    return 0


def _delete(options: argparse.Namespace, store: TurnStore) -> int:
    if options.all == (options.id is not None):
        raise ConfigError("say which turn, or --all (see voice-gateway turns delete --help)")
    gone = store.delete_all() if options.all else store.delete(turn_named(store, options.id)["id"])
    if options.json:
        print_json({"deleted": gone})
    else:
        print_reply(f"{gone} turn{'s are' if gone != 1 else ' is'} gone.")
    return 0


_ACTIONS = {"list": _list, "show": _show, "delete": _delete}
