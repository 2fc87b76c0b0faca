"""What the volume actions mean, without a loudspeaker."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.fakes.some_tools import said_by

from voice_gateway.errors import ToolError, ToolUnavailable
from voice_gateway.tools.builtin.volume import (
    Loudness,
    PlaybackVolume,
    SystemVolume,
    VolumeBackend,
    plan,
    volume_tool,
)

TABLES = yaml.safe_load(Path(__file__).with_name("sentences.yaml").read_text(encoding="utf-8"))
PLANS = TABLES["volume"]


class Deaf(PlaybackVolume):
    """Takes every order and follows none."""

    label = "deaf"

    async def write(self, percent: int | None, muted: bool | None) -> None:
        pass


class Fragile(PlaybackVolume):
    """A sound system that can be switched off and on."""

    label = "system"
    alive = True

    async def read(self) -> Loudness:
        if not self.alive:
            raise ToolUnavailable("The sound system is not reachable.")
        return await super().read()


async def control(backend: VolumeBackend, action: str, **arguments: Any) -> tuple[str, dict[str, Any]]:
    return await said_by(volume_tool(backend), action=action, **arguments)


def test_what_each_action_leads_to() -> None:
    rows = [(Loudness(*was), act, level, Loudness(*then)) for was, act, level, then in PLANS]
    assert [row for row in rows if plan(row[1], row[2], row[0]) != row[3]] == []


@pytest.mark.parametrize(
    "was", [Loudness(40, False), Loudness(40, True), Loudness(0, False), Loudness(0, True)]
)
@pytest.mark.parametrize(
    ("action", "arguments"),
    [("set", {"level": 30}), ("set", {"level": 0}), ("set", {"level": 40}), ("up", {}), ("down", {})]
    + [(action, {}) for action in ("mute", "unmute", "max")],
)
async def test_before_puts_back_how_loud_it_was(
    was: Loudness, action: str, arguments: dict[str, Any]
) -> None:
    own = PlaybackVolume(was.percent)
    await own.write(None, was.muted)

    _, facts = await control(own, action, **arguments)
    for call in facts["before"]:
        assert call["name"] == "control_speaker_volume"
        await control(own, **call["args"])

    assert await own.read() == was


@pytest.mark.parametrize("action", ["mute", "down"])
async def test_a_speaker_that_does_not_follow_is_an_error(action: str) -> None:
    with pytest.raises(ToolError, match="did not follow: it is 80 percent") as failure:
        await control(Deaf(80), action)

    assert failure.value.structured == {"volume": 80, "muted": False, "backend": "deaf", "before": []}


async def test_two_calls_at_once_both_count() -> None:
    class Slow(PlaybackVolume):
        async def read(self) -> Loudness:
            await asyncio.sleep(0)
            return await super().read()

    own = Slow(40)
    tool = volume_tool(own)

    await asyncio.gather(*(tool.ainvoke({"action": "up"}) for _ in range(3)))

    assert await own.read() == Loudness(70, False)


async def test_the_gateways_own_loudness_counts_until_a_sound_system_is_found_and_not_after_it() -> None:
    system, own = Fragile(70), PlaybackVolume(50)
    volume, system.alive = SystemVolume(own, [system]), False

    text, facts = await control(volume, "set", level=20)
    assert (text, facts["backend"], own.gain()) == ("Volume at 20 percent.", own.label, 0.2)

    system.alive = True
    facts = {"volume": 70, "muted": False, "backend": "system", "before": []}
    assert (await control(volume, "get"))[1] == facts

    system.alive = False
    with pytest.raises(ToolUnavailable, match="not reachable"):
        await control(volume, "set", level=20)
    assert own.gain() == 1.0
