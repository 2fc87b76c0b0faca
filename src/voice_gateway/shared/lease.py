"""The lease that decides which of several gateways on one machine rings timers and runs routines."""

import fcntl
import os
from pathlib import Path
from typing import Protocol

from voice_gateway.private_files import private_file


class Lease(Protocol):
    """Held by the one gateway that rings timers or runs routines. ToolUnavailable: it is not known."""

    def renew(self) -> bool: ...

    def held(self) -> bool: ...

    def release(self) -> None: ...


class FileLease:
    """A locked file beside the database it is for. The system ends the lock with its process."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: int | None = None  # open and locked while the lease is ours

    def renew(self) -> bool:
        """Take the lease if it is free; returns whether this gateway holds it.

        Where no file can be made it is ours: ringing twice is better than not at all.
        """
        if self._file is None:
            try:
                file = os.open(private_file(self._path), os.O_RDWR)
            except OSError:
                return True
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                os.close(file)
                return False
            self._file = file
        return True

    def held(self) -> bool:
        """Whether any gateway, this or another, holds the lease."""
        other = FileLease(self._path)
        try:
            return self._file is not None or (self._path.exists() and not other.renew())
        finally:
            other.release()

    def release(self) -> None:
        """Give the lease back."""
        file, self._file = self._file, None
        if file is not None:
            os.close(file)
