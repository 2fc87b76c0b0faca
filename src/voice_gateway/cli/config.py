"""`voice-gateway config`: show, check, set, edit and begin the settings."""

import argparse
import sys
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from pydantic import SecretStr

from voice_gateway.channels.terminal import print_json
from voice_gateway.cli.command import loaded, print_table, settings_file
from voice_gateway.cli.parser import Parser
from voice_gateway.config import Settings
from voice_gateway.config.edit import begin, edit, set_value
from voice_gateway.config.tree import setting_names
from voice_gateway.errors import ConfigError
from voice_gateway.logs import one_line
from voice_gateway.reports import left_out_report
from voice_gateway.tools.masking import HIDDEN, hide_secrets, without_secrets


def arguments(command: Parser) -> None:
    add = command.actions()
    add("show", "every setting, its value and where it came from (the default)")
    add("check", "exit code 0 when all is well, 2 when not")
    change = add("set", "change one setting in the settings file")
    change.add_argument("key", metavar="KEY", help="as `config show` has it, such as brain.room")
    change.add_argument("value", metavar="VALUE", help='its value; lists as "a, b"; "" for none')
    add("edit", "open the settings file in $EDITOR, and check it")
    init = add("init", "write a commented settings file")
    init.add_argument("--force", action="store_true", help="write over an existing file")


def config(options: argparse.Namespace) -> int:
    return ACTIONS[options.action or "show"](options)


# --- show, check: each raises ConfigError, which is exit code 2, for every mistake


def _show(options: argparse.Namespace) -> int:
    given = loaded(options)
    values = {name: _shown(given.settings, name) for name in setting_names()}
    values |= {f"mcpServers.{name}": words for name, words in servers_shown(given.settings).items()}
    rows = [(name, value, given.origins.get(name, "default")) for name, value in values.items()]
    if options.json:
        print_json([{"name": name, "value": value, "origin": origin} for name, value, origin in rows])
    else:
        texts = [(name, _text(value), origin) for name, value, origin in rows]
        print_table(("setting", "value", "from"), texts, [row[2] == "default" for row in rows])
    return 0


def _shown(settings: Settings, name: str) -> Any:
    """A value as people may see it."""
    section, _, key = name.rpartition(".")
    value = getattr(getattr(settings, section) if section else settings, key)
    if isinstance(value, SecretStr):
        return HIDDEN
    if isinstance(value, tuple):
        return list(value)
    return hide_secrets(str(value)) if isinstance(value, str | Path | ZoneInfo) else value


def servers_shown(settings: Settings) -> dict[str, str]:
    """How each server is reached, as people may see it."""
    return {
        name: without_secrets(server)(server.url or " ".join([server.command or "", *server.args]))
        for name, server in settings.mcpServers.items()
    }


def _text(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(map(str, value)) or "none"
    return "none" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


def _check(options: argparse.Namespace) -> int:
    given = loaded(options)
    mistakes = given.settings.left_out
    if options.json:
        left_out = [{"server": one.name, "file": str(one.file), "reason": one.reason} for one in mistakes]
        facts = {"file": str(given.file) if given.file else None, "readable": given.readable}
        print_json({"ok": not mistakes, **facts, "left_out": left_out, "notes": list(given.notes)})
        return 2 if mistakes else 0
    for report in map(left_out_report, mistakes):
        print(one_line(f"{report.sentence} ({report.advice})"))
    for note in given.notes:
        print(one_line(f"note: {note}"))
    where = str(given.file) if given.file else "no file, defaults"
    print(f"configuration {'works, without what is named above' if mistakes else 'is good'} ({where})")
    return 2 if mistakes else 0


# --- set, edit, init


def _set(options: argparse.Namespace) -> int:
    file = settings_file(options)
    set_value(file, options.key, options.value)
    print(f"{options.key} is set in {file}; a running gateway uses it after a restart", file=sys.stderr)
    return 0


def _edit(options: argparse.Namespace) -> int:
    file = settings_file(options)
    edit(file, _wants_again)
    print(f"{file} is changed; a running gateway uses it after a restart", file=sys.stderr)
    return 0


def _wants_again(mistakes: str) -> bool:
    if not sys.stdin.isatty():
        return False
    print(mistakes, file=sys.stderr)
    print("Edit again? [Y/n] ", end="", file=sys.stderr, flush=True)
    return not sys.stdin.readline().strip().lower().startswith("n")


def _init(options: argparse.Namespace) -> int:
    file = settings_file(options)
    if file.exists() and not options.force:
        raise ConfigError(f"{file} exists already; --force writes over it")
    begin(file)
    print(f"wrote {file}; every line in it is a default that you can change", file=sys.stderr)
    return 0


ACTIONS = {"show": _show, "check": _check, "set": _set, "edit": _edit, "init": _init}
