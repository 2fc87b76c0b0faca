"""A real sound path: PortAudio, ALSA and a PulseAudio daemon, with processes of our own at its end."""

import asyncio
import json
import sys

import pytest
from tests.fakes.sound_card import SoundCard
from tests.fakes.speech import FOLDER, need_speech
from tests.fakes.speech_packages import need_portaudio

from voice_gateway.sound.samples import level_db
from voice_gateway.sound.wav import read_wav

LIMIT_SECONDS = 40
TALK = FOLDER / "distractor_2.wav"


@pytest.fixture
async def card(tmp_path):
    need_speech()
    need_portaudio()
    async with SoundCard.opened(tmp_path) as card:
        yield card


async def command(card, *words):
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "voice_gateway", *words),
        env=card.whole_environment,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    async with asyncio.timeout(LIMIT_SECONDS):
        out, err = await process.communicate()
    return process.returncode, out.decode(), err.decode()


async def talking(card):
    while True:
        await card.play(TALK)


async def test_the_doctor_names_the_devices_that_are_used(card):
    _, out, _ = await command(card, "doctor", "--json")

    checks = {check["check"]: check for check in json.loads(out)["checks"]}
    assert checks["microphone"]["verdict"] == "ok"
    assert "default" in checks["microphone"]["text"]
    assert "pulse" in checks["microphone"]["text"]


async def test_say_is_heard_at_the_card(card, tmp_path):
    async with card.recorded(tmp_path / "spoken.wav"):
        code, _, err = await command(card, "say", "the light is on")

    assert code == 0, err
    assert level_db(read_wav(tmp_path / "spoken.wav")) > -45


async def test_a_sound_card_that_goes_is_waited_for_and_picked_up_again(card):
    listening = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.fakes.sounding", "hear"),
        env=card.whole_environment,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )

    async def told(wanted):
        async with asyncio.timeout(LIMIT_SECONDS):
            while line := await listening.stdout.readline():
                if wanted(facts := json.loads(line)):
                    return facts
        raise AssertionError("the listening process ended")

    def loud(facts):
        return facts.get("level", -120) > -50

    talk = asyncio.create_task(talking(card))
    try:
        before = await told(loud)
        talk.cancel()
        await card.stop()
        lost = await told(lambda facts: "state" in facts)
        assert "is gone; I wait for it" in lost["state"]

        await card.start()
        back = await told(lambda facts: "state" in facts)
        assert back["state"] is None
        talk = asyncio.create_task(talking(card))
        after = await told(loud)
        assert after["at"] > before["at"]
    finally:
        talk.cancel()
        listening.terminate()
        await listening.wait()
