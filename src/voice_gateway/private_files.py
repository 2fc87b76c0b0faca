"""Folders and files for their owner alone, independent of the umask."""

import contextlib
import os
import shlex
import stat
import threading
from pathlib import Path

FOLDER, FILE = 0o700, 0o600
WRITE_OF_OTHERS = stat.S_IWGRP | stat.S_IWOTH
ROOT = 0
SIDE_FILES = ("-journal", "-wal", "-shm")  # SQLite makes them with the rights of the file they belong to

_making = threading.Lock()


def private_folder(folder: Path) -> Path:
    """Made with its missing parents; closed to others if they may enter it."""
    for above in reversed([folder, *folder.parents]):
        if not above.exists():
            above.mkdir(mode=FOLDER, exist_ok=True)
    close_to_others(folder.resolve())
    return folder


def private_file(file: Path) -> Path:
    """Made empty, with its folder, if it is missing; closed to others if they may read it.

    An existing file is never opened: closing it would release the locks that SQLite holds on it in this
    process. The lock around the creation has the same reason.
    """
    private_folder(file.parent)
    with _making, contextlib.suppress(FileExistsError):
        os.close(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, FILE))
    for name in (file, *(Path(f"{file}{ending}") for ending in SIDE_FILES)):
        close_to_others(name)
    return file


def close_folder(folder: Path) -> None:
    """Close our folder and everything in it to others."""
    with contextlib.suppress(OSError):
        for path in (folder.resolve(), *folder.iterdir()):
            close_to_others(path)


def close_to_others(path: Path) -> None:
    """Remove the rights of others, unless the path belongs to another user."""
    with contextlib.suppress(OSError):
        status = path.lstat()
        ours = status.st_uid == os.geteuid() and not stat.S_ISLNK(status.st_mode)
        rights = FOLDER if stat.S_ISDIR(status.st_mode) else FILE
        if ours and stat.S_IMODE(status.st_mode) & ~rights:
            path.chmod(status.st_mode & rights)


def is_open_to_others(file: Path) -> bool:
    """Whether other users can read it: by its own rights, and those of its folder."""
    status, folder = file.stat(), file.resolve().parent.stat()
    if not stat.S_ISREG(status.st_mode):
        return False
    by_group = status.st_mode & stat.S_IRGRP and folder.st_mode & stat.S_IXGRP
    return bool(by_group or (status.st_mode & stat.S_IROTH and folder.st_mode & stat.S_IXOTH))


def read_own(path: Path) -> bytes:
    """The content of a file that only the user and root could have written. Raises OSError otherwise."""
    with os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise OSError(0, "it is not a regular file")
        if status.st_uid not in (os.geteuid(), ROOT):
            raise OSError(0, "it belongs to another user")
        if status.st_mode & WRITE_OF_OTHERS:
            raise OSError(0, f"others may write it; `chmod go-w {shlex.quote(str(path))}` ends that")
        for folder in {path.parent.resolve(), path.resolve().parent}:  # of a link, and of the file
            if problem := changeable_by_others(folder):
                raise OSError(0, f"{problem}, so that it could be replaced")
        return file.read()


def changeable_by_others(folder: Path) -> str | None:
    """Why another user could write or replace this folder, which has no links in its path; None: no one can.

    A folder in a sticky folder such as /tmp can be replaced by its owner only.
    """
    for path in reversed([folder, *folder.parents]):
        status = path.lstat()
        if status.st_uid not in (os.geteuid(), ROOT):
            return f"{path} belongs to another user"
        sticky = path != folder and status.st_mode & stat.S_ISVTX
        if status.st_mode & WRITE_OF_OTHERS and not sticky:
            return f"others may write to {path}"
    return None
