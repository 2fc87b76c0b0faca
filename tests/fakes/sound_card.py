"""A sound card without hardware: PulseAudio with a microphone that hears what is played into it."""

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from tests.fakes.counterparts import program
from tests.fakes.pulse import PulseDaemon

# PortAudio speaks ALSA, and ALSA's default device is the daemon.
ASOUNDRC = "pcm.!default {type pulse}\nctl.!default {type pulse}\n"


class SoundCard:
    """`environment` makes a process use it; `play` speaks into its microphone; `speaker` is what it says."""

    microphone = "mic"  # the sink whose monitor is the microphone
    speaker = "spk.monitor"

    def __init__(self, folder: Path) -> None:
        self.daemon = PulseDaemon(folder)
        (folder / ".asoundrc").write_text(ASOUNDRC, encoding="utf-8")

    @property
    def environment(self) -> dict[str, str]:
        return {**os.environ, **self.daemon.environment}

    async def start(self) -> None:
        await self.daemon.start()
        pactl = self.daemon.pactl
        await pactl("load-module", "module-null-sink", f"sink_name={self.microphone}")
        source = ("module-remap-source", f"master={self.microphone}.monitor", "source_name=virtmic")
        await pactl("load-module", *source)
        await pactl("set-default-sink", "spk")
        await pactl("set-default-source", "virtmic")

    async def stop(self) -> None:
        await self.daemon.stop()

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
        return await asyncio.create_subprocess_exec(*command, env=self.environment)


async def _ended(process: asyncio.subprocess.Process) -> None:
    if process.returncode is None:
        process.terminate()
        await process.wait()


@asynccontextmanager
async def sound_card(folder: Path) -> AsyncIterator[SoundCard]:
    program("pulseaudio")
    for name in ("pactl", "paplay", "parecord"):
        program(name, "pulseaudio-utils")
    folder.chmod(0o700)
    card = SoundCard(folder)
    try:
        await card.start()
        yield card
    finally:
        await card.stop()
