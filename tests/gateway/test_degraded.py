"""Each rung of the ladder: what is seen when a part is gone, what still works, and how it comes back."""

import subprocess

import pytest
from tests.fakes.anthropic_server import KEY, FakeAnthropic, Scripted
from tests.fakes.counterparts import program
from tests.fakes.gateway_process import Running
from tests.fakes.mosquitto import Broker
from tests.fakes.ollama_server import FakeOllama
from tests.fakes.redis_server import RedisServer
from tests.fakes.running_gateway import ask, parts, server, state_of
from tests.fakes.waiting import until

NO_SERVER = "[mcp]\nsimulated_home = false\n"
SMALL_TALK = "tell me a joke about elephants"


async def test_server(commands, tmp_path):
    marks = tmp_path / "starts"
    commands.file(
        "voice-gateway.toml",
        "[mcp]\nbase_delay_seconds = 0.1\n" + server("zwave", "late_server.py", marks, 3),
    )
    async with Running.opened(commands) as gateway:
        ready = gateway.said[-1]
        assert "The zwave server is not answering; I have the clock, timers, search and volume." in ready
        part = (await parts(commands))["server zwave"]
        assert part["sentence"].startswith("The zwave server is not answering")
        assert "doctor" in part["advice"]
        assert (await ask(commands, "what time is it"))["ok"] is True

        await gateway.says("The zwave server is connected")
        assert await state_of(commands, "server zwave") == "ok"
        assert (await ask(commands, "turn on the red lamp"))["ok"] is True


async def test_broker_login(commands, tmp_path):
    (tmp_path / "b").mkdir()
    broker = Broker(tmp_path / "b", users={"me": "right"})
    broker.start()
    commands.file("voice-gateway.toml", NO_SERVER)
    login = {"MQTT_BROKER_URL": broker.url, "MQTT_USERNAME": "me", "MQTT_PASSWORD": "not-this"}
    try:
        async with Running.opened(commands, **login) as gateway:
            ready = gateway.said[-1]
            assert "does not accept my login" in ready
            part = (await parts(commands))["mqtt"]
            assert part["state"] == "degraded"
            assert "MQTT_PASSWORD" in part["advice"]
            assert "not-this" not in str(part)
            assert (await ask(commands, "what time is it"))["ok"] is True

            passwords = str(broker.folder / "passwords")
            subprocess.run(
                [program("mosquitto_passwd", "mosquitto"), "-b", passwords, "me", "not-this"], check=True
            )
            broker.restart()
            await gateway.says("is connected")
    finally:
        broker.kill()


@pytest.mark.slow
async def test_model_server(commands):
    async with FakeOllama() as ollama:
        commands.file(
            "voice-gateway.toml",
            f'{NO_SERVER}[brain]\nprovider = "ollama"\n'
            f'[ollama]\nbase_url = "{ollama.url}"\nwarm_up = false\n',
        )
        gateway = Running(await commands.start("run"))
        await gateway.says("ready")
        assert await state_of(commands, "brain ollama") == "ok"
        assert (await ask(commands, SMALL_TALK))["text"] == "All right."
    try:
        gone = await ask(commands, SMALL_TALK)
        assert gone["ok"] is False
        assert gone["text"] == "My language model does not answer."
        assert (await ask(commands, "what time is it"))["ok"] is True
        part = (await parts(commands))["brain ollama"]
        assert part["state"] == "degraded"
        assert "ollama serve" in part["advice"]

        back = FakeOllama()
        back.port = ollama.port
        async with back:
            await gateway.says("is there")
            assert (await ask(commands, SMALL_TALK))["text"] == "All right."
    finally:
        await gateway.stop()


@pytest.mark.slow
async def test_cloud_key(commands):
    async with FakeAnthropic() as cloud:
        commands.file(
            "voice-gateway.toml",
            f'{NO_SERVER}[brain]\nprovider = "anthropic"\n[anthropic]\nbase_url = "{cloud.url}"\n',
        )
        cloud.script(Scripted(status=401, error_type="authentication_error"))
        async with Running.opened(commands, ANTHROPIC_API_KEY=KEY):
            assert cloud.requests == []  # nothing goes to a cloud only to see whether it is there
            refused = await ask(commands, SMALL_TALK)
            assert refused["text"] == "My language model does not accept my key."
            assert (await ask(commands, "what time is it"))["ok"] is True
            part = (await parts(commands))["brain anthropic"]
            assert part["state"] == "degraded"
            assert "ANTHROPIC_API_KEY" in part["advice"]
            assert KEY not in str(part)

            assert (await ask(commands, SMALL_TALK))["text"] == "All right."  # the provider takes it again
            assert await state_of(commands, "brain anthropic") == "ok"


async def test_memory(commands, tmp_path):
    redis = RedisServer(tmp_path)
    commands.file("voice-gateway.toml", f'{NO_SERVER}[brain]\nstore = "{redis.url}"\n')
    try:
        async with Running.opened(commands) as gateway:
            assert (await ask(commands, "what time is it"))["ok"] is True
            redis.stop()
            assert (await ask(commands, "what time is it"))["ok"] is True
            await gateway.says("I cannot remember what is said")
            assert await state_of(commands, "memory") == "degraded"

            redis = RedisServer(tmp_path)
            assert (await ask(commands, "what time is it"))["ok"] is True
            await until(lambda: _is_ok(commands, "memory"))
    finally:
        redis.stop()


async def _is_ok(commands, part: str) -> bool:
    return await state_of(commands, part) == "ok"
