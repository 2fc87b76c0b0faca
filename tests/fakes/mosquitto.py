"""A real Mosquitto broker for tests, on a free loopback port; with users, ACL or TLS when asked."""

import os
import signal
import subprocess
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from tests.fakes.certificates import Certificates
from tests.fakes.counterparts import program
from tests.fakes.ports import free_port

NOT_UNIT = "a broker"

_START_SECONDS = 30.0


class Broker:
    """One broker that can be stopped, killed and started again on the same port."""

    def __init__(
        self,
        folder: Path,
        *,
        users: Mapping[str, str] | None = None,
        acl: str | None = None,
        tls: Certificates | None = None,
        persistence: bool = False,
    ) -> None:
        self.folder = folder
        self.port = free_port()
        self.tls = tls
        self._process: subprocess.Popen[str] | None = None
        self._lines: list[str] = []
        self._config = folder / "mosquitto.conf"
        self._config.write_text("\n".join(self._settings(users, acl, persistence)) + "\n")

    @property
    def url(self) -> str:
        return f"{'mqtts' if self.tls else 'mqtt'}://localhost:{self.port}"

    @property
    def log(self) -> str:
        return "\n".join(self._lines)

    def _settings(self, users: Mapping[str, str] | None, acl: str | None, persistence: bool) -> Iterator[str]:
        yield f"listener {self.port} localhost"
        yield f"persistence {str(persistence).lower()}"
        yield f"persistence_location {self.folder}/"
        yield "set_tcp_nodelay true"  # otherwise each call waits 40 ms for the network's sake
        yield "log_type all"
        yield f"allow_anonymous {'false' if users else 'true'}"
        if hasattr(os, "geteuid") and os.geteuid() == 0:
            yield "user root"  # otherwise it becomes a user who may not read this folder
        if users:
            passwords = self.folder / "passwords"
            passwords.touch(mode=0o600)
            for name, password in users.items():
                subprocess.run(
                    [program("mosquitto_passwd", "mosquitto"), "-b", str(passwords), name, password],
                    check=True,
                )
            yield f"password_file {passwords}"
        if acl:
            (self.folder / "acl").write_text(acl)
            (self.folder / "acl").chmod(0o600)
            yield f"acl_file {self.folder / 'acl'}"
        if self.tls:
            yield f"certfile {self.tls.certificate}"
            yield f"keyfile {self.tls.key}"

    def start(self) -> None:
        running = threading.Event()
        command = [program("mosquitto"), "-c", str(self._config)]
        process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, errors="replace")

        def follow() -> None:
            assert process.stderr is not None
            with process.stderr as lines:
                for line in lines:
                    self._lines.append(line.rstrip())
                    if line.rstrip().endswith("running"):
                        running.set()
            running.set()  # it ended: do not let the starter wait for nothing

        self._reader = threading.Thread(target=follow, daemon=True)
        self._reader.start()
        self._process = process
        if not running.wait(_START_SECONDS) or process.poll() is not None:
            raise RuntimeError(f"mosquitto did not start:\n{self.log}")

    def _end(self, number: signal.Signals) -> None:
        if self._process is not None:
            self._process.send_signal(number)
            try:
                self._process.wait(1)
            except subprocess.TimeoutExpired:  # it forgets a signal that comes right after its start
                self._process.kill()
                self._process.wait(10)
            self._reader.join(10)
            self._process = None

    def stop(self) -> None:
        self._end(signal.SIGTERM)

    def kill(self) -> None:
        self._end(signal.SIGKILL)

    def freeze(self) -> None:
        """The broker's machine hangs: its sockets stay open and nothing is answered."""
        assert self._process is not None
        self._process.send_signal(signal.SIGSTOP)

    def thaw(self) -> None:
        if self._process is not None:
            self._process.send_signal(signal.SIGCONT)

    def restart(self) -> None:
        self.stop()
        self.start()


@pytest.fixture(name="broker")
def broker_fixture(tmp_path: Path) -> Iterator[Broker]:
    """For a conftest to import."""
    broker = Broker(tmp_path)
    broker.start()
    yield broker
    broker.kill()  # quicker than asking it to stop
