"""A real PulseAudio daemon with a loudspeaker that makes no sound, on a socket of its own."""

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.fakes.counterparts import program

NOT_UNIT = "a sound server"

START_SECONDS = 40.0


@dataclass
class PulseDaemon:
    """Owns one daemon process; `environment` points clients at it."""

    folder: Path
    process: asyncio.subprocess.Process | None = None

    @property
    def environment(self) -> dict[str, str]:
        return {
            "PULSE_SERVER": f"unix:{self.folder}/p.sock",
            "XDG_RUNTIME_DIR": str(self.folder),
            "HOME": str(self.folder),
        }

    async def start(self) -> None:
        self.process = await asyncio.create_subprocess_exec(
            *("pulseaudio", "-n", "--daemonize=no", "--use-pid-file=no", "--exit-idle-time=-1"),
            *("--disable-shm=yes", "--log-target=stderr", "--log-level=error"),
            *("-L", "module-null-sink sink_name=spk"),
            # Loaded last, so that the sink is there when the socket is.
            *("-L", f"module-native-protocol-unix auth-anonymous=1 socket={self.folder}/p.sock"),
            env={**os.environ, **self.environment},
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.DEVNULL,
        )
        async with asyncio.timeout(START_SECONDS):
            while not await self._answers():
                assert self.process.returncode is None, "pulseaudio ended at once"

    async def _answers(self) -> bool:
        return bool(await self.pactl("info", check=False))

    async def pactl(self, *arguments: str, check: bool = True) -> str:
        """Asks the daemon by another way than the code under test."""
        asking = await asyncio.create_subprocess_exec(
            "pactl",
            *arguments,
            env={**os.environ, **self.environment, "LC_ALL": "C"},
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
        )
        output, _ = await asking.communicate()
        assert not check or asking.returncode == 0, f"pactl {arguments} failed"
        return output.decode() if asking.returncode == 0 else ""

    async def stop(self) -> None:
        if self.process is not None and self.process.returncode is None:
            self.process.terminate()
            await self.process.wait()


@asynccontextmanager
async def pulse_daemon(folder: Path) -> AsyncIterator[PulseDaemon]:
    program("pulseaudio")
    program("pactl", "pulseaudio-utils")
    folder.chmod(0o700)
    daemon = PulseDaemon(folder)
    try:
        await daemon.start()
        yield daemon
    finally:
        await daemon.stop()
