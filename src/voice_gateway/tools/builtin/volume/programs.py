"""The system's volume through the programs that come with a sound system: wpctl, pactl, amixer, osascript."""

import asyncio
import os
import re
import shutil

from voice_gateway.errors import ToolUnavailable
from voice_gateway.tools.builtin.volume.tool import FULL, Loudness

LIMIT_SECONDS = 2.0  # these programs answer in milliseconds; one that hangs has lost its daemon


async def run(*command: str) -> str:
    """What the program prints. Missing, failing and hanging all mean that this way is not available."""
    program = command[0]
    if shutil.which(program) is None:
        raise ToolUnavailable(f"{program} is not installed.")
    process = await asyncio.create_subprocess_exec(
        *command,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env={**os.environ, "LC_ALL": "C"},  # their words are read
    )
    try:
        async with asyncio.timeout(LIMIT_SECONDS):
            output, complaint = await process.communicate()
    except TimeoutError as error:
        raise ToolUnavailable(f"{program} does not answer.") from error
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    if process.returncode:
        reason = complaint.decode(errors="replace").strip().splitlines()
        raise ToolUnavailable(f"{program} failed{': ' + reason[0][:200] if reason else ''}.")
    return output.decode(errors="replace")


def _no_sense(program: str) -> ToolUnavailable:
    return ToolUnavailable(f"{program} gave an answer that I cannot read.")


class WpctlVolume:
    """PipeWire, through WirePlumber."""

    label = "PipeWire"
    _sink = "@DEFAULT_AUDIO_SINK@"

    async def read(self) -> Loudness:
        output = await run("wpctl", "get-volume", self._sink)
        match = re.search(r"Volume:\s*(\d+(?:\.\d+)?)", output)
        if not match:
            raise _no_sense("wpctl")
        return Loudness(round(float(match[1]) * FULL), "[MUTED]" in output)

    async def set_percent(self, percent: int) -> None:
        await run("wpctl", "set-volume", self._sink, f"{percent / FULL:.2f}")  # no "%": older ones lack it

    async def set_muted(self, muted: bool) -> None:
        await run("wpctl", "set-mute", self._sink, str(int(muted)))


class PactlVolume:
    """PulseAudio, where its client library cannot be loaded."""

    label = "PulseAudio"
    _sink = "@DEFAULT_SINK@"

    async def read(self) -> Loudness:
        percents = re.findall(r"(\d+)%", await run("pactl", "get-sink-volume", self._sink))
        muted = re.search(r"Mute:\s*(yes|no)", await run("pactl", "get-sink-mute", self._sink))
        if not percents or not muted:
            raise _no_sense("pactl")
        return Loudness(max(int(percent) for percent in percents), muted[1] == "yes")

    async def set_percent(self, percent: int) -> None:
        await run("pactl", "set-sink-volume", self._sink, f"{percent}%")

    async def set_muted(self, muted: bool) -> None:
        await run("pactl", "set-sink-mute", self._sink, str(int(muted)))


class AlsaVolume:
    """ALSA's mixer. `-M` gives the curve people hear, the one alsamixer shows."""

    label = "ALSA"
    _names = ("Master", "Speaker", "PCM", "Headphone", "Digital", "Line Out")  # first that the card has

    async def read(self) -> Loudness:
        output = await run("amixer", "-M", "sget", await self._control())
        percents = re.findall(r"\[(\d+)%\]", output)
        if not percents:
            raise _no_sense("amixer")
        # A control without a switch prints neither, and is never muted.
        return Loudness(max(int(percent) for percent in percents), "[off]" in output and "[on]" not in output)

    async def set_percent(self, percent: int) -> None:
        await run("amixer", "-M", "sset", await self._control(), f"{percent}%")

    async def set_muted(self, muted: bool) -> None:
        await run("amixer", "sset", await self._control(), "mute" if muted else "unmute")

    async def _control(self) -> str:
        found = set(re.findall(r"Simple mixer control '([^']+)',0", await run("amixer", "scontrols")))
        for name in self._names:
            if name in found:
                return name
        raise ToolUnavailable("ALSA has no playback volume here.")


class MacVolume:
    """macOS."""

    label = "macOS"

    async def read(self) -> Loudness:
        output = await run("osascript", "-e", "get volume settings")
        percent = re.search(r"output volume:(\d+)", output)  # "missing value" on outputs without one
        muted = re.search(r"output muted:(true|false)", output)
        if not percent or not muted:
            raise ToolUnavailable("The current sound output of macOS has no volume control.")
        return Loudness(int(percent[1]), muted[1] == "true")

    async def set_percent(self, percent: int) -> None:
        await run("osascript", "-e", f"set volume output volume {percent}")

    async def set_muted(self, muted: bool) -> None:
        await run("osascript", "-e", f"set volume output muted {'true' if muted else 'false'}")
