"""Real speech engines: tests that need them are skipped where they are missing, but never in CI."""

import ctypes.util
import importlib.util

from tests.fakes.counterparts import missing

NOT_UNIT = "speech engines"


def need_packages(*modules: str) -> None:
    absent = [module for module in modules if importlib.util.find_spec(module) is None]
    if absent:
        missing(f"speech packages are not installed: {', '.join(absent)}")


def need_portaudio() -> None:
    need_packages("sounddevice")
    if ctypes.util.find_library("portaudio") is None:
        missing("libportaudio2 is not installed here")
