"""Where the gateway looks for its settings and keeps its data on this computer."""

import hashlib
import os
import tempfile
from pathlib import Path

import platformdirs

FILE_NAME = "voice-gateway.toml"
LONGEST_SOCKET_PATH = 100  # the system's own limit is 104 to 108 bytes


def user_file() -> Path:
    """The user's settings file, in the platform's configuration folder."""
    return Path(platformdirs.user_config_dir("voice-gateway", appauthor=False)) / FILE_NAME


def data_folder() -> Path:
    """Everything that must survive a restart."""
    return Path(platformdirs.user_data_dir("voice-gateway", appauthor=False))


def conversations_file() -> Path:
    """The conversations, when `brain.store` is sqlite."""
    return data_folder() / "conversations.sqlite"


def web_token_file() -> Path:
    """The hash of the token that other machines need for the web channel."""
    return data_folder() / "web-token.json"


def log_file() -> Path:
    """The warnings of a gateway that talks to a person at a terminal."""
    return data_folder() / "gateway.log"


def control_file() -> Path:
    """The socket by which commands reach the running gateway, in a folder of its owner alone."""
    runtime = os.environ.get("XDG_RUNTIME_DIR")
    folder = Path(runtime) / "voice-gateway" if runtime else data_folder() / "run"
    file = folder / "control.sock"
    if len(os.fsencode(file)) <= LONGEST_SOCKET_PATH:
        return file
    short = hashlib.sha256(os.fsencode(file)).hexdigest()[:12]
    return Path(tempfile.gettempdir()) / f"voice-gateway-{os.getuid()}-{short}" / "control.sock"
