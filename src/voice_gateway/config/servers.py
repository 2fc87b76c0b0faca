"""The MCP servers: our own, those another client already knows, or the simulated home."""

import io
import json
import logging
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from voice_gateway.config.folders import data_folder, user_file, user_mcp_json
from voice_gateway.config.jsonc import decoded
from voice_gateway.config.kinds import HOME_ASSISTANT_PATHS, is_own_server
from voice_gateway.config.mcp_json import McpJson, read_mcp_json
from voice_gateway.config.mcp_json.inputs import Answers, Input
from voice_gateway.config.mcp_json.variables import BadEntry
from voice_gateway.config.tree import LeftOut, ServerSettings, Settings
from voice_gateway.config.trust import Content, FileRead, read_found, read_named, refusal
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


@dataclass(frozen=True, slots=True)
class Servers:
    """The settings with all servers, and what is to be told of another client's file."""

    settings: Settings
    notes: tuple[str, ...] = ()
    inputs: Mapping[str, tuple[Input, ...]] = field(default_factory=dict)
    answers: Answers | None = None  # to these inputs
    kept_elsewhere: frozenset[str] = frozenset()  # the servers whose secrets stand in no file of settings


def with_servers(
    settings: Settings,
    file: Path | None,
    origins: dict[str, str],
    reads: dict[Path, FileRead],
    environ: Mapping[str, str],
    *,
    here: bool,
) -> Servers:
    """`here`: the settings file only lies in the current folder, and was allowed."""
    servers = dict(settings.mcpServers)
    other = _other_client(settings, file, reads, environ, here=here)
    for name, server in other.servers.items() if other else ():
        if name in servers:
            log.warning("server is configured twice, our own file wins", extra={"server": name})
        else:
            servers[name] = server
            origins[f"mcpServers.{name}"] = str(other.file) if other else ""
    left_out = [one for one in other.left_out if one.name not in settings.mcpServers] if other else []
    for one in left_out:
        facts = {"server": one.name, "file": str(one.file), "reason": one.reason}
        log.warning("server left out", extra=facts)
    homes = [*(_has_home(*one) for one in servers.items()), *(one.name in _homes_seen() for one in left_out)]
    if settings.mcp.simulated_home and not any(homes) and not (other and other.may_be_home):
        servers[ZWAVE] = SIMULATED_HOME
    settings = settings.with_servers(servers, left_out)
    if other is None:
        return Servers(settings)
    elsewhere = frozenset(other.servers) - other.open_secrets
    return Servers(settings, tuple(other.notes), other.inputs, Answers(other.file), elsewhere)


def _has_home(name: str, server: ServerSettings) -> bool:
    """By what it is, or because it had devices before: a real home that is away is not played by another."""
    own = name == ZWAVE or is_own_server(server.command, server.args)
    # An address with a token may be a Home Assistant whose path is wrong: what is said to it must not be
    # "done" in a home that is not there.
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


def _other_client(
    settings: Settings,
    file: Path | None,
    reads: dict[Path, FileRead],
    environ: Mapping[str, str],
    *,
    here: bool,
) -> McpJson | None:
    """Its file is named, or it lies beside the user's own settings; None: there is none."""
    named = settings.mcp.mcp_config
    read = _read_named(beside(file, named), reads) if named is not None else _read_of_user(file, reads)
    if read is None:
        return None
    if read.objection is not None and named is None:
        return McpJson(read.path, left_out=[LeftOut("", read.path, f"is not used: {read.objection}")])
    return read_mcp_json(read, environ, lambda path: _env_file(path, reads, here=here))


def _read_named(path: Path, reads: dict[Path, FileRead]) -> FileRead:
    try:
        read = reads[path] = reads.get(path) or read_named(path, Content.MCP_JSON)
    except OSError as error:
        raise ConfigError(f"mcp_config: cannot read {path}: {error.strerror or error}") from error
    return read


def _read_of_user(file: Path | None, reads: dict[Path, FileRead]) -> FileRead | None:
    """Only beside the user's own settings: another settings file names all that it starts."""
    if file is not None and os.path.realpath(file) != os.path.realpath(user_file()):
        return None
    if (read := read_found(user_mcp_json(), Content.MCP_JSON)) is not None:
        reads[read.path] = read
    return read


def _env_file(path: Path, reads: dict[Path, FileRead], *, here: bool) -> dict[str, str | None]:
    """Raises BadEntry. It can change what a server starts: beside a settings file that only lies there, it
    has to be allowed with that."""
    from dotenv import dotenv_values

    try:
        read = reads.get(path) or (read_named(path, Content.ANY) if path.is_file() else None)
        if read is None:
            raise BadEntry(f"envFile: there is no file {path}")
        if here and (reason := refusal(read)) is not None:
            raise BadEntry(f"envFile {path}: {reason}")
        text = decoded(read.content)
    except BadEntry:
        raise
    except (OSError, ValueError) as error:
        raise BadEntry(f"envFile: cannot read {path}: {error}") from error
    reads[path] = read
    return dotenv_values(stream=io.StringIO(text), interpolate=False)


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
