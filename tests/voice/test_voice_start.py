"""A voice that cannot start costs only itself: every other door goes on, and the status says what to do."""

import asyncio
import json

import pytest
from tests.fakes.gateway_process import Commands, Running
from tests.fakes.running_gateway import ask, parts
from tests.fakes.sound_card import SoundCard
from tests.fakes.speech import need_speech
from tests.fakes.speech_packages import need_packages, need_portaudio
from tests.fakes.waiting import until

from voice_gateway.app import opened
from voice_gateway.config import Settings, VoiceSettings, WebSettings
from voice_gateway.events import State


@pytest.fixture
def commands(tmp_path):
    need_speech()
    need_packages("hibari")
    need_portaudio()
    return Commands(tmp_path)


async def trouble(commands, part):
    async def told():
        return (await parts(commands)).get(part, {}).get("state") == "degraded"

    await until(told)
    return (await parts(commands))[part]["sentence"]


async def test_without_a_microphone_it_is_waited_for(commands):
    async with Running.opened(commands, "--voice") as gateway:
        assert not [line for line in gateway.said if "I listen" in line]
        assert "start the sound server. I cannot" in gateway.said[-1]
        assert "there is no microphone (`voice-gateway doctor`)" in await trouble(commands, "microphone")
        assert "there is no loudspeaker" in await trouble(commands, "speaker")
        assert (await parts(commands))["voice"]["state"] == "off"
        assert (await ask(commands, "what time is it"))["ok"]
        talk = await commands.run("talk")
        assert (talk.code, talk.out) == (1, "")
        assert "there is no microphone (`voice-gateway doctor`): plug one in" in talk.err
        told = await commands.run("talk", "--json")
        assert (told.code, told.json["ok"]) == (1, False)
        assert told.json["problem"] in talk.err
        assert await gateway.stop() == 0


@pytest.mark.parametrize("broken", ["missing", "damaged"])
async def test_a_sound_system_whose_settings_are_broken_costs_only_the_voice(commands, tmp_path, broken):
    (tmp_path / ".asoundrc").write_text("pcm.!default { type ")
    sound = {"ALSA_CONFIG_PATH": "/nowhere"} if broken == "missing" else {"HOME": str(tmp_path)}
    async with Running.opened(commands, "--voice", **sound) as gateway:
        assert "ALSA" in await trouble(commands, "microphone")
        assert "ALSA" in await trouble(commands, "speaker")
        assert (await ask(commands, "what time is it"))["ok"]
        assert await gateway.stop() == 0


async def test_a_microphone_that_comes_after_trouble_is_told_of_when_it_is_heard(commands, tmp_path):
    (tmp_path / "card").mkdir()
    async with SoundCard.opened(tmp_path / "card") as card:
        settings = tmp_path / "card" / ".asoundrc"
        good = settings.read_text()
        await card.stop()
        sound = {**card.environment, "XDG_RUNTIME_DIR": commands.env["XDG_RUNTIME_DIR"]}
        async with Running.opened(commands, "--voice", **sound) as gateway:
            assert not [line for line in gateway.said if "I listen" in line]
            settings.write_text("pcm.!default { type ")
            await gateway.says("ALSA")
            settings.write_text(good)
            await card.start()
            await gateway.says('voice: I listen for "hey jarvis".')
            talk = await commands.run("talk")
            assert (talk.code, talk.err) == (0, "I listen: speak now.\n")


async def test_a_gateway_without_a_voice_cannot_be_talked_to(commands):
    alone = await commands.run("talk")
    async with Running.opened(commands):
        mute = await commands.run("talk")

    assert (alone.code, mute.code) == (1, 1)
    assert "No gateway is running" in alone.err
    assert "started without its voice" in mute.err
    assert "`voice-gateway run --voice`" in alone.err
    assert "`voice-gateway run --voice`" in mute.err


async def test_a_timer_rings_also_while_the_ears_are_loaded_or_missing(commands, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", commands.env["XDG_DATA_HOME"])
    async with opened(Settings(voice=VoiceSettings(wake_words=("nowhere.tflite",)))) as gateway:
        voice = gateway.channels.voice(show=print, announce=print)
        running = asyncio.ensure_future(voice.run())
        await asyncio.sleep(0)
        assert gateway.timers.ringers == [voice.output.ring]
        await until(lambda: gateway.events.state("voice") is State.DEGRADED)
        assert gateway.timers.ringers == [voice.output.ring]
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        assert gateway.timers.ringers == []


async def test_a_speech_to_text_server_that_comes_up_later_is_found(commands, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", commands.env["XDG_DATA_HOME"])
    monkeypatch.setenv("PULSE_SERVER", "unix:/nowhere")
    free = await asyncio.start_server(lambda *_: None, "127.0.0.1", 0)
    port = free.sockets[0].getsockname()[1]
    free.close()
    await free.wait_closed()

    async def hears_nothing(reader, writer):
        while line := await reader.readline():
            head = json.loads(line)
            await reader.readexactly(head.get("data_length", 0) + head.get("payload_length", 0))
            if head["type"] == "audio-stop":
                writer.write(b'{"type": "transcript", "data": {"text": ""}}\n')
        writer.close()

    settings = VoiceSettings(stt=f"tcp://127.0.0.1:{port}")
    async with opened(Settings(voice=settings)) as gateway:
        voice = gateway.channels.voice(show=print, announce=print, first_pause_seconds=0.05)
        running = asyncio.ensure_future(voice.run())
        await until(lambda: gateway.events.state("voice") is State.DEGRADED)
        part = gateway.events.part("voice")
        assert part.sentence == "I cannot hear: the speech to text server is not answering; I keep trying."
        assert f"tcp://127.0.0.1:{port}" in part.advice
        async with await asyncio.start_server(hears_nothing, "127.0.0.1", port):
            await until(lambda: voice.transcriber is not None)
            await until(lambda: gateway.events.state("voice") is not State.DEGRADED)
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)


async def test_wyoming_clients_need_no_sound_card_here(commands, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", commands.env["XDG_DATA_HOME"])
    monkeypatch.setenv("XDG_RUNTIME_DIR", commands.env["XDG_RUNTIME_DIR"])
    settings = VoiceSettings(wyoming_url="tcp://127.0.0.1:0")
    async with opened(Settings(voice=settings, web=WebSettings(enabled=False))) as gateway:
        gateway.channels.open(None, spoken=False, show=print, announce=print)
        await until(lambda: gateway.events.state("wyoming") is State.OK)

        assert gateway.events.part("voice") is None
        assert gateway.events.part("speaker") is None
