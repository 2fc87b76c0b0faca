"""Read the settings: command line over environment over file over default, and who set what."""

import os
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from voice_gateway.config.environment import CONFIG_FILE, from_environment, unknown_variables
from voice_gateway.config.folders import user_file
from voice_gateway.config.kinds import did_you_mean, plain
from voice_gateway.config.moved import advice
from voice_gateway.config.servers import beside, with_servers
from voice_gateway.config.tree import ServerSettings, Settings, sections, setting_names
from voice_gateway.errors import ConfigError
from voice_gateway.private_files import is_open_to_others

Tree = dict[str, Any]  # as the file has it: sections of keys
SECRET_WORDS = ("authorization", "token", "key", "secret", "password", "cookie")


@dataclass(frozen=True, slots=True)
class Loaded:
    """The settings, the file they came from, and where each value that is not a default was set."""

    settings: Settings
    file: Path | None = None
    origins: Mapping[str, str] = field(default_factory=dict)
    readable: str | None = None  # the secrets in the file, if other users can read it
    notes: tuple[str, ...] = ()  # a sentence for each part of an mcp.json that has no effect


def load(
    file: Path | None = None,
    *,
    overrides: Mapping[str, Any] | None = None,
    environ: Mapping[str, str] | None = None,
    file_alone: bool = False,
) -> Loaded:
    """`overrides` are dotted names from the command line; with `file_alone` no variable is a setting.

    Raises ConfigError with one line for each mistake.
    """
    environ = os.environ if environ is None else environ
    source = named_file(file, environ) or (user_file() if user_file().is_file() else None)
    tree = _read_toml(source) if source is not None else {}
    mistakes = [*_without_old_names(tree, source), *([] if file_alone else unknown_variables(environ))]
    origins = {name: str(source) for name in _dotted(tree)}
    try:
        given = from_environment({} if file_alone else environ)
    except ConfigError as error:
        given = {}
        mistakes.append(str(error))
    for name, (value, variable) in given.items():
        if name == "mcpServers":  # replaces the whole table of the file
            origins = {key: where for key, where in origins.items() if not key.startswith("mcpServers.")}
            origins |= dict.fromkeys(_dotted({name: value}), variable)
        _put(tree, name, value)
        origins[name] = variable
    for name, value in (overrides or {}).items():
        _put(tree, name, value)
        origins[name] = "command line"
    settings = _with_tools_dir(_validated(tree, origins, source, mistakes), source)
    secrets = [what for name, what in _secrets(settings) if source and origins.get(name) == str(source)]
    settings, notes = with_servers(settings, source, origins, environ)
    readable = " and ".join(secrets) if source and secrets and is_open_to_others(source) else None
    return Loaded(settings, source, origins, readable, notes)


def named_file(option: Path | None, environ: Mapping[str, str] = os.environ) -> Path | None:
    """The file that the command line or the environment names."""
    return option or (Path(environ[CONFIG_FILE]).expanduser() if environ.get(CONFIG_FILE) else None)


def _read_toml(file: Path) -> Tree:
    try:
        tree = tomllib.loads(file.read_bytes().decode("utf-8"))
    except OSError as error:
        raise ConfigError(f"cannot read {file}: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"{file} is not UTF-8 text") from error
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{file} is not valid TOML: {error}") from error
    # `mcp_config = "FILE"` is also accepted at the top of the file.
    if "mcp_config" in tree and isinstance(section := tree.get("mcp", {}), dict):
        tree["mcp"] = {"mcp_config": tree.pop("mcp_config"), **section}
    return tree


def _without_old_names(tree: Tree, file: Path | None) -> list[str]:
    """Removes the settings of earlier versions; a line for each."""
    old = {name: line for name in _dotted(tree) if (line := advice(name)) is not None}
    for name in old:
        section, _, key = name.partition(".")
        del (tree[section] if key else tree)[key or section]
    return [f"{file}: {line}" for line in old.values()]


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


def _with_tools_dir(settings: Settings, file: Path | None) -> Settings:
    if settings.tools.tools_dir is None:
        return settings
    tools = settings.tools.model_copy(update={"tools_dir": beside(file, settings.tools.tools_dir)})
    return settings.model_copy(update={"tools": tools})


def _secrets(settings: Settings) -> Iterator[tuple[str, str]]:
    """The setting's name, and what to call it."""
    named = {
        "anthropic.api_key": settings.anthropic.api_key,
        "mqtt.password": settings.mqtt.password,
        "permission.pin": settings.permission.pin,
    }
    yield from ((name, name) for name, value in named.items() if value is not None)
    for name, server in settings.mcpServers.items():
        keys = [key.lower() for key in (*server.headers, *server.env)]
        if any(word in key for key in keys for word in SECRET_WORDS):
            yield f"mcpServers.{name}", f"the token of the server {name}"


# --- mistakes, in one line each


def _validated(
    tree: Tree, origins: Mapping[str, str], file: Path | None, mistakes: Sequence[str]
) -> Settings:
    """Raises ConfigError with every mistake: those known before, and those of the values."""
    try:
        settings = Settings.model_validate(tree)
    except ValidationError as error:
        problems = [_problem(entry, origins, file) for entry in error.errors(include_url=False)]
        raise ConfigError("\n".join([*mistakes, *problems])) from error
    if mistakes:
        raise ConfigError("\n".join(mistakes))
    return settings


def _problem(entry: Any, origins: Mapping[str, str], file: Path | None) -> str:
    where = [str(part) for part in entry["loc"] if part != "[key]"]
    name, key = ".".join(where), ".".join(where[:2])
    message = plain(entry["msg"])
    if entry["type"] == "extra_forbidden":
        meant = [setting for setting in setting_names() if setting.partition(".")[2] == name]
        text = (
            f'unknown setting "{name}"{did_you_mean((*meant, where[-1])[0], [*meant, *_keys_beside(where)])}'
        )
    elif (whole := ".".join([*where, message.partition(" ")[0]])) in setting_names():
        # A mistake between several settings names the first of them itself.
        key, text = whole, ".".join([*where, message])
    else:
        text = f"{name}: {message}"
    origin = origins.get(key, str(file) if file else "")
    return f"{origin}: {text}" if origin else text


def _keys_beside(where: list[str]) -> list[str]:
    if len(where) == 1:
        return list(Settings.model_fields)
    kind = ServerSettings if where[0] == "mcpServers" else sections().get(where[0])
    return list(kind.model_fields) if kind is not None else []
