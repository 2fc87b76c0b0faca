"""A small SQLite file that several servers may share, for its owner alone."""

import sqlite3
from pathlib import Path

import platformdirs


def data_folder() -> Path:
    return platformdirs.user_data_path("voice-gateway", appauthor=False)


def opened(file: Path | None, table: str, busy_seconds: float) -> sqlite3.Connection:
    """A connection to the file, which is made with any umask; None: in memory."""
    if file is not None:
        for above in reversed([file.parent, *file.parent.parents]):
            if not above.exists():
                above.mkdir(mode=0o700, exist_ok=True)
        file.touch(mode=0o600)
        file.chmod(0o600)
        if file.parent == data_folder():
            file.parent.resolve().chmod(0o700)
    base = sqlite3.connect(
        file or ":memory:", timeout=busy_seconds, isolation_level=None, check_same_thread=False
    )
    try:
        base.executescript(f"pragma synchronous = off; {table}")
    except BaseException:
        base.close()
        raise
    return base
