"""Real speech engines: tests that need them are skipped where they are missing, but never in CI."""

import importlib.util
import os

import pytest


def need_packages(*modules: str) -> None:
    missing = [module for module in modules if importlib.util.find_spec(module) is None]
    if missing:
        reason = f"speech packages are not installed: {', '.join(missing)}"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
