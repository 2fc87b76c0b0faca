"""`voice-gateway tools`: list, show, call and check tools."""

import argparse
import json
import sys
from pathlib import Path
from time import perf_counter
from typing import Any

from voice_gateway.channels.progress_line import ProgressLine
from voice_gateway.channels.terminal import print_json, print_reply
from voice_gateway.cli.command import ask_running, loaded, wants_json
from voice_gateway.cli.parser import PROGRAM
from voice_gateway.cli.saved_files import print_saved, save
from voice_gateway.errors import ConfigError, ErrorKind, LinkError
from voice_gateway.logs import one_line
from voice_gateway.progress import listener, progress_to
from voice_gateway.turn import ToolOutcome, new_id

RUNNING = "The tools of the running gateway:"
ALONE = "No gateway is running; one would have these:"


async def tools(options: argparse.Namespace) -> int:
    if options.action == "call":
        return await _call(options)
    action = options.action or "list"
    asked = {"op": "tools", "action": action, "name": getattr(options, "name", None)}
    found = await ask_running(options, asked)
    running = found is not None
    if found is None:
        found = await _found_alone(options, asked)
    if action == "show":
        return _show(found, as_json=wants_json(options))
    if wants_json(options):
        print_json([record["tool"] for record in found["tools"]])
        return 0
    from voice_gateway.cli.tool_pages import show_all

    print(RUNNING if running else ALONE, file=sys.stderr)
    if found["silent"]:
        print(f"Not connected, so without its tools: {', '.join(found['silent'])}.", file=sys.stderr)
    show_all(found["tools"])
    return 0


async def _found_alone(options: argparse.Namespace, asked: dict[str, Any]) -> dict[str, Any]:
    from voice_gateway.app import opened
    from voice_gateway.app.tool_list import tool_request

    async with opened(loaded(options).settings) as gateway:
        await gateway.linked(installed=True)
        return await tool_request(gateway, asked)


def _show(found: dict[str, Any], *, as_json: bool) -> int:
    if "unknown" in found:
        print(f"{PROGRAM}: {one_line(found['unknown'])}", file=sys.stderr)
        return 1
    (record,) = found["tools"]
    if as_json:
        print_json(record["tool"])
    else:
        from voice_gateway.cli.tool_pages import show_one

        show_one(record)
    return 0


async def _call(options: argparse.Namespace) -> int:
    args = arguments_of(options)
    if options.timeout is not None and not options.timeout > 0:
        raise ConfigError(f"--timeout {options.timeout}: must be more than 0 seconds")
    line = ProgressLine(sys.stderr)
    try:
        with progress_to(line.show):
            outcome = await _call_there(options, args) or await _call_alone(options, args)
    finally:
        line.end()
    files = outcome.pop("files", [])
    saved = save(files, Path(options.save)) if options.save else []
    if wants_json(options):
        print_json({**outcome, "saved": [str(path) for path in saved]} if options.save else outcome)
    else:
        print_reply(outcome["text"])
        print_saved(saved, files)
    return 0 if outcome["ok"] else 1


async def _call_there(options: argparse.Namespace, args: dict[str, Any]) -> dict[str, Any] | None:
    """By the running gateway, if there is one; one that ends in the middle leaves an outcome, too."""
    message = {"op": "call", "name": options.name, "args": args, "timeout": options.timeout}
    message["fetch"] = bool(options.save)
    started = perf_counter()
    try:
        outcome: dict[str, Any] | None = await ask_running(options, message, listener())
    except LinkError as error:
        seconds, text = perf_counter() - started, f"Error: {error}."
        lost = ToolOutcome(new_id(), options.name, text, False, seconds, args, ErrorKind.UNAVAILABLE)
        return lost.to_json()
    return outcome


async def _call_alone(options: argparse.Namespace, args: dict[str, Any]) -> dict[str, Any]:
    from voice_gateway.app import opened
    from voice_gateway.app.control_api import call_tool

    async with opened(loaded(options).settings) as gateway:
        return await call_tool(gateway, options.name, args, options.timeout, fetch=bool(options.save))


def arguments_of(options: argparse.Namespace) -> dict[str, Any]:
    """Values stay text: the executor turns them into what the tool's own schema asks for."""
    args: dict[str, Any] = {}
    if options.args is not None:
        try:
            args = json.loads(options.args)
        except RecursionError as error:
            raise ConfigError("--args is nested too deeply") from error
        except ValueError as error:
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
