"""What the simulated devices do, kept in a file that several servers may share.

A value is kept as a movement: from where, to where, since when, how long. So every process computes the same
present from the same file, and nothing has to run while nobody asks.
"""

import contextlib
import json
import logging
import os
import stat
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from zwave_mcp.home import is_number
from zwave_mcp.options import data_folder

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Track:
    """`wish` is what the gateway believes until then, whatever the device does."""

    start: Any
    end: Any
    since: float = 0.0  # seconds since 1970
    seconds: float = 0.0
    wish: Any = None
    wish_until: float = 0.0

    def at(self, now: float) -> Any:
        if now < self.since:
            return self.start
        if self.seconds <= 0 or now >= self.since + self.seconds or not _moves(self.start, self.end):
            return self.end if now >= self.since + self.seconds else self.start
        return round(self.start + (self.end - self.start) * (now - self.since) / self.seconds)

    def believed(self, now: float) -> Any:
        return self.wish if now < self.wish_until else self.at(now)

    def usable(self) -> bool:
        """A file may have been edited by hand."""
        times = (self.since, self.seconds, self.wish_until)
        states = (self.start, self.end, self.wish)
        return all(is_number(value) for value in times) and all(
            value is None or isinstance(value, bool) or is_number(value) for value in states
        )

    def settled_at(self) -> float:
        return max(self.since + self.seconds, self.wish_until)


class StateFile:
    """One file, written whole and at once; the last writer of a value wins."""

    def __init__(self, path: Path | None, clock: Callable[[], float] = time.time) -> None:
        self._path = path
        self._clock = clock
        self._tracks: dict[str, Track] = {}
        self._passing: dict[str, Track] = {}  # never written to the file
        self.names: dict[str, list[str]] = {}  # of a node that was given others: its name and its room
        self._signature: tuple[int, int, int] | None = None
        self.version = 0
        self._warned = False
        if path is not None:
            for file in (path, _lock_file(path)):
                _close_to_others(file)

    def read(self) -> Mapping[str, Track]:
        """The present movements; of one that is kept and one that is not, the later one."""
        kept = self._read_kept()
        if not self._passing:
            return kept
        return kept | {
            key: track
            for key, track in self._passing.items()
            if key not in kept or kept[key].since <= track.since
        }

    def _read_kept(self) -> dict[str, Track]:
        """The file is read again when another process changed it."""
        if self._path is not None:
            signature = _signature(self._path)
            if signature is not None and signature != self._signature:
                self._tracks = {**self._tracks, **self._load(self._path)}
                self._signature = signature
                self.version += 1
        return self._tracks

    def write_passing(self, changes: Mapping[str, Track]) -> None:
        """Changes for this process alone, forgotten at its end."""
        self.version += 1
        self._passing.update(changes)

    def write_names(self, node: int, name: str, room: str) -> None:
        self._read_kept()
        self.names[str(node)] = [name, room]
        self.write({})

    def write(self, changes: Mapping[str, Track]) -> None:
        self.version += 1
        for key in changes:
            self._passing.pop(key, None)
        if self._path is None:
            self._tracks.update(changes)
            return
        try:
            _make_folder(self._path.parent)
            with _locked(self._path):
                self._tracks = {**self._read_kept(), **changes}
                _replace(self._path, _dump(self._tracks, self.names))
                self._signature = _signature(self._path)
        except OSError as error:
            self._tracks.update(changes)
            if not self._warned:
                log.warning(
                    "simulated state is not kept", extra={"file": str(self._path), "error": str(error)}
                )
            self._warned = True

    def _load(self, path: Path) -> dict[str, Track]:
        try:
            raw = json.loads(path.read_text(encoding="utf-8"))
            tracks = {key: Track(**fields) for key, fields in raw["values"].items()}
            self.names = self.names | _names(raw.get("names", {}))
            return {key: track for key, track in tracks.items() if track.usable()}
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            log.warning("simulated state is unreadable", extra={"file": str(path), "error": str(error)})
            return {}


def _moves(start: Any, end: Any) -> bool:
    return not isinstance(start, bool) and isinstance(start, int | float) and isinstance(end, int | float)


def _dump(tracks: Mapping[str, Track], names: Mapping[str, list[str]]) -> str:
    values = {key: asdict(track) for key, track in tracks.items()}
    return json.dumps({"version": 1, "values": values, **({"names": dict(names)} if names else {})}, indent=1)


def _names(raw: object) -> dict[str, list[str]]:
    """A file may have been edited by hand."""
    if not isinstance(raw, dict):
        return {}
    return {
        str(node): both
        for node, both in raw.items()
        if isinstance(both, list) and len(both) == 2 and all(isinstance(one, str) for one in both)
    }


def _signature(path: Path) -> tuple[int, int, int] | None:
    try:
        stat = path.stat()
    except OSError:
        return None
    return stat.st_mtime_ns, stat.st_ino, stat.st_size


def _replace(path: Path, text: str) -> None:
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _lock_file(path: Path) -> Path:
    return path.with_suffix(".lock")


def _make_folder(folder: Path) -> None:
    """What is made is for its owner alone, whatever the umask says. A folder of the user's choice stays as it
    is; our own data folder is closed to others."""
    for above in reversed([folder, *folder.parents]):
        if not above.exists():
            above.mkdir(mode=0o700, exist_ok=True)
    if folder == data_folder():
        _close_to_others(folder.resolve())


def _close_to_others(path: Path) -> None:
    if os.name != "posix":
        return
    with contextlib.suppress(OSError):
        found = path.lstat()
        ours = found.st_uid == os.geteuid() and not stat.S_ISLNK(found.st_mode)
        rights = 0o700 if stat.S_ISDIR(found.st_mode) else 0o600
        if ours and stat.S_IMODE(found.st_mode) & ~rights:
            path.chmod(found.st_mode & rights)


@contextlib.contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Between reading and writing nobody else writes. Held for less than a millisecond."""
    try:
        import fcntl
    except ImportError:  # not on Windows: there the last writer of the file wins
        yield
        return
    lock_file = os.open(_lock_file(path), os.O_WRONLY | os.O_CREAT, 0o600)
    with os.fdopen(lock_file, "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
