"""One server of another client's file, in our own settings."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sized
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from voice_gateway.config.jsonc import RepeatedKeys, WrittenNumber
from voice_gateway.config.kinds import HOME_ASSISTANT_PATHS, did_you_mean, is_own_server, plain
from voice_gateway.config.mcp_json.variables import BadEntry, Variables
from voice_gateway.config.tree import ServerSettings

# Of several, the first that is there: who writes `httpUrl` or `serverUrl` may keep `url` for an older client.
ADDRESSES = ("httpUrl", "serverUrl", "url")
TYPES = ("type", "transport", "transportType")
_KINDS = {
    "stdio": "stdio",
    "local": "stdio",
    "sse": "sse",
    "http": "http",
    "streamablehttp": "http",
    "remote": None,  # which of the two is found out by trying
}
# No call is limited to less than a second, and none to a quarter of an hour: from here on it is milliseconds
# (Claude, Cursor, Gemini), below it seconds.
MILLISECONDS_FROM = 1000
# … unless the file is one of those whose clients count in seconds, and take up to an hour.
_IN_SECONDS_KEYS, _IN_SECONDS_FILES = {"alwaysAllow"}, {"cline_mcp_settings.json", "mcp_settings.json"}
SECRET_NAME = re.compile(r"authorization|token|key|secret|password|cookie", re.IGNORECASE)
_READ = {
    *(*ADDRESSES, *TYPES),
    *("command", "args", "env", "envFile", "cwd", "headers", "timeout", "enabled", "disabled"),
}


class Unanswered(BadEntry):
    """It waits for what only the user knows."""

    def __init__(self, inputs: Iterable[str]) -> None:
        self.inputs = tuple(inputs)
        super().__init__(f"waits for {quoted(self.inputs)}")


# The variables of a file for a server's environment, as texts; raises BadEntry.
ReadEnvFile = Callable[[Path], Mapping[str, str | None]]


@dataclass(frozen=True, slots=True)
class Entry:
    """A server, what is to be said of its entry, and whether a secret stands in the file itself."""

    server: ServerSettings
    notes: tuple[str, ...]
    holds_secret: bool


def is_off(entry: Mapping[str, Any]) -> bool:
    return _truth(entry.get("disabled")) is True or _truth(entry.get("enabled")) is False


def may_be_home(entry: Mapping[str, Any]) -> bool:
    """As far as it can be told of one that cannot be used: our own server, or an address with a token."""
    addresses = [str(entry[key]).rstrip("/") for key in ADDRESSES if entry.get(key)]
    known = any(address.endswith(HOME_ASSISTANT_PATHS) for address in addresses)
    own = is_own_server(entry.get("command"), entry.get("args"))
    return own or known or bool(addresses and entry.get("headers"))


def unknown_keys(entry: Mapping[str, Any]) -> str | None:
    """In a sentence; None: there are none."""
    known = [*_READ, *ServerSettings.model_fields]
    unknown = [key for key in entry if key not in known]
    if not unknown:
        return None
    near = did_you_mean(unknown[0], known) if len(unknown) == 1 else ""
    return f"{quoted(unknown)} {means_nothing(unknown)}{near}"


def _truth(value: Any) -> Any:
    if isinstance(value, str):
        return {"true": True, "false": False}.get(value.lower(), value)
    return value


def read_entry(
    entry: Mapping[str, Any], variables: Variables, read_env_file: ReadEnvFile, file_name: str
) -> Entry:
    """Raises BadEntry."""
    notes: list[str] = []
    if isinstance(entry, RepeatedKeys):
        notes.append(f"{quoted(entry.names)} stands there twice, and the last one holds")
    kind = _kind(entry)
    reached = _reached(entry, kind, variables, notes)
    values = {
        **{key: value for key, value in entry.items() if key in ServerSettings.model_fields},
        **dict.fromkeys(("command", "args", "url", "type", "env", "cwd", "headers")),
        **reached,
        "env": _environment(entry, variables, read_env_file, notes),
        "headers": dict(_table(entry, "headers", variables)),
        "timeout_seconds": _timeout_seconds(entry, file_name),
    }
    if (folder := entry.get("cwd")) is not None:
        values["cwd"] = variables.path(_text(folder, "cwd", variables))
    notes += [f"{odd} stays as it is: no client has such a variable" for odd in dict.fromkeys(variables.odd)]
    if variables.missing:
        raise Unanswered(variables.missing)
    server = _validated({key: value for key, value in values.items() if value is not None})
    return Entry(server, tuple(notes), _holds_secret(entry))


def _validated(values: dict[str, Any]) -> ServerSettings:
    try:
        return ServerSettings.model_validate(values)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        raise BadEntry(f"{where}: {plain(first['msg'])}" if where else plain(first["msg"])) from error


# --- how it is reached


def _kind(entry: Mapping[str, Any]) -> str | None:
    for key in TYPES:
        said = entry.get(key)
        if said is None:
            continue
        spelled = re.sub("[-_ ]", "", said).lower() if isinstance(said, str) else ""
        if spelled not in _KINDS:
            shown = said if isinstance(said, str) else type(said).__name__
            raise BadEntry(
                f"{key}: {shown[:60]!r} is not known; there are stdio, sse, http and streamable-http"
            )
        return _KINDS[spelled]
    return "http" if entry.get("httpUrl") is not None else None


def _reached(
    entry: Mapping[str, Any], kind: str | None, variables: Variables, notes: list[str]
) -> dict[str, Any]:
    addresses = [key for key in ADDRESSES if entry.get(key) not in (None, "")]
    by_command = entry.get("command") not in (None, "")
    if by_command and addresses and kind is None:
        raise BadEntry(f"has a command and {addresses[0]}: `type` must say which of them is meant")
    if by_command and (kind == "stdio" or not addresses):
        notes += [f"{key} is not used: it is reached by its command" for key in addresses]
        return _by_command(entry, kind, variables)
    if not addresses:
        raise BadEntry("needs either command or url")
    if kind == "stdio":
        raise BadEntry(f'type "stdio" needs a command, and there is only {addresses[0]}')
    unused = [*addresses[1:], *(["command"] if by_command else [])]
    notes += [f"{key} is not used: it is reached by {addresses[0]}" for key in unused]
    return {"url": _text(entry[addresses[0]], addresses[0], variables), "type": kind}


def _by_command(entry: Mapping[str, Any], kind: str | None, variables: Variables) -> dict[str, Any]:
    if kind not in (None, "stdio"):
        raise BadEntry(f'type "{kind}" needs a url, and there is only a command')
    command = _text(entry["command"], "command", variables)
    if command.startswith("~/"):
        command = str(variables.path(command))
    args = entry.get("args")
    if args is None:
        args = []
    if not isinstance(args, list):
        raise BadEntry("args: must be a valid list")
    given = tuple(_text(value, f"args.{place}", variables) for place, value in enumerate(args))
    return {"command": command, "args": given, "type": kind}


# --- texts, numbers and tables


def _text(value: Any, where: str, variables: Variables) -> str:
    """Numbers and booleans as they are written in JSON, which is how other clients hand them on."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, WrittenNumber):
        return value.written
    if isinstance(value, int):
        return str(value)
    if not isinstance(value, str):
        raise BadEntry(f"{where}: must be a text, a number, true or false")
    return _usable(variables.expand(value), where)


def _usable(text: str, where: str) -> str:
    """What no program can be given would fail at each start, with less clear words."""
    if "\0" in text:
        raise BadEntry(f"{where}: has a zero byte in it")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise BadEntry(f"{where}: has half a character in it") from None
    return text


def _table(entry: Mapping[str, Any], key: str, variables: Variables) -> Iterator[tuple[str, str]]:
    table = entry.get(key)
    if table is None:
        return
    if not isinstance(table, Mapping):
        raise BadEntry(f"{key}: must be a table of names and values")
    for name, value in table.items():
        if value is not None:  # as VS Code has it: not set
            yield _usable(name, key), _text(value, f"{key}.{name}", variables)


def _environment(
    entry: Mapping[str, Any], variables: Variables, read_env_file: ReadEnvFile, notes: list[str]
) -> dict[str, str]:
    """The file's, and over it what stands in `env`."""
    found: dict[str, str] = {}
    if entry.get("envFile") not in (None, ""):
        for name, value in read_env_file(
            variables.path(_text(entry["envFile"], "envFile", variables))
        ).items():
            if value is None:
                notes.append(f"envFile: {name} has no value")
            else:
                found[name] = _usable(value, f"envFile: {name}")
    found |= dict(_table(entry, "env", variables))
    for name in found:
        if not name or "=" in name:
            raise BadEntry(f"env: {name!r} is no name for a variable")
    return found


def _timeout_seconds(entry: Mapping[str, Any], file_name: str) -> Any:
    value = entry.get("timeout")
    if value is None:
        return entry.get("timeout_seconds")
    try:
        number = float("" if isinstance(value, bool) else value)
    except (TypeError, ValueError, OverflowError):
        raise BadEntry("timeout: must be a number") from None
    if not 0 < number < float("inf"):
        raise BadEntry("timeout: must be more than 0")
    in_seconds = not _IN_SECONDS_KEYS.isdisjoint(entry) or file_name in _IN_SECONDS_FILES
    return number if in_seconds or number < MILLISECONDS_FROM else number / 1000


def _holds_secret(entry: Mapping[str, Any]) -> bool:
    """What stands for something kept elsewhere is no secret of the file."""
    tables = [table for table in (entry.get("env"), entry.get("headers")) if isinstance(table, Mapping)]
    return any(
        SECRET_NAME.search(name) and "${" not in str(value)
        for table in tables
        for name, value in table.items()
    )


def quoted(names: Iterable[str]) -> str:
    return ", ".join(f'"{name}"' for name in names)


def means_nothing(names: Sized) -> str:
    return f"{'means' if len(names) == 1 else 'mean'} nothing here"
