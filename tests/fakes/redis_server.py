"""A real Redis for tests, on a socket file of its own."""

import contextlib
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.fakes.counterparts import program

NOT_UNIT = "a Redis"


class RedisServer:
    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._file = folder / "redis.sock"
        self.start()

    def start(self) -> None:
        """With what it had kept, as a house's Redis that writes down every change."""
        self._file.unlink(missing_ok=True)
        kept = ["--save", "", "--appendonly", "yes", "--appendfsync", "always", "--dir", str(self._folder)]
        options = ["--port", "0", "--unixsocket", str(self._file), *kept]
        self._process = subprocess.Popen([program("redis-server"), *options], stdout=subprocess.DEVNULL)
        self._wait()

    @property
    def url(self) -> str:
        return f"unix://{self._file}"

    def ask(self, *command: str) -> Any:
        """Its answer to one command, beside those who use it."""
        from redis import Redis

        with Redis.from_url(self.url, decode_responses=True) as client:
            return client.execute_command(*command)

    def _wait(self) -> None:
        """The file is there a moment before anybody listens."""
        end = time.monotonic() + 30
        while not self._is_listening():
            assert time.monotonic() < end, "redis-server did not start"
            time.sleep(0.01)

    def _is_listening(self) -> bool:
        with socket.socket(socket.AF_UNIX) as client, contextlib.suppress(OSError):
            client.connect(str(self._file))
            return True
        return False

    def freeze(self) -> None:
        """Its machine hangs: the socket stays open and nothing is answered."""
        self._process.send_signal(signal.SIGSTOP)

    def thaw(self) -> None:
        self._process.send_signal(signal.SIGCONT)

    def stop(self) -> None:
        self.thaw()
        self._process.terminate()
        self._process.wait(10)

    def kill(self) -> None:
        self._process.kill()
        self._process.wait(10)


@pytest.fixture(name="redis", scope="module")
def redis_fixture(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisServer]:
    """For a conftest to import."""
    server = RedisServer(tmp_path_factory.mktemp("redis"))
    yield server
    server.stop()
