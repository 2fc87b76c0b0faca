"""The MCP servers: those of the settings, those of an `mcp.json`, or the simulated home."""

import logging
import os
import sys
from collections.abc import Mapping
from pathlib import Path

from voice_gateway.config.folders import data_folder, user_file, user_mcp_json
from voice_gateway.config.kinds import HOME_ASSISTANT_PATHS, is_own_server
from voice_gateway.config.mcp_json import McpJson, read_mcp_json
from voice_gateway.config.tree import ServerSettings, Settings
from voice_gateway.private_files import private_file

log = logging.getLogger(__name__)

ZWAVE = "zwave"
# Runs until a server with devices is there. `python -m` must not import from the current folder first.
SIMULATED_HOME = ServerSettings(
    command=sys.executable, args=("-m", "zwave_mcp", "--simulate"), env={"PYTHONSAFEPATH": "1"}
)


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
    homes = any(_has_home(name, server) for name, server in servers.items())
    away = other.may_be_home or any(entry.name in _homes_seen() for entry in left_out)
    if settings.mcp.simulated_home and not homes and not away:
        servers[ZWAVE] = SIMULATED_HOME
    return settings.with_servers(servers, left_out), tuple(other.notes)


def _mcp_json(settings: Settings, file: Path | None, environ: Mapping[str, str]) -> McpJson:
    """The file that `mcp_config` names, else the one beside the user's own settings."""
    if (named := settings.mcp.mcp_config) is not None:
        return read_mcp_json(beside(file, named), environ)
    users = file is None or os.path.realpath(file) == os.path.realpath(user_file())
    mcp_json = user_mcp_json()
    return read_mcp_json(mcp_json, environ) if users and mcp_json.is_file() else McpJson(mcp_json)


def _has_home(name: str, server: ServerSettings) -> bool:
    """Whether this server is a home, or had devices before: a home that is away is not simulated."""
    own = name == ZWAVE or is_own_server(server.command, server.args)
    # An address with a token may be a Home Assistant whose path is wrong: the simulated home must not
    # confirm orders that were meant for it.
    may_be = server.url is not None and bool(
        server.headers or server.url.rstrip("/").endswith(HOME_ASSISTANT_PATHS)
    )
    return own or may_be or name in _homes_seen()


def _homes_seen() -> list[str]:
    try:
        return _homes_file().read_text(encoding="utf-8").split()
    except (OSError, UnicodeDecodeError):
        return []


def remember_home(name: str) -> None:
    """Record that this server has devices: the simulated home does not come back beside it."""
    if name in _homes_seen():
        return
    try:
        with private_file(_homes_file()).open("a", encoding="utf-8") as file:
            file.write(f"{name}\n")
    except OSError as error:
        log.warning("a home cannot be remembered", extra={"server": name, "reason": str(error)})


def _homes_file() -> Path:
    return data_folder() / "homes"


def beside(file: Path | None, named: Path) -> Path:
    """A relative path starts at the settings file, or at the user's configuration folder."""
    return (file or user_file()).parent / named.expanduser()
