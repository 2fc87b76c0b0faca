"""From the command line's options to settings."""

import argparse
from typing import Any

from voice_gateway.config import Loaded, load


def loaded(options: argparse.Namespace) -> Loaded:
    overrides: dict[str, Any] = {}
    if provider := getattr(options, "provider", None):
        overrides["brain.provider"] = provider
    if room := getattr(options, "room", None):
        overrides["brain.room"] = room
    return load(getattr(options, "config", None), overrides=overrides)


def wants_json(options: argparse.Namespace) -> bool:
    return bool(getattr(options, "json", False))
