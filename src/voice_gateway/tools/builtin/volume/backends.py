"""The system's volume: by PulseAudio's protocol, or by the programs that come with a sound system."""

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


class _Program:
    """Whatever is set by running a program. Missing, failing and hanging all mean: not available."""

    program: str

    def __init__(self, limit_seconds: float = LIMIT_SECONDS) -> None:
        self._limit_seconds = limit_seconds

    async def _run(self, *arguments: str) -> str:
        """What the program prints."""
        if shutil.which(self.program) is None:
            raise ToolUnavailable(f"{self.program} is not installed.")
        process = await asyncio.create_subprocess_exec(
            self.program,
            *arguments,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env={**os.environ, "LC_ALL": "C"},  # their words are read
        )
        try:
            async with asyncio.timeout(self._limit_seconds):
                output, complaint = await process.communicate()
        except TimeoutError as error:
            raise ToolUnavailable(f"{self.program} does not answer.") from error
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
        if process.returncode:
            reason = complaint.decode(errors="replace").strip().splitlines()
            raise ToolUnavailable(f"{self.program} failed{': ' + reason[0][:200] if reason else ''}.")
        return output.decode(errors="replace")

    def _no_sense(self) -> ToolUnavailable:
        return ToolUnavailable(f"{self.program} gave an answer that I cannot read.")


class WpctlVolume(_Program):
    """PipeWire, through WirePlumber."""

    label, program = "PipeWire", "wpctl"
    _sink = "@DEFAULT_AUDIO_SINK@"

    async def read(self) -> Loudness:
        output = await self._run("get-volume", self._sink)
        match = re.search(r"Volume:\s*(\d+(?:\.\d+)?)", output)
        if not match:
            raise self._no_sense()
        return Loudness(round(float(match[1]) * FULL), "[MUTED]" in output)

    async def set_percent(self, percent: int) -> None:
        await self._run("set-volume", self._sink, f"{percent / FULL:.2f}")  # no "%": older ones lack it

    async def set_muted(self, muted: bool) -> None:
        await self._run("set-mute", self._sink, str(int(muted)))


class PactlVolume(_Program):
    """PulseAudio, where its client library cannot be loaded."""

    label, program = "PulseAudio", "pactl"
    _sink = "@DEFAULT_SINK@"

    async def read(self) -> Loudness:
        percents = re.findall(r"(?<!\d)(\d+)%", await self._run("get-sink-volume", self._sink))
        muted = re.search(r"Mute:\s*(yes|no)", await self._run("get-sink-mute", self._sink))
        if not percents or not muted:
            raise self._no_sense()
        return Loudness(max(int(percent) for percent in percents), muted[1] == "yes")

    async def set_percent(self, percent: int) -> None:
        await self._run("set-sink-volume", self._sink, f"{percent}%")

    async def set_muted(self, muted: bool) -> None:
        await self._run("set-sink-mute", self._sink, str(int(muted)))


class AlsaVolume(_Program):
    """ALSA's mixer. `-M` gives the curve people hear, the one alsamixer shows."""

    label, program = "ALSA", "amixer"
    _names = ("Master", "Speaker", "PCM", "Headphone", "Digital", "Line Out")  # first that the card has

    async def read(self) -> Loudness:
        output = await self._run("-M", "sget", await self._control())
        percents = re.findall(r"\[(\d+)%\]", output)
        if not percents:
            raise self._no_sense()
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


class MacVolume(_Program):
    """macOS."""

    label, program = "macOS", "osascript"

    async def read(self) -> Loudness:
        output = await self._run("-e", "get volume settings")
        percent = re.search(r"output volume:(\d+)", output)  # "missing value" on outputs without one
        muted = re.search(r"output muted:(true|false)", output)
        if not percent or not muted:
            raise ToolUnavailable("The current sound output of macOS has no volume control.")
        return Loudness(int(percent[1]), muted[1] == "true")

    async def set_percent(self, percent: int) -> None:
        await self._run("-e", f"set volume output volume {percent}")

    async def set_muted(self, muted: bool) -> None:
        await self._run("-e", f"set volume output muted {'true' if muted else 'false'}")
