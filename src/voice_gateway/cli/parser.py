"""The command line: every command by name, the options they share, one line for each mistake."""

import argparse
import importlib
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NoReturn

from voice_gateway import __version__

PROGRAM = "voice-gateway"
TOOL_ACTIONS = ("list", "show", "call", "approve")
# By name: the module, with a function of its name and its arguments, and the line of `--help`.
COMMANDS = {
    "run": ("run", "start the gateway; answer what is typed or piped in"),
    "chat": ("run", "answer each line of the input, then end"),
    "ask": ("ask", "answer one question"),
    "undo": ("undo", "take back what was done last"),
    "routines": ("routines", "what is planned: list, add, cancel, skip, run, pause, resume"),
    "turns": ("turns", "what was said and done: list, show, delete"),
    "replay": ("replay", "run a recorded turn again, and show what is different now"),
    "tools": ("tools", "list, show and call tools"),
    "permit": ("permit", "what a tool or a device may do: always, ask, pin or never"),
    "mcp": ("mcp", "MCP servers: list, login, logout"),
    "config": ("config", "show, check, set, edit, init"),
    "doctor": ("doctor", "check everything, and say what to do"),
    "status": ("status", "how each part of the running gateway is"),
    "web": ("web", "the token that other machines need: token, revoke"),
    "talk": ("talk", "push to talk: the running gateway listens now"),
    "say": ("say", "speak a text"),
    "listen": ("listen", "take a recording as if it were spoken"),
}
# The option that takes the words of a command, also words that follow another option.
WORDS_OF = {"ask": "text", "say": "text", "tools": "pairs", "routines": "text"}

EXAMPLES = """\
examples:
  voice-gateway run                                  start; type to it; `quit` ends
  voice-gateway ask "turn on the floor lamp"         one question, one answer
  voice-gateway undo                                 take back what the last ask did
  voice-gateway run --voice                          talk to it: "hey jarvis, what time is it"
  voice-gateway routines                             what is planned, and when it comes next
  voice-gateway turns --search lamp                  what was said and done, and why
  voice-gateway tools                                what it can do, and where each tool comes from
  voice-gateway tools call control_zwave_device deviceName="floor lamp" action=on
  voice-gateway doctor                               check everything, and say what to do
  voice-gateway permit "Relay 3" pin                 ask, with the PIN, before it moves
  voice-gateway config set brain.room kitchen        change one setting, and keep your comments

Settings: --config FILE, else $VOICE_GATEWAY_CONFIG, else the file that `config init` writes.
docs/configuration.md lists them all.
"""


class Parser(argparse.ArgumentParser):
    """Mistakes are one line and exit code 2."""

    def __init__(self, **options: Any) -> None:
        super().__init__(allow_abbrev=False, **options)

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{PROGRAM}: {message} (see {self.prog} --help)\n")

    def actions(self, *, required: bool = False) -> Callable[..., "Parser"]:
        """A function that adds an action of this command: its name, its help, and more for argparse."""
        actions = self.add_subparsers(dest="action", metavar="ACTION", parser_class=Parser, required=required)
        shared = _shared_options()

        def add(name: str, help: str, **more: Any) -> Parser:  # noqa: A002 (argparse's own name)
            return actions.add_parser(name, parents=[shared], help=help, **more)

        return add


def count(text: str) -> int:
    """An argument type: a number from 1 on."""
    if text.isascii() and text.isdigit() and int(text[:9]) > 0:
        return int(text[:9])
    raise argparse.ArgumentTypeError("must be a number from 1 on")


def command_module(name: str) -> Any:
    return importlib.import_module(f"voice_gateway.cli.{COMMANDS[name][0]}")


def parser(words: Sequence[str] = ()) -> Parser:
    """With the arguments of those commands whose names are among the words: only they are imported."""
    shared = _shared_options()
    top = Parser(
        prog=PROGRAM,
        description="A local-first voice gateway: it acts through tools and never claims what it did not do.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        parents=[shared],
    )
    top.add_argument("--version", action="version", version=f"{PROGRAM} {__version__}")
    commands = top.add_subparsers(dest="command", metavar="COMMAND", parser_class=Parser)
    for name, (_module, line) in COMMANDS.items():
        command = commands.add_parser(name, parents=[shared], help=line)
        if name in words and (arguments := getattr(command_module(name), "arguments", None)) is not None:
            arguments(command)
    return top


def _shared_options() -> Parser:
    """Accepted before and after any command. SUPPRESS: an absent one does not undo a given one; `parsed` sets
    the defaults."""
    shared = Parser(add_help=False, argument_default=argparse.SUPPRESS)
    shared.add_argument("--config", type=Path, metavar="FILE", help="settings file")
    shared.add_argument("--json", action="store_true", help="print JSON on stdout, for scripts")
    shared.add_argument(
        "--provider",
        choices=("local", "ollama", "anthropic"),
        help="who answers what is not understood without a model",
    )
    shared.add_argument(
        "--log-level",
        choices=("debug", "info", "warning", "error"),
        help="how much to log, on stderr (without it a terminal shows no logs: `status` says where they are)",
    )
    shared.add_argument("--debug", action="store_true", help="log everything on stderr, with tracebacks")
    shared.add_argument("--no-color", action="store_true", help="no colours, as with NO_COLOR")
    return shared


def parsed(argv: Sequence[str] | None) -> argparse.Namespace:
    """Words may also follow an option, where argparse loses them: `tools call NAME --json key=value`."""
    words = list(sys.argv[1:] if argv is None else argv)
    if "tools" in words[:-1]:  # `tools NAME` is short for `tools show NAME`
        place = words.index("tools") + 1
        if not words[place].startswith("-") and words[place] not in TOOL_ACTIONS:
            words.insert(place, "show")
    top = parser(words)
    shared = dict.fromkeys(("config", "provider", "log_level")) | dict.fromkeys(
        ("json", "debug", "no_color"), False
    )
    options, rest = top.parse_known_args(words)
    options = argparse.Namespace(**{**shared, **vars(options)})
    taken = WORDS_OF.get(options.command or "")
    if rest and taken and hasattr(options, taken) and not any(word.startswith("-") for word in rest):
        getattr(options, taken).extend(rest)
    elif rest:
        top.error(f"unknown option or argument: {' '.join(rest)}")
    return options
