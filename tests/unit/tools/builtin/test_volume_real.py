"""The volume of a real PulseAudio daemon, by every way that reaches it; and of stand-ins for others."""

import asyncio
import signal
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from tests.fakes import counterparts
from tests.fakes.sound_card import PulseDaemon

from voice_gateway.errors import ToolUnavailable
from voice_gateway.tools.builtin.volume import (
    AlsaVolume,
    PlaybackVolume,
    PulseVolume,
    SystemVolume,
    volume_tool,
)
from voice_gateway.tools.gateway_tool import typed


@pytest_asyncio.fixture
async def pulse(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[PulseDaemon]:
    async with PulseDaemon.opened(tmp_path) as daemon:
        for name, value in daemon.environment.items():
            monkeypatch.setenv(name, value)
        yield daemon


async def test_the_daemons_volume_really_changes(pulse: PulseDaemon) -> None:
    tool = volume_tool(PulseVolume())

    assert await tool.ainvoke({"action": "set", "level": 37}) == "Volume at 37 percent."
    assert "37%" in await pulse.pactl("get-sink-volume", "spk")

    assert await tool.ainvoke({"action": "mute"}) == "Muted."
    assert await pulse.pactl("get-sink-mute", "spk") == "Mute: yes\n"

    assert await tool.ainvoke({"action": "up"}) == "Volume at 47 percent."
    assert await pulse.pactl("get-sink-mute", "spk") == "Mute: no\n"

    assert await tool.ainvoke({"action": "set", "level": 0}) == "Volume at 0 percent."
    assert await tool.ainvoke({"action": "max"}) == "Volume at 100 percent."


async def test_alsa_reaches_it_through_its_pulse_plugin(pulse: PulseDaemon) -> None:
    counterparts.program("amixer", "alsa-utils")
    (pulse.folder / ".asoundrc").write_text("pcm.!default {type pulse}\nctl.!default {type pulse}\n")
    tool = volume_tool(AlsaVolume())

    assert await tool.ainvoke({"action": "set", "level": 23}) == "Volume at 23 percent."
    assert "23%" in await pulse.pactl("get-sink-volume", "spk")
    assert await tool.ainvoke({"action": "mute"}) == "Muted."
    assert await pulse.pactl("get-sink-mute", "spk") == "Mute: yes\n"
    assert await tool.ainvoke({"action": "unmute"}) == "Unmuted, at 23 percent."


async def test_a_restarted_daemon_is_found_again(pulse: PulseDaemon) -> None:
    volume = SystemVolume(PlaybackVolume())
    tool = volume_tool(volume)
    await tool.ainvoke({"action": "set", "level": 30})
    assert volume.label == "PulseAudio"

    await pulse.stop()
    with pytest.raises(ToolUnavailable, match="PulseAudio is not reachable"):
        await typed(tool).ainvoke({"action": "get"})
    await pulse.start()

    assert await tool.ainvoke({"action": "set", "level": 20}) == "Volume at 20 percent."
    assert "20%" in await pulse.pactl("get-sink-volume", "spk")


async def test_a_daemon_that_hangs_costs_only_the_limit(pulse: PulseDaemon) -> None:
    assert pulse.process is not None
    pulse.process.send_signal(signal.SIGSTOP)
    try:
        async with asyncio.timeout(30):
            with pytest.raises(ToolUnavailable, match="PulseAudio does not answer"):
                await PulseVolume(limit_seconds=0.2).read()
    finally:
        pulse.process.send_signal(signal.SIGCONT)

    assert (await PulseVolume().read()).percent == 100


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ("echo nonsense", "no playback volume"),
        ("echo broken >&2; exit 3", "amixer failed: broken"),
        ("exec sleep 60", "does not answer"),
        ("", "is not installed"),
    ],
)
async def test_a_program_in_trouble_is_not_available(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str, words: str
) -> None:
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin" if script else str(tmp_path))
    if script:
        (tmp_path / "amixer").write_text(f"#!/bin/sh\n{script}")
        (tmp_path / "amixer").chmod(0o700)

    with pytest.raises(ToolUnavailable, match=words):
        await AlsaVolume(limit_seconds=0.3 if "sleep" in script else 5.0).read()


async def test_a_missing_client_library_is_not_available(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pulsectl_asyncio", None)  # what an import finds when it is not there
    with pytest.raises(ToolUnavailable, match="client library is not installed"):
        await PulseVolume().read()
