"""The lease that decides which of several gateways rings: its holder renews it twice a second."""

import contextlib
import fcntl
import json
import os
import time
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from voice_gateway.private_files import FILE, private_folder

LEASE_SECONDS = 2.0  # without renewal for so long the holder counts as dead, and is replaced
_LENGTH = 200  # bytes; written in place and never longer, so that a full disk does not matter


@dataclass(frozen=True, slots=True)
class _Holder:
    token: str
    renewed: float  # by the monotonic clock, which the processes of one machine share
    loud: bool  # has a loudspeaker


class Lease(Protocol):
    """Held by the one gateway that rings timers or runs routines. ToolUnavailable: it is not known."""

    def renew(self, *, loud: bool) -> bool: ...

    def held(self) -> bool: ...

    def release(self) -> None: ...


class RingLease:
    """A small file beside the timers' database; it need not survive a power cut."""

    def __init__(self, path: Path, *, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._path = path
        self._monotonic = monotonic
        self._token = uuid.uuid4().hex
        self._mine = False

    def renew(self, *, loud: bool) -> bool:
        """Renew or take the lease; returns whether this gateway rings.

        A gateway with a loudspeaker takes the lease from one without. Where the disk cannot be written, it is
        ours unless another gateway's is valid: ringing twice is better than not at all.
        """
        try:
            with self._locked():
                self._mine = self._free_for(loud)
                if self._mine:
                    self._write(_Holder(self._token, self._monotonic(), loud))
        except BlockingIOError:
            # Another gateway holds the lock now, or froze while it did; then the lease is not renewed.
            self._mine = self._mine or self._valid() is None
        except OSError:
            self._mine = self._free_for(loud)
        return self._mine

    def held(self) -> bool:
        """Whether any gateway, this or another, holds the lease."""
        return self._valid() is not None

    def release(self) -> None:
        """Give the lease back, so that another gateway need not wait."""
        with contextlib.suppress(OSError), self._locked():
            holder = self._valid()
            if holder is not None and holder.token == self._token:
                self._path.unlink(missing_ok=True)
        self._mine = False

    def _free_for(self, loud: bool) -> bool:
        holder = self._valid()
        return holder is None or holder.token == self._token or (loud and not holder.loud)

    def _valid(self) -> _Holder | None:
        """The current holder. A time in the future was written before a restart of the machine."""
        try:
            holder = _holder(json.loads(self._path.read_bytes()))
        except (OSError, ValueError, KeyError, TypeError, OverflowError, RecursionError):
            return None
        return holder if 0 <= self._monotonic() - holder.renewed < LEASE_SECONDS else None

    def _write(self, holder: _Holder) -> None:
        facts = {"token": holder.token, "renewed": holder.renewed, "loud": holder.loud}
        descriptor = os.open(self._path, os.O_WRONLY | os.O_CREAT, FILE)
        try:
            os.pwrite(descriptor, json.dumps(facts).ljust(_LENGTH).encode(), 0)
        finally:
            os.close(descriptor)

    @contextlib.contextmanager
    def _locked(self) -> Iterator[None]:
        """Lock the folder while reading and writing. Never waits: the holder of the lock might be frozen."""
        descriptor = os.open(private_folder(self._path.parent), os.O_RDONLY)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            yield
        finally:
            os.close(descriptor)


def _holder(facts: dict[str, Any]) -> _Holder:
    return _Holder(str(facts["token"]), float(facts["renewed"]), bool(facts["loud"]))
