"""Variables in another client's file: `${env:X}`, `${X:-default}`, `${workspaceFolder}`, `${input:id}`."""

import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path

# Folders of a project in which clients keep their file: the project is the folder that they are in.
_OF_CLIENTS = (".vscode", ".cursor", ".windsurf", ".claude", ".gemini", ".roo", ".kiro", ".idea", ".amazonq")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_BRACE = re.compile(r"\$\{|\}")
_PREFIX = re.compile(r"[A-Za-z]+:(?!-)")


class BadEntry(ValueError):
    """Why an entry cannot be used, in words that go behind its name."""


def workspace_of(file: Path) -> Path:
    """The folder of the file, or of the project if the file is in a client's own folder there."""
    folder = file.absolute().parent
    if folder.name == "settings" and folder.parent.name in _OF_CLIENTS:
        folder = folder.parent
    return folder.parent if folder.name in _OF_CLIENTS else folder


class Variables:
    """What each stands for, for the entries of one file."""

    def __init__(
        self, file: Path, environ: Mapping[str, str], answer: Callable[[str], str | None] = lambda _id: None
    ) -> None:
        """`answer`: what the user said to an input, or None; it raises BadEntry for one that is not there."""
        self.folder = workspace_of(file)
        self._environ = environ
        self._answer = answer
        home = environ.get("HOME") or str(Path.home())
        self._fixed = {
            "workspaceFolder": str(self.folder),
            "workspaceRoot": str(self.folder),
            "workspaceFolderBasename": self.folder.name,
            f"workspaceFolder:{self.folder.name}": str(self.folder),
            "cwd": str(self.folder),
            "userHome": home,
            "pathSeparator": os.sep,
            "/": os.sep,
        }
        self.home = home
        self.missing: list[str] = []  # inputs that have no answer yet
        self.odd: list[str] = []  # what looks like a variable, and is none that any client knows

    def expand(self, text: str) -> str:
        """Raises BadEntry. What is put in is not looked through again: it may hold anything."""
        done, rest = "", text
        while (start := rest.find("${")) >= 0 and (end := _end(rest, start)) is not None:
            done += rest[:start] + self._value(rest[start + 2 : end - 1])
            rest = rest[end:]
        return done + rest

    def path(self, text: str) -> Path:
        """`~` is the user's folder; what is not absolute starts at the workspace."""
        if text == "~" or text.startswith("~/"):
            text = self.home + text[1:]
        return self.folder / text

    def _value(self, inner: str) -> str:
        if inner in self._fixed:
            return self._fixed[inner]
        if inner.startswith("input:"):
            return self._of_input(inner.removeprefix("input:"))
        if inner.startswith("env:"):
            return self._of_environment(inner.removeprefix("env:"))
        if _PREFIX.match(inner):
            raise BadEntry(f"${{{inner}}} is known to another client only")
        if _NAME.fullmatch(inner.partition(":-")[0]):
            return self._of_environment(inner)
        whole = f"${{{inner}}}"
        self.odd.append(whole)
        return whole

    def _of_environment(self, inner: str) -> str:
        """As a shell has it: the default also stands for a variable that is empty."""
        name, has_default, default = inner.partition(":-")
        value = self._environ.get(name)
        if has_default:
            return value or self.expand(default)
        if value is None:
            raise BadEntry(f"the environment variable {name} is not set")
        return value

    def _of_input(self, name: str) -> str:
        answer = self._answer(name)
        if answer is None and name not in self.missing:
            self.missing.append(name)
        return answer or ""


def _end(text: str, start: int) -> int | None:
    """Behind the brace that closes the variable at `start`; a default may hold variables of its own."""
    depth = 0
    for match in _BRACE.finditer(text, start):
        depth += 1 if match[0] == "${" else -1
        if depth == 0:
            return match.end()
    return None
