"""Read the settings: command line over environment over file over preset over default, and who said what."""

import contextlib
import logging
import os
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from voice_gateway.config.environment import from_environment
from voice_gateway.config.folders import FILE_NAME, user_file
from voice_gateway.config.kinds import did_you_mean, plain
from voice_gateway.config.mcp_json.entry import SECRET_NAME
from voice_gateway.config.mcp_json.inputs import Answers, Input
from voice_gateway.config.servers import Servers, beside, with_servers
from voice_gateway.config.tree import WITHOUT_EFFECT, ServerSettings, Settings, setting_names
from voice_gateway.config.trust import Content, FileRead, read_found, read_named, refusal
from voice_gateway.errors import ConfigError
from voice_gateway.problems.sentences import SETTINGS_IGNORED, SETTINGS_READABLE

log = logging.getLogger(__name__)

Tree = dict[str, Any]  # as the file has it: sections of keys
# Three ways to run it, as sets of other defaults.
PRESETS: Mapping[str, Mapping[str, Any]] = {
    # Nothing leaves the house, and nothing tries to.
    "offline": {"brain.provider": "local", "tools.search": False, "tools.weather": False},
    # What the local brain does not know goes to a model server in the house; searches go to the web.
    "hybrid": {"brain.provider": "ollama", "tools.search": True},
    # What the local brain does not know goes to a model in the cloud.
    "online": {"brain.provider": "anthropic", "tools.search": True},
}


@dataclass(frozen=True, slots=True)
class Loaded:
    """The settings, the file they came from, and where each value that is not a default was set."""

    settings: Settings
    file: Path | None = None
    origins: Mapping[str, str] = field(default_factory=dict)
    ignored: str | None = None  # the file of the current folder that is not used, and why
    reads: tuple[FileRead, ...] = ()  # whatever was read: the file, and another client's
    readable: tuple[str, ...] = ()  # of each file with a secret in it that others can read, in a sentence
    notes: tuple[str, ...] = ()  # what another client's file has and means nothing here, in a sentence each
    inputs: Mapping[str, tuple[Input, ...]] = field(default_factory=dict)  # by server: what its user is asked
    answers: Answers | None = None  # … and where that is kept


@dataclass(frozen=True, slots=True)
class _Source:
    """Each file is read once: what is used is what was looked at."""

    file: Path | None = None
    tree: Tree = field(default_factory=dict)
    ignored: str | None = None
    reads: Mapping[Path, FileRead] = field(default_factory=dict)
    here: bool = False  # it only lies in the current folder, and was allowed


def load(
    file: Path | None = None,
    *,
    overrides: Mapping[str, Any] | None = None,
    environ: Mapping[str, str] | None = None,
    file_alone: bool = False,
) -> Loaded:
    """`overrides` are dotted names from the command line. `file_alone`: no variable of the environment is a
    setting; those that a file asks for are known all the same. Raises ConfigError with one clear line."""
    environ = os.environ if environ is None else environ
    source = _named(file) if file is not None else _found()
    found, tree = source.file, source.tree
    origins = {name: str(found) for name in _dotted(tree)}
    for name, (value, variable) in from_environment({} if file_alone else environ).items():
        if name == "mcpServers":  # it stands for the whole table of the file
            origins = {key: where for key, where in origins.items() if not key.startswith("mcpServers.")}
            origins |= dict.fromkeys(_dotted({name: value}), variable)
        _put(tree, name, value)
        origins[name] = variable
    for name, value in (overrides or {}).items():
        _put(tree, name, value)
        origins[name] = "command line"
    _fill_from_preset(tree, origins)
    for name in WITHOUT_EFFECT:
        if name in origins:
            log.warning("setting has no effect any more", extra={"setting": name, "origin": origins[name]})
    settings = _with_tools_dir(_validated(tree, origins, found), found)
    reads = dict(source.reads)
    servers = with_servers(settings, found, origins, reads, environ, here=source.here)
    readable = tuple(_readable_secrets(servers, origins, reads.values()))
    return Loaded(
        servers.settings,
        found,
        origins,
        source.ignored,
        tuple(reads.values()),
        readable,
        servers.notes,
        servers.inputs,
        servers.answers,
    )


def _with_tools_dir(settings: Settings, file: Path | None) -> Settings:
    """A path that is not whole is one beside the file."""
    if settings.tools.tools_dir is None:
        return settings
    tools = settings.tools.model_copy(update={"tools_dir": beside(file, settings.tools.tools_dir)})
    return settings.model_copy(update={"tools": tools})


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
        other = read_found(beside(read.path, Path(named)), Content.MCP_JSON)
        if other is not None:
            if reason := refusal(other):
                return f"it names {other.path}, and of that {reason}"
            reads[other.path] = other
    return _Source(read.path, tree, reads=reads, here=True)


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


# --- presets


def _fill_from_preset(tree: Tree, origins: dict[str, str]) -> None:
    """A preset is only a set of other defaults: whatever was said anywhere else wins."""
    preset = tree.get("preset")
    for name, value in PRESETS.get(preset, {}).items() if isinstance(preset, str) else ():
        if name not in origins:
            _put(tree, name, value)
            origins[name] = f"preset {preset}"


# --- secrets that others can read


def _readable_secrets(
    servers: Servers, origins: Mapping[str, str], reads: Iterable[FileRead]
) -> Iterator[str]:
    """A warning, not a refusal: who is alone on a machine need not care."""
    for read in reads:
        if read.open_to_others:
            held = [what for name, what in _secrets(servers) if origins.get(name) == str(read.path)]
            if held:
                yield SETTINGS_READABLE.format(file=read.path, what=" and ".join(held))


def _secrets(servers: Servers) -> Iterator[tuple[str, str]]:
    """The setting's name, and what is said of it."""
    settings = servers.settings
    named = {
        "anthropic.api_key": settings.anthropic.api_key,
        "mqtt.password": settings.mqtt.password,
        "permission.pin": settings.permission.pin,
    }
    yield from ((name, name) for name, value in named.items() if value is not None)
    for name, server in settings.mcpServers.items():
        has_secret = any(SECRET_NAME.search(key) for key in (*server.headers, *server.env))
        if has_secret and name not in servers.kept_elsewhere:
            yield f"mcpServers.{name}", f"the token of the server {name}"


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
    message = plain(entry["msg"])
    if entry["type"] == "extra_forbidden":
        text = f'unknown setting "{name}"{did_you_mean(where[-1], _keysbeside(where))}'
    elif (whole := ".".join([*where, message.partition(" ")[0]])) in setting_names():
        # What is wrong between several settings names the first of them itself.
        key, text = whole, ".".join([*where, message])
    else:
        text = f"{name}: {message}"
    origin = origins.get(key, str(file) if file else "")
    return f"{origin}: {text}" if origin else text


def _keysbeside(where: list[str]) -> list[str]:
    """What may have been meant: nobody is led to a setting of what is gone."""
    if len(where) == 1:
        return list(Settings.model_fields)
    if where[0] == "mcpServers":
        return list(ServerSettings.model_fields)
    section = Settings.model_fields[where[0]].annotation
    keys = section.model_fields if isinstance(section, type) and issubclass(section, BaseModel) else ()
    return [key for key in keys if f"{where[0]}.{key}" not in WITHOUT_EFFECT]
