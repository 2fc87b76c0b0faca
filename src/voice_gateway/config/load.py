"""Read the settings: the file, the environment, and the servers another MCP client already knows."""

import difflib
import os
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import platformdirs
from pydantic import BaseModel, ValidationError

from voice_gateway.config.presets import PRESETS
from voice_gateway.config.servers import plain, read_json, with_servers
from voice_gateway.config.tree import Section, ServerSettings, Settings
from voice_gateway.errors import ConfigError

FILE_NAME = "voice-gateway.toml"
ENV_PREFIX = "VOICE_GATEWAY_"
SERVERS_VARIABLE = f"{ENV_PREFIX}MCPSERVERS"

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


@dataclass(frozen=True, slots=True)
class Loaded:
    """The settings, the file they came from, and where each value that is not a default was set."""

    settings: Settings
    file: Path | None = None
    origins: Mapping[str, str] = field(default_factory=dict)


def load(
    file: Path | None = None,
    *,
    overrides: Mapping[str, Any] | None = None,
    environ: Mapping[str, str] | None = None,
) -> Loaded:
    """`overrides` are dotted names from the command line. Raises ConfigError with one clear line."""
    environ = os.environ if environ is None else environ
    found = find_file(file)
    tree = _mcp_config_below_mcp(_read_toml(found)) if found else {}
    origins = {name: str(found) for name in _dotted(tree)}
    for name, value, variable in _from_environment(environ):
        _put(tree, name, value)
        origins[name] = variable
    if servers := environ.get(SERVERS_VARIABLE):
        _replace_servers(tree, origins, read_json(servers, SERVERS_VARIABLE))
    for name, value in (overrides or {}).items():
        _put(tree, name, value)
        origins[name] = "command line"
    _fill_from_preset(tree, origins)
    settings = _validated(tree, origins, found)
    return Loaded(with_servers(settings, found, origins), found, origins)


def find_file(file: Path | None) -> Path | None:
    if file is not None:
        return file
    folders = (Path.cwd(), Path(platformdirs.user_config_dir("voice-gateway", appauthor=False)))
    return next((folder / FILE_NAME for folder in folders if (folder / FILE_NAME).is_file()), None)


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


def _read_toml(file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(f"cannot read {file}: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"{file} is not UTF-8 text") from error
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{file} is not valid TOML: {error}") from error


def _mcp_config_below_mcp(tree: dict[str, Any]) -> dict[str, Any]:
    """`mcp_config = "FILE"` is also taken at the top of the file, where people look for it first."""
    section = tree.get("mcp", {})
    if "mcp_config" not in tree or not isinstance(section, dict):
        return tree
    rest = {name: part for name, part in tree.items() if name != "mcp_config"}
    return {**rest, "mcp": {"mcp_config": tree["mcp_config"], **section}}


def _replace_servers(tree: dict[str, Any], origins: dict[str, str], table: Any) -> None:
    """The table of the environment stands for the whole table of the file."""
    for name in [name for name in origins if name.partition(".")[0] == "mcpServers"]:
        del origins[name]
    tree["mcpServers"] = table
    names = [f"mcpServers.{name}" for name in table] if isinstance(table, dict) else []
    origins |= dict.fromkeys(["mcpServers", *names], SERVERS_VARIABLE)


def _from_environment(environ: Mapping[str, str]) -> Iterator[tuple[str, Any, str]]:
    """Known names first, so that our own twins win over them."""
    _refuse_unknown_names(environ)
    for variable, setting in KNOWN_NAMES.items():
        if environ.get(variable):
            yield setting, environ[variable], variable
    for setting in setting_names():
        variable = env_name(setting)
        if variable in environ:
            yield setting, _environment_value(setting, environ[variable]), variable
    if preset := environ.get(f"{ENV_PREFIX}PRESET"):
        yield "preset", preset, f"{ENV_PREFIX}PRESET"


def _refuse_unknown_names(environ: Mapping[str, str]) -> None:
    known = [*map(env_name, setting_names()), f"{ENV_PREFIX}PRESET", SERVERS_VARIABLE]
    problems = []
    for variable in sorted(name for name in environ if name.startswith(ENV_PREFIX) and name not in known):
        near = difflib.get_close_matches(variable.removeprefix(ENV_PREFIX), _without_prefix(known), n=1)
        hint = f' (did you mean "{ENV_PREFIX}{near[0]}"?)' if near else ""
        problems.append(f'unknown setting "{variable}"{hint}')
    if problems:
        raise ConfigError(f"environment: {'; '.join(problems)}")


def _without_prefix(names: list[str]) -> list[str]:
    """The part that was meant to differ: with the prefix, any two names look alike."""
    return [name.removeprefix(ENV_PREFIX) for name in names]


def _fill_from_preset(tree: dict[str, Any], origins: dict[str, str]) -> None:
    """A preset is only a set of other defaults: whatever was said anywhere else wins."""
    preset = tree.get("preset")
    for name, value in PRESETS.get(preset, {}).items() if isinstance(preset, str) else ():
        if name not in origins:
            _put(tree, name, value)
            origins[name] = f"preset {preset}"


def _environment_value(setting: str, text: str) -> Any:
    """Lists are given as `a, b, c`."""
    section, key = setting.split(".")
    kind = Settings.model_fields[section].annotation.model_fields[key].annotation  # type: ignore[union-attr]
    if kind == tuple[str, ...]:
        return tuple(part.strip() for part in text.split(",") if part.strip())
    return text


def _put(tree: dict[str, Any], name: str, value: Any) -> None:
    section, _, key = name.partition(".")
    if not key:
        tree[section] = value
        return
    part = tree.setdefault(section, {})
    if isinstance(part, dict):
        part[key] = value


def _dotted(tree: Mapping[str, Any]) -> Iterator[str]:
    for section, part in tree.items():
        if isinstance(part, dict):
            yield from (f"{section}.{key}" for key in part)
        else:
            yield section


def _validated(tree: dict[str, Any], origins: Mapping[str, str], file: Path | None) -> Settings:
    try:
        return Settings.model_validate(tree)
    except ValidationError as error:
        problems = [_problem(entry, origins, file) for entry in error.errors(include_url=False)]
        raise ConfigError("; ".join(problems)) from error


def _problem(entry: Any, origins: Mapping[str, str], file: Path | None) -> str:
    where = [str(part) for part in entry["loc"]]
    name, key = ".".join(where), ".".join(where[:2])
    message = plain(entry["msg"])
    if entry["type"] == "extra_forbidden":
        near = difflib.get_close_matches(where[-1], _keys_beside(where), n=1)
        text = f'unknown setting "{name}"' + (f' (did you mean "{near[0]}"?)' if near else "")
    elif (whole := ".".join([*where, message.partition(" ")[0]])) in setting_names():
        # What is wrong between several settings names the first of them itself.
        key, text = whole, ".".join([*where, message])
    else:
        text = f"{name}: {message}"
    origin = origins.get(key, str(file) if file else "")
    return f"{origin}: {text}" if origin else text


def _keys_beside(where: list[str]) -> list[str]:
    if len(where) == 1:
        return list(Settings.model_fields)
    if where[0] == "mcpServers":
        return list(ServerSettings.model_fields)
    section = Settings.model_fields[where[0]].annotation
    return list(section.model_fields) if isinstance(section, type) and issubclass(section, BaseModel) else []
