"""The MCP servers: those of the settings and of an `mcp.json`, or the simulated home where there are none."""

import logging
import os
import re
import sys
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from voice_gateway.config.folders import user_file
from voice_gateway.config.kinds import checked_server_name, plain
from voice_gateway.config.tree import LeftOut, ServerSettings, Settings
from voice_gateway.errors import ConfigError

log = logging.getLogger(__name__)

ZWAVE = "zwave"
# `python -m` must not import from the current folder first.
SIMULATED_HOME = ServerSettings(
    command=sys.executable, args=("-m", "zwave_mcp", "--simulate"), env={"PYTHONSAFEPATH": "1"}
)
TABLES = ("mcpServers", "servers")  # Claude, Cursor and Windsurf; VS Code
SWITCHES = ("disabled", "enabled")
_VARIABLE = re.compile(r"\$\{([^}]*)\}")


def with_servers(
    settings: Settings, file: Path | None, origins: dict[str, str], environ: Mapping[str, str]
) -> tuple[Settings, tuple[str, ...]]:
    """The settings with all servers, and a note for each part of an mcp.json that has no effect."""
    servers = dict(settings.mcpServers)
    other = _mcp_json(settings, file, environ)
    for name, server in other.servers.items():
        if name in servers:
            log.warning("server is configured twice, our own file wins", extra={"server": name})
        else:
            servers[name] = server
            origins[f"mcpServers.{name}"] = str(other.file)
    left_out = [entry for entry in other.left_out if entry.name not in settings.mcpServers]
    for entry in left_out:
        facts = {"server": entry.name, "file": str(entry.file), "reason": entry.reason}
        log.warning("server left out", extra=facts)
    # A simulated home must not confirm orders that were meant for a real one.
    if settings.mcp.simulated_home and not servers and not left_out:
        servers[ZWAVE] = SIMULATED_HOME
    return settings.with_servers(servers, left_out), tuple(other.notes)


def _mcp_json(settings: Settings, file: Path | None, environ: Mapping[str, str]) -> "McpJson":
    """The file that `mcp_config` names, else the one beside the user's own settings."""
    if (named := settings.mcp.mcp_config) is not None:
        return read_mcp_json(beside(file, named), environ)
    users = file is None or os.path.realpath(file) == os.path.realpath(user_file())
    mcp_json = user_file().with_name("mcp.json")
    return read_mcp_json(mcp_json, environ) if users and mcp_json.is_file() else McpJson(mcp_json)


def beside(file: Path | None, named: Path) -> Path:
    """A relative path starts at the settings file, or at the user's configuration folder."""
    return (file or user_file()).parent / named.expanduser()


# --- the servers of an mcp.json that other MCP clients use: a bad entry costs that entry alone


@dataclass(slots=True)
class McpJson:
    """The content of one file."""

    file: Path
    servers: dict[str, ServerSettings] = field(default_factory=dict)
    left_out: list[LeftOut] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)  # a sentence for each part that has no effect


def read_mcp_json(file: Path, environ: Mapping[str, str]) -> McpJson:
    """Raises ConfigError if the file cannot be opened; mistakes inside it are in `left_out`."""
    result = McpJson(file)
    try:
        tables = _tables(_parsed(file))
    except ValueError as error:
        result.left_out.append(LeftOut("", file, str(error)))
        return result
    read_entries(result, tables, environ)
    return result


def read_entries(into: McpJson, entries: Iterable[tuple[str, Any]], environ: Mapping[str, str]) -> None:
    for written, entry in entries:
        if isinstance(entry, ServerSettings):
            into.servers[_name(written, into)] = entry
        else:
            _read_server(into, written, entry, environ)


def _parsed(file: Path) -> Any:
    import json5

    try:
        return json5.loads(file.read_bytes().decode("utf-8-sig"))
    except OSError as error:
        raise ConfigError(f"mcp_config: cannot read {file}: {error.strerror or error}") from error
    except UnicodeDecodeError:
        raise ValueError("is not UTF-8 text") from None
    except RecursionError:
        raise ValueError("is nested too deeply") from None
    except ValueError as error:
        raise ValueError(f"is not valid JSON: {' '.join(str(error).split())}") from error


def _tables(tree: Any) -> Iterator[tuple[str, Any]]:
    keys = [key for key in TABLES if isinstance(tree, dict) and key in tree]
    if not keys:
        raise ValueError('has no table "mcpServers" or "servers"')
    for key in keys:
        if not isinstance(tree[key], dict):
            raise ValueError(f'"{key}" is not a table')
    return ((name, entry) for key in keys for name, entry in tree[key].items())


def _read_server(into: McpJson, written: str, entry: Any, environ: Mapping[str, str]) -> None:
    if isinstance(entry, dict) and (entry.get("disabled") is True or entry.get("enabled") is False):
        return
    name = written
    try:
        if not isinstance(entry, dict):
            raise ValueError("is not a table")
        name = _name(written, into)
        known = {key: value for key, value in entry.items() if key in ServerSettings.model_fields}
        into.servers[name] = _server(_expanded(known, environ))
    except ValueError as error:
        into.left_out.append(LeftOut(name, into.file, str(error)))
        return
    unknown = [key for key in entry if key not in (*known, *SWITCHES)]
    if unknown:
        keys = ", ".join(f'"{key}"' for key in unknown)
        into.notes.append(f"{into.file}: server {name}: no effect here: {keys}")
    if name != written:
        into.notes.append(f'{into.file}: server "{written}" is called {name} here')


def _name(written: str, into: McpJson) -> str:
    """A usable name: what no server name may contain becomes `_`, as in "GitHub MCP"."""
    letters = unicodedata.normalize("NFKD", written).encode("ascii", "ignore").decode()
    name = re.sub(r"_{2,}", "_", re.sub(r"[^A-Za-z0-9._-]", "_", letters)).strip("_").lstrip(".-")
    checked_server_name(name or written)
    if name in into.servers:
        raise ValueError(f'would be called "{name}" here, as another server of this file')
    return name


def _expanded(value: Any, environ: Mapping[str, str]) -> Any:
    """`${env:NAME}` replaced, and numbers and switches as the text that a program gets."""
    if isinstance(value, dict):
        return {str(key): _expanded(part, environ) for key, part in value.items() if part is not None}
    if isinstance(value, list):
        return [_expanded(part, environ) for part in value]
    return _VARIABLE.sub(lambda match: _variable(match, environ), value) if isinstance(value, str) else value


def _variable(match: re.Match[str], environ: Mapping[str, str]) -> str:
    kind, _, name = match[1].partition(":")
    if kind != "env":
        raise ValueError(f"{match[0]} is not supported: use ${{env:NAME}}")
    if name not in environ:
        raise ValueError(f"the environment variable {name} is not set")
    return environ[name]


def _server(values: dict[str, Any]) -> ServerSettings:
    for key in ("args", "env", "headers"):  # programs take texts only, and JSON has numbers and booleans
        part = values.get(key)
        if isinstance(part, list):
            values[key] = [_text(item) for item in part]
        elif isinstance(part, dict):
            values[key] = {name: _text(item) for name, item in part.items()}
    try:
        return ServerSettings.model_validate(values)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        raise ValueError(f"{where}: {plain(first['msg'])}" if where else plain(first["msg"])) from error


def _text(value: Any) -> Any:
    if isinstance(value, bool):
        return str(value).lower()
    return str(value) if isinstance(value, int | float) else value
