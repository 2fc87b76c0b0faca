"""The loudspeaker on a real sound path: it stops at once, and survives the loss of its card."""

import asyncio
import contextlib
import json
import sys

import numpy as np
import pytest
from tests.fakes.sound_card import SoundCard
from tests.fakes.speech_packages import need_portaudio

from voice_gateway.sound.wav import read_wav

LIMIT_SECONDS = 30


@pytest.fixture
async def card(tmp_path):
    need_portaudio()
    async with SoundCard.opened(tmp_path) as card:
        yield card


@contextlib.asynccontextmanager
async def speaking(card):
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.fakes.sounding", "play"),
        env=card.whole_environment,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )

    async def ask(line):
        process.stdin.write(line.encode() + b"\n")
        async with asyncio.timeout(LIMIT_SECONDS):
            return json.loads(await process.stdout.readline())

    try:
        yield ask
    finally:
        process.stdin.close()
        async with asyncio.timeout(LIMIT_SECONDS):
            await process.wait()


def loud_seconds(path):
    return float(np.count_nonzero(np.abs(read_wav(path).reshape(-1)) > 300)) / 16000


async def test_it_stops_within_a_fifth_of_a_second(card, tmp_path):
    async with speaking(card) as ask:
        await ask("play 0.1")  # opens the card
        async with card.recorded(tmp_path / "cut.wav"):
            told = await ask("cut 5 1.0")
            await asyncio.sleep(0.5)  # whatever is still to be heard is in the recording
        async with card.recorded(tmp_path / "whole.wav"):
            whole = await ask("play 0.5")
            await asyncio.sleep(0.3)

    assert 0.5 < loud_seconds(tmp_path / "cut.wav") < told["seconds"] + 0.2
    assert told["seconds"] < 4  # of five
    assert whole["seconds"] > 0.5
    assert whole["loudest"] == pytest.approx(0.28, abs=0.03)
    assert loud_seconds(tmp_path / "whole.wav") == pytest.approx(0.5, abs=0.1)


async def test_a_card_that_goes_is_an_error_and_is_used_again_when_it_is_back(card):
    async with speaking(card) as ask:
        assert "seconds" in await ask("play 0.1")
        await card.stop()
        assert "loudspeaker" in (await ask("play 0.1"))["error"]
        await card.start()
        async with asyncio.timeout(LIMIT_SECONDS):
            while "seconds" not in (told := await ask("play 0.2")):
                assert "loudspeaker" in told["error"]
        assert told["loudest"] > 0.2
