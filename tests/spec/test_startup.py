"""The rows about start-up, on a gateway that really starts."""

import sys

import pytest
from tests.fakes.gateway_process import Commands, Running
from tests.fakes.mosquitto import Broker
from tests.fakes.ollama_server import FakeOllama
from tests.fakes.running_gateway import FAKES, ask, server, socket_of, state_of
from tests.fakes.sound_card import SoundCard
from tests.fakes.speech import need_speech
from tests.fakes.speech_packages import need_packages, need_portaudio
from tests.fakes.waiting import until
from tests.mqtt.conftest import Listener

from voice_gateway.app import opened
from voice_gateway.config import McpSettings, ServerSettings, Settings, ToolsSettings
from voice_gateway.tools.builtin import builtin_tools
from voice_gateway.tools.builtin.broadcast import Heard
from voice_gateway.tools.builtin.lists import ListStore
from voice_gateway.tools.builtin.timers import TimerStore


@pytest.fixture
def broker(tmp_path):
    broker = Broker(tmp_path)
    broker.start()
    yield broker
    broker.kill()


@pytest.mark.scenario("MCP-7")
async def test_retrying_holds_up_neither_answers_nor_doors(tmp_path, broker):
    commands, marks, go = Commands(tmp_path), tmp_path / "starts", tmp_path / "go"
    waits = "[mcp]\nbase_delay_seconds = 0.1\n"
    commands.file("voice-gateway.toml", waits + server("zwave", "late_server.py", marks, 2, go))
    async with Listener.on(broker) as listener:
        process = await commands.start("run", MQTT_BROKER_URL=broker.url)
        try:
            await listener.gets("voice/status", state="starting")
            await listener.send("voice/req", {"text": "turn on the red lamp", "id": "needs it"})
            await listener.send(
                "voice/req", {"text": "what time is it", "id": "needs nothing", "conversation_id": "other"}
            )
            assert (await listener.gets("voice/res"))["id"] == "needs nothing"
            await until(socket_of(commands).exists)
            assert (await ask(commands, "what time is it"))["ok"] is True
            assert await state_of(commands, "server zwave") == "starting"
            go.touch()  # from now on the third attempt may succeed

            assert (await listener.gets("voice/res", id="needs it"))["ok"] is True
            await listener.send("voice/req", {"text": "what time is it", "id": "end"})
            await listener.gets("voice/res", id="end")
            assert len(marks.read_text().splitlines()) == 3
        finally:
            process.terminate()
            await process.communicate()


@pytest.mark.scenario("MCP-7")
async def test_speech_the_ai_client_and_mqtt_are_ready_while_a_server_is_still_tried(tmp_path, broker):
    need_speech()
    need_packages("hibari")
    need_portaudio()
    commands, marks = Commands(tmp_path), tmp_path / "starts"
    waits = "[mcp]\nbase_delay_seconds = 600\n"  # longer than a busy machine needs to load all engines
    commands.file("voice-gateway.toml", waits + server("zwave", "late_server.py", marks, 1))
    (tmp_path / "card").mkdir()
    async with (
        SoundCard.opened(tmp_path / "card") as card,
        FakeOllama() as ollama,
        Listener.on(broker) as listener,
    ):
        process = await commands.start(
            *("run", "--voice"),
            **{**card.environment, "XDG_RUNTIME_DIR": commands.env["XDG_RUNTIME_DIR"]},
            MQTT_BROKER_URL=broker.url,
            AI_PROVIDER="ollama",
            OLLAMA_BASE_URL=ollama.url,
        )
        gateway = Running(process)
        try:
            await gateway.says('I listen for "hey jarvis"')
            await ollama.wait_for_chats(1)  # the model reads its prefix
            await listener.send("voice/req", {"text": "what time is it", "id": "1"})
            assert (await listener.gets("voice/res", id="1"))["ok"] is True

            assert await state_of(commands, "server zwave") == "starting"
            assert len(marks.read_text().splitlines()) == 1  # the second attempt is still to come
        finally:
            await gateway.stop()


@pytest.mark.scenario("MGR-1")
async def test_after_start_all_builtin_and_all_discovered_tools_are_in_the_manager(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    scripts = {"zwave": ["counting_server.py", str(tmp_path / "done"), "0"], "other": ["minimal_server.py"]}
    servers = {
        name: ServerSettings(command=sys.executable, args=(str(FAKES / script), *arguments))
        for name, (script, *arguments) in scripts.items()
    }
    async with opened(Settings(mcpServers=servers, mcp=McpSettings(connect_timeout_seconds=30))) as gateway:
        gateway.start_long_tasks()
        await gateway.linked()
        present = {tool.name for tool in gateway.tools.all()}
        discovered = {name for status in gateway.link.status() for name in status.tools}

    async def announce(_text: str) -> Heard:
        return Heard(1)

    timers = TimerStore(tmp_path / "unused")
    made = builtin_tools(
        ToolsSettings(), timers=timers, lists=ListStore(tmp_path / "none"), announce=announce
    )
    builtin = {tool.name for tool in made}
    assert len(builtin) > 4
    assert {"control_zwave_device", "list_zwave_devices", "add"} <= discovered
    routines = {"make_routine", "list_routines", "cancel_routine"}
    assert present == builtin | routines | discovered
