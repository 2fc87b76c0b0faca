"""A user's own LangChain tools: those of installed packages (entry points), and those of files in a folder.

Both run in this process. A file runs only with the content that the owner approved, and only if no other user
could have written it. A file or entry point with a mistake is left out and named.
"""

import contextlib
import hashlib
import json
import sys
import traceback
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from voice_gateway.errors import ToolError
from voice_gateway.private_files import private_file, read_own
from voice_gateway.tools.masking import shorten
from voice_gateway.tools.traits import check_definition, lc_name, sendable_name, with_traits
from voice_gateway.turn import ToolTraits

if TYPE_CHECKING:
    from langchain_core.tools import BaseTool

GROUP = "voice_gateway.tools"  # the name of the entry points
LONGEST_REASON = 300  # characters
NO_TOOL = "there is no LangChain tool in it"
NOT_APPROVED = "it is new or has changed; `voice-gateway tools approve` lets it run"
APPROVED_FILE = "approved-tools.json"  # in the data folder
# The hints in a tool's `metadata` that are believed, by our names and by MCP's.
HINTS = {"read_only": "readOnlyHint", "destructive": "destructiveHint", "idempotent": "idempotentHint"}


@dataclass
class OwnTools:
    tools: "list[BaseTool]" = field(default_factory=list)
    problems: list[str] = field(default_factory=list)  # one sentence for each that was left out

    def leave_out(self, where: str, reason: str) -> None:
        self.problems.append(f"{where}: {shorten(' '.join(reason.split()), LONGEST_REASON)}")

    def take(self, source: str, origin: str, where: str, load: Callable[[], Any]) -> None:
        """The tools that `load` gives, from the source of this name; or the reason why not."""
        try:
            made = list({id(tool): tool for tool in _tools_in(load())}.values())
        except (Exception, SystemExit) as error:
            self.leave_out(where, _reason(error, where))
            return
        if not made:
            self.leave_out(where, NO_TOOL)
        for tool in made:
            try:
                check_definition(tool)
            except ToolError as error:
                self.leave_out(origin, str(error))
            else:
                self.tools.append(with_traits(tool, _traits(tool, source, origin)))


class Approvals:
    """The content of tool files that the owner lets run: a hash for each path, in a private file."""

    def __init__(self, file: Path) -> None:
        self._file = file
        try:
            self._hashes: dict[str, str] = dict(json.loads(file.read_text(encoding="utf-8")))
        except (OSError, ValueError, TypeError):
            self._hashes = {}  # the owner approves the files again

    def allows(self, file: Path, content: bytes) -> bool:
        return self._hashes.get(str(file.resolve())) == _hash(content)

    def approve(self, files: Iterable[Path]) -> None:
        """Let these files run as they are now. Raises OSError for one that others could have written."""
        self._hashes |= {str(file.resolve()): _hash(read_own(file)) for file in files}
        private_file(self._file).write_text(json.dumps(self._hashes, indent=1), encoding="utf-8")


def _hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def tool_files(folder: Path) -> list[Path]:
    return [
        file
        for file in sorted(folder.iterdir())
        if file.suffix == ".py" and not file.name.startswith(("_", "."))
    ]


def own_tools(folder: Path | None, approvals: Approvals, taken: Collection[str] = ()) -> OwnTools:
    """All tools that could be loaded. `taken` are the names of servers, which no source of tools gets."""

    def source(name: str) -> str:
        name = sendable_name(name).strip("_") or "own"
        while name in taken or name == "builtin":
            name += "_py"
        return name

    own = OwnTools()
    with contextlib.redirect_stdout(sys.stderr):  # what it prints is no answer of ours
        for entry in sorted(entry_points(group=GROUP), key=lambda entry: entry.name):
            origin = f"the package {entry.dist.name if entry.dist is not None else entry.value}"
            own.take(source(entry.name), origin, f'"{entry.name}" of {origin}', partial(_called, entry))
        try:
            files = tool_files(folder) if folder is not None else []
        except OSError as error:
            own.leave_out(f"tools_dir {folder}", error.strerror or str(error))
            files = []
        for file in files:
            own.take(source(file.stem), f"the file {file}", str(file), partial(_run, file, approvals))
    return own


def _called(entry: EntryPoint) -> Any:
    """A tool, several, or what gives them; a tool class is made without arguments."""
    from langchain_core.tools import BaseTool

    given = entry.load()
    return given() if callable(given) and not isinstance(given, BaseTool) else given


def _run(file: Path, approvals: Approvals) -> list[Any]:
    """The public values of a file, after running it."""
    content = read_own(file)
    if not approvals.allows(file, content):
        raise OSError(0, NOT_APPROVED)
    # Known by its name, as a module is: what it defines may be looked up there.
    module = ModuleType(f"own_tools_{file.stem}")
    module.__file__ = str(file)
    sys.modules[module.__name__] = module
    try:
        # What was checked is what runs, and no other file that took its place.
        exec(compile(content, str(file), "exec"), module.__dict__)
    except BaseException:
        del sys.modules[module.__name__]
        raise
    return [value for name, value in vars(module).items() if not name.startswith("_")]


def _reason(error: BaseException, file: str) -> str:
    text = f"{type(error).__name__}: {error}"
    if isinstance(error, SyntaxError):
        return f"line {error.lineno}: {type(error).__name__}: {error.msg}"
    steps = [step for step in traceback.extract_tb(error.__traceback__) if step.filename == file]
    return f"line {steps[-1].lineno}: {text}" if steps else getattr(error, "strerror", None) or text


def _tools_in(given: Any) -> "Iterator[BaseTool]":
    """A tool, or those in a list of them, however nested."""
    from langchain_core.tools import BaseTool

    if isinstance(given, BaseTool):
        yield given
    elif isinstance(given, list | tuple):
        for inner in given:
            yield from _tools_in(inner)


def _traits(tool: "BaseTool", source: str, origin: str) -> ToolTraits:
    """The hints are believed if the tool says whether it is destructive, or that it only reads; otherwise it
    is judged as an untrusted server's."""
    metadata = tool.metadata or {}
    known = metadata.get("traits")
    hints = {ours: metadata.get(ours, metadata.get(theirs)) for ours, theirs in HINTS.items()}
    hints = {name: hint is True for name, hint in hints.items() if hint is not None}
    base = known if isinstance(known, ToolTraits) else replace(ToolTraits(), **hints)  # type: ignore[arg-type]
    trusted = isinstance(known, ToolTraits) or "destructive" in hints or base.read_only
    return replace(base, source=source, original_name=lc_name(tool), trusted=trusted, origin=origin)
