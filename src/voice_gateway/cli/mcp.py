"""`voice-gateway mcp`: the tool servers that are set up, and the logins at them."""

import argparse
from collections.abc import Awaitable, Callable

from voice_gateway.channels.terminal import print_json, printable
from voice_gateway.cli.command import loaded, wants_json
from voice_gateway.cli.config import servers_shown
from voice_gateway.cli.login import login, logout


async def mcp(options: argparse.Namespace) -> int:
    actions: dict[str | None, Callable[[argparse.Namespace], Awaitable[int]]] = {
        None: _list,
        "list": _list,
        "login": login,
        "logout": logout,
    }
    return await actions[options.action](options)


async def _list(options: argparse.Namespace) -> int:
    """As the settings have them; how they are doing `voice-gateway status` says."""
    found = loaded(options)
    rows = [
        (name, words, found.origins.get(f"mcpServers.{name}", "default"))
        for name, words in servers_shown(found.settings).items()
    ]
    left_out = [one for one in found.settings.left_out if one.name]
    if wants_json(options):
        listed = [{"name": name, "reached": words, "origin": origin} for name, words, origin in rows]
        missing = [
            {"name": one.name, "reached": None, "origin": str(one.file), "left_out": one.reason}
            for one in left_out
        ]
        print_json([*listed, *missing])
        return 0
    rows += [(one.name, f"left out: {one.reason}", str(one.file)) for one in left_out]
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in ("server", "reached by", "from"):
        table.add_column(column, overflow="fold")
    for row in rows:
        table.add_row(*map(printable, row))
    Console().print(table)
    return 0
