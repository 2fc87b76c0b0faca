"""Where the gateway looks for its settings and keeps its data on this computer."""

import hashlib
import os
import tempfile
from pathlib import Path

import platformdirs

FILE_NAME = "voice-gateway.toml"
LONGEST_SOCKET_PATH = 100  # the system's own limit is 104 to 108 bytes


def find_file(file: Path | None) -> Path | None:
    """The one that was named, else that of the current folder, else that of the user."""
    if file is not None:
        return file
    folders = (Path.cwd(), Path(platformdirs.user_config_dir("voice-gateway", appauthor=False)))
    return next((folder / FILE_NAME for folder in folders if (folder / FILE_NAME).is_file()), None)


def data_folder() -> Path:
    """What must survive a restart."""
    return Path(platformdirs.user_data_dir("voice-gateway", appauthor=False))


def conversations_file() -> Path:
    """What was said, when `brain.store` is sqlite."""
    return data_folder() / "conversations.sqlite"


def control_file() -> Path:
    """The socket by which commands reach the running gateway; its folder belongs to its owner alone."""
    runtime = os.environ.get("XDG_RUNTIME_DIR")
    folder = Path(runtime) / "voice-gateway" if runtime else data_folder() / "run"
    file = folder / "control.sock"
    if len(os.fsencode(file)) <= LONGEST_SOCKET_PATH:
        return file
    short = hashlib.sha256(os.fsencode(file)).hexdigest()[:12]
    return Path(tempfile.gettempdir()) / f"voice-gateway-{os.getuid()}-{short}" / "control.sock"
