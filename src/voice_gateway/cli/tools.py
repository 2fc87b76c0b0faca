"""`voice-gateway tools`: list, call and check tools."""

import argparse
import json
from dataclasses import asdict
from time import perf_counter
from typing import TYPE_CHECKING, Any

from voice_gateway.cli.options import loaded, wants_json
from voice_gateway.cli.remote import ask_running
from voice_gateway.doors.terminal import print_json, print_text
from voice_gateway.errors import ConfigError, ErrorKind, LinkError
from voice_gateway.turn import ToolOutcome, new_id

if TYPE_CHECKING:
    from voice_gateway.app import Gateway
    from voice_gateway.tools.catalogue import ToolEntry


async def tools(options: argparse.Namespace) -> int:
    if options.action == "call":
        return await _call(options)
    from voice_gateway.app import opened
    from voice_gateway.tools.catalogue import entries

    async with opened(loaded(options).settings) as gateway:
        await gateway.linked()
        if options.action == "lint":
            return _lint(gateway, as_json=wants_json(options))
        listed = entries(gateway.tools, left_out=gateway.left_out())
        simulated = {status.name for status in gateway.link.status() if status.simulated}
        if wants_json(options):
            print_json([entry.to_json() for entry in listed])
        else:
            _show(listed, simulated)
    return 0


async def _call(options: argparse.Namespace) -> int:
    args = _arguments(options)
    if options.timeout is not None and not options.timeout > 0:
        raise ConfigError(f"--timeout {options.timeout}: must be more than 0 seconds")
    outcome = await _call_there(options, args) or await _call_alone(options, args)
    if wants_json(options):
        print_json(outcome)
    else:
        print_text(outcome["text"])
    return 0 if outcome["ok"] else 1


async def _call_there(options: argparse.Namespace, args: dict[str, Any]) -> dict[str, Any] | None:
    """By the running gateway, if there is one; one that ends in the middle leaves an outcome, too."""
    message = {"op": "call", "name": options.name, "args": args, "timeout": options.timeout}
    started = perf_counter()
    try:
        outcome: dict[str, Any] | None = await ask_running(options, message)
    except LinkError as error:
        seconds, text = perf_counter() - started, f"Error: {error}."
        lost = ToolOutcome(new_id(), options.name, text, False, seconds, args, ErrorKind.UNAVAILABLE)
        return lost.to_json()
    return outcome


async def _call_alone(options: argparse.Namespace, args: dict[str, Any]) -> dict[str, Any]:
    from voice_gateway.app import opened

    async with opened(loaded(options).settings) as gateway:
        return await gateway.call(options.name, args, options.timeout)


def _arguments(options: argparse.Namespace) -> dict[str, Any]:
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


def _show(listed: "list[ToolEntry]", simulated: set[str]) -> None:
    from rich.console import Console
    from rich.padding import Padding
    from rich.text import Text

    console = Console()
    wraps = not console.is_terminal  # whoever reads a pipe wraps lines for himself
    for entry in listed:
        source = f"{entry.source}, simulated home" if entry.source in simulated else entry.source
        head = Text.assemble((entry.name, "bold"), f"({entry.signature})", (f"  [{source}]", "dim"))
        console.print(head, soft_wrap=wraps)
        console.print(Padding(Text(entry.summary), (0, 0, 0, 4)), soft_wrap=wraps)
        if not entry.offered:
            console.print(
                Padding(Text(f"not offered to the model: {entry.why_not}", "yellow"), (0, 0, 0, 4)),
                soft_wrap=wraps,
            )


def _lint(gateway: "Gateway", *, as_json: bool) -> int:
    from voice_gateway.tools.lint import lint

    findings = [finding for tool in gateway.tools.all() for finding in lint(tool)]
    if as_json:
        print_json([asdict(finding) for finding in findings])
    else:
        for finding in findings:
            print(f"{finding.tool}: {finding.row}: {finding.problem} → {finding.advice}")
        if not findings:
            print(f"{len(gateway.tools.all())} tools, nothing to improve")
    return 1 if findings else 0
