"""A voice that cannot start costs only itself: every other door goes on, and the status says what to do."""

import pytest
from tests.fakes.gateway_process import Commands, Running
from tests.fakes.running_gateway import ask, parts, until
from tests.fakes.speech import need_speech
from tests.fakes.speech_packages import need_packages, need_portaudio


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
        assert "there is no microphone (`voice-gateway audio list`)" in await trouble(commands, "microphone")
        assert "there is no loudspeaker" in await trouble(commands, "speaker")
        assert (await parts(commands))["voice"]["state"] == "off"
        assert (await ask(commands, "what time is it"))["ok"]
        talk = await commands.run("talk")
        assert talk.code == 0  # it would listen, if it could
        assert await gateway.stop() == 0


@pytest.mark.voice_full
async def test_engines_that_cannot_be_loaded_are_told_of(commands):
    settings = '[voice]\nenabled = true\nwake_words = ["nonsense"]\ntts = "piper"\npiper_voice = "no.onnx"\n'
    file = commands.file("v.toml", settings)
    async with Running.opened(commands, "--config", str(file)) as gateway:
        assert 'the wake word "nonsense" is not known' in await trouble(commands, "voice")
        assert "set voice.piper_voice" in await trouble(commands, "speech")
        assert (await ask(commands, "what time is it"))["ok"]
        assert (await commands.run("talk", "--config", str(file))).code == 1
        assert await gateway.stop() == 0
