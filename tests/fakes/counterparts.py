"""Real programs that tests talk to: where one is missing its tests are skipped, but never in CI."""

import os
import shutil
from typing import NoReturn

import pytest

_SEARCH_PATH = os.pathsep.join([os.environ.get("PATH", ""), "/usr/sbin", "/usr/local/sbin"])


def missing(reason: str) -> NoReturn:
    if os.environ.get("CI") == "true":
        pytest.fail(f"{reason}, and CI must run the tests that need it", pytrace=False)
    pytest.skip(reason)


def program(name: str, package: str = "") -> str:
    """Where the program is. `package` is what Debian calls what it comes in, if not the same."""
    found = shutil.which(name, path=_SEARCH_PATH)
    return found or missing(f"{name} is not installed (Debian: apt-get install {package or name})")
