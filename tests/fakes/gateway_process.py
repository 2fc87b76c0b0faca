"""Commands as a person or a script runs them: real processes, with folders of their own."""

import asyncio
import atexit
import contextlib
import json
import os
import shutil
import signal
import tempfile
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.fakes import warm_python

from voice_gateway.config.environment import CONFIG_FILE
from voice_gateway.config.folders import FILE_NAME

NOT_UNIT = "a gateway as a process"

# Gateways of many tests run side by side, and there is one port: who wants the console asks for it.
NO_CONSOLE = {"VOICE_GATEWAY_WEB_ENABLED": "false"}
# On a loaded machine a server needs longer to start than anybody would wait for one.
PATIENT = {"VOICE_GATEWAY_MCP_CONNECT_TIMEOUT_SECONDS": "60"}
LIMIT_SECONDS = 60  # a loaded machine may need long to start a server; a hang never ends


@dataclass
class Ended:
    code: int
    out: str
    err: str

    @property
    def json(self):
        return json.loads(self.out)


class Commands:
    """Runs `voice-gateway` in a folder that nobody else uses."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.python = warm_python.python()
        self._started: list[asyncio.subprocess.Process] = []
        # Of its own, because a socket's path must be short and a test's folder may be anything but.
        runtime = tempfile.mkdtemp(prefix="vg-")
        atexit.register(shutil.rmtree, runtime, ignore_errors=True)
        self.env = {
            **{key: os.environ[key] for key in ("PATH", "HOME", "LANG") if key in os.environ},
            **PATIENT,
            "XDG_DATA_HOME": str(folder / "data"),
            "XDG_CONFIG_HOME": str(folder / "config"),
            "XDG_RUNTIME_DIR": runtime,
            "PULSE_SERVER": "unix:/nowhere",  # the test must not change the volume of whoever runs it
        }

    def file(self, name: str, text: str) -> Path:
        file = self.folder / name
        file.write_text(text, encoding="utf-8")
        if name == FILE_NAME:
            file.chmod(0o600)
            self.env[CONFIG_FILE] = str(file)
        return file

    async def start(
        self, *words: str, stdin=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.PIPE, **env: str
    ) -> asyncio.subprocess.Process:
        process = await warm_python.start(
            *(self.python, "-m", "voice_gateway", *words),
            stdin=stdin,
            stdout=asyncio.subprocess.PIPE,
            stderr=stderr,
            cwd=self.folder,
            env={**(NO_CONSOLE if {"run", "doctor"} & set(words) else {}), **self.env, **env},
            limit=1 << 26,
        )
        self._started.append(process)
        return process

    async def end(self) -> None:
        """A test that failed may have left something running."""
        for process in self._started:
            if process.returncode is None:
                process.kill()
                await process.communicate()

    async def run(self, *words: str, text: str | None = None, **env: str) -> Ended:
        stdin = asyncio.subprocess.DEVNULL if text is None else asyncio.subprocess.PIPE
        process = await self.start(*words, stdin=stdin, **env)
        try:
            async with asyncio.timeout(LIMIT_SECONDS):
                out, err = await process.communicate(text.encode() if text is not None else None)
        finally:
            if process.returncode is None:
                process.kill()
        assert process.returncode is not None
        return Ended(process.returncode, out.decode(), err.decode())


@pytest.fixture(name="commands")
async def commands_fixture(tmp_path: Path) -> AsyncIterator[Commands]:
    """For a conftest to import."""
    commands = Commands(tmp_path)
    yield commands
    await commands.end()


class Running:
    """A gateway that stays up, with its stderr."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process
        self.said: list[str] = []  # what was read of its stderr

    @classmethod
    @contextlib.asynccontextmanager
    async def opened(cls, commands: Commands, *words: str, **env: str) -> "AsyncIterator[Running]":
        gateway = cls(await commands.start("run", *words, **env))
        try:
            await gateway.says("ready")
            yield gateway
        finally:
            if gateway.process.returncode is None:
                await gateway.stop()

    async def says(self, words: str) -> str:
        async with asyncio.timeout(LIMIT_SECONDS):
            while line := (await self.process.stderr.readline()).decode():
                self.said.append(line)
                if words in line:
                    return line
        raise AssertionError(f"the gateway ended without saying {words!r}")

    async def stop(self, number: signal.Signals = signal.SIGTERM) -> int:
        self.process.send_signal(number)
        async with asyncio.timeout(LIMIT_SECONDS):
            _, rest = await self.process.communicate()
        self.said += rest.decode().splitlines(keepends=True)
        assert self.process.returncode is not None
        return self.process.returncode
