"""A user's own LangChain tools: those of installed packages (entry points), and those of files in a folder.

Both run in this process, so a file counts only if nobody but the user could have written it. Whatever is
wrong with one costs that one, and is named.
"""

import contextlib
import os
import sys
import traceback
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from voice_gateway.errors import ToolError
from voice_gateway.private_files import read_own
from voice_gateway.tools.masking import shorten
from voice_gateway.tools.traits import check_definition, lc_name, sendable_name, with_traits
from voice_gateway.turn import ToolTraits

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from langchain_core.tools import BaseTool

GROUP = "voice_gateway.tools"  # the name of the entry points
LONGEST_REASON = 300  # characters
LONGEST_FILE = 1 << 16  # bytes of a package's entry points
# What a tool may say of itself in its `metadata`, by our names and by MCP's.
ANNOTATIONS = {
    "read_only": "read_only",
    "readOnlyHint": "read_only",
    "destructive": "destructive",
    "destructiveHint": "destructive",
    "idempotent": "idempotent",
    "idempotentHint": "idempotent",
}


@dataclass
class OwnTools:
    tools: "list[BaseTool]" = field(default_factory=list)
    problems: list[str] = field(default_factory=list)  # one sentence for each that was left out

    def leave_out(self, where: str, reason: str) -> None:
        self.problems.append(f"{where}: {shorten(' '.join(reason.split()), LONGEST_REASON)}")


def own_tools(folder: Path | None, taken: Collection[str] = ()) -> OwnTools:
    """All of them. `taken` are the names of servers, by which a tool is told apart from its namesakes."""
    found = OwnTools()
    with contextlib.redirect_stdout(sys.stderr):  # what it prints is no answer of ours
        for entry in _entry_points():
            _load_entry(entry, found, taken)
        if folder is not None:
            _load_folder(folder, found, taken)
    return found


# --- installed packages


def _entry_points() -> "list[EntryPoint]":
    """Usually there are none, which is seen from the files alone: asking for them takes 25 ms and more."""
    if not any(GROUP.encode() in text for text in _entry_point_files()):
        return []
    from importlib.metadata import entry_points

    return sorted(entry_points(group=GROUP), key=lambda entry: entry.name)


def _entry_point_files() -> Iterator[bytes]:
    for folder in dict.fromkeys(sys.path):
        with contextlib.suppress(OSError), os.scandir(folder or ".") as found:  # it need not be a folder
            for one in found:
                if one.name.endswith((".dist-info", ".egg-info")):
                    yield _content(f"{one.path}/entry_points.txt")


def _content(file: str) -> bytes:
    """Without pathlib: a start waits for a hundred of these."""
    try:
        descriptor = os.open(file, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return b""
    try:
        return os.read(descriptor, LONGEST_FILE)
    finally:
        os.close(descriptor)


def _load_entry(entry: "EntryPoint", found: OwnTools, taken: Collection[str]) -> None:
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
    """A tool, or those in a list of them; each once."""
    from langchain_core.tools import BaseTool

    seen: set[int] = set()
    waiting = [given]
    while waiting:
        one = waiting.pop(0)
        if isinstance(one, BaseTool):
            if id(one) not in seen:
                seen.add(id(one))
                yield one
        elif isinstance(one, list | tuple):
            waiting[:0] = [inner for inner in one if isinstance(inner, BaseTool | list | tuple)]


def _take(tools: "list[BaseTool]", source: str, origin: str, found: OwnTools, taken: Collection[str]) -> None:
    """Under the name of its file or entry point; a server of that name keeps it."""
    name = sendable_name(source).strip("_") or "own"
    while name in taken or name == "builtin":
        name += "_py"
    for tool in tools:
        try:
            check_definition(tool)
        except ToolError as error:
            found.leave_out(origin, str(error))
            continue
        found.tools.append(with_traits(tool, _traits(tool, name, origin)))


def _traits(tool: "BaseTool", source: str, origin: str) -> ToolTraits:
    """What it says of itself is believed; one that says nothing is judged as a stranger's."""
    said: Mapping[str, Any] = tool.metadata or {}
    known = said.get("traits")
    hints = {ours: said[key] is True for key, ours in ANNOTATIONS.items() if key in said}
    base = known if isinstance(known, ToolTraits) else replace(ToolTraits(), **hints)  # type: ignore[arg-type]
    annotated = isinstance(known, ToolTraits) or bool(hints)
    return replace(base, source=source, original_name=lc_name(tool), trusted=annotated, origin=origin)
