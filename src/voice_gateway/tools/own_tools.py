"""A user's own LangChain tools: those of installed packages (entry points), and those of files in a folder.

Both run in this process, so a file is read only if no other user could have written it. A file or entry point
with a mistake is left out and named.
"""

import contextlib
import sys
import traceback
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field, replace
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from voice_gateway.errors import ToolError
from voice_gateway.private_files import read_own
from voice_gateway.tools.masking import shorten
from voice_gateway.tools.traits import check_definition, lc_name, sendable_name, with_traits
from voice_gateway.turn import ToolTraits

if TYPE_CHECKING:
    from langchain_core.tools import BaseTool

GROUP = "voice_gateway.tools"  # the name of the entry points
LONGEST_REASON = 300  # characters
# The hints in a tool's `metadata` that are believed, by our names and by MCP's.
HINTS = {"read_only": "readOnlyHint", "destructive": "destructiveHint", "idempotent": "idempotentHint"}


@dataclass
class OwnTools:
    tools: "list[BaseTool]" = field(default_factory=list)
    problems: list[str] = field(default_factory=list)  # one sentence for each that was left out

    def leave_out(self, where: str, reason: str) -> None:
        self.problems.append(f"{where}: {shorten(' '.join(reason.split()), LONGEST_REASON)}")


def own_tools(folder: Path | None, taken: Collection[str] = ()) -> OwnTools:
    """All tools that could be loaded. `taken` are the names of servers, which no source of tools gets."""
    found = OwnTools()
    with contextlib.redirect_stdout(sys.stderr):  # what it prints is no answer of ours
        for entry in sorted(entry_points(group=GROUP), key=lambda entry: entry.name):
            _load_entry(entry, found, taken)
        if folder is not None:
            _load_folder(folder, found, taken)
    return found


# --- installed packages


def _load_entry(entry: EntryPoint, found: OwnTools, taken: Collection[str]) -> None:
    package = entry.dist.name if entry.dist is not None else entry.value
    where = f"the package {package}"
    try:
        given = entry.load()
        tools = list(_tools_in(_made(given)))
    except (Exception, SystemExit) as error:
        found.leave_out(f'"{entry.name}" of {where}', _reason(error, None))
        return
    if not tools:
        found.leave_out(f'"{entry.name}" of {where}', "it is neither a LangChain tool nor gives one")
    _take(tools, entry.name, where, found, taken)


def _made(given: Any) -> Any:
    """A tool, several, or what gives them; a tool class is made without arguments."""
    from langchain_core.tools import BaseTool

    called = callable(given) and not isinstance(given, BaseTool)
    return given() if called else given


# --- files in a folder


def _load_folder(folder: Path, found: OwnTools, taken: Collection[str]) -> None:
    try:
        files = sorted(file for file in folder.iterdir() if _is_tool_file(file))
    except OSError as error:
        found.leave_out(f"tools_dir {folder}", error.strerror or str(error))
        return
    for file in files:
        _load_file(file, found, taken)


def _is_tool_file(file: Path) -> bool:
    return file.suffix == ".py" and not file.name.startswith(("_", "."))


def _load_file(file: Path, found: OwnTools, taken: Collection[str]) -> None:
    try:
        content = read_own(file)
    except OSError as error:
        found.leave_out(str(file), error.strerror or str(error))
        return
    # Known by its name, as a module is: what it defines may be looked up there.
    module = ModuleType(f"own_tools_{file.stem}")
    module.__file__ = str(file)
    sys.modules[module.__name__] = module
    try:
        # What was checked is what runs, and no other file that took its place.
        exec(compile(content, str(file), "exec"), module.__dict__)
        public = [value for name, value in vars(module).items() if not name.startswith("_")]
        tools = list(_tools_in(public))
    except (Exception, SystemExit) as error:
        del sys.modules[module.__name__]
        found.leave_out(str(file), _reason(error, file))
        return
    if not tools:
        found.leave_out(str(file), "there is no LangChain tool in it")
    _take(tools, file.stem, f"the file {file}", found, taken)


def _reason(error: BaseException, file: Path | None) -> str:
    text = f"{type(error).__name__}: {error}"
    if isinstance(error, SyntaxError):
        return f"line {error.lineno}: {type(error).__name__}: {error.msg}"
    steps = [step for step in traceback.extract_tb(error.__traceback__) if step.filename == str(file)]
    return f"line {steps[-1].lineno}: {text}" if steps else text


# --- what was found


def _tools_in(given: Any) -> "Iterator[BaseTool]":
    """A tool, or those in a list of them, however nested."""
    from langchain_core.tools import BaseTool

    if isinstance(given, BaseTool):
        yield given
    elif isinstance(given, list | tuple):
        for inner in given:
            yield from _tools_in(inner)


def _take(tools: "list[BaseTool]", source: str, origin: str, found: OwnTools, taken: Collection[str]) -> None:
    """Under the name of its file or entry point; a server of that name keeps it."""
    name = sendable_name(source).strip("_") or "own"
    while name in taken or name == "builtin":
        name += "_py"
    for tool in {id(tool): tool for tool in tools}.values():
        try:
            check_definition(tool)
        except ToolError as error:
            found.leave_out(origin, str(error))
            continue
        found.tools.append(with_traits(tool, _traits(tool, name, origin)))


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
