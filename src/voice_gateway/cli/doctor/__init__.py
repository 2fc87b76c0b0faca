"""`voice-gateway doctor`: tries everything the gateway stands on, and says what `problems/` says of it."""

import argparse
import sys
from collections.abc import Callable
from dataclasses import asdict

from rich.console import Console
from rich.markup import escape

from voice_gateway.channels import json_text
from voice_gateway.channels.terminal import print_json
from voice_gateway.cli.command import loaded, wants_json
from voice_gateway.cli.doctor.finding import CheckResult, CheckResults, Grade, bad, ok
from voice_gateway.cli.doctor.links import broker, console, servers
from voice_gateway.cli.doctor.machine import disk_and_clock, own_tools, python_and_packages, store
from voice_gateway.cli.doctor.models import autonomy, cloud, model_server
from voice_gateway.cli.doctor.sound import audio, speech
from voice_gateway.config import Settings
from voice_gateway.errors import ConfigError
from voice_gateway.logs import one_line
from voice_gateway.problems.machine import SETTINGS, SETTINGS_OPEN
from voice_gateway.problems.sentences import SETTINGS_READABLE, SETTINGS_WRONG

COLOURS = {Grade.OK: "green", Grade.WARNING: "yellow", Grade.FAILED: "red"}


async def doctor(options: argparse.Namespace) -> int:
    """Exit code 0 without failures, 1 with."""
    as_json, in_lines = wants_json(options), bool(options.lines)
    out, progress = Console(), Console(stderr=True)
    findings: list[CheckResult] = []

    def add(finding: CheckResult) -> None:
        findings.append(finding)
        if in_lines:
            print(json_text(asdict(finding)), flush=True)
        elif not as_json:
            _show(out, finding)

    try:
        found = loaded(options)
    except ConfigError as error:
        add(bad("configuration", SETTINGS, SETTINGS_WRONG.format(reason=error)))
        return _end(findings, as_json=as_json and not in_lines)
    add(ok("configuration", str(found.file) if found.file else "no file, so the defaults hold"))
    if found.readable:
        sentence = SETTINGS_READABLE.format(file=found.file, what=found.readable)
        add(bad("configuration", SETTINGS_OPEN, one_line(sentence), grade=Grade.WARNING))
    for note in found.notes:
        add(CheckResult("mcp.json", Grade.WARNING, one_line(note)))
    for title, check in all_checks(options.online):
        with progress.status(f"checking {title} …"):
            async for finding in check(found.settings):
                add(finding)
    return _end(findings, as_json=as_json and not in_lines)


def all_checks(online: bool) -> list[tuple[str, Callable[[Settings], CheckResults]]]:
    return [
        ("Python and packages", python_and_packages),
        ("disk and clock", disk_and_clock),
        ("your own tools", own_tools),
        ("store of conversations", store),
        ("model server", model_server),
        ("autonomy", autonomy),
        ("cloud", lambda settings: cloud(settings, online=online)),
        ("MQTT broker", broker),
        ("web console", console),
        ("speech", speech),
        ("sound devices", audio),
        ("MCP servers", servers),
    ]


def _show(out: Console, finding: CheckResult) -> None:
    mark = f"[{COLOURS[finding.verdict]}]{finding.verdict.value:<8}[/]"
    out.print(f"{mark} {finding.check}: {escape(finding.text)}", highlight=False)
    if finding.advice:
        out.print(f"         → {escape(finding.advice)}", highlight=False)


def _end(findings: list[CheckResult], *, as_json: bool) -> int:
    failed = [finding for finding in findings if finding.verdict is Grade.FAILED]
    if as_json:
        print_json({"ok": not failed, "checks": [asdict(finding) for finding in findings]})
    elif failed:
        print(f"{len(failed)} of {len(findings)} checks failed", file=sys.stderr)
    return 1 if failed else 0
