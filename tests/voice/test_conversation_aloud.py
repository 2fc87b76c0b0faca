"""The running gateway with a real sound path: it hears what is played, and answers audibly."""

import asyncio
import ctypes.util
import os

import pytest
from tests.fakes.gateway_process import Commands, Running
from tests.fakes.running_gateway import parts, until
from tests.fakes.sound_card import sound_card
from tests.fakes.speech import FOLDER, need_speech, words
from tests.fakes.speech_packages import need_packages

pytestmark = [pytest.mark.voice_full, pytest.mark.timeout(120)]


@pytest.fixture
async def card(tmp_path):
    need_speech()
    need_packages("hibari", "sounddevice")
    if ctypes.util.find_library("portaudio") is None:
        reason = "libportaudio2 is not installed here"
        (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)(reason)
    (tmp_path / "card").mkdir()
    async with sound_card(tmp_path / "card") as card:
        yield card


async def said_into(card, transcriber, name, path, *, behind_seconds):
    """What the loudspeaker answers to a recording."""
    from voice_gateway.hearing.wav import read_wav

    async with card.recorded(path):
        await card.play(FOLDER / name)
        await asyncio.sleep(behind_seconds)  # the answer takes its time to be said
    return words(await transcriber.transcribe(read_wav(path)))


async def test_a_spoken_conversation_of_several_turns(card, tmp_path, moonshine):
    commands = Commands(tmp_path)
    sound = {**card.daemon.environment, "XDG_RUNTIME_DIR": commands.env["XDG_RUNTIME_DIR"]}
    async with Running.opened(commands, "--voice", **sound):

        async def hears():
            known = await parts(commands)
            return known.get("microphone", {}).get("state") == "ok" == known["voice"]["state"]

        await until(hears)
        first = await said_into(
            card, moonshine, "session_0_am_michael.wav", tmp_path / "1.wav", behind_seconds=3
        )
        assert {"kitchen", "light", "on"} <= set(first), first
        second = await said_into(
            card, moonshine, "session_2_bf_emma.wav", tmp_path / "2.wav", behind_seconds=5
        )
        assert {"it", "is", "november"} <= set(second), second
        # It heard neither itself nor its beeps: nothing more is said.
        third = await said_into(card, moonshine, "silence_2s.wav", tmp_path / "3.wav", behind_seconds=1)
        assert third == [] or third == ["you"]
