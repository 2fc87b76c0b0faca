"""The servers of another client's `mcp.json`, as people have it: a bad entry costs that entry alone."""

import json
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from voice_gateway.config.jsonc import RepeatedKeys, decoded, read_jsonc
from voice_gateway.config.kinds import checked_server_name
from voice_gateway.config.mcp_json.entry import (
    Entry,
    ReadEnvFile,
    Unanswered,
    is_off,
    may_be_home,
    means_nothing,
    quoted,
    read_entry,
    unknown_keys,
)
from voice_gateway.config.mcp_json.inputs import Answers, Input, read_inputs
from voice_gateway.config.mcp_json.variables import BadEntry, Variables
from voice_gateway.config.tree import LeftOut, ServerSettings
from voice_gateway.config.trust import FileRead
from voice_gateway.errors import ConfigError

TABLES = ("mcpServers", "servers")  # Claude, Cursor and Windsurf; VS Code
NO_TABLE = 'has no table "mcpServers" or "servers"'
SHOWN_KEYS = 8  # of those that mean nothing: a whole editor's settings may stand around the servers


@dataclass(slots=True)
class McpJson:
    """What one file has."""

    file: Path
    servers: dict[str, ServerSettings] = field(default_factory=dict)
    left_out: list[LeftOut] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)  # what is not used, in a sentence each
    open_secrets: set[str] = field(default_factory=set)  # the servers with a secret in the file itself
    inputs: dict[str, tuple[Input, ...]] = field(default_factory=dict)  # which each server asks for
    may_be_home: bool = False  # one of those left out may have the user's devices


def read_mcp_json(read: FileRead, environ: Mapping[str, str], read_env_file: ReadEnvFile) -> McpJson:
    """Never raises for what stands in it."""
    found = McpJson(read.path)
    try:
        tree = read_jsonc(decoded(read.content))
        if not isinstance(tree, dict):
            raise ConfigError(NO_TABLE)
    except UnicodeDecodeError:
        found.left_out.append(LeftOut("", read.path, "is not UTF-8 text"))
    except ConfigError as error:
        found.left_out.append(LeftOut("", read.path, str(error)))
    else:
        _Reader(found, environ, read_env_file).read(tree)
    return found


class _Reader:
    def __init__(self, found: McpJson, environ: Mapping[str, str], read_env_file: ReadEnvFile) -> None:
        self._found = found
        self._environ = environ
        self._read_env_file = read_env_file
        self._answers = Answers(found.file)

    def read(self, tree: Mapping[str, Any]) -> None:
        """Servers stand in the file itself, or below `mcp` in an editor's settings."""
        levels = [one for one in (tree, tree.get("mcp")) if isinstance(one, Mapping)]
        levels = [level for level in levels if any(name in level for name in TABLES)]
        if not levels:
            self._leave_out("", NO_TABLE)
        for level in levels:
            unused = [key for key in level if key not in (*TABLES, "inputs", "mcp")]
            if unused:
                more = f" and {len(unused) - SHOWN_KEYS} more" if len(unused) > SHOWN_KEYS else ""
                self._note(f"{quoted(unused[:SHOWN_KEYS])}{more} {means_nothing(unused)}")
            inputs, notes = read_inputs(level.get("inputs"))
            for note in notes:
                self._note(note)
            for key in TABLES:
                self._read_table(key, level.get(key, {}), inputs)

    def _read_table(self, key: str, table: Any, inputs: Mapping[str, Input]) -> None:
        if not isinstance(table, Mapping):
            self._leave_out("", f'"{key}" is not a table')
            return
        if isinstance(table, RepeatedKeys):
            self._note(f"{quoted(table.names)} stands there twice, and the last one holds")
        for name, entry in table.items():
            self._read_server(name, entry, inputs)

    def _read_server(self, written: str, entry: Any, inputs: Mapping[str, Input]) -> None:
        if not isinstance(entry, Mapping):
            self._leave_out(written, "is not a table")
            return
        if is_off(entry):
            return
        used: dict[str, Input] = {}
        name = written
        try:
            name = self._name(written)
            self._take(name, self._entry(entry, inputs, used), used)
        except Unanswered as error:
            self._leave_out(name, str(error), asks=error.inputs)
        except (BadEntry, RecursionError) as error:
            self._leave_out(name, str(error) if isinstance(error, BadEntry) else "is nested too deeply")
        self._found.inputs[name] = tuple(used.values())
        self._found.may_be_home |= name not in self._found.servers and may_be_home(entry)
        if unknown := unknown_keys(entry):
            self._note(f"server {name}: {unknown}")

    def _entry(self, entry: Mapping[str, Any], inputs: Mapping[str, Input], used: dict[str, Input]) -> Entry:
        """Raises BadEntry. `used` takes the inputs that it asks for."""

        def answer(name: str) -> str | None:
            if name not in inputs:
                raise BadEntry(f'${{input:{name}}} is not among its "inputs"')
            used[name] = inputs[name]
            return self._answers.get(name)

        variables = Variables(self._found.file, self._environ, answer)
        return read_entry(entry, variables, self._read_env_file, self._found.file.name)

    def _take(self, name: str, read: Entry, used: Mapping[str, Input]) -> None:
        secrets = [self._answers.get(one.id) or "" for one in used.values() if one.password]
        self._found.servers[name] = read.server.with_secrets(secrets)
        if read.holds_secret:
            self._found.open_secrets.add(name)
        for note in read.notes:
            self._note(f"server {name}: {note}")

    def _name(self, written: str) -> str:
        """What no name here may have becomes `_`, as in "GitHub MCP" or "@scope/server"."""
        letters = unicodedata.normalize("NFKD", written).encode("ascii", "ignore").decode()
        name = re.sub(r"_{2,}", "_", re.sub(r"[^A-Za-z0-9._-]", "_", letters)).lstrip("._-").rstrip("_")
        try:
            checked_server_name(name if name else written)
        except ValueError as error:
            raise BadEntry(str(error)) from error
        if name in self._found.servers:
            raise BadEntry(f'would be called "{name}" here, as another server of this file')
        if name != written:
            self._note(f"server {json.dumps(written, ensure_ascii=False)} is called {name} here")
        return name

    def _leave_out(self, name: str, reason: str, asks: tuple[str, ...] = ()) -> None:
        if name in self._found.servers:
            name = f"{name} (another)"
        self._found.left_out.append(LeftOut(name, self._found.file, reason, asks))

    def _note(self, text: str) -> None:
        self._found.notes.append(f"{self._found.file}: {text}")
