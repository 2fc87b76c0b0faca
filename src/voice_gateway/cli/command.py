"""What commands share: the settings that their options choose, and the running gateway."""

import argparse
import sys
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from voice_gateway.channels.control import Silent, greet, request
from voice_gateway.channels.terminal import painted, printable
from voice_gateway.cli.parser import PROGRAM
from voice_gateway.config import Loaded, control_file, conversations_file, data_folder, load, named_file
from voice_gateway.config.folders import user_file
from voice_gateway.errors import LinkError
from voice_gateway.interruption import Interruption
from voice_gateway.logs import one_line

if TYPE_CHECKING:
    from voice_gateway.app import Gateway

UNWRAPPED = 10_000  # characters of a line in a pipe
LONGEST_NAME = 34  # of a tool, in a column
BOLD = "1"


def loaded(options: argparse.Namespace) -> Loaded:
    overrides: dict[str, Any] = {}
    if provider := options.provider:
        overrides["brain.provider"] = provider
    if room := getattr(options, "room", None):
        overrides["brain.room"] = room
    if language := getattr(options, "language", None):
        overrides["brain.languages"] = [language, "en"]
    settings = load(named_file(options.config), overrides=overrides)
    if settings.readable:
        advice = f"{readable_by_others(settings)} `chmod 600` for that file ends that."
        print(f"{PROGRAM}: {advice}", file=sys.stderr)
    return settings


def readable_by_others(settings: Loaded) -> str:
    return one_line(f"Others can read {settings.file}, and it holds {settings.readable}.")


def settings_file(options: argparse.Namespace) -> Path:
    """The file that a command changes."""
    return named_file(options.config) or user_file()


def print_table(
    titles: Sequence[str], rows: Sequence[Sequence[str]], dim: Sequence[bool] = (), *, width: int = 0
) -> None:
    """A plain table on stdout; the rows whose `dim` is true are greyed out. In a pipe, lines are not wrapped.

    The first column has at least this width."""
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold", show_header=any(titles))
    for number, title in enumerate(titles):
        table.add_column(printable(title), overflow="fold", min_width=0 if number else width)
    for row, grey in zip(rows, dim or [False] * len(rows), strict=True):
        table.add_row(*map(printable, row), style="dim" if grey else "")
    console = Console(highlight=False, markup=False, width=None if sys.stdout.isatty() else UNWRAPPED)
    console.print(table)


def print_groups(rows: Sequence[tuple[str, str, str]]) -> None:
    """A heading for each group, and below it for each row its name and what is known about it."""
    width = min(LONGEST_NAME, max((len(name) for _, name, _ in rows), default=0))
    for group in dict.fromkeys(row[0] for row in rows):
        print(painted(printable(group), BOLD, sys.stdout), flush=True)
        print_table(("", ""), [row[1:] for row in rows if row[0] == group], width=width)


async def ask_running(options: argparse.Namespace, message: dict[str, Any]) -> Any:
    """Its answer, or None when none is running that this command may speak for.

    Once the request is sent, no answer is an error: doing it a second time here could act twice.
    """
    if not await _speaks_for(options):
        return None
    return await request(control_file(), message)


async def by_gateway(
    options: argparse.Namespace,
    message: dict[str, Any],
    *,
    first: "Callable[[Gateway], Awaitable[None]] | None" = None,
) -> dict[str, Any]:
    """The answer of the running gateway, else that of one that is opened for this request.

    `first` is called with a gateway of our own before it gets the request.
    """
    if (answer := await ask_running(options, message)) is not None:
        return dict(answer)
    from voice_gateway.app import opened
    from voice_gateway.app.control_api import ControlApi
    from voice_gateway.conversation.store import SqliteStore

    # Conversations are kept in a file: the next `ask --conversation` is another process.
    store = SqliteStore(conversations_file())
    async with opened(loaded(options).settings, store=store) as gateway:
        if first is not None:
            await first(gateway)
        return dict(await ControlApi(gateway).operations()[message["op"]](message, Interruption()))


async def _speaks_for(options: argparse.Namespace) -> bool:
    """Settings given on this command line are meant for this command, unless they name the very file that the
    running gateway uses. A gateway with another data folder is another home."""
    if options.provider:
        return False
    try:
        hello = await greet(control_file())
    except Silent:
        raise  # a second gateway beside one that only sleeps could act twice
    except LinkError:
        return False
    config = named_file(options.config)
    same_config = config is None or hello["config"] == str(config.resolve())
    return bool(same_config and hello["data_folder"] == str(data_folder()))
