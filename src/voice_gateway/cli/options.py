"""From the command line's options to settings."""

import argparse
from pathlib import Path
from typing import Any

from voice_gateway.config import Loaded, load
from voice_gateway.errors import ConfigError

OPENED = ("/dev/", "/proc/self/fd/")


def loaded(options: argparse.Namespace) -> Loaded:
    overrides: dict[str, Any] = {}
    if provider := getattr(options, "provider", None):
        overrides["brain.provider"] = provider
    if room := getattr(options, "room", None):
        overrides["brain.room"] = room
    return load(_checked(getattr(options, "config", None)), overrides=overrides)


def _checked(file: Path | None) -> Path | None:
    """A pipe that nobody writes to cannot even be opened, and no signal ends that; what the shell has opened
    itself (/dev/stdin, <(…)) has a writer."""
    if file is not None and file.exists() and not file.is_file() and not str(file).startswith(OPENED):
        raise ConfigError(f"{file} is not a regular file")
    return file


def wants_json(options: argparse.Namespace) -> bool:
    return bool(getattr(options, "json", False))
