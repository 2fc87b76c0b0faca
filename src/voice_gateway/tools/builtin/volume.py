"""The tool `control_speaker_volume`, and what it sets: the system's loudness, or the gateway's own.

The system's: by PulseAudio's protocol, which PipeWire speaks too, or by ALSA's mixer program."""

import asyncio
import logging
import math
import os
import re
import subprocess
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Protocol

from langchain_core.tools import BaseTool

from voice_gateway.errors import BadArguments, ToolError, ToolUnavailable
from voice_gateway.tools.gateway_tool import declared_tool, parameters
from voice_gateway.turn import ToolTraits

NAME = "control_speaker_volume"
ACTIONS = ("get", "set", "up", "down", "mute", "unmute", "max")
STEP = 10  # percent for "louder" without an amount
FULL = 100
_COARSE = 4  # a sound card with few steps comes this close to what was asked; more than that is a failure

DESCRIPTION = (
    "REQUIRED for this speaker's loudness: you MUST call this whenever the user asks about the volume, "
    "louder, quieter or mute. DO NOT use for lights or televisions.\n"
    'Good: "volume to 30", "how loud is it". Bad: "dim the lamp to 30".'
)

PARAMETERS = parameters(
    "action",
    action={"type": "string", "enum": list(ACTIONS), "description": 'For example "up" for "louder"'},
    level={
        "type": "number",
        "minimum": 0,
        "maximum": FULL,
        "description": "Percent, 0 to 100, for example 30; REQUIRED for set. "
        f"up, down: by how much, {STEP} if left out",
    },
)
LIMIT_SECONDS = 2.0  # a local daemon answers in milliseconds; what hangs has lost it

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Loudness:
    """What a loudspeaker is set to."""

    percent: int
    muted: bool


class VolumeBackend(Protocol):
    """Something whose loudness can be set. Trouble comes out as ToolUnavailable."""

    label: str

    async def read(self) -> Loudness: ...
    async def write(self, percent: int | None, muted: bool | None) -> None:
        """None leaves a value as it is."""


def volume_tool(backend: VolumeBackend) -> BaseTool:
    one_at_a_time = asyncio.Lock()  # "louder" twice in one message must not read the same value twice

    async def control_speaker_volume(action: str, level: float | None = None) -> tuple[str, dict[str, Any]]:
        async with one_at_a_time:
            before = await backend.read()
            target = plan(action, level, before)
            after = before
            if target != before:
                percent = target.percent if target.percent != before.percent else None
                await backend.write(percent, target.muted if target.muted != before.muted else None)
                after = await backend.read()
        facts: dict[str, Any] = {"volume": after.percent, "muted": after.muted, "backend": backend.label}
        stuck = abs(after.percent - target.percent) > _COARSE or after.muted != target.muted
        looked = action == "get" or (stuck and after == before)
        facts |= {"before": []} if looked else _before(before, after)
        if stuck:
            state = f"{after.percent} percent{' and muted' if after.muted else ''}"
            raise ToolError(f"The volume did not follow: it is {state}.", structured=facts)
        return _sentence(action, before, after), {"structured": facts}

    about = "Turns this speaker up, down or mute, or says how loud it is."
    traits = ToolTraits(title="Speaker volume", summary=about)
    return declared_tool(NAME, DESCRIPTION, PARAMETERS, control_speaker_volume, traits)


def plan(action: str, level: float | None, now: Loudness) -> Loudness:
    """What it should be afterwards.

    Asking for sound (set above 0, up, max) unmutes, because a changed number that nobody hears is not what
    was meant. Asking for less (down, set to 0) never makes a muted loudspeaker sound.
    """
    if action == "set" and level is None:
        raise BadArguments("level is required for set: a percentage from 0 to 100.")
    if level is not None and 0 < level < 1:
        level *= FULL  # 0.3 is a share: 30 percent. 1 is one percent.
    amount = STEP if level is None else math.floor(level + 0.5)
    # A system may stand above 100 already; louder must not make it quieter.
    louder = max(now.percent, min(FULL, now.percent + amount))
    return {
        "get": now,
        "set": Loudness(amount, now.muted and amount == 0),
        "up": Loudness(louder, muted=False),
        "down": Loudness(max(0, now.percent - amount), now.muted),
        "mute": replace(now, muted=True),
        "unmute": replace(now, muted=False),
        "max": Loudness(FULL, muted=False),
    }[action]


def _before(before: Loudness, after: Loudness) -> dict[str, Any]:
    """The calls that put it back (docs/tools.md). Setting a level unmutes, so muting comes behind it."""
    only_muting = before.percent == after.percent and (before.muted or after.muted)
    calls: list[dict[str, Any]] = []
    if not only_muting:
        calls.append({"action": "set", "level": min(before.percent, FULL)})
    if only_muting or before.muted:
        calls.append({"action": "mute" if before.muted else "unmute"})
    too_loud = f"It stood at {before.percent} percent, and {FULL} is the most that can be set."
    undo = {"undo": too_loud} if before.percent > FULL else {}
    return {"before": [{"name": NAME, "args": args} for args in calls], **undo}


def _sentence(action: str, before: Loudness, after: Loudness) -> str:
    if action in {"mute", "unmute"}:
        done = "muted" if after.muted else f"unmuted, at {after.percent} percent"
        return f"It's already {done}." if before == after else f"{done.capitalize()}."
    level = f"{after.percent} percent{', and muted' if after.muted else ''}"
    if action == "get":
        return f"The volume is at {level}."
    return f"It's already at {level}." if before == after else f"Volume at {level}."


# --- what is set


class PlaybackVolume:
    """The gateway's own loudness, for a machine whose sound system cannot be controlled.

    Speaking multiplies its samples with `gain()`. It holds until the process ends.
    """

    label = "the gateway's own playback"

    def __init__(self, percent: int = FULL) -> None:
        self._now = Loudness(percent, muted=False)

    def gain(self) -> float:
        return 0.0 if self._now.muted else self._now.percent / FULL

    async def read(self) -> Loudness:
        return self._now

    async def write(self, percent: int | None, muted: bool | None) -> None:
        now = self._now
        percent = now.percent if percent is None else percent
        self._now = Loudness(percent, now.muted if muted is None else muted)


class SystemVolume:
    """The sound system of this machine, or the gateway's own. It is looked for at each reading."""

    def __init__(self, own: PlaybackVolume, backends: Sequence[VolumeBackend] | None = None) -> None:
        self._own = own
        self._backends = (PulseVolume(), AlsaVolume()) if backends is None else backends
        self._found: VolumeBackend | None = None
        self.label = own.label

    async def read(self) -> Loudness:
        """Of the first system that answers.

        Where one was found before and none answers now, that is reported: setting the gateway's own loudness
        instead would claim a change of the system's.
        """
        lost: ToolUnavailable | None = None
        for backend in self._backends:
            try:
                now = await backend.read()
            except ToolUnavailable as error:
                log.debug("no volume control", extra={"backend": backend.label, "reason": str(error)})
                lost = error if backend is self._found else lost
                continue
            if backend is not self._found:
                log.info("volume control found", extra={"backend": backend.label})
                # From now on the system's loudness is set: ours would stay below it, out of reach.
                await self._own.write(FULL, muted=False)
                self._found, self.label = backend, backend.label
            return now
        if lost is not None:
            raise lost
        return await self._own.read()

    async def write(self, percent: int | None, muted: bool | None) -> None:
        await (self._found or self._own).write(percent, muted)


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

    async def write(self, percent: int | None, muted: bool | None) -> None:
        async with self._default_sink() as (pulse, sink):
            if percent is not None:
                loudest = max(sink.volume.values)
                # Scaled, so that the balance between the channels stays; from silence there is none to keep.
                sink.volume.values = [
                    percent / FULL * (value / loudest if loudest else 1.0) for value in sink.volume.values
                ]
                await pulse.volume_set(sink, sink.volume)
            if muted is not None:
                await pulse.mute(sink, muted)

    @asynccontextmanager
    async def _default_sink(self) -> AsyncIterator[tuple[Any, Any]]:
        # The first time it takes a tenth of a second and more to load.
        connection, pulse_error = await asyncio.to_thread(_pulse_client)
        pulse = connection("voice-gateway")
        try:
            async with asyncio.timeout(self._limit_seconds):
                await pulse.connect()
                name = (await pulse.server_info()).default_sink_name
                if not name:
                    raise ToolUnavailable("PulseAudio has no loudspeaker.")
                yield pulse, await pulse.get_sink_by_name(name)
        except pulse_error as error:
            raise ToolUnavailable("PulseAudio is not reachable or has no loudspeaker.") from error
        except TimeoutError as error:
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
        return Loudness(max(map(int, percents)), "[off]" in output and "[on]" not in output)

    async def write(self, percent: int | None, muted: bool | None) -> None:
        control = await self._control()
        if percent is not None:
            await self._run("-M", "sset", control, f"{percent}%")
        if muted is not None:
            await self._run("sset", control, "mute" if muted else "unmute")

    async def _control(self) -> str:
        there = re.findall(r"Simple mixer control '([^']+)',0", await self._run("scontrols"))
        if name := next((name for name in self._names if name in there), None):
            return name
        raise ToolUnavailable("ALSA has no playback volume here.")

    async def _run(self, *arguments: str) -> str:
        """What the program prints."""
        command, environment = ("amixer", *arguments), {**os.environ, "LC_ALL": "C"}  # its words are parsed
        run = partial(subprocess.run, command, check=True, capture_output=True, encoding="utf-8")
        try:
            done = await asyncio.to_thread(
                run, errors="replace", stdin=subprocess.DEVNULL, env=environment, timeout=self._limit_seconds
            )
        except OSError as error:
            raise ToolUnavailable("amixer is not installed.") from error
        except subprocess.TimeoutExpired as error:
            raise ToolUnavailable("amixer does not answer.") from error
        except subprocess.CalledProcessError as error:
            raise ToolUnavailable(f"amixer failed: {error.stderr.strip()[:200]}") from error
        return str(done.stdout)
