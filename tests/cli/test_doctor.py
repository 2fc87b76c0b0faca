"""The doctor says ok only to what can work, and else what is wrong and what to do."""

import asyncio

import pytest
from tests.fakes.redis_server import RedisServer
from tests.fakes.sound_card import sound_card
from tests.fakes.speech import need_speech
from tests.fakes.speech_packages import need_packages, need_portaudio

from voice_gateway.cli import doctor
from voice_gateway.config import BrainSettings, OllamaSettings, Settings, VoiceSettings

REFUSED = "tcp://127.0.0.1:1"  # nobody listens there


async def found(check, **sections):
    return {finding.check: finding async for finding in check(Settings(**sections))}


@pytest.mark.filterwarnings("ignore:'audioop' is deprecated")  # of the wyoming package
@pytest.mark.parametrize(("enabled", "verdict"), [(True, "failed"), (False, "warning")])
@pytest.mark.parametrize(
    ("check", "settings", "says"),
    [
        ("wake word", {"wake_words": ("no.tflite",)}, "the wake word file no.tflite is not there"),
        ("speech to text", {"stt": "whisper", "whisper_model": "no"}, "hisper"),
        ("speech to text", {"stt": "wyoming", "stt_url": REFUSED}, "check it, and voice.stt_url"),
        ("text to speech", {"tts": "piper", "piper_voice": "no.onnx"}, "no.onnx is not there"),
        ("text to speech", {"tts": "wyoming", "tts_url": REFUSED}, "check it, and voice.tts_url"),
    ],
)
async def test_an_engine_that_cannot_work_is_not_ok(check, settings, says, enabled, verdict):
    need_speech()
    voice = VoiceSettings(enabled=enabled, **settings)

    findings = await found(doctor.speech, voice=voice)

    assert findings[check].verdict == verdict
    assert says in findings[check].text
    assert "voice." in findings[check].advice
    others = [finding.verdict for name, finding in findings.items() if name != check]
    assert others == ["ok"] * 3


async def test_the_engines_of_the_packages_are_ok():
    need_speech()
    need_packages("hibari")

    findings = await found(doctor.speech)

    assert [finding.verdict for finding in findings.values()] == ["ok"] * 4
    assert findings["wake word"].text == "openwakeword listens for hey_jarvis"


async def test_a_device_that_is_not_there_is_not_ok(commands, tmp_path):
    need_portaudio()
    (tmp_path / "card").mkdir()
    commands.file("voice-gateway.toml", "[mcp]\nsimulated_home = false\n")
    async with sound_card(tmp_path / "card") as card:
        done = await commands.run(
            *("doctor", "--json"),
            **{**card.daemon.environment, "XDG_RUNTIME_DIR": commands.env["XDG_RUNTIME_DIR"]},
            VOICE_GATEWAY_VOICE_ENABLED="true",
            VOICE_GATEWAY_VOICE_INPUT_DEVICE="nosuch",
        )

    lines = {line["check"]: line for line in done.json["checks"]}
    assert lines["microphone"]["verdict"] == "failed"
    assert 'there is no microphone "nosuch" (voice.input_device)' in lines["microphone"]["text"]
    assert lines["microphone"]["advice"].startswith("set voice.input_device to one of")
    assert lines["loudspeaker"]["verdict"] == "ok"
    assert done.code == 1


async def test_a_store_that_cannot_be_used_is_not_ok(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "file"))  # where no folder can be made

    sqlite = (await found(doctor.store, brain=BrainSettings(store="sqlite")))["store"]
    place = "redis://:hush@127.0.0.1:1"
    redis = (await found(doctor.store, brain=BrainSettings(store=place)))["store"]
    odd = (await found(doctor.store, brain=BrainSettings(store="redis://127.0.0.1:1?nonsense=1")))["store"]

    assert [finding.verdict for finding in (sqlite, redis, odd)] == ["failed"] * 3
    assert "conversations.sqlite cannot be used" in sqlite.text
    assert "XDG_DATA_HOME" in sqlite.advice
    assert redis.text.startswith("redis://***@127.0.0.1:1 cannot be used: ")
    assert "is Redis running" in redis.advice


async def test_a_store_that_works_is_tried_and_left_as_it_was(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    server = RedisServer(tmp_path)
    try:
        for place in ("memory", "sqlite", server.url):
            assert (await found(doctor.store, brain=BrainSettings(store=place)))["store"].verdict == "ok"
    finally:
        server.stop()


async def test_another_server_in_the_place_of_ollama_is_not_ok():
    async def answer(reader, writer):
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\n[]")
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        host, port = server.sockets[0].getsockname()
        ollama = OllamaSettings(base_url=f"http://me:hush@{host}:{port}")
        findings = await found(doctor.model_server, ollama=ollama, brain=BrainSettings(provider="ollama"))

    assert findings["ollama"].verdict == "failed"
    assert findings["ollama"].text.startswith(f"Ollama at http://***@{host}:{port} does not answer")
