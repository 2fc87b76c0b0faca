"""`voice-gateway tools`: list, call and check tools."""

import argparse
import json
from dataclasses import asdict
from time import perf_counter
from typing import TYPE_CHECKING, Any

from voice_gateway.cli.command import ask_running, loaded, wants_json
from voice_gateway.doors.terminal import print_json, print_reply
from voice_gateway.errors import ConfigError, ErrorKind, LinkError
from voice_gateway.turn import ToolOutcome, new_id

if TYPE_CHECKING:
    from voice_gateway.app import Gateway


async def tools(options: argparse.Namespace) -> int:
    if options.action == "call":
        return await _call(options)
    from voice_gateway.app import opened

    async with opened(loaded(options).settings) as gateway:
        await gateway.linked()
        if options.action == "lint":
            return _lint(gateway, as_json=wants_json(options))
        if wants_json(options):
            print_json(_listed(gateway))
        else:
            _show(gateway)
    return 0


def _listed(gateway: "Gateway") -> list[dict[str, Any]]:
    """The shape that `tools --json` promises."""
    from voice_gateway.tools.traits import qualified_name, schema_of, traits

    left_out = gateway.left_out()
    return [
        {
            "name": (name := gateway.tools.offered_name(tool)),
            "qualified_name": qualified_name(tool),
            "source": traits(tool).source,
            "description": tool.description,
            "parameters": schema_of(tool),
            "read_only": traits(tool).read_only,
            "offered": name not in left_out,
        }
        for tool in gateway.tools.all()
    ]


async def _call(options: argparse.Namespace) -> int:
    args = _arguments(options)
    if options.timeout is not None and not options.timeout > 0:
        raise ConfigError(f"--timeout {options.timeout}: must be more than 0 seconds")
    outcome = await _call_there(options, args) or await _call_alone(options, args)
    if wants_json(options):
        print_json(outcome)
    else:
        print_reply(outcome["text"])
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


def _show(gateway: "Gateway") -> None:
    from rich.console import Console
    from rich.padding import Padding
    from rich.text import Text

    from voice_gateway.tools.schema import signature
    from voice_gateway.tools.traits import traits

    simulated = {status.name for status in gateway.link.status() if status.simulated}
    strangers = {traits(tool).source for tool in gateway.tools.all() if traits(tool).stranger}
    left_out = gateway.left_out()
    console = Console()
    wraps = not console.is_terminal  # whoever reads a pipe wraps lines for himself
    for entry in _listed(gateway):
        name, source = entry["name"], entry["source"]
        where = f"{source}, simulated home" if source in simulated else source
        where = f"{where}, not trusted" if source in strangers else where
        head = Text.assemble((name, "bold"), signature("", entry["parameters"]), (f"  [{where}]", "dim"))
        summary = entry["description"].strip().split("\n")[0].split(". ")[0].rstrip(".") + "."
        lines = [Text(summary)]  # the first sentence; `--json` has it all
        if name in left_out:
            lines.append(Text(f"not offered to the model: {left_out[name]}", "yellow"))
        console.print(head, soft_wrap=wraps)
        for line in lines:
            console.print(Padding(line, (0, 0, 0, 4)), soft_wrap=wraps)


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
