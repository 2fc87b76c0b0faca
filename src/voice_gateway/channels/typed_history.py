"""What was typed at the terminal, for the arrow keys, also after the next start."""

import contextlib
import os
from pathlib import Path

from voice_gateway.private_files import private_file

MOST_KEPT = 500  # lines
LONGEST_KEPT = 1000  # characters: nobody looks for a longer one with the arrow keys


class TypedHistory:
    """Only lines that it is told to keep are in the file. A disk that fails costs nothing but them."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._last = ""

    def load(self) -> None:
        """Take over from readline, which would keep every line, one with a PIN in it, too."""
        import readline

        readline.set_auto_history(False)
        lines: list[str] = []
        with contextlib.suppress(OSError):
            lines = self._file.read_text(encoding="utf-8", errors="replace").splitlines()
        for line in lines[-MOST_KEPT:]:
            if line.isprintable():
                readline.add_history(line)
        if len(lines) > 2 * MOST_KEPT:
            self._shorten(lines[-MOST_KEPT:])

    def keep(self, line: str) -> None:
        import readline

        if line == self._last or len(line) > LONGEST_KEPT or not line.isprintable():
            return
        self._last = line
        readline.add_history(line)
        with contextlib.suppress(OSError), private_file(self._file).open("a", encoding="utf-8") as out:
            out.write(f"{line}\n")

    def _shorten(self, lines: list[str]) -> None:
        fresh = self._file.with_name(f"{self._file.name}.{os.getpid()}")
        with contextlib.suppress(OSError):
            private_file(fresh).write_text("\n".join(lines) + "\n", encoding="utf-8")
            fresh.replace(self._file)
