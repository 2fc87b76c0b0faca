"""`voice-gateway permit`: what the owner allows or forbids a tool or a device, in the settings file."""

import argparse
import sys

from voice_gateway.channels.terminal import print_json
from voice_gateway.cli.command import ask_running, loaded, print_table, settings_file
from voice_gateway.cli.parser import Parser
from voice_gateway.config.permits import DEFAULT, Permits
from voice_gateway.config.tree import PERMITS
from voice_gateway.errors import ConfigError

MEANING = {
    "always": "it runs without a question",
    "ask": "it asks first",
    "pin": "it asks first, with the PIN where one is set",
    "never": "every call is refused",
    DEFAULT: "the gateway decides, by its risk",
}


def arguments(command: Parser) -> None:
    command.add_argument(
        "name", metavar="TOOL|DEVICE", nargs="?", help="its name; without one, all are listed"
    )
    command.add_argument("permit", nargs="?", choices=(*PERMITS, DEFAULT), help="what it may do")


async def permit(options: argparse.Namespace) -> int:
    if options.name is not None and options.permit is not None:
        name = " ".join(options.name.split())
        asked = {"op": "permit", "name": name, "permit": options.permit}
        if (answer := await ask_running(options, asked)) is None:
            Permits(loaded(options).settings.permission, settings_file(options)).set(name, options.permit)
        elif "problem" in answer:
            raise ConfigError(answer["problem"])
        print(f"{name}: {MEANING[options.permit]}", file=sys.stderr)
        return 0
    permits = loaded(options).settings.permission.permit
    if options.name is not None:
        raise ConfigError(f"permit {options.name}: one of {', '.join((*PERMITS, DEFAULT))} is missing")
    if options.json:
        print_json(dict(permits))
    elif not permits:
        print("Nothing is permitted or forbidden by name; the gateway decides, by its risk.", file=sys.stderr)
    else:
        print_table(("name", "permit", ""), [(name, kind, MEANING[kind]) for name, kind in permits.items()])
    return 0
