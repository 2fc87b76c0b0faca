"""`voice-gateway doctor`: checks everything the gateway stands on, and says what to do."""

import argparse
import sys
from collections.abc import Callable

from rich.console import Console
from rich.markup import escape

from voice_gateway.cli import checks, checks_voice
from voice_gateway.cli.checks import Finding, Findings, Verdict
from voice_gateway.cli.command import loaded, wants_json
from voice_gateway.config import Settings
from voice_gateway.doors.terminal import print_json
from voice_gateway.errors import ConfigError

COLOURS = {Verdict.OK: "green", Verdict.WARNING: "yellow", Verdict.FAILED: "red"}


async def doctor(options: argparse.Namespace) -> int:
    """Exit code 0 without failures, 1 with."""
    as_json = wants_json(options)
    out, progress = Console(), Console(stderr=True)
    findings: list[Finding] = []

    def add(finding: Finding) -> None:
        findings.append(finding)
        if not as_json:
            _show(out, finding)

    try:
        found = loaded(options)
    except ConfigError as error:
        add(
            Finding(
                "configuration", Verdict.FAILED, str(error), "`voice-gateway config check` names each mistake"
            )
        )
        return _end(findings, as_json=as_json)
    add(checks.configuration(found))
    for title, check in all_checks(options.online):
        with progress.status(f"checking {title} …"):
            async for finding in check(found.settings):
                add(finding)
    return _end(findings, as_json=as_json)


def all_checks(online: bool) -> list[tuple[str, Callable[[Settings], Findings]]]:
    return [
        ("Python and packages", checks.python_and_packages),
        ("disk and clock", checks.disk_and_clock),
        ("store of conversations", checks.store),
        ("model server", checks.model_server),
        ("cloud", lambda settings: checks.cloud(settings, online=online)),
        ("MQTT broker", checks.broker),
        ("speech", checks_voice.speech),
        ("sound devices", checks_voice.audio),
        ("MCP servers", checks.servers),
    ]


def _show(out: Console, finding: Finding) -> None:
    mark = f"[{COLOURS[finding.verdict]}]{finding.verdict.value:<8}[/]"
    out.print(f"{mark} {finding.check}: {escape(finding.text)}", highlight=False)
    if finding.advice:
        out.print(f"         → {escape(finding.advice)}", highlight=False)


def _end(findings: list[Finding], *, as_json: bool) -> int:
    failed = [finding for finding in findings if finding.verdict is Verdict.FAILED]
    if as_json:
        print_json({"ok": not failed, "checks": [finding.to_json() for finding in findings]})
    elif failed:
        print(f"{len(failed)} of {len(findings)} checks failed", file=sys.stderr)
    return 1 if failed else 0
