"""`voice-gateway config`: what holds and where it came from, a check, a file to start with, allowing one."""

import argparse
import os
import sys
from pathlib import Path
from typing import Any

from pydantic import SecretStr
from pydantic.fields import FieldInfo

from voice_gateway.channels.terminal import print_json
from voice_gateway.cli.command import checked_file, loaded, wants_json
from voice_gateway.config import Loaded, Settings, load
from voice_gateway.config.folders import FILE_NAME, user_file
from voice_gateway.config.tree import WITHOUT_EFFECT, setting_names
from voice_gateway.config.trust import allow
from voice_gateway.errors import ConfigError
from voice_gateway.logs import one_line
from voice_gateway.tools.masking import HIDDEN, hide_secrets


def config(options: argparse.Namespace) -> int:
    if options.action == "init":
        return _init(options)
    if options.action == "allow":
        return _allow(options)
    found = loaded(options)  # raises ConfigError, which is exit code 2, when something is wrong
    if options.action == "check":
        return _check(found, as_json=wants_json(options))
    if options.action == "path":
        return _path(found, as_json=wants_json(options))
    return _show(found, as_json=wants_json(options))


def shown(settings: Settings, name: str) -> Any:
    """A value as people may see it."""
    section, _, key = name.rpartition(".")
    value = getattr(getattr(settings, section) if section else settings, key)
    if isinstance(value, SecretStr):
        return HIDDEN
    if isinstance(value, tuple):
        return list(value)
    return hide_secrets(str(value)) if isinstance(value, str | Path) else value


def _show(found: Loaded, *, as_json: bool) -> int:
    values = {name: shown(found.settings, name) for name in ("preset", *setting_names())}
    values |= {f"mcpServers.{name}": words for name, words in servers_shown(found.settings).items()}
    rows = [(name, value, found.origins.get(name, "default")) for name, value in values.items()]
    if as_json:
        print_json([{"name": name, "value": value, "origin": origin} for name, value, origin in rows])
        return 0
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in ("setting", "value", "from"):
        table.add_column(column, overflow="fold")
    for name, value, origin in rows:
        table.add_row(name, _text(value), origin, style="" if origin != "default" else "dim")
    Console().print(table)
    return 0


def servers_shown(settings: Settings) -> dict[str, str]:
    """How each is reached, as people may see it."""
    from voice_gateway.tools.masking import without_secrets

    return {
        name: without_secrets(server)(server.url or " ".join([server.command or "", *server.args]))
        for name, server in settings.mcpServers.items()
    }


def _text(value: Any) -> str:
    if value is None:
        return "none"
    if isinstance(value, list):
        return ", ".join(value) or "none"
    return str(value).lower() if isinstance(value, bool) else str(value)


def _check(found: Loaded, *, as_json: bool) -> int:
    """A server that only waits for an answer of its user is no mistake."""
    where = str(found.file) if found.file else "no file, defaults"
    mistakes = [one for one in found.settings.left_out if not one.asks]
    if as_json:
        print_json({"ok": not mistakes, **_files(found)})
        return 2 if mistakes else 0
    from voice_gateway.reports import left_out_report

    for told in map(left_out_report, found.settings.left_out):
        print(one_line(f"{told.sentence} ({told.advice})"))
    for note in found.notes:
        print(one_line(f"note: {note}"))
    print(f"configuration {'works, without what is named above' if mistakes else 'is good'} ({where})")
    return 2 if mistakes else 0


def _path(found: Loaded, *, as_json: bool) -> int:
    if as_json:
        print_json(_files(found))
    elif found.file:
        print(found.file)
    return 0 if found.file else 1


def _files(found: Loaded) -> dict[str, Any]:
    return {
        "file": str(found.file) if found.file else None,
        "ignored": found.ignored,
        "readable": list(found.readable),
        "left_out": [
            {"server": one.name, "file": str(one.file), "reason": one.reason, "inputs": list(one.asks)}
            for one in found.settings.left_out
        ],
        "notes": list(found.notes),
    }


def _allow(options: argparse.Namespace) -> int:
    """What is allowed is what was read and checked: nothing is opened a second time."""
    found = load(checked_file(getattr(options, "config", None)) or Path.cwd() / FILE_NAME, file_alone=True)
    _allow_all(found)
    if wants_json(options):
        print_json({"ok": True, "file": str(found.file)})
        return 0
    print(
        f"{one_line(str(found.file))} may be used in its folder, as long as its servers, permissions and "
        "addresses stay the same",
        file=sys.stderr,
    )
    for name, words in servers_shown(found.settings).items():
        print(f"  server {name}: {one_line(words)}", file=sys.stderr)
    if found.settings.tools.tools_dir is not None:
        print(f"  the tools in {one_line(str(found.settings.tools.tools_dir))}", file=sys.stderr)
    return 0


def _allow_all(found: Loaded) -> None:
    for read in found.reads:
        if read.objection is not None:
            raise ConfigError(f"{read.path} cannot be allowed: {read.objection}")
    try:
        for read in found.reads:
            allow(read)
    except OSError as error:
        raise ConfigError(f"{found.file} cannot be allowed: {error}") from error


def _init(options: argparse.Namespace) -> int:
    file = getattr(options, "config", None) or Path(FILE_NAME)
    try:
        with open(file, "w" if options.force else "x", encoding="utf-8", opener=_for_one_writer) as out:
            out.write(commented_file())
    except FileExistsError:
        raise ConfigError(f"{file} exists already; --force writes over it") from None
    except OSError as error:
        raise ConfigError(f"cannot write {file}: {error.strerror}") from error
    print(f"wrote {file}; every line in it is a default that you can change", file=sys.stderr)
    if file.name == FILE_NAME and file.resolve() != user_file().resolve():
        print(_allowed_to_begin_with(file), file=sys.stderr)
    return 0


def _allowed_to_begin_with(file: Path) -> str:
    try:
        _allow_all(load(file, file_alone=True))
    except ConfigError as error:
        return f"{one_line(str(error))}; name it with --config"
    return (
        "when you have changed its servers, permissions or addresses, `voice-gateway config allow` says "
        "that it was you"
    )


def _for_one_writer(name: str, flags: int) -> int:
    """Others may read it, as the umask says; what others may write would not be used."""
    return os.open(name, flags, 0o644)


def commented_file() -> str:
    """Every setting with its default, commented out, so that a fresh file changes nothing."""
    lines = ["# Settings of the voice gateway. Remove the # before a line to change it.", ""]
    lines += ['# preset = "offline"        # offline, hybrid or online: see docs/configuration.md', ""]
    for section, info in Settings.model_fields.items():
        fields = getattr(info.annotation, "model_fields", None)
        if fields is None:
            continue
        living = [key for key in fields if f"{section}.{key}" not in WITHOUT_EFFECT]
        lines += [f"[{section}]", *(_line(key, fields[key]) for key in living), ""]
    lines += [
        "# Your own MCP servers; the first that has devices replaces the simulated home.",
        "# [mcpServers.zwave]",
        '# command = "zwave-mcp-server"',
        '# env = { MQTT_BROKER_URL = "mqtt://localhost:1883" }',
    ]
    return "\n".join(lines) + "\n"


def _line(key: str, field: FieldInfo) -> str:
    return f"# {key} = {_toml(field.get_default())}  # {field.description}"


def _toml(value: Any) -> str:
    if value is None:
        return '""'
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return str(value)
    if isinstance(value, tuple):
        return "[" + ", ".join(f'"{entry}"' for entry in value) + "]"
    return f'"{value}"'
