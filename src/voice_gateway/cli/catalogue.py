"""What `resources` and `prompts` share: who is asked, and how a list is shown."""

import argparse
import sys
from collections.abc import Sequence
from typing import Any

from voice_gateway.channels.terminal import printable
from voice_gateway.cli.command import ask_running, loaded
from voice_gateway.cli.parser import PROGRAM
from voice_gateway.logs import one_line

ENDLESS = 10_000  # characters: whoever reads a pipe wraps lines for himself


async def asked(options: argparse.Namespace, message: dict[str, Any]) -> dict[str, Any]:
    """By the running gateway, if there is one; else the servers are connected for this question."""
    if (answer := await ask_running(options, message)) is not None:
        return dict(answer)
    from voice_gateway.app import opened
    from voice_gateway.app.catalogue import catalogue_request

    async with opened(loaded(options).settings) as gateway:
        await gateway.linked()
        return await catalogue_request(gateway, message)


def columns(rows: Sequence[tuple[str, str, str]]) -> None:
    """By server: what it is called, and what is said of it."""
    from rich.console import Console
    from rich.padding import Padding
    from rich.table import Table
    from rich.text import Text

    console = Console(highlight=False)
    console = console if console.is_terminal else Console(highlight=False, width=ENDLESS)
    for server in dict.fromkeys(row[0] for row in rows):
        console.print(Text(f"the server {printable(server)}", "bold"))
        table = Table.grid(padding=(0, 2, 0, 0))
        table.add_column(overflow="fold")
        table.add_column()
        for _, called, about in (row for row in rows if row[0] == server):
            table.add_row(Text(printable(called), "cyan"), Text(printable(about)))
        console.print(Padding(table, (0, 0, 0, 2), expand=False))


def printed_problems(answer: dict[str, Any]) -> int:
    for problem in answer["problems"]:
        print(f"{PROGRAM}: {one_line(problem)}", file=sys.stderr)
    return 1 if answer["problems"] else 0
