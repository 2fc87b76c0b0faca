"""What a server is started with: its program, its environment, and why it did not start."""

import os
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path

from voice_gateway.config import ServerSettings

# What a program needs to find its files, its language and the certificates it trusts. Nothing else of the
# gateway's environment reaches a server: keys and passwords live there too (proxy addresses often carry one).
PASSED_ON = frozenset(
    "HOME LOGNAME PATH SHELL TERM USER LANG LANGUAGE TZ TMPDIR SSL_CERT_FILE SSL_CERT_DIR".split()
)
PASSED_ON_PREFIXES = ("LC_", "XDG_")


def server_environment(extra: Mapping[str, str], own: Mapping[str, str] | None = None) -> dict[str, str]:
    source = os.environ if own is None else own
    passed = {
        key: value
        for key, value in source.items()
        if (key in PASSED_ON or key.startswith(PASSED_ON_PREFIXES)) and not value.startswith("()")
    }
    return passed | dict(extra)


def find_program(command: str, path: str | None) -> str:
    """The program to run; one installed beside this Python is found without its folder being in PATH."""
    program = str(Path(command).expanduser()) if command.startswith("~") else command
    if shutil.which(program, path=path) is None:
        neighbour = Path(sys.executable).parent / program
        if os.sep not in program and os.access(neighbour, os.X_OK):
            return str(neighbour)
    return program


def why_not_started(settings: ServerSettings, error: OSError | ValueError) -> str:
    if settings.cwd is not None and not settings.cwd.is_dir():
        return f"its working folder {settings.cwd} does not exist"
    if isinstance(error, FileNotFoundError):
        return f'the command "{settings.command}" was not found'
    if isinstance(error, PermissionError):
        return f'the command "{settings.command}" may not be executed'
    return f'the command "{settings.command}" could not be started: {error}'
