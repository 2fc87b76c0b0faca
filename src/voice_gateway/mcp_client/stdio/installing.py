"""Whether a package manager (npx, uvx, docker run …) is still fetching the server that it is to start."""

import os
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from voice_gateway.config import ServerSettings

MANAGERS = frozenset(
    "npx npm pnpm pnpx yarn bun bunx deno uv uvx pip pip3 pipx poetry pdm hatch rye conda mamba mise"
    " docker podman nerdctl nix nix-shell go cargo brew".split()
)
_SCRIPT = re.compile(r"(?:-cli)?\.(?:[cm]?js|py|exe|cmd|sh)$")
SHORT_STEP_SECONDS = 1.0  # a manager runs many little programs
_WORDS = 3  # of a command line in which a manager is looked for: "node /usr/bin/npx", "env X=1 uvx"
# What runs a manager, or is run by one to run something else.
_RUNNERS = re.compile(r"^(?:node|nodejs|python[\d.]*|sh|bash|dash|zsh|env|exec|sudo|nice)$")
# The environment variable in which npm says what it runs: "npx" for the program itself, else a step of
# the installation.
_NPM_RUNS = b"npm_lifecycle_event="
# Paths and words of a build: what runs there is not the server yet.
_BUILDS = re.compile(r"builds?-|/\.tmp|\bpip\b|setup\.py|node-gyp|\bwheel\b|\bgit\b|\bcc\b|\bgcc\b|\brustc\b")


@dataclass(frozen=True, slots=True)
class Process:
    """One of a server's group."""

    words: tuple[str, ...]
    npm_runs: str = ""
    age_seconds: float = SHORT_STEP_SECONDS

    @property
    def is_manager(self) -> bool:
        return starts_manager(self.words)

    @property
    def is_server(self) -> bool:
        """As far as can be seen: neither a manager or a shell, nor a step of an installation."""
        if self.is_manager or not self.words or _is_shell(self.words[0]):
            return False
        if self.age_seconds < SHORT_STEP_SECONDS:
            return False
        if self.npm_runs:
            return self.npm_runs == "npx"
        return not _BUILDS.search(" ".join(self.words))


def starts_manager(words: Sequence[str]) -> bool:
    for word in words[:_WORDS]:
        name = _SCRIPT.sub("", Path(word).name.lower())
        if name in MANAGERS:
            return True
        if not (_RUNNERS.match(name) or word.startswith("-") or "=" in word):
            return False
    return False


def is_installing(group: int, settings: ServerSettings) -> bool:
    """Of a server that has not answered yet. Where processes cannot be seen, its command has to do."""
    if not Path("/proc/self/stat").exists():
        return starts_manager((settings.command or "", *settings.args))
    processes = _of_group(group)
    return any(one.is_manager for one in processes) and not any(one.is_server for one in processes)


def _of_group(group: int) -> list[Process]:
    return [found for entry in os.scandir("/proc") if entry.name.isdigit() and (found := _read(entry, group))]


def _read(entry: "os.DirEntry[str]", group: int) -> Process | None:
    try:
        # The name, in brackets, may hold anything; then come state, parent and group.
        fields = Path(entry.path, "stat").read_text(errors="replace").rpartition(")")[2].split()
        if int(fields[2]) != group or fields[0] == "Z":
            return None
        line = Path(entry.path, "cmdline").read_bytes().replace(b"\0", b" ")
        environment = Path(entry.path, "environ").read_bytes().split(b"\0")
    except (OSError, ValueError, IndexError):  # it has just ended, or is not ours
        return None
    npm = next((one for one in environment if one.startswith(_NPM_RUNS)), b"").removeprefix(_NPM_RUNS)
    age = time.clock_gettime(time.CLOCK_BOOTTIME) - int(fields[19]) / os.sysconf("SC_CLK_TCK")
    return Process(tuple(line.decode("utf-8", "replace").split()), npm.decode("utf-8", "replace"), age)


def _is_shell(word: str) -> bool:
    return Path(word).name in ("sh", "bash", "dash", "zsh")
