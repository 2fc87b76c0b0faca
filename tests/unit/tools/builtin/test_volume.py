"""What the volume actions mean, without a loudspeaker."""

import asyncio
from typing import Any

import pytest
from tests.fakes.some_tools import said_by

from voice_gateway.errors import BadArguments, ToolError, ToolUnavailable
from voice_gateway.tools.builtin.volume import (
    Loudness,
    PlaybackVolume,
    SystemVolume,
    VolumeBackend,
    plan,
    volume_tool,
)


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


def test_a_fraction_below_one_is_a_share() -> None:
    levels = (0, 0.3, 0.005, 0.999, 1, 1.0, 1.5, 30, 30.5, 100)
    set_to = [plan("set", level, Loudness(50, False)).percent for level in levels]
    assert set_to == [0, 30, 1, 100, 1, 1, 2, 30, 31, 100]


@pytest.mark.parametrize("level", [-1, -0.3, 100.1, 101, 1e308, float("nan"), float("inf")])
def test_a_level_outside_0_to_100_is_refused(level: float) -> None:
    with pytest.raises(BadArguments, match=r"level.*0 to 100"):
        plan("set", level, Loudness(50, False))


@pytest.mark.parametrize(
    ("action", "level", "now", "then"),
    [
        ("get", None, Loudness(40, True), Loudness(40, True)),
        ("set", 30, Loudness(40, True), Loudness(30, False)),
        ("set", 0, Loudness(40, True), Loudness(0, True)),
        ("up", None, Loudness(40, True), Loudness(50, False)),
        ("up", 25, Loudness(90, False), Loudness(100, False)),
        ("up", None, Loudness(130, False), Loudness(130, False)),
        ("down", None, Loudness(40, True), Loudness(30, True)),
        ("down", 60, Loudness(40, False), Loudness(0, False)),
        ("mute", None, Loudness(40, False), Loudness(40, True)),
        ("unmute", None, Loudness(40, True), Loudness(40, False)),
        ("max", None, Loudness(40, True), Loudness(100, False)),
    ],
)
def test_what_each_action_leads_to(action: str, level: int | None, now: Loudness, then: Loudness) -> None:
    assert plan(action, level, now) == then


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


@pytest.mark.parametrize(("action", "arguments"), [("set", {"level": 30}), ("mute", {}), ("down", {})])
async def test_a_speaker_that_does_not_follow_is_an_error(action: str, arguments: dict[str, Any]) -> None:
    with pytest.raises(ToolError, match="did not follow: it is 80 percent") as failure:
        await control(Deaf(80), action, **arguments)

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


async def test_without_a_sound_system_the_gateway_keeps_its_own_loudness() -> None:
    gone, own = Fragile(), PlaybackVolume(50)
    gone.alive = False

    text, facts = await control(SystemVolume(own, [gone]), "set", level=20)

    assert (text, facts["backend"]) == ("Volume at 20 percent.", "the gateway's own playback")
    assert own.gain() == pytest.approx(0.2)


async def test_a_sound_system_that_starts_later_is_found() -> None:
    system, own = Fragile(70), PlaybackVolume(50)
    system.alive = False
    volume = SystemVolume(own, [system])
    assert (await control(volume, "get"))[1]["backend"] == own.label

    system.alive = True

    facts = {"volume": 70, "muted": False, "backend": "system", "before": []}
    assert (await control(volume, "get"))[1] == facts


async def test_a_sound_system_that_is_lost_is_told_and_not_replaced_by_a_pretence() -> None:
    system, own = Fragile(70), PlaybackVolume(50)
    volume = SystemVolume(own, [system])
    await control(volume, "get")
    before = own.gain()

    system.alive = False

    with pytest.raises(ToolUnavailable, match="not reachable"):
        await control(volume, "set", level=20)
    assert own.gain() == before
