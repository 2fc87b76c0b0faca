"""The MCP servers: our own, those another client already knows, or the simulated home."""

import json
import logging
import re
import sys
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from voice_gateway.config.folders import data_folder
from voice_gateway.config.kinds import checked_server_name, is_own_server
from voice_gateway.config.tree import ServerSettings, Settings
from voice_gateway.config.trust import FileRead, read_named
from voice_gateway.errors import ConfigError
from voice_gateway.private_files import private_file

log = logging.getLogger(__name__)

# `python -m` would look for modules in the current folder first, and that may have come from anywhere.
NO_MODULE_OF_THE_FOLDER = {"PYTHONSAFEPATH": "1"}
ZWAVE = "zwave"
# Until a server with devices is there, so that a first tool of one's own costs no home to try it in.
SIMULATED_HOME = ServerSettings(
    command=sys.executable, args=("-m", "zwave_mcp", "--simulate"), env=NO_MODULE_OF_THE_FOLDER
)
_HOME_ASSISTANT = re.compile(r"/(?:api/mcp|mcp_server/sse)/?$")


def with_servers(
    settings: Settings, file: Path | None, origins: dict[str, str], reads: dict[Path, FileRead]
) -> Settings:
    servers = dict(settings.mcpServers)
    if settings.mcp.mcp_config is not None:
        other = beside(file, settings.mcp.mcp_config)
        for name, server in _other_clients_servers(other, reads).items():
            if name in servers:
                log.warning("server is configured twice, our own file wins", extra={"server": name})
            else:
                servers[name] = server
                origins[f"mcpServers.{name}"] = str(other)
    if settings.mcp.simulated_home and not any(_has_home(*one) for one in servers.items()):
        servers[ZWAVE] = SIMULATED_HOME
    return settings.model_copy(update={"mcpServers": servers})


def _has_home(name: str, server: ServerSettings) -> bool:
    """By what it is, or because it had devices before: a real home that is away is not played by another."""
    own = name == ZWAVE or is_own_server(server.command, server.args)
    # An address with a token may be a Home Assistant whose path is wrong: what is said to it must not be
    # "done" in a home that is not there.
    may_be = server.url is not None and bool(server.headers or _HOME_ASSISTANT.search(server.url))
    return own or may_be or name in _homes_seen()


def _homes_seen() -> list[str]:
    try:
        return _homes_file().read_text(encoding="utf-8").split()
    except (OSError, UnicodeDecodeError):
        return []


def remember_home(name: str) -> None:
    """This server has devices: the simulated home does not come back beside it."""
    if name in _homes_seen():
        return
    try:
        with private_file(_homes_file()).open("a", encoding="utf-8") as file:
            file.write(f"{name}\n")
    except OSError as error:
        log.warning("a home cannot be remembered", extra={"server": name, "reason": str(error)})


def _homes_file() -> Path:
    return data_folder() / "homes"


def _other_clients_servers(file: Path, reads: dict[Path, FileRead]) -> dict[str, ServerSettings]:
    try:
        read = reads[file] = reads.get(file) or read_named(file)
        text = read.content.decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"mcp_config: cannot read {file}: {error}") from error
    tree = read_json(text, str(file))
    table = tree.get("mcpServers", tree.get("servers", {})) if isinstance(tree, dict) else None
    if not isinstance(table, dict):
        raise ConfigError(f'mcp_config: {file} has no table "mcpServers"')
    return {name: _other_server(file, name, entry) for name, entry in table.items() if not _disabled(entry)}


def _disabled(entry: Any) -> bool:
    return isinstance(entry, dict) and entry.get("disabled") is True


def _other_server(file: Path, name: str, entry: Any) -> ServerSettings:
    if not isinstance(entry, dict):
        raise ConfigError(f"mcp_config: {file}: mcpServers.{name} is not a table")
    # Another client's file may hold keys of its own (type, autoApprove …): not ours to judge.
    known = {key: value for key, value in entry.items() if key in ServerSettings.model_fields}
    try:
        checked_server_name(name)
        return ServerSettings.model_validate(known)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(["mcpServers", name, *(str(part) for part in first["loc"])])
        raise ConfigError(f"mcp_config: {file}: {where}: {plain(first['msg'])}") from error
    except ValueError as error:
        raise ConfigError(f"mcp_config: {file}: mcpServers: {error}") from error


def read_json(text: str, where: str) -> Any:
    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        table: dict[str, Any] = {}
        for key, value in pairs:
            if key in table:
                raise ConfigError(f'{where}: "{key}" stands there twice')
            table[key] = value
        return table

    try:
        return json.loads(text, object_pairs_hook=unique)
    except json.JSONDecodeError as error:
        raise ConfigError(f"{where} is not valid JSON: {error}") from error


def beside(file: Path | None, named: Path) -> Path:
    return (file.parent if file else Path.cwd()) / named.expanduser()


def plain(message: str) -> str:
    """Pydantic's message in the words of a configuration file, which knows lists only."""
    words = message.removeprefix("Value error, ").replace("Input should be", "must be")
    return words.replace("valid tuple", "valid list")
