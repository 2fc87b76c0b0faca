"""What the simulated devices do, kept in a file that several servers may share.

A value is kept as a movement: from where, to where, since when, how long. So every process computes the same
present from the same file, and nothing has to run meanwhile.
"""

import contextlib
import json
import logging
import os
import stat
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from zwave_mcp.home import is_number
from zwave_mcp.options import data_folder

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Track:
    """A movement of a value; until `wish_until` the gateway shows `wish`, whatever the device does."""

    start: Any
    end: Any
    since: float = 0.0  # seconds since 1970
    seconds: float = 0.0
    wish: Any = None
    wish_until: float = 0.0

    def at(self, now: float) -> Any:
        """The value that the device has."""
        ends = self.since + self.seconds
        if now >= self.since and now >= ends:
            return self.end
        fades = is_number(self.start) and is_number(self.end) and self.seconds > 0 and now >= self.since
        if not fades:
            return self.start
        return round(self.start + (self.end - self.start) * (now - self.since) / self.seconds)

    def shown(self, now: float) -> Any:
        """The value that the gateway shows."""
        return self.wish if now < self.wish_until else self.at(now)

    def usable(self) -> bool:
        """Whether the values make sense: a file may have been edited by hand."""
        states = (self.start, self.end, self.wish)
        return all(map(is_number, (self.since, self.seconds, self.wish_until))) and all(
            value is None or isinstance(value, bool) or is_number(value) for value in states
        )

    def settled_at(self) -> float:
        return max(self.since + self.seconds, self.wish_until)


class StateFile:
    """One file, replaced as a whole under a lock; the last writer of a value wins. Path None: in memory."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._tracks: dict[str, Track] = {}
        self._passing: dict[str, Track] = {}  # of this process only
        self.names: dict[str, list[str]] = {}  # node -> the name and room that it was given
        self._signature: tuple[int, int, int] | None = None
        self.version = 0
        self._warned = False
        for file in (path, path.with_suffix(".lock")) if path is not None else ():
            _close_to_others(file)

    def read(self) -> Mapping[str, Track]:
        """The present movements; of a kept and a passing one the later."""
        if self._path is not None and (signature := _signature(self._path)) not in (None, self._signature):
            self._tracks = {**self._tracks, **self._load(self._path)}
            self._signature = signature
            self.version += 1
        passing = {
            key: track
            for key, track in self._passing.items()
            if key not in self._tracks or self._tracks[key].since <= track.since
        }
        return {**self._tracks, **passing}

    def write_passing(self, changes: Mapping[str, Track]) -> None:
        """Changes that end with this process."""
        self.version += 1
        self._passing.update(changes)

    def write_names(self, node: int, name: str, room: str) -> None:
        self.read()
        self.names[str(node)] = [name, room]
        self.write({})

    def write(self, changes: Mapping[str, Track]) -> None:
        self.version += 1
        for key in changes:
            self._passing.pop(key, None)
        try:
            with _locked(self._path):
                self.read()
                self._tracks.update(changes)
                if self._path is not None:
                    _replace(self._path, self._text())
                    self._signature = _signature(self._path)
        except OSError as error:
            self._tracks.update(changes)
            if not self._warned:
                facts = {"file": str(self._path), "error": str(error)}
                log.warning("simulated state is not kept", extra=facts)
            self._warned = True

    def _text(self) -> str:
        values = {key: asdict(track) for key, track in self._tracks.items()}
        names = {"names": self.names} if self.names else {}
        return json.dumps({"version": 1, "values": values, **names}, indent=1)

    def _load(self, path: Path) -> dict[str, Track]:
        try:
            raw = json.loads(path.read_text(encoding="utf-8"))
            tracks = {key: Track(**fields) for key, fields in raw["values"].items()}
            for node, (name, room) in raw.get("names", {}).items():
                self.names[str(node)] = [str(name), str(room)]
            return {key: track for key, track in tracks.items() if track.usable()}
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            log.warning("simulated state is unreadable", extra={"file": str(path), "error": str(error)})
            return {}


def _signature(path: Path) -> tuple[int, int, int] | None:
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_ino, status.st_size


def _replace(path: Path, text: str) -> None:
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _make_folder(folder: Path) -> None:
    """Create missing folders for their owner alone, and close our own data folder to others."""
    for above in reversed([folder, *folder.parents]):
        if not above.exists():
            above.mkdir(mode=0o700, exist_ok=True)
    if folder == data_folder():
        _close_to_others(folder.resolve())


def _close_to_others(path: Path) -> None:
    if os.name != "posix":
        return
    with contextlib.suppress(OSError):
        status = path.lstat()
        rights = 0o700 if stat.S_ISDIR(status.st_mode) else 0o600
        ours = status.st_uid == os.geteuid() and not stat.S_ISLNK(status.st_mode)
        if ours and stat.S_IMODE(status.st_mode) & ~rights:
            path.chmod(status.st_mode & rights)


@contextlib.contextmanager
def _locked(path: Path | None) -> Iterator[None]:
    """Hold the file's lock between reading and writing: less than a millisecond."""
    if path is None:
        yield
        return
    _make_folder(path.parent)
    try:
        import fcntl
    except ImportError:  # Windows: the last writer of the file wins
        yield
        return
    lock_file = os.open(path.with_suffix(".lock"), os.O_WRONLY | os.O_CREAT, 0o600)
    with os.fdopen(lock_file, "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
