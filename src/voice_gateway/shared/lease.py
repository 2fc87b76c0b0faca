"""The lease that decides which of several gateways on one machine rings timers and runs routines."""

import contextlib
import fcntl
import json
import os
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Protocol

from voice_gateway.private_files import FILE, private_folder

LEASE_SECONDS = 2.0  # a gateway that has not renewed the lease for so long is replaced
_LENGTH = 200  # bytes; written in place and never longer, so that a full disk does not matter


class Lease(Protocol):
    """Held by the one gateway that rings timers or runs routines. ToolUnavailable: it is not known."""

    def renew(self) -> bool: ...

    def held(self) -> bool: ...

    def release(self) -> None: ...


class FileLease:
    """A small file beside the database it is for; the holder renews it twice a second."""

    def __init__(self, path: Path, *, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._path, self._monotonic = path, monotonic
        self._token = uuid.uuid4().hex
        self._mine = False

    def renew(self) -> bool:
        """Renew or take the lease; returns whether this gateway holds it.

        Where the disk cannot be written it is ours unless another gateway's is valid: ringing twice is better
        than not at all.
        """
        try:
            with self._locked():
                self._mine = self._holder() in (None, self._token)
                if self._mine:
                    self._write()
        except BlockingIOError:
            # Another gateway holds the lock now, or stalled while it did; then the lease is not renewed.
            self._mine = self._mine or self._holder() is None
        except OSError:
            self._mine = self._holder() in (None, self._token)
        return self._mine

    def held(self) -> bool:
        """Whether any gateway, this or another, holds the lease."""
        return self._holder() is not None

    def release(self) -> None:
        """Give the lease back, so that another gateway need not wait."""
        with contextlib.suppress(OSError), self._locked():
            if self._holder() == self._token:
                self._path.unlink(missing_ok=True)
        self._mine = False

    def _holder(self) -> str | None:
        """The token of the current holder. A time in the future was written before the machine restarted."""
        try:
            facts = json.loads(self._path.read_bytes())
            token, renewed = str(facts["token"]), float(facts["renewed"])
        except (OSError, ValueError, KeyError, TypeError, OverflowError, RecursionError):
            return None
        return token if 0 <= self._monotonic() - renewed < LEASE_SECONDS else None

    def _write(self) -> None:
        facts = {"token": self._token, "renewed": self._monotonic()}
        descriptor = os.open(self._path, os.O_WRONLY | os.O_CREAT, FILE)
        try:
            os.pwrite(descriptor, json.dumps(facts).ljust(_LENGTH).encode(), 0)
        finally:
            os.close(descriptor)

    @contextlib.contextmanager
    def _locked(self) -> Iterator[None]:
        """Lock the folder while reading and writing. Never waits: the holder of the lock may have stalled."""
        descriptor = os.open(private_folder(self._path.parent), os.O_RDONLY)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            yield
        finally:
            os.close(descriptor)
