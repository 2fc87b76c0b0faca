"""A real sound path: PortAudio, ALSA and a PulseAudio daemon, with processes of our own at its end."""

import asyncio
import json
import sys

import pytest
from tests.fakes.sound_card import sound_card
from tests.fakes.speech import FOLDER, need_speech
from tests.fakes.speech_packages import need_portaudio

LIMIT_SECONDS = 40
TALK = FOLDER / "distractor_2.wav"


@pytest.fixture
async def card(tmp_path):
    need_speech()
    need_portaudio()
    async with sound_card(tmp_path) as card:
        yield card


async def command(card, *words):
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "voice_gateway", *words),
        env=card.environment,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    async with asyncio.timeout(LIMIT_SECONDS):
        out, err = await process.communicate()
    return process.returncode, out.decode(), err.decode()


async def talking(card):
    while True:
        await card.play(TALK)


async def test_audio_list_shows_the_devices(card):
    code, out, _ = await command(card, "audio", "list", "--json")

    devices = {device["name"]: device for device in json.loads(out)["devices"]}
    assert code == 0
    assert devices["default"]["default_input"]
    assert devices["pulse"]["inputs"] > 0


async def test_audio_test_hears_what_is_said_and_plays_it(card, tmp_path):
    from voice_gateway.sound.samples import level_db
    from voice_gateway.sound.wav import read_wav

    talk = asyncio.create_task(talking(card))
    try:
        async with card.recorded(tmp_path / "spoken.wav"):
            code, out, err = await command(card, "audio", "test", "--seconds", "1", "--json")
    finally:
        talk.cancel()

    assert code == 0, err
    assert json.loads(out)["verdict"] == "good"
    assert level_db(read_wav(tmp_path / "spoken.wav")) > -45


async def test_a_muted_microphone_is_noticed(card):
    code, out, _ = await command(card, "audio", "test", "--seconds", "0.5", "--json")

    assert code == 1
    assert "is the microphone muted?" in json.loads(out)["verdict"]


async def test_a_wrong_device_name_is_answered_with_the_right_ones(card, tmp_path):
    settings = tmp_path / "v.toml"
    settings.write_text('[voice]\ninput_device = "nonsense"\n')

    code, _, err = await command(card, "--config", str(settings), "audio", "test")

    assert code == 1
    assert 'no microphone "nonsense" (voice.input_device); there are: 0 pulse, 1 default' in err


async def test_a_sound_card_that_goes_is_waited_for_and_picked_up_again(card):
    listening = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.fakes.listening"),
        env=card.environment,
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
