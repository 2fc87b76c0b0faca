"""The words of the command line: one parser for all commands, one line for each mistake."""

import argparse
import contextlib
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

from voice_gateway import __version__

PROGRAM = "voice-gateway"
TOOL_ACTIONS = ("list", "show", "call")

EXAMPLES = """\
examples:
  voice-gateway run                                  start; type to it; `quit` ends
  voice-gateway ask "turn on the floor lamp"         one question, one answer
  voice-gateway ask --json "is the front door locked"
  voice-gateway ask --explain "dim it to half" --conversation kitchen
  voice-gateway undo                                 take back what the last ask did
  voice-gateway chat --json < lines.txt              one JSON object for each line
  voice-gateway run --voice                          talk to it: "hey jarvis, what time is it"
  voice-gateway listen session.wav                   a recording, as if it were spoken
  voice-gateway say "the kitchen light is on"        hear its voice
  voice-gateway routines                             what is planned, and when it comes next
  voice-gateway turns --search lamp                  what was said and done, and why
  voice-gateway tools                                what it can do, and where each tool comes from
  voice-gateway tools control_zwave_device           all about one tool
  voice-gateway tools call control_zwave_device deviceName="floor lamp" action=on
  voice-gateway resources                            what MCP servers have to read
  voice-gateway prompts                              their prompts, and what you say to run one
  voice-gateway doctor                               check everything, and say what to do
  voice-gateway config init                          write a commented voice-gateway.toml
  voice-gateway config set brain.room kitchen        change one setting, and keep your comments
  voice-gateway config show                          every setting, and where it came from

Settings: --config FILE, else $VOICE_GATEWAY_CONFIG, else the file that `config init` writes.
docs/configuration.md lists them all.
"""

CALL_EXAMPLES = """\
examples:
  voice-gateway tools call get_current_datetime timezone=Asia/Tokyo
  voice-gateway tools call control_speaker_volume --args '{"action": "set", "level": 30}'
  voice-gateway tools call search_web query="weather in Oslo" --timeout 5 --json

--save DIR keeps the pictures, sounds and files that a tool gives.
Exit code: 0 when the tool succeeded, 1 when it did not, 2 for wrong usage or configuration.
"""


class Parser(argparse.ArgumentParser):
    """Mistakes are one line and exit code 2."""

    def __init__(self, **options: Any) -> None:
        super().__init__(allow_abbrev=False, **options)

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{PROGRAM}: {message} (see {self.prog} --help)\n")


def parser() -> Parser:
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
    run = commands.add_parser(
        "run", parents=[shared], help="start the gateway; answer what is typed or piped in"
    )
    run.add_argument("--voice", action="store_true", help="listen and speak, too")
    chat = commands.add_parser("chat", parents=[shared], help="answer each line of the input, then end")
    for one in (run, chat):
        one.add_argument("--room", help='where you are; settles "turn on the light"')
    _add_ask(commands, shared)
    _add_undo(commands, shared)
    _add_routines(commands, shared)
    _add_turns(commands, shared)
    _add_replay(commands, shared)
    _add_tools(commands, shared)
    _add_mcp(commands, shared)
    _add_catalogue(commands, shared)
    _add_config(commands, shared)
    doctor = commands.add_parser("doctor", parents=[shared], help="check everything, and say what to do")
    doctor.add_argument("--online", action="store_true", help="also try the cloud key with a request")
    doctor.add_argument(
        "--lines",
        action="store_true",
        help="a JSON object for each check, in a line of its own, as it is found",
    )
    commands.add_parser("status", parents=[shared], help="how each part of the running gateway is")
    _add_web(commands, shared)
    _add_hearing(commands, shared)
    _add_voice(commands, shared)
    return top


def _add_turns(commands: "argparse._SubParsersAction[Parser]", shared: Parser) -> None:
    turns = commands.add_parser(
        "turns", parents=[shared], help="what was said and done: list, show, export, delete"
    )
    actions = turns.add_subparsers(dest="action", metavar="ACTION", parser_class=Parser)
    listed = actions.add_parser(
        "list",
        parents=[shared],
        argument_default=argparse.SUPPRESS,  # an absent one does not undo what was given before `list`
        help="the last ones, newest first (the default)",
    )
    for one in (turns, listed):
        one.add_argument("--search", metavar="WORD", nargs="+", help="only those with all of these words")
        one.add_argument("--limit", type=_count, metavar="N", help="how many (default 50; 1000 with --json)")
    turns.set_defaults(search=[])
    show = actions.add_parser("show", parents=[shared], help="one turn, step by step")
    export = actions.add_parser("export", parents=[shared], help="one turn as JSON, or as a line for a test")
    export.add_argument("--as-test", action="store_true", help="a line for tests/eval/utterances.txt")
    export.add_argument("--wav", metavar="FILE", help="its recording, where recorder.audio kept it")
    delete = actions.add_parser("delete", parents=[shared], help="forget one turn, or all")
    delete.add_argument("--all", action="store_true", help="forget every turn")
    for one in (show, export):
        one.add_argument(
            "id", metavar="ID", help="as `voice-gateway turns` shows it; its beginning is enough"
        )
    delete.add_argument("id", nargs="?", metavar="ID", help="which one")


def _count(text: str) -> int:
    if text.isascii() and text.isdigit() and int(text[:9]) > 0:
        return int(text[:9])
    raise argparse.ArgumentTypeError("must be a number from 1 on")


def _add_replay(commands: "argparse._SubParsersAction[Parser]", shared: Parser) -> None:
    replay = commands.add_parser(
        "replay",
        parents=[shared],
        help="run recorded turns again, and show what is different now",
        description="With today's settings, against the recorded tool results: no server is asked, nothing "
        "is switched. Exit code 0: nothing is different; 1: something is.",
    )
    replay.add_argument("id", nargs="?", metavar="ID", help="as `voice-gateway turns` shows it")
    replay.add_argument("--since", metavar="TIME", help="all turns of this time, such as 7d or 12h")


def _shared_options() -> Parser:
    """Accepted before and after any subcommand; SUPPRESS, so that an absent one does not undo a given one."""
    shared = Parser(add_help=False, argument_default=argparse.SUPPRESS)
    shared.add_argument("--config", type=Path, metavar="FILE", help="settings file")
    shared.add_argument("--json", action="store_true", help="print JSON on stdout, for scripts")
    shared.add_argument(
        "--provider",
        choices=("local", "ollama", "anthropic"),
        help="who answers what the local brain does not",
    )
    shared.add_argument(
        "--log-level",
        choices=("debug", "info", "warning", "error"),
        help="how much to log, on stderr (without it a terminal shows no logs: `status` says where they are)",
    )
    shared.add_argument("--debug", action="store_true", help="log everything on stderr, with tracebacks")
    shared.add_argument("--no-color", action="store_true", help="no colours, as with NO_COLOR")
    return shared


def _add_ask(commands: "argparse._SubParsersAction[Parser]", shared: Parser) -> None:
    ask = commands.add_parser(
        "ask",
        parents=[shared],
        help="answer one question",
        description="Print one answer on stdout. Exit code 0: answered, and no tool call failed; else 1.",
    )
    ask.add_argument("text", nargs="+", help="what to say")
    ask.add_argument(
        "--conversation", metavar="ID", help="which conversation this belongs to (default: the last one)"
    )
    ask.add_argument("--room", help='where you are; settles "turn on the light"')
    ask.add_argument("--explain", action="store_true", help="say on stderr which stage answered, and why")


def _add_web(commands: "argparse._SubParsersAction[Parser]", shared: Parser) -> None:
    web = commands.add_parser(
        "web", parents=[shared], help="the token that other machines need: token, revoke"
    )
    actions = web.add_subparsers(dest="action", metavar="ACTION", parser_class=Parser, required=True)
    actions.add_parser("token", parents=[shared], help="make one and show it, this once; the old one is void")
    actions.add_parser("revoke", parents=[shared], help="make the token void, at once")


def _add_undo(commands: "argparse._SubParsersAction[Parser]", shared: Parser) -> None:
    undo = commands.add_parser(
        "undo",
        parents=[shared],
        help="take back what was done last",
        description="Take back what the last `ask` of the past hour did, or the one before if that was taken "
        "back already. Prints what `ask` prints. Exit code 0: taken back, or a question first; else 1.",
    )
    undo.add_argument("--conversation", metavar="ID", help="only what was done in this conversation")


def _add_routines(commands: "argparse._SubParsersAction[Parser]", shared: Parser) -> None:
    routines = commands.add_parser(
        "routines", parents=[shared], help="what is planned: list, add, cancel, skip, run, pause, resume"
    )
    actions = routines.add_subparsers(dest="action", metavar="ACTION", parser_class=Parser)
    actions.add_parser("list", parents=[shared], help="what is planned, the next first (the default)")
    add = actions.add_parser("add", parents=[shared], help="keep a command with a time or an event in it")
    add.add_argument("text", nargs="+", help='for example "turn off the floor lamp every day at 11 pm"')
    for name, does in (
        ("cancel", "forget this one"),
        ("skip", "leave out its next time"),
        ("run", "do it now"),
    ):
        one = actions.add_parser(name, parents=[shared], help=does)
        one.add_argument("id", type=int, metavar="ID", help="as `voice-gateway routines` shows it")
    for name, does in (("pause", "start none until resume (vacation)"), ("resume", "start them again")):
        several = actions.add_parser(name, parents=[shared], help=does)
        several.add_argument("id", type=int, nargs="?", metavar="ID", help="only this one")
    actions.add_parser("export", parents=[shared], help="all of them as TOML on stdout")
    taken = actions.add_parser("import", parents=[shared], help="keep those of a TOML file")
    taken.add_argument("file", metavar="FILE", help="as `export` wrote it; - is stdin")


def _add_tools(commands: "argparse._SubParsersAction[Parser]", shared: Parser) -> None:
    tools = commands.add_parser("tools", parents=[shared], help="list, show, call and check tools")
    actions = tools.add_subparsers(dest="action", metavar="ACTION", parser_class=Parser)
    actions.add_parser("list", parents=[shared], help="the tools, and where they come from (the default)")
    show = actions.add_parser("show", parents=[shared], help="all about one tool; also `tools NAME`")
    show.add_argument("name", metavar="NAME", help="the tool, as `voice-gateway tools` shows it")
    call = actions.add_parser(
        "call",
        parents=[shared],
        help="run one tool",
        epilog=CALL_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    call.add_argument("name", metavar="NAME", help="the tool, as `voice-gateway tools` shows it")
    call.add_argument("pairs", metavar="key=value", nargs="*", default=[], help="arguments by name")
    call.add_argument("--args", metavar="JSON", help="all arguments as one JSON object")
    call.add_argument("--timeout", type=float, metavar="SECONDS", help="limit of this call")
    call.add_argument("--save", metavar="DIR", help="keep its pictures, sounds and files in this folder")


def _add_mcp(commands: "argparse._SubParsersAction[Parser]", shared: Parser) -> None:
    mcp = commands.add_parser("mcp", parents=[shared], help="the tool servers that are set up")
    actions = mcp.add_subparsers(dest="action", metavar="ACTION", parser_class=Parser)
    actions.add_parser("list", parents=[shared], help="each server, and where it was set up (the default)")
    login = actions.add_parser("login", parents=[shared], help="log in at a server, with a browser")
    login.add_argument("name", metavar="NAME", help="the server, as `voice-gateway mcp` shows it")
    login.add_argument("--client-id", metavar="ID", help="as which client, where a server registers none")
    login.add_argument("--port", type=int, default=0, help="of this machine, to which the browser comes back")
    logout = actions.add_parser("logout", parents=[shared], help="forget the login at a server")
    logout.add_argument("name", metavar="NAME", help="the server")


def _add_catalogue(commands: "argparse._SubParsersAction[Parser]", shared: Parser) -> None:
    resources = commands.add_parser(
        "resources", parents=[shared], help="what MCP servers have to read: list, read"
    )
    actions = resources.add_subparsers(dest="action", metavar="ACTION", parser_class=Parser)
    actions.add_parser("list", parents=[shared], help="their addresses, templates included (the default)")
    read = actions.add_parser("read", parents=[shared], help="print one, or keep it as a file")
    read.add_argument("uri", metavar="URI", help="as `voice-gateway resources` shows it")
    read.add_argument("--server", metavar="NAME", help="whose it is, where several have it")
    read.add_argument("--save", metavar="DIR", help="keep it in this folder")
    prompts = commands.add_parser("prompts", parents=[shared], help="prompts of MCP servers: list, get")
    actions = prompts.add_subparsers(dest="action", metavar="ACTION", parser_class=Parser)
    actions.add_parser("list", parents=[shared], help="their names, and what one says (the default)")
    get = actions.add_parser("get", parents=[shared], help="what a prompt says")
    get.add_argument("name", metavar="NAME", help="as `voice-gateway prompts` shows it")
    get.add_argument("pairs", metavar="key=value", nargs="*", default=[], help="arguments by name")
    get.add_argument("--args", metavar="JSON", help="all arguments as one JSON object")


def _add_config(commands: "argparse._SubParsersAction[Parser]", shared: Parser) -> None:
    config = commands.add_parser("config", parents=[shared], help="show, check, set, edit, init")
    actions = config.add_subparsers(dest="action", metavar="ACTION", parser_class=Parser)
    actions.add_parser(
        "show", parents=[shared], help="every setting, its value and where it came from (the default)"
    )
    actions.add_parser("check", parents=[shared], help="exit code 0 when all is well, 2 when not")
    actions.add_parser("path", parents=[shared], help="the file in use; exit code 1 when there is none")
    change = actions.add_parser("set", parents=[shared], help="change one setting in the settings file")
    change.add_argument("key", metavar="KEY", help="as `config show` has it, such as brain.room")
    change.add_argument("value", metavar="VALUE", help='its value; lists as "a, b"; "" for none')
    actions.add_parser("edit", parents=[shared], help="open the settings file in $EDITOR, and check it")
    init = actions.add_parser("init", parents=[shared], help="write a commented settings file")
    init.add_argument("--force", action="store_true", help="write over an existing file")


def _add_hearing(commands: "argparse._SubParsersAction[Parser]", shared: Parser) -> None:
    transcribe = commands.add_parser("transcribe", parents=[shared], help="what is said in a WAV file")
    transcribe.add_argument("file", metavar="FILE", help="a WAV file of any rate")
    audio = commands.add_parser("audio", parents=[shared], help="list and test sound devices")
    actions = audio.add_subparsers(dest="action", metavar="ACTION", parser_class=Parser)
    actions.add_parser("list", parents=[shared], help="microphones and loudspeakers (the default)")
    test = actions.add_parser("test", parents=[shared], help="record, show the level, and play it back")
    test.add_argument("--seconds", type=_seconds, default=3.0, metavar="N", help="how long (default 3)")


def _seconds(text: str) -> float:
    with contextlib.suppress(ValueError):
        if 0 < (seconds := float(text)) <= 600:
            return seconds
    raise argparse.ArgumentTypeError("must be a number of seconds, at most 600")


def _add_voice(commands: "argparse._SubParsersAction[Parser]", shared: Parser) -> None:
    commands.add_parser("talk", parents=[shared], help="push to talk: the running gateway listens now")
    say = commands.add_parser("say", parents=[shared], help="speak a text")
    say.add_argument("text", nargs="+", help="what to say")
    say.add_argument("--out", metavar="FILE", help="write a WAV file instead")
    listen = commands.add_parser(
        "listen",
        parents=[shared],
        help="take a recording as if it were spoken",
        description="Print each stage with its time; --json: one object for each turn. "
        "Exit code 0: something was heard, and all of it was answered well; else 1.",
    )
    listen.add_argument("file", metavar="FILE.wav", help="a recording: wake word, then a command")
    listen.add_argument("--out", metavar="FILE", help="keep the spoken answer in a WAV file")
    listen.add_argument("--no-wake", action="store_true", help="the whole recording is one command")
    listen.add_argument("--paced", action="store_true", help="in real time, not as fast as possible")


def _with_show(argv: Sequence[str]) -> list[str]:
    """`tools NAME` is short for `tools show NAME`."""
    words = list(argv)
    if "tools" in words[:-1]:
        place = words.index("tools") + 1
        if not words[place].startswith("-") and words[place] not in TOOL_ACTIONS:
            words.insert(place, "show")
    return words


# Where the words of a command are kept.
WORDS_OF = {"ask": "text", "say": "text", "tools": "pairs", "prompts": "pairs", "routines": "text"}


def parsed(argv: Sequence[str] | None) -> argparse.Namespace:
    """Words may also stand behind an option, where argparse loses them: `tools call NAME --json key=value`"""
    top = parser()
    options, rest = top.parse_known_args(_with_show(sys.argv[1:] if argv is None else argv))
    words = WORDS_OF.get(options.command or "")
    if rest and words and hasattr(options, words) and not any(word.startswith("-") for word in rest):
        getattr(options, words).extend(rest)
    elif rest:
        top.error(f"unknown option or argument: {' '.join(rest)}")
    return options
