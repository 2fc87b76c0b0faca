"""Folders and files for their owner alone, whatever the umask says and whoever made them before."""

import contextlib
import os
import stat
import threading
from pathlib import Path

FOLDER, FILE = 0o700, 0o600
WRITE_OF_OTHERS = stat.S_IWGRP | stat.S_IWOTH
ROOT = 0
SIDE_FILES = ("-journal", "-wal", "-shm")  # SQLite makes them with the rights of the file they belong to

_making = threading.Lock()


def private_folder(folder: Path) -> Path:
    """Made with those above it that are missing; one that others may enter is closed to them."""
    for above in reversed([folder, *folder.parents]):
        if not above.exists():
            above.mkdir(mode=FOLDER, exist_ok=True)
    close_to_others(folder.resolve())
    return folder


def private_file(file: Path) -> Path:
    """Made empty, with its folder, if it is missing; one that others may read is closed to them.

    One that is there is never opened: closing it again would free the locks that SQLite has on it in this
    process. For the same reason nobody finds it before it is closed here.
    """
    private_folder(file.parent)
    with _making, contextlib.suppress(FileExistsError):
        os.close(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, FILE))
    for name in (file, *(Path(f"{file}{ending}") for ending in SIDE_FILES)):
        close_to_others(name)
    return file


def close_folder(folder: Path) -> None:
    """What earlier versions, or a copy, have left open in a folder of ours."""
    with contextlib.suppress(OSError):
        for path in (folder.resolve(), *folder.iterdir()):
            close_to_others(path)


def close_to_others(path: Path) -> None:
    """What is somebody else's, or on a file system without rights, stays as it is."""
    with contextlib.suppress(OSError):
        found = path.lstat()
        ours = found.st_uid == os.geteuid() and not stat.S_ISLNK(found.st_mode)
        rights = FOLDER if stat.S_ISDIR(found.st_mode) else FILE
        if ours and stat.S_IMODE(found.st_mode) & ~rights:
            path.chmod(found.st_mode & rights)


def changeable_by_others(folder: Path) -> str | None:
    """Who but the user and root could write or replace it, in words; None: nobody.

    `folder` has no links in it. It is looked at from the top: below what nobody can change, nobody changes
    what comes next. What stands in a sticky folder above, such as /tmp, is replaced by its owner alone.
    An access list of more users shows in the rights of the group.
    """
    for one in reversed([folder, *folder.parents]):
        found = one.lstat()
        if found.st_uid not in (os.geteuid(), ROOT):
            return f"{one} belongs to another user"
        sticky = one != folder and found.st_mode & stat.S_ISVTX
        if found.st_mode & WRITE_OF_OTHERS and not sticky:
            return f"others may write to {one}"
    return None
