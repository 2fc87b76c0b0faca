"""A real Redis for tests, on a socket file of its own."""

import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest

NOT_UNIT = "a Redis"


class RedisServer:
    def __init__(self, folder: Path) -> None:
        self._file = folder / "redis.sock"
        program = shutil.which("redis-server")
        if program is None and os.environ.get("CI") == "true":
            pytest.fail(
                "redis-server is not installed, and CI must run the tests that need it", pytrace=False
            )
        if program is None:
            pytest.skip("redis-server is not installed (Debian: apt-get install redis-server)")
        options = ["--port", "0", "--unixsocket", str(self._file), "--save", "", "--dir", str(folder)]
        self._process = subprocess.Popen([program, *options], stdout=subprocess.DEVNULL)
        self._wait()

    @property
    def url(self) -> str:
        return f"unix://{self._file}"

    def _wait(self) -> None:
        """Its socket file is the only sign that it has started."""
        end = time.monotonic() + 10
        while not self._file.exists():
            assert time.monotonic() < end, "redis-server did not start"
            time.sleep(0.01)

    def stop(self) -> None:
        self._process.terminate()
        self._process.wait(10)
