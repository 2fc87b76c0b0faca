"""`voice-gateway routines`: what is planned, with or without a running gateway, and changes to it."""

import argparse
from collections.abc import Sequence

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
        if action == "list":
            _list(book.store.all(), place, as_json=options.json)
        else:
            print_reply(_changed(book, place, action, options.id))
    except ToolError as error:
        raise GatewayError(str(error)) from error
    return 0


def _list(listed: Sequence[Routine], place: Place, *, as_json: bool) -> None:
    if as_json:
        print_json([routine.to_json(place.zone) for routine in listed])
        return
    for routine in listed:
        failed = f" (last time: {routine.last.text})" if routine.last and not routine.last.ok else ""
        print_reply(f"{routine.id:>4}  {_when(routine, place)}  {routine.text}{failed}")
    if not listed:
        print("Nothing is planned.")


def _when(routine: Routine, place: Place) -> str:
    if routine.paused:
        return "paused          "
    return f"{routine.next.astimezone(place.zone):%Y-%m-%d %H:%M}" if routine.next else "when it happens "


def _changed(book: RoutineBook, place: Place, action: str, number: int | None) -> str:
    """Does the action, and returns what to say of it."""
    only = [routine for routine in book.store.all() if routine.id == number]
    if number is not None and not only:
        raise GatewayError(f"there is no routine {number}")
    if action == "cancel":
        return f"Cancelled: {book.cancel(only)[0].text}."
    if action == "skip":
        left = book.skip(only[0])
        return (
            f"Skipped. The next time is {_when(left, place)}." if left else "Cancelled: it was the last time."
        )
    changed = len(book.pause(paused=action == "pause", routines=only or None))
    return f"{changed} routine{'' if changed == 1 else 's'} {action}d."
