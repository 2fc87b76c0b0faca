"""Whether the settings file of the current folder may be used: it can name commands that are run.

Two things are asked. Nobody but the user (and root) can write the file or put another in its place: that
keeps other people out. And the user has allowed, at this very place, what it starts: that keeps out what
comes in the user's own name, such as an archive or a pull from a repository. Whoever edits anything else in
it is not asked again. Another server is, another rule of who may open the house, and another address, to
which a key of the environment would go: nothing tells the user's own edit from the next pull.
"""

import contextlib
import hashlib
import json
import os
import shlex
import stat
import tomllib
from dataclasses import dataclass, field
from enum import Enum, auto
from pathlib import Path
from typing import Any

from voice_gateway.config.folders import allowed_folder
from voice_gateway.config.jsonc import decoded, read_jsonc
from voice_gateway.errors import ConfigError
from voice_gateway.private_files import WRITE_OF_OTHERS, changeable_by_others, private_file

ALLOW = "`voice-gateway config allow`"
LARGEST = 1024 * 1024  # bytes of a file that nobody named
# The parts of a file that name commands, or say who may open the house; beside them every address, and what
# a model may do by itself.
STARTING = ("mcpServers", "mcp", "mcp_config", "permission", "routines")
STARTING_IN_MCP_JSON = ("mcpServers", "servers", "mcp", "inputs")
BESIDE = ("url", "autonomy", "tools_dir")  # how such a setting's name ends in any other part
CHANGED = "what it starts, permits or connects to has changed since you allowed it"
UNREADABLE = "-"  # it starts nothing; what is wrong with it is told when it is read


class Content(Enum):
    """What a file holds, and so which of its changes count."""

    SETTINGS = auto()
    MCP_JSON = auto()  # another client's: its servers
    ANY = auto()  # all of it


@dataclass(frozen=True, slots=True)
class FileRead:
    """A file that was opened once: what is said of it and what it holds belong together."""

    path: Path
    content: bytes = field(repr=False)  # may hold passwords
    objection: str | None = None  # why it could be somebody else's work
    open_to_others: bool = False  # somebody else could read it
    kind: Content = Content.SETTINGS


def read_named(path: Path, kind: Content = Content.SETTINGS) -> FileRead:
    """One that the user has named: it is read whoever wrote it. Raises OSError."""
    with path.open("rb") as file:
        found = os.fstat(file.fileno())
        return FileRead(path, file.read(), _objection(path, found), _is_open(path, found), kind)


def read_found(path: Path, kind: Content = Content.SETTINGS) -> FileRead | None:
    """One that only lies there; it is not read if it could be somebody else's work. None: there is none."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    except OSError as error:
        return FileRead(path, b"", f"it cannot be read ({error.strerror})")
    try:
        found = os.fstat(descriptor)
        objection = _objection(path, found)
        if objection is not None:
            return FileRead(path, b"", objection)
        with os.fdopen(descriptor, "rb", closefd=False) as file:
            content = file.read(LARGEST + 1)
    finally:
        os.close(descriptor)
    if len(content) > LARGEST:
        return FileRead(path, b"", f"it has more than {LARGEST} bytes")
    return FileRead(path, content, open_to_others=_is_open(path, found), kind=kind)


def refusal(read: FileRead) -> str | None:
    """Why a file that only lies there is not used, and what helps; None: it may be."""
    if read.objection is not None:
        return read.objection
    known, starts = _remembered(read.path), _what_it_starts(read)
    if known is not None and starts in (known, UNREADABLE):
        return None
    reason = "you have not allowed it" if known is None else CHANGED
    return f"{reason}; look at it, then run {ALLOW}"


def allow(read: FileRead, memory: Path | None = None) -> None:
    """From now on it may be used at this place, as long as it starts the same. Raises OSError."""
    record = _record(read.path, memory)
    fresh = private_file(record.with_name(f"{record.name}.{os.getpid()}"))
    fresh.write_text(f"{_what_it_starts(read)} {os.path.realpath(read.path)!r}\n", encoding="utf-8")
    fresh.replace(record)
    if problem := read_named(record).objection:
        raise OSError(f"what is allowed is kept in {record.parent}, and {problem}")


def _objection(path: Path, found: os.stat_result) -> str | None:
    """`found` is what was opened. A link counts with what it leads to, and with the folder it stands in."""
    if not stat.S_ISREG(found.st_mode):
        return "it is not a regular file"
    if found.st_uid != os.geteuid():
        return "it belongs to another user"
    if found.st_mode & WRITE_OF_OTHERS:
        return f"others may write it; `chmod go-w {shlex.quote(str(path))}` ends that"
    try:
        for folder in {Path(os.path.realpath(path.parent)), Path(os.path.realpath(path)).parent}:
            if problem := changeable_by_others(folder):
                return f"{problem}, so that it could be replaced"
    except OSError as error:
        return f"it cannot be told who could replace it ({error.strerror})"
    return None


def _is_open(path: Path, found: os.stat_result) -> bool:
    """By its own rights and those of its folder: in a closed one nobody finds it."""
    if not stat.S_ISREG(found.st_mode):
        return False
    folder = Path(os.path.realpath(path)).parent.stat()
    by_group = found.st_mode & stat.S_IRGRP and folder.st_mode & stat.S_IXGRP
    return bool(by_group or (found.st_mode & stat.S_IROTH and folder.st_mode & stat.S_IXOTH))


def _remembered(path: Path) -> str | None:
    """The digest of what was allowed there; only a record that nobody else could have written counts."""
    with contextlib.suppress(OSError, ValueError, IndexError):
        record = read_named(_record(path, None))
        if record.objection is None:
            return record.content.decode().split()[0]
    return None


def _record(path: Path, memory: Path | None) -> Path:
    place = os.fsencode(os.path.realpath(path))
    return (memory or allowed_folder()) / hashlib.sha256(place).hexdigest()


def _what_it_starts(read: FileRead) -> str:
    """A digest of its servers and the file that it names for more of them, its permissions, its addresses."""
    if read.kind is Content.ANY:
        return hashlib.sha256(read.content).hexdigest()
    try:
        if read.kind is Content.MCP_JSON:
            tree = read_jsonc(decoded(read.content))
            named = {key: tree.get(key) for key in STARTING_IN_MCP_JSON}
        else:
            tree = tomllib.loads(read.content.decode())
            named = {key: tree.get(key) for key in STARTING} | _beside(tree)
    except (ConfigError, ValueError, AttributeError, RecursionError):
        return UNREADABLE
    return hashlib.sha256(json.dumps(named, sort_keys=True, default=str).encode()).hexdigest()


def _beside(tree: dict[str, Any]) -> dict[str, Any]:
    return {
        f"{section}.{key}": value
        for section, settings in tree.items()
        if isinstance(settings, dict)
        for key, value in settings.items()
        if key.endswith(BESIDE)
    }
