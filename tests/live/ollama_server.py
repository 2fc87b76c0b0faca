"""One real Ollama server process, with its runners."""

import contextlib
import os
import re
import signal
import subprocess
import time
import urllib.request
from pathlib import Path
from types import TracebackType

from tests.fakes.ports import free_port

READY_SECONDS = 60
_READ = re.compile(r'msg="loading cache slot".* remaining=(\d+)')


def _children(pid: int) -> list[int]:
    # Each thread lists its own, and a Go program starts processes from any of them.
    lists = [path.read_text() for path in Path(f"/proc/{pid}/task").glob("*/children")]
    return [int(child) for children in lists for child in children.split()]


class OllamaServer:
    """Started by `scripts/ollama serve` in a process group of its own, so that stopping leaves nothing."""

    def __init__(self, script: Path, log_file: Path) -> None:
        self._script = script
        self._log_file = log_file
        self._port = free_port()
        self._process: subprocess.Popen[bytes] | None = None
        self.base_url = f"http://127.0.0.1:{self._port}"

    def __enter__(self) -> "OllamaServer":
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def start(self) -> None:
        if self._process is not None and self._process.poll() is None:
            return
        with self._log_file.open("ab") as output:
            self._process = subprocess.Popen(
                [self._script, "serve", str(self._port), "--with-parent"],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
                env={**os.environ, "OLLAMA_DEBUG": "1"},  # for `tokens_read`
            )
        limit = time.monotonic() + READY_SECONDS
        while self._process.poll() is None and time.monotonic() < limit:
            with (
                contextlib.suppress(OSError),
                urllib.request.urlopen(f"{self.base_url}/api/version", timeout=5),
            ):
                return
            time.sleep(0.05)  # a server that starts gives no other sign
        self.stop()
        raise RuntimeError(f"the server did not start; its log:\n{self._log_file.read_text()[-2000:]}")

    def tokens_read(self) -> list[int]:
        """How much of each prompt so far was really read; the rest was known from the one before."""
        return [int(count) for count in _READ.findall(self._log_file.read_text(errors="replace"))]

    def kill_runner(self) -> None:
        """End the process that holds the model, as the kernel does when memory is short."""
        for runner in self._runners():
            os.kill(runner, signal.SIGKILL)

    def _runners(self) -> list[int]:
        assert self._process is not None
        runners = _children(self._process.pid)
        assert runners, "no model is loaded"
        return runners

    def work_until_silent(self, *, limit_seconds: float) -> float:
        """Processor seconds that the model still takes, until it takes none for a whole second.

        Counted in its own time, so that other work on the machine does not count.
        """
        start = last = self._runner_ticks()
        limit, quiet_since = time.monotonic() + limit_seconds, time.monotonic()
        while time.monotonic() < limit and time.monotonic() - quiet_since < 1:
            time.sleep(0.1)
            now = self._runner_ticks()
            if now > last + 1:
                last, quiet_since = now, time.monotonic()
        return (last - start) / os.sysconf("SC_CLK_TCK")

    def _runner_ticks(self) -> int:
        stats = [Path(f"/proc/{pid}/stat").read_text() for pid in self._runners()]
        return sum(int(field) for stat in stats for field in stat.rpartition(")")[2].split()[11:13])

    def kill(self) -> None:
        """End the server and everything of it at once, without a farewell."""
        self._signal_group(signal.SIGKILL)

    def stop(self) -> None:
        self._signal_group(signal.SIGTERM)
        self._signal_group(signal.SIGKILL)

    def _signal_group(self, number: signal.Signals) -> None:
        if self._process is None:
            return
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, number)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(10)
