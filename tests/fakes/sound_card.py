"""A real PulseAudio daemon on a socket of its own, and a sound card without hardware made of it."""

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Self

from tests.fakes.counterparts import program

NOT_UNIT = "a sound server"

START_SECONDS = 40.0
# PortAudio speaks ALSA, and ALSA's default device is the daemon.
ASOUNDRC = "pcm.!default {type pulse}\nctl.!default {type pulse}\n"


class PulseDaemon:
    """One daemon with a loudspeaker that makes no sound; `environment` points clients at it."""

    programs: tuple[str, ...] = ("pactl",)

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.process: asyncio.subprocess.Process | None = None
        self.environment = {
            "PULSE_SERVER": f"unix:{folder}/p.sock",
            "XDG_RUNTIME_DIR": str(folder),
            "HOME": str(folder),
        }
        self.whole_environment = {**os.environ, **self.environment}

    @classmethod
    @asynccontextmanager
    async def opened(cls, folder: Path) -> AsyncIterator[Self]:
        program("pulseaudio")
        for name in cls.programs:
            program(name, "pulseaudio-utils")
        folder.chmod(0o700)
        daemon = cls(folder)
        try:
            await daemon.start()
            yield daemon
        finally:
            await daemon.stop()

    async def start(self) -> None:
        self.process = await asyncio.create_subprocess_exec(
            *("pulseaudio", "-n", "--daemonize=no", "--use-pid-file=no", "--exit-idle-time=-1"),
            *("--disable-shm=yes", "--log-target=stderr", "--log-level=error"),
            *("-L", "module-null-sink sink_name=spk"),
            # Loaded last, so that the sink is there when the socket is.
            *("-L", f"module-native-protocol-unix auth-anonymous=1 socket={self.folder}/p.sock"),
            env=self.whole_environment,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.DEVNULL,
        )
        async with asyncio.timeout(START_SECONDS):
            while not await self.pactl("info", check=False):
                assert self.process.returncode is None, "pulseaudio ended at once"

    async def pactl(self, *arguments: str, check: bool = True) -> str:
        """Asks the daemon by another way than the code under test."""
        asking = await asyncio.create_subprocess_exec(
            *("pactl", *arguments),
            env={**self.whole_environment, "LC_ALL": "C"},
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
        )
        output, _ = await asking.communicate()
        assert not check or asking.returncode == 0, f"pactl {arguments} failed"
        return output.decode() if asking.returncode == 0 else ""

    async def stop(self) -> None:
        if self.process is not None:
            await _ended(self.process)


class SoundCard(PulseDaemon):
    """`play` speaks into its microphone; `speaker` is what its loudspeaker plays."""

    programs = ("pactl", "paplay", "parecord")
    microphone = "mic"  # the sink whose monitor is the microphone
    speaker = "spk.monitor"

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        (folder / ".asoundrc").write_text(ASOUNDRC, encoding="utf-8")

    async def start(self) -> None:
        await super().start()
        await self.pactl("load-module", "module-null-sink", f"sink_name={self.microphone}")
        source = ("module-remap-source", f"master={self.microphone}.monitor", "source_name=virtmic")
        await self.pactl("load-module", *source)
        await self.pactl("set-default-sink", "spk")
        await self.pactl("set-default-source", "virtmic")

    async def play(self, wav: Path) -> None:
        """In real time; returns when it has been heard."""
        player = await self._started("paplay", f"--device={self.microphone}", str(wav))
        try:
            assert await player.wait() == 0
        finally:
            await _ended(player)

    @asynccontextmanager
    async def recorded(self, wav: Path) -> AsyncIterator[None]:
        """What the loudspeaker says meanwhile is in the file afterwards."""
        format_ = ("--file-format=wav", "--rate=16000", "--channels=1", "--format=s16le")
        recorder = await self._started("parecord", f"--device={self.speaker}", *format_, str(wav))
        try:
            yield
        finally:
            await _ended(recorder)

    async def _started(self, *command: str) -> asyncio.subprocess.Process:
        return await asyncio.create_subprocess_exec(*command, env=self.whole_environment)


async def _ended(process: asyncio.subprocess.Process) -> None:
    if process.returncode is None:
        process.terminate()
        await process.wait()
