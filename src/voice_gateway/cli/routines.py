"""`voice-gateway routines`: what is planned, with or without a running gateway, and changes to it."""

import argparse

from voice_gateway.app.routines import place_of
from voice_gateway.channels.terminal import print_json, print_reply
from voice_gateway.cli.ask import printed
from voice_gateway.cli.command import by_gateway, loaded
from voice_gateway.cli.parser import Parser
from voice_gateway.config import data_folder
from voice_gateway.errors import GatewayError, ToolError
from voice_gateway.routines.book import RoutineBook
from voice_gateway.routines.model import Routine
from voice_gateway.routines.schedule import Place
from voice_gateway.routines.store import kept_in
from voice_gateway.shared import connected
from voice_gateway.tools.builtin import system_clock
from voice_gateway.turn import COMMANDS


def arguments(command: Parser) -> None:
    add = command.actions()
    add("list", "what is planned, the next first (the default)")
    new = add("add", "keep a command with a time or an event in it")
    new.add_argument("text", nargs="+", help='for example "turn off the floor lamp every day at 11 pm"')
    for name, line in (
        ("cancel", "forget this one"),
        ("skip", "leave out its next time"),
        ("run", "do it now"),
    ):
        add(name, line).add_argument("id", type=int, metavar="ID", help="as `routines` shows it")
    for name, line in (("pause", "start none until resume (vacation)"), ("resume", "start them again")):
        add(name, line).add_argument("id", type=int, nargs="?", metavar="ID", help="only this one")


async def routines(options: argparse.Namespace) -> int:
    action = options.action or "list"
    if action in ("add", "run"):  # these need the home
        what = {"text": " ".join(options.text)} if action == "add" else {"id": options.id}
        message = {"op": "routines", "action": action, "conversation_id": COMMANDS, **what}
        return printed(options, await by_gateway(options, message))
    settings = loaded(options).settings
    place = place_of(settings.home)
    store, _lease = kept_in(connected(settings.brain.store), data_folder())
    book = RoutineBook(store, None, place, settings.routines, now=system_clock)
    try:
        return _ACTIONS[action](options, book, place)
    except ToolError as error:
        raise GatewayError(str(error)) from error


def _list(options: argparse.Namespace, book: RoutineBook, place: Place) -> int:
    listed = book.all()
    if options.json:
        print_json([routine.to_json(place.zone) for routine in listed])
        return 0
    width = max((len(str(routine.id)) for routine in listed), default=0)
    for routine in listed:
        failed = routine.last is not None and not routine.last.ok
        how = f" (last time: {routine.last.text})" if routine.last and failed else ""
        print_reply(f"{routine.id:>{width}}  {_when(routine, place)}  {routine.text}{how}")
    if not listed:
        print("Nothing is planned.")
    return 0


def _when(routine: Routine, place: Place) -> str:
    if routine.paused:
        return "paused          "
    return f"{routine.next.astimezone(place.zone):%Y-%m-%d %H:%M}" if routine.next else "when it happens "


def _cancel(options: argparse.Namespace, book: RoutineBook, _place: Place) -> int:
    [gone] = book.cancel([_one(options, book)])
    print_reply(f"Cancelled: {gone.text}.")
    return 0


def _skip(options: argparse.Namespace, book: RoutineBook, place: Place) -> int:
    left = book.skip(_one(options, book))
    print_reply(
        f"Skipped. The next time is {_when(left, place)}." if left else "Cancelled: it had no further time."
    )
    return 0


def _pause(options: argparse.Namespace, book: RoutineBook, _place: Place) -> int:
    only = [_one(options, book)] if options.id is not None else None
    changed = len(book.pause(paused=options.action == "pause", routines=only))
    print(f"{changed} routine{'' if changed == 1 else 's'} {options.action}d.")
    return 0


def _one(options: argparse.Namespace, book: RoutineBook) -> Routine:
    matching = [routine for routine in book.all() if routine.id == options.id]
    if not matching:
        raise GatewayError(f"there is no routine {options.id}")
    return matching[0]


_ACTIONS = {"list": _list, "cancel": _cancel, "skip": _skip, "pause": _pause, "resume": _pause}
