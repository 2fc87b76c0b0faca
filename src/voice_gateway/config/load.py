"""Read the settings: command line over environment over file over preset over default, and who said what."""

import contextlib
import json
import logging
import os
import sys
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo

from voice_gateway.config.folders import FILE_NAME, user_file
from voice_gateway.config.kinds import checked_server_name, did_you_mean
from voice_gateway.config.tree import Section, ServerSettings, Settings
from voice_gateway.config.trust import FileRead, read_found, read_named, refusal
from voice_gateway.errors import ConfigError
from voice_gateway.problems import SETTINGS_IGNORED

log = logging.getLogger(__name__)

Tree = dict[str, Any]  # as the file has it: sections of keys
ENV_PREFIX = "VOICE_GATEWAY_"

# Names people already have in their environment, and the setting each stands for.
KNOWN_NAMES = {
    "AI_PROVIDER": "brain.provider",
    "OLLAMA_BASE_URL": "ollama.base_url",
    "OLLAMA_MODEL": "ollama.model",
    "ANTHROPIC_API_KEY": "anthropic.api_key",
    "ANTHROPIC_MODEL": "anthropic.model",
    "MQTT_BROKER_URL": "mqtt.broker_url",
    "MQTT_USERNAME": "mqtt.username",
    "MQTT_PASSWORD": "mqtt.password",
    "MCP_RETRY_ATTEMPTS": "mcp.attempts",
    "MCP_RETRY_BASE_DELAY": "mcp.base_delay_seconds",
}
# Three ways to run it, as sets of other defaults.
PRESETS: Mapping[str, Mapping[str, Any]] = {
    # Nothing leaves the house, and nothing tries to.
    "offline": {"brain.provider": "local", "tools.search": False},
    # What the local brain does not know goes to a model server in the house; searches go to the web.
    "hybrid": {"brain.provider": "ollama", "tools.search": True},
    # What the local brain does not know goes to a model in the cloud.
    "online": {"brain.provider": "anthropic", "tools.search": True},
}
# `python -m` would look for modules in the current folder first, and that may have come from anywhere.
NO_MODULE_OF_THE_FOLDER = {"PYTHONSAFEPATH": "1"}
# Settings of what is gone: taken, so that a file that still has them works, and warned of.
WITHOUT_EFFECT = ("brain.router",)


@dataclass(frozen=True, slots=True)
class Loaded:
    """The settings, the file they came from, and where each value that is not a default was set."""

    settings: Settings
    file: Path | None = None
    origins: Mapping[str, str] = field(default_factory=dict)
    ignored: str | None = None  # the file of the current folder that is not used, and why
    reads: tuple[FileRead, ...] = ()  # whatever was read: the file, and another client's


@dataclass(frozen=True, slots=True)
class _Source:
    """Each file is read once: what is used is what was looked at."""

    file: Path | None = None
    tree: Tree = field(default_factory=dict)
    ignored: str | None = None
    reads: Mapping[Path, FileRead] = field(default_factory=dict)


def load(
    file: Path | None = None,
    *,
    overrides: Mapping[str, Any] | None = None,
    environ: Mapping[str, str] | None = None,
) -> Loaded:
    """`overrides` are dotted names from the command line. Raises ConfigError with one clear line."""
    source = _named(file) if file is not None else _found()
    found, tree = source.file, source.tree
    origins = {name: str(found) for name in _dotted(tree)}
    _add_environment(tree, origins, os.environ if environ is None else environ)
    for name, value in (overrides or {}).items():
        _put(tree, name, value)
        origins[name] = "command line"
    _fill_from_preset(tree, origins)
    for name in WITHOUT_EFFECT:
        if name in origins:
            log.warning("setting has no effect any more", extra={"setting": name, "origin": origins[name]})
    settings = _validated(tree, origins, found)
    reads = dict(source.reads)
    settings = _with_servers(settings, found, origins, reads)
    return Loaded(settings, found, origins, source.ignored, tuple(reads.values()))


def setting_names() -> list[str]:
    """Every setting as `section.key`, in the order of the tree (servers are a table of their own)."""
    return [
        f"{section}.{key}"
        for section, info in Settings.model_fields.items()
        if isinstance(info.annotation, type) and issubclass(info.annotation, Section)
        for key in info.annotation.model_fields
    ]


def env_name(setting: str) -> str:
    """`ollama.num_ctx` is VOICE_GATEWAY_OLLAMA_NUM_CTX in the environment."""
    return ENV_PREFIX + setting.replace(".", "_").upper()


# --- the file


def _named(file: Path) -> _Source:
    try:
        read = read_named(file)
    except OSError as error:
        raise ConfigError(f"cannot read {file}: {error.strerror or error}") from error
    return _Source(file, _read_toml(read), reads={file: read})


def _found() -> _Source:
    """That of the current folder if it may be used, else that of the user."""
    here = own = user_file()
    with contextlib.suppress(FileNotFoundError):  # the current folder was deleted
        here = Path.cwd() / FILE_NAME
    ignored: str | None = None
    if os.path.realpath(here) != os.path.realpath(own) and (read := read_found(here)) is not None:
        source = _allowed(read)
        if isinstance(source, _Source):
            return source
        ignored = SETTINGS_IGNORED.format(file=here, reason=source)
    return replace(_named(own), ignored=ignored) if own.is_file() else _Source(ignored=ignored)


def _allowed(read: FileRead) -> _Source | str:
    """The file, and the other client's that it names, which can hold commands as well; or why not."""
    if reason := refusal(read):
        return reason
    tree, reads = _read_toml(read), {read.path: read}
    section = tree.get("mcp")
    if isinstance(section, dict) and isinstance(named := section.get("mcp_config"), str) and named:
        other = read_found(_beside(read.path, Path(named)))
        if other is not None:
            if reason := refusal(other):
                return f"it names {other.path}, and of that {reason}"
            reads[other.path] = other
    return _Source(read.path, tree, reads=reads)


def _beside(file: Path | None, named: Path) -> Path:
    return (file.parent if file else Path.cwd()) / named.expanduser()


def _read_toml(read: FileRead) -> Tree:
    file = read.path
    try:
        tree = tomllib.loads(read.content.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise ConfigError(f"{file} is not UTF-8 text") from error
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{file} is not valid TOML: {error}") from error
    # `mcp_config = "FILE"` is also taken at the top of the file, where people look for it first.
    if "mcp_config" in tree and isinstance(section := tree.get("mcp", {}), dict):
        tree["mcp"] = {"mcp_config": tree.pop("mcp_config"), **section}
    return tree


def _dotted(tree: Tree) -> Iterator[str]:
    for section, part in tree.items():
        if isinstance(part, dict):
            yield from (f"{section}.{key}" for key in part)
        else:
            yield section


def _put(tree: Tree, name: str, value: Any) -> None:
    section, _, key = name.partition(".")
    if not key:
        tree[section] = value
    elif isinstance(part := tree.setdefault(section, {}), dict):
        part[key] = value


# --- the environment


def _add_environment(tree: Tree, origins: dict[str, str], environ: Mapping[str, str]) -> None:
    variables = _variables(environ)
    if not variables:  # as most often: then the library that reads them is not even imported
        return
    given = _read_variables({env_name(setting): environ[name] for setting, name in variables.items()})
    for setting, variable in variables.items():
        section, _, key = setting.partition(".")
        _put(tree, setting, given[section][key] if key else given[section])
        origins[setting] = variable
    if table := variables.get("mcpServers"):  # it stands for the whole table of the file
        for name in [name for name in origins if name.startswith("mcpServers.")]:
            del origins[name]
        origins |= dict.fromkeys(_dotted({"mcpServers": given["mcpServers"]}), table)


def _variables(environ: Mapping[str, str]) -> dict[str, str]:
    """Which variable says what a setting is: our own twin of a known name wins over it."""
    own = {env_name(setting): setting for setting in setting_names()}
    whole = {env_name(name): name for name in ("preset", "mcpServers")}
    _refuse_unknown_names(environ, [*own, *whole])
    found = {setting: name for name, setting in (KNOWN_NAMES | whole).items() if environ.get(name)}
    return found | {setting: name for name, setting in own.items() if name in environ}


def _refuse_unknown_names(environ: Mapping[str, str], known: list[str]) -> None:
    gone = {env_name(setting) for setting in WITHOUT_EFFECT}
    ends = [name.removeprefix(ENV_PREFIX) for name in known if name not in gone]
    problems = [
        f'unknown setting "{name}"{did_you_mean(name.removeprefix(ENV_PREFIX), ends, ENV_PREFIX)}'
        for name in sorted(environ)
        if name.startswith(ENV_PREFIX) and name not in known
    ]
    if problems:
        raise ConfigError(f"environment: {'; '.join(problems)}")


def _read_variables(variables: Mapping[str, str]) -> Tree:
    """Lists are given as `a, b, c`, a table of servers as JSON."""
    from pydantic_settings import EnvSettingsSource

    def decoded(name: str, _field: FieldInfo, text: str) -> Any:
        if name == "mcpServers":
            return _read_json(text, env_name(name))
        return tuple(part.strip() for part in text.split(",") if part.strip())

    settings: Any = Settings  # it need not be one of the library's own: the tree is also read without it
    source: Any = EnvSettingsSource(
        settings, env_prefix=ENV_PREFIX, env_nested_delimiter="_", env_nested_max_split=1
    )
    source.env_vars = {name.lower(): text for name, text in variables.items()}
    source.decode_complex_value = decoded
    return dict(source())


# --- presets


def _fill_from_preset(tree: Tree, origins: dict[str, str]) -> None:
    """A preset is only a set of other defaults: whatever was said anywhere else wins."""
    preset = tree.get("preset")
    for name, value in PRESETS.get(preset, {}).items() if isinstance(preset, str) else ():
        if name not in origins:
            _put(tree, name, value)
            origins[name] = f"preset {preset}"


# --- what is wrong with them, in one line


def _validated(tree: Tree, origins: Mapping[str, str], file: Path | None) -> Settings:
    try:
        return Settings.model_validate(tree)
    except ValidationError as error:
        problems = [_problem(entry, origins, file) for entry in error.errors(include_url=False)]
        raise ConfigError("; ".join(problems)) from error


def _problem(entry: Any, origins: Mapping[str, str], file: Path | None) -> str:
    where = [str(part) for part in entry["loc"]]
    name, key = ".".join(where), ".".join(where[:2])
    message = _plain(entry["msg"])
    if entry["type"] == "extra_forbidden":
        text = f'unknown setting "{name}"{did_you_mean(where[-1], _keys_beside(where))}'
    elif (whole := ".".join([*where, message.partition(" ")[0]])) in setting_names():
        # What is wrong between several settings names the first of them itself.
        key, text = whole, ".".join([*where, message])
    else:
        text = f"{name}: {message}"
    origin = origins.get(key, str(file) if file else "")
    return f"{origin}: {text}" if origin else text


def _keys_beside(where: list[str]) -> list[str]:
    """What may have been meant: nobody is led to a setting of what is gone."""
    if len(where) == 1:
        return list(Settings.model_fields)
    if where[0] == "mcpServers":
        return list(ServerSettings.model_fields)
    section = Settings.model_fields[where[0]].annotation
    keys = section.model_fields if isinstance(section, type) and issubclass(section, BaseModel) else ()
    return [key for key in keys if f"{where[0]}.{key}" not in WITHOUT_EFFECT]


def _plain(message: str) -> str:
    """Pydantic's message in the words of a configuration file, which knows lists only."""
    words = message.removeprefix("Value error, ").replace("Input should be", "must be")
    return words.replace("valid tuple", "valid list")


# --- the MCP servers: our own, those another client already knows, or the simulated home


def _with_servers(
    settings: Settings, file: Path | None, origins: dict[str, str], reads: dict[Path, FileRead]
) -> Settings:
    servers = dict(settings.mcpServers)
    if settings.mcp.mcp_config is not None:
        other = _beside(file, settings.mcp.mcp_config)
        for name, server in _other_clients_servers(other, reads).items():
            if name in servers:
                log.warning("server is configured twice, our own file wins", extra={"server": name})
            else:
                servers[name] = server
                origins[f"mcpServers.{name}"] = str(other)
    if not servers and settings.mcp.simulated_home:
        servers["zwave"] = ServerSettings(
            command=sys.executable, args=("-m", "zwave_mcp", "--simulate"), env=NO_MODULE_OF_THE_FOLDER
        )
    return settings.model_copy(update={"mcpServers": servers})


def _other_clients_servers(file: Path, reads: dict[Path, FileRead]) -> dict[str, ServerSettings]:
    try:
        read = reads[file] = reads.get(file) or read_named(file)
        text = read.content.decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"mcp_config: cannot read {file}: {error}") from error
    tree = _read_json(text, str(file))
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
        raise ConfigError(f"mcp_config: {file}: {where}: {_plain(first['msg'])}") from error
    except ValueError as error:
        raise ConfigError(f"mcp_config: {file}: mcpServers: {error}") from error


def _read_json(text: str, where: str) -> Any:
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
