"""`voice-gateway tools`: list, show and call tools."""

import argparse
import json
import sys
from collections.abc import Mapping
from time import perf_counter
from typing import TYPE_CHECKING, Any

from voice_gateway.channels.terminal import print_json, print_reply, printable
from voice_gateway.cli.command import by_gateway, loaded, print_groups, print_table
from voice_gateway.cli.parser import Parser
from voice_gateway.config import data_folder
from voice_gateway.errors import ConfigError, ErrorKind, GatewayError, LinkError
from voice_gateway.tools.masking import shorten
from voice_gateway.tools.schema import kind_of, properties_of, required_of
from voice_gateway.turn import ToolOutcome, new_id

if TYPE_CHECKING:
    from voice_gateway.app import Gateway

RUNNING = "The tools of the running gateway:"
ALONE = "No gateway is running; one would have these:"
CALL_EXAMPLES = """\
examples:
  voice-gateway tools call get_current_datetime timezone=Asia/Tokyo
  voice-gateway tools call control_speaker_volume --args '{"action": "set", "level": 30}'
  voice-gateway tools call search_web query="weather in Oslo" --timeout 5 --json

Exit code: 0 when the tool succeeded, 1 when it did not, 2 for wrong usage or configuration.
"""
RISKS = {
    "always": "It never asks (permit).",
    "unknown": "It asks first.",
    "sensitive": "It asks first, with the PIN where one is set.",
    "never": "It does not run (permit).",
}
LONGEST_TITLE, LONGEST_SUMMARY = 60, 200  # characters
FURTHER = "`voice-gateway tools NAME` shows one in detail."


def arguments(command: Parser) -> None:
    add = command.actions()
    add("list", "the tools, and where they come from (the default)")
    show = add("show", "all about one tool; also `tools NAME`")
    show.add_argument("name", metavar="NAME", help="the tool, as `voice-gateway tools` shows it")
    call = add(
        "call", "run one tool", epilog=CALL_EXAMPLES, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    call.add_argument("name", metavar="NAME", help="the tool, as `voice-gateway tools` shows it")
    call.add_argument("pairs", metavar="key=value", nargs="*", default=[], help="arguments by name")
    call.add_argument("--args", metavar="JSON", help="all arguments as one JSON object")
    call.add_argument("--timeout", type=float, metavar="SECONDS", help="limit of this call")
    add("approve", "let the files of `tools_dir` run as they are now")


async def tools(options: argparse.Namespace) -> int:
    if options.action == "call":
        return await _call(options)
    if options.action == "approve":
        return _approve(options)
    action = options.action or "list"
    asked = {"op": "tools", "action": action, "name": getattr(options, "name", None)}
    heading = RUNNING

    async def link(gateway: "Gateway") -> None:
        nonlocal heading
        heading = ALONE
        await gateway.linked(installed=True)

    answer = await by_gateway(options, asked, first=link)
    if "unknown" in answer:
        raise GatewayError(answer["unknown"])
    if options.json:
        listed = [record["tool"] for record in answer["tools"]]
        print_json(listed[0] if action == "show" else listed)
    elif action == "show":
        show_one(answer["tools"][0])
    else:
        print(heading, file=sys.stderr)
        if answer["silent"]:
            print(f"Not connected, so without its tools: {', '.join(answer['silent'])}.", file=sys.stderr)
        print_groups(
            [(record["origin"], record["tool"]["name"], _about(record)) for record in answer["tools"]]
        )
        if sys.stdout.isatty():
            print(FURTHER)
    return 0


def _approve(options: argparse.Namespace) -> int:
    from voice_gateway.tools.own_tools import APPROVED_FILE, Approvals, tool_files

    folder = loaded(options).settings.tools.tools_dir
    if folder is None:
        raise ConfigError(
            "tools approve: no folder is set; `voice-gateway config set tools.tools_dir FOLDER`"
        )
    approvals = Approvals(data_folder() / APPROVED_FILE)
    try:
        files = tool_files(folder)
        approvals.approve(files)
    except OSError as error:
        raise GatewayError(f"{error.filename or folder}: {error.strerror or error}") from error
    if options.json:
        print_json({"approved": [str(file) for file in files]})
    else:
        print_table(("approved", ""), [(file.name, str(file.parent)) for file in files])
    print("A running gateway needs a restart for it.", file=sys.stderr)
    return 0


async def _call(options: argparse.Namespace) -> int:
    args = arguments_of(options)
    if options.timeout is not None and not options.timeout > 0:
        raise ConfigError(f"--timeout {options.timeout}: must be more than 0 seconds")
    message = {"op": "call", "name": options.name, "args": args, "timeout": options.timeout}
    started = perf_counter()
    try:
        outcome = await by_gateway(options, message)
    except LinkError as error:  # a running gateway that ends in the middle leaves an outcome, too
        seconds, text = perf_counter() - started, f"Error: {error}."
        lost = ToolOutcome(new_id(), options.name, text, False, seconds, args, ErrorKind.UNAVAILABLE)
        outcome = lost.to_json()
    if options.json:
        print_json(outcome)
    else:
        print_reply(outcome["text"])
    return 0 if outcome["ok"] else 1


def arguments_of(options: argparse.Namespace) -> dict[str, Any]:
    """Values stay text: the executor turns them into what the tool's own schema asks for."""
    args: dict[str, Any] = {}
    if options.args is not None:
        try:
            args = json.loads(options.args)
        except (ValueError, RecursionError) as error:
            raise ConfigError(f"--args is not valid JSON: {error}") from error
        if not isinstance(args, dict):
            raise ConfigError('--args must be a JSON object, such as \'{"action": "get"}\'')
    for pair in options.pairs:
        key, equals, value = pair.partition("=")
        if not equals or not key:
            raise ConfigError(f'"{pair}" is not key=value')
        if key in args:
            raise ConfigError(f'"{key}" is given twice')
        args[key] = value
    return args


# --- shown to people


def show_one(record: Mapping[str, Any]) -> None:
    tool, form = record["tool"], record["tool"]["parameters"]
    effect = "only looks" if tool["read_only"] else "changes something"
    required, properties = required_of(form), properties_of(form)
    rows = [
        (name, kind_of(shape, form), "needed" if name in required else "", _description(shape))
        for name, shape in properties.items()
    ]
    words = record["own_name"].replace("_", " ").replace("-", " ")
    title = _plain(record["title"]) or words[:1].upper() + words[1:]
    print_reply(f"{tool['name']}  {shorten(title, LONGEST_TITLE)}")
    print_reply(f"{_about(record)}\nOf {record['origin']}; it {effect}.\n")
    print_table(("parameter", "", "", ""), rows or [("none", "", "", "")])
    print_reply(f"\nWhat a model reads:\n{tool['description'].strip()}")


def _description(form: Any) -> str:
    about = form.get("description") if isinstance(form, Mapping) else None
    return about if isinstance(about, str) else ""


def _about(record: Mapping[str, Any]) -> str:
    """The sentence for people, else the first of the description for models; and what limits the tool."""
    first = record["tool"]["description"].strip().split("\n")[0]
    text = _plain(record["summary"]) or _plain(first).split(". ")[0]
    sentences = [shorten(f"{text.rstrip('.')}.", LONGEST_SUMMARY), RISKS.get(record["risk"], "")]
    sentences.append(f"Not offered to the model: {record['left_out']}" if record["left_out"] else "")
    return " ".join(filter(None, sentences))


def _plain(text: str) -> str:
    return " ".join(printable(text).split())
