"""The tool `control_speaker_volume`: what its actions mean, independent of the sound system."""

import asyncio
import math
from dataclasses import dataclass
from typing import Any, Protocol

from langchain_core.tools import BaseTool

from voice_gateway.errors import BadArguments, ToolError
from voice_gateway.tools.gateway_tool import declared_tool
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

PARAMETERS: dict[str, Any] = {
    "type": "object",
    "properties": {
        "action": {
            "type": "string",
            "enum": list(ACTIONS),
            "description": 'For example "up" for "louder"',
        },
        "level": {
            "type": "number",
            "minimum": 0,
            "maximum": FULL,
            "description": "Percent, 0 to 100, for example 30; REQUIRED for set. "
            f"up, down: by how much, {STEP} if left out",
        },
    },
    "required": ["action"],
}


@dataclass(frozen=True, slots=True)
class Loudness:
    """What a loudspeaker is set to."""

    percent: int
    muted: bool


class VolumeBackend(Protocol):
    """Something whose loudness can be set. Trouble comes out as ToolUnavailable."""

    label: str

    async def read(self) -> Loudness: ...
    async def set_percent(self, percent: int) -> None: ...
    async def set_muted(self, muted: bool) -> None: ...


def volume_tool(backend: VolumeBackend) -> BaseTool:
    one_at_a_time = asyncio.Lock()  # "louder" twice in one message must not read the same value twice

    async def control_speaker_volume(action: str, level: float | None = None) -> tuple[str, dict[str, Any]]:
        wanted = as_percent(level) if level is not None else None
        async with one_at_a_time:
            before = await backend.read()
            target = plan(action, wanted, before)
            if target.percent != before.percent:
                await backend.set_percent(target.percent)
            if target.muted != before.muted:
                await backend.set_muted(target.muted)
            after = before if target == before else await backend.read()
        facts: dict[str, Any] = {"volume": after.percent, "muted": after.muted, "backend": backend.label}
        stuck = abs(after.percent - target.percent) > _COARSE or after.muted != target.muted
        looked = action == "get" or (stuck and after == before)
        facts |= {"before": []} if looked else _before(before, after)
        if stuck:
            raise ToolError(f"The volume did not follow: {_state(after)}.", structured=facts)
        return _sentence(action, before, after), {"structured": facts}

    return declared_tool(
        NAME,
        DESCRIPTION,
        PARAMETERS,
        control_speaker_volume,
        ToolTraits(
            title="Speaker volume", summary="Turns this speaker up, down or mute, or says how loud it is."
        ),
    )


def as_percent(level: float) -> int:
    """A fraction strictly between 0 and 1 is a share: 0.3 is 30. 1 is one percent."""
    if isinstance(level, bool) or not math.isfinite(level) or not 0 <= level <= FULL:
        raise BadArguments("level must be a percentage from 0 to 100.")
    return math.floor((level * FULL if 0 < level < 1 else level) + 0.5)


def plan(action: str, level: int | None, now: Loudness) -> Loudness:
    """What it should be afterwards.

    Asking for sound (set above 0, up, max) unmutes, because a changed number that nobody hears is not what
    was meant. Asking for less (down, set to 0) never makes a muted loudspeaker sound.
    """
    step = STEP if level is None else level
    if action == "set":
        if level is None:
            raise BadArguments("level is required for set: a percentage from 0 to 100.")
        return Loudness(level, now.muted and level == 0)
    if action == "up":
        # A system may stand above 100 already; louder must not make it quieter.
        return Loudness(max(now.percent, min(FULL, now.percent + step)), muted=False)
    if action == "down":
        return Loudness(max(0, now.percent - step), now.muted)
    changed = {
        "get": now,
        "mute": Loudness(now.percent, muted=True),
        "unmute": Loudness(now.percent, muted=False),
        "max": Loudness(FULL, muted=False),
    }
    if action not in changed:
        raise BadArguments(f"action must be one of {', '.join(ACTIONS)}.")
    return changed[action]


def _before(before: Loudness, after: Loudness) -> dict[str, Any]:
    """The calls that put it back (docs/tools.md). Setting a level unmutes, so muting comes behind it."""
    calls: list[dict[str, Any]] = []
    muted = after.muted
    if before.percent != after.percent or (before == after and not before.muted):
        calls.append({"action": "set", "level": min(before.percent, FULL)})
        muted = after.muted and before.percent == 0
    if muted != before.muted or not calls:
        calls.append({"action": "mute" if before.muted else "unmute"})
    facts: dict[str, Any] = {"before": [{"name": NAME, "args": args} for args in calls]}
    too_loud = f"It stood at {before.percent} percent, and {FULL} is the most that can be set."
    return {**facts, "undo": too_loud} if before.percent > FULL else facts


def _sentence(action: str, before: Loudness, after: Loudness) -> str:
    if action in {"mute", "unmute"}:
        done = "muted" if after.muted else f"unmuted, at {after.percent} percent"
        return f"It's already {done}." if before == after else f"{done.capitalize()}."
    level = f"{after.percent} percent{', and muted' if after.muted else ''}"
    if action == "get":
        return f"The volume is at {level}."
    return f"It's already at {level}." if before == after else f"Volume at {level}."


def _state(now: Loudness) -> str:
    return f"it is {now.percent} percent{' and muted' if now.muted else ''}"
