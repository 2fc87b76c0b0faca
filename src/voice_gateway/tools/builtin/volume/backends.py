"""The system's volume: by PulseAudio's protocol (PipeWire speaks it too), or by ALSA's mixer program."""

import asyncio
import os
import re
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from voice_gateway.errors import ToolUnavailable
from voice_gateway.tools.builtin.volume.tool import FULL, Loudness

LIMIT_SECONDS = 2.0  # a local daemon answers in milliseconds; what hangs has lost it


class PulseVolume:
    """PulseAudio, or PipeWire speaking its protocol, with `pulsectl-asyncio`.

    Connects anew for every request, in milliseconds, so that a restarted daemon is no special case.
    """

    label = "PulseAudio"

    def __init__(self, limit_seconds: float = LIMIT_SECONDS) -> None:
        self._limit_seconds = limit_seconds

    async def read(self) -> Loudness:
        async with self._default_sink() as (_, sink):
            # The loudest channel, as desktop sliders show it.
            return Loudness(round(max(sink.volume.values) * FULL), bool(sink.mute))

    async def set_percent(self, percent: int) -> None:
        async with self._default_sink() as (pulse, sink):
            loudest = max(sink.volume.values)
            # Scaled, so that the balance between the channels stays; from silence there is none to keep.
            sink.volume.values = [
                percent / FULL * (value / loudest if loudest else 1.0) for value in sink.volume.values
            ]
            await pulse.volume_set(sink, sink.volume)

    async def set_muted(self, muted: bool) -> None:
        async with self._default_sink() as (pulse, sink):
            await pulse.mute(sink, muted)

    @asynccontextmanager
    async def _default_sink(self) -> AsyncIterator[tuple[Any, Any]]:
        # The first time it takes a tenth of a second and more to load.
        connection, pulse_error = await asyncio.to_thread(_pulse_client)
        pulse = connection("voice-gateway")
        try:
            async with asyncio.timeout(self._limit_seconds) as limit:
                await pulse.connect()
                name = (await pulse.server_info()).default_sink_name
                if not name:
                    raise ToolUnavailable("PulseAudio has no loudspeaker.")
                yield pulse, await pulse.get_sink_by_name(name)
        except pulse_error as error:
            raise ToolUnavailable("PulseAudio is not reachable or has no loudspeaker.") from error
        except TimeoutError as error:
            if not limit.expired():
                raise
            raise ToolUnavailable("PulseAudio does not answer.") from error
        finally:
            pulse.close()


def _pulse_client() -> tuple[Any, type[Exception]]:
    try:
        from pulsectl import PulseError
        from pulsectl_asyncio import PulseAsync
    except (ImportError, OSError) as error:  # OSError: the package is there, the C library is not
        raise ToolUnavailable("PulseAudio's client library is not installed.") from error
    return PulseAsync, PulseError


class AlsaVolume:
    """ALSA's mixer `amixer`. `-M` gives the curve people hear, the same as alsamixer shows.

    A missing, failing or hanging program means: not available.
    """

    label = "ALSA"
    _names = ("Master", "Speaker", "PCM", "Headphone", "Digital", "Line Out")  # first that the card has

    def __init__(self, limit_seconds: float = LIMIT_SECONDS) -> None:
        self._limit_seconds = limit_seconds

    async def read(self) -> Loudness:
        output = await self._run("-M", "sget", await self._control())
        percents = re.findall(r"\[(\d+)%\]", output)
        if not percents:
            raise ToolUnavailable("amixer gave an answer that I cannot read.")
        # A control without a switch prints neither, and is never muted.
        return Loudness(max(int(percent) for percent in percents), "[off]" in output and "[on]" not in output)

    async def set_percent(self, percent: int) -> None:
        await self._run("-M", "sset", await self._control(), f"{percent}%")

    async def set_muted(self, muted: bool) -> None:
        await self._run("sset", await self._control(), "mute" if muted else "unmute")

    async def _control(self) -> str:
        found = set(re.findall(r"Simple mixer control '([^']+)',0", await self._run("scontrols")))
        for name in self._names:
            if name in found:
                return name
        raise ToolUnavailable("ALSA has no playback volume here.")

    async def _run(self, *arguments: str) -> str:
        """What the program prints."""
        if shutil.which("amixer") is None:
            raise ToolUnavailable("amixer is not installed.")
        process = await asyncio.create_subprocess_exec(
            "amixer",
            *arguments,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env={**os.environ, "LC_ALL": "C"},  # its words are parsed
        )
        try:
            async with asyncio.timeout(self._limit_seconds):
                output, complaint = await process.communicate()
        except TimeoutError as error:
            raise ToolUnavailable("amixer does not answer.") from error
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
        if process.returncode:
            reason = complaint.decode(errors="replace").strip().splitlines()
            raise ToolUnavailable(f"amixer failed{': ' + reason[0][:200] if reason else ''}.")
        return output.decode(errors="replace")
