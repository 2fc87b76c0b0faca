"""`voice-gateway permit`: what the owner allows or forbids a tool or a device, in the settings file."""

import argparse
import sys

from voice_gateway.channels.terminal import print_json
from voice_gateway.cli.command import loaded, print_table, settings_file
from voice_gateway.cli.parser import Parser
from voice_gateway.config.tree import PERMITS
from voice_gateway.errors import ConfigError

DEFAULT = "default"
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


def permit(options: argparse.Namespace) -> int:
    from voice_gateway.config.edit import set_value

    if options.name is not None and options.permit is not None:
        file = settings_file(options)
        name = " ".join(options.name.split())
        set_value(file, f"permission.permit.{name}", "" if options.permit == DEFAULT else options.permit)
        print(f"{name}: {MEANING[options.permit]}; a running gateway needs a restart for it", file=sys.stderr)
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
