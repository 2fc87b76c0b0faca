"""Real speech engines: tests that need them are skipped where they are missing, but never in CI."""

import ctypes.util
import importlib.util
import os

import pytest

NOT_UNIT = "speech engines"


def need_packages(*modules: str) -> None:
    missing = [module for module in modules if importlib.util.find_spec(module) is None]
    if missing:
        _missing(f"speech packages are not installed: {', '.join(missing)}")


def need_portaudio() -> None:
    need_packages("sounddevice")
    if ctypes.util.find_library("portaudio") is None:
        _missing("libportaudio2 is not installed here")


def _missing(reason: str) -> None:
    if os.environ.get("CI") == "true":
        pytest.fail(reason)
    pytest.skip(reason)
