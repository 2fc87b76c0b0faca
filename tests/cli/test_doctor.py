"""The doctor says ok only to what can work, and else what is wrong and what to do."""

import asyncio
import socket
import time
from types import SimpleNamespace

import pytest
from tests.fakes.gateway_process import Running
from tests.fakes.ollama_server import FakeOllama
from tests.fakes.ports import free_port
from tests.fakes.redis_server import RedisServer
from tests.fakes.sound_card import SoundCard
from tests.fakes.speech import need_speech
from tests.fakes.speech_packages import need_packages, need_portaudio

from voice_gateway.cli import doctor
from voice_gateway.config import (
    AnthropicSettings,
    BrainSettings,
    OllamaSettings,
    Settings,
    VoiceSettings,
    WebSettings,
)
from voice_gateway.problems import CANNOT_HEAR, MEMORY_LOST, MODEL_NO_KEY, MODEL_NOT_INSTALLED, WEB_PORT

REFUSED = "tcp://127.0.0.1:1"  # nobody listens there


async def found(check, **sections):
    return {finding.check: finding async for finding in check(Settings(**sections))}


@pytest.mark.filterwarnings("ignore:'audioop' is deprecated")  # of the wyoming package
@pytest.mark.parametrize(("enabled", "verdict"), [(True, "failed"), (False, "warning")])
@pytest.mark.parametrize(
    ("check", "settings", "says"),
    [
        ("wake word", {"wake_words": ("no.tflite",)}, "the wake word file no.tflite is not there"),
        ("speech to text", {"stt": "./no"}, "hisper"),
        ("speech to text", {"stt": REFUSED}, "check it, and voice.stt"),
        ("text to speech", {"tts": "no.onnx"}, "no.onnx is not there"),
        ("text to speech", {"tts": REFUSED}, "check it, and voice.tts"),
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
    async with SoundCard.opened(tmp_path / "card") as card:
        done = await commands.run(
            *("doctor", "--json"),
            **{**card.environment, "XDG_RUNTIME_DIR": commands.env["XDG_RUNTIME_DIR"]},
            VOICE_GATEWAY_VOICE_ENABLED="true",
            VOICE_GATEWAY_VOICE_INPUT_DEVICE="nosuch",
        )

    lines = {line["check"]: line for line in done.json["checks"]}
    assert lines["microphone"]["verdict"] == "failed"
    assert 'there is no microphone "nosuch" (voice.input_device)' in lines["microphone"]["text"]
    assert lines["microphone"]["advice"] == CANNOT_HEAR.advice
    assert lines["loudspeaker"]["verdict"] == "ok"
    assert done.code == 1


async def test_a_folder_or_store_that_cannot_be_used_is_not_ok(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "file"))  # where no folder can be made

    disk = (await found(doctor.machine))["disk"]
    assert (disk.verdict, str(tmp_path / "file") in disk.text) == ("failed", True)
    assert "XDG_DATA_HOME" in disk.advice
    sqlite = (await found(doctor.store, brain=BrainSettings(store="sqlite")))["store"]
    place = "redis://:hush@127.0.0.1:1"
    redis = (await found(doctor.store, brain=BrainSettings(store=place)))["store"]
    odd = (await found(doctor.store, brain=BrainSettings(store="redis://127.0.0.1:1?nonsense=1")))["store"]

    assert [finding.verdict for finding in (sqlite, redis, odd)] == ["failed"] * 3
    assert "conversations.sqlite cannot be used" in sqlite.text
    assert "redis://***@127.0.0.1:1 cannot be used: " in redis.text
    assert all(finding.text.startswith(MEMORY_LOST.removesuffix(".")) for finding in (sqlite, redis, odd))
    assert {finding.advice for finding in (sqlite, redis, odd)} == {MEMORY_LOST.advice}


async def test_a_store_that_works_is_tried_and_left_as_it_was(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    server = RedisServer(tmp_path)
    try:
        for place in ("memory", "sqlite", server.url):
            assert (await found(doctor.store, brain=BrainSettings(store=place)))["store"].verdict == "ok"
    finally:
        server.stop()


async def test_the_port_of_the_console_is_tried(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        findings = await found(doctor.console, web=WebSettings(port=port))
    assert findings["web"].verdict == "failed"
    assert f"127.0.0.1:{port} cannot be used" in findings["web"].text
    assert findings["web"].advice == WEB_PORT.advice

    assert (await found(doctor.console, web=WebSettings(port=port)))["web"].verdict == "ok"
    missing = WebSettings(port=0, tls_cert=tmp_path / "no.pem", tls_key=tmp_path / "no.pem")
    assert "certificate cannot be used" in (await found(doctor.console, web=missing))["web"].text
    others = await found(doctor.console, web=WebSettings(port=0, host="0.0.0.0"))
    assert {name: one.verdict for name, one in others.items()} == {
        "web": "ok",
        "web token": "warning",
        "web TLS": "warning",
    }


@pytest.mark.parametrize(("people", "is_open", "warned"), [(1, True, 0), (2, True, 1), (2, False, 0)])
async def test_a_console_that_other_people_can_use_is_a_warning(monkeypatch, people, is_open, warned):
    accounts = [(1000 + number, "/bin/bash") for number in range(people)] + [
        (0, "/bin/sh"),
        (1100, "/bin/false"),
    ]
    listed = [SimpleNamespace(pw_uid=uid, pw_shell=shell) for uid, shell in accounts]
    monkeypatch.setattr("pwd.getpwall", lambda: listed)

    assert (
        "web login" in await found(doctor.console, web=WebSettings(port=0, open_on_loopback=is_open))
    ) == warned


@pytest.mark.slow
async def test_the_port_of_the_running_gateway_counts_as_open(commands):
    port = {"VOICE_GATEWAY_WEB_ENABLED": "true", "VOICE_GATEWAY_WEB_PORT": str(free_port())}
    async with Running.opened(commands, **port):
        done = await commands.run("doctor", "--json", **port)

    (web,) = [one for one in done.json["checks"] if one["check"] == "web"]
    assert (web["verdict"], web["text"]) == ("ok", "the running gateway has opened it")


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
    assert findings["ollama"].text.startswith(
        f"My language model does not answer: http://***@{host}:{port} ("
    )
    assert "`ollama serve`" in findings["ollama"].advice


async def test_a_model_that_is_not_there_is_told_as_the_gateway_tells_it():
    async with FakeOllama() as server:
        ollama = OllamaSettings(base_url=server.url, model="no-such-model")
        findings = await found(doctor.model_server, ollama=ollama, brain=BrainSettings(provider="ollama"))

    assert (findings["ollama"].verdict, findings["model"].verdict) == ("ok", "failed")
    assert findings["model"].text.startswith(MODEL_NOT_INSTALLED.removesuffix("."))
    assert "`ollama pull no-such-model`" in findings["model"].text


@pytest.mark.parametrize(
    ("answer", "verdict"), [('{"is": "greeting"}', "ok"), ("All right.", "warning"), ("", "warning")]
)
async def test_a_model_is_measured_with_a_small_form(answer, verdict):
    async with FakeOllama() as server:
        server.script(answer, answer)
        ollama = OllamaSettings(base_url=server.url)
        findings = await found(doctor.model_server, ollama=ollama, brain=BrainSettings(provider="ollama"))

    assert (findings["model"].verdict, findings["form"].verdict) == ("ok", verdict)


async def test_a_full_disk_and_a_clock_that_was_never_set_are_noticed(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    checks = doctor.machine(Settings(), least_free_bytes=2**63, now=time.gmtime(0))

    _, disk, clock = [finding async for finding in checks]

    assert (clock.verdict, disk.verdict) == ("failed", "warning")
    assert "1970" in clock.text
    assert str(tmp_path) in disk.text
    assert all((clock.advice, disk.advice))


@pytest.mark.parametrize(("key", "verdict"), [(None, "failed"), ("wrong", "warning"), ("sk-ant-x", "ok")])
async def test_a_key_is_judged_by_its_form_without_asking_anybody(key, verdict):
    settings = Settings(brain=BrainSettings(provider="anthropic"), anthropic=AnthropicSettings(api_key=key))

    (finding,) = [finding async for finding in doctor.cloud(settings)]

    assert finding.verdict == verdict
    assert finding.advice == ("" if verdict == "ok" else MODEL_NO_KEY.advice)
