"""The gateway as a device of a real Home Assistant, by a real broker."""

from typing import Any

import pytest
from tests.fakes.gateway_process import Commands, Running
from tests.fakes.mosquitto import Broker
from tests.fakes.running_gateway import ask
from tests.fakes.waiting import until
from tests.home_assistant.conftest import need_home_assistant
from tests.home_assistant.real import RealHomeAssistant

SEEN_SECONDS = 30.0


@pytest.fixture
async def linked(tmp_path):
    """One of its own: entities that come and go would be news to the other tests."""
    need_home_assistant()
    broker, ha = Broker(tmp_path), RealHomeAssistant(tmp_path / "ha")
    broker.start()
    ha.launch()
    try:
        await ha.up()
        await ha.link_broker("127.0.0.1", broker.port)
        yield broker, ha
    finally:
        ha.kill()
        broker.kill()


async def test_it_appears_speaks_answers_and_goes(linked, tmp_path):
    broker, ha = linked
    commands = Commands(tmp_path / "gateway")
    (tmp_path / "gateway").mkdir(exist_ok=True)
    commands.file("voice-gateway.toml", '[mcp]\nsimulated_home = false\n[mqtt]\nroom = "Kitchen"\n')

    async def seen(entity: str, begins: str) -> str:
        async def now() -> str | None:
            state = (await ha.all_states()).get(entity, "")
            return state if state.startswith(begins) else None

        return str(await until(now, SEEN_SECONDS))

    async with Running.opened(commands, MQTT_BROKER_URL=broker.url) as gateway:
        await seen("sensor.voice_gateway_status", "online")
        await ha.act("text.set_value", "text.voice_gateway_ask", value="what is 6 times 7")
        assert "42" in await seen("sensor.voice_gateway_last_answer", "That")
        await seen("sensor.voice_gateway_last_transcript", "what is 6 times 7")

        await ask(commands, "set a tea timer for 5 minutes")
        await seen("sensor.voice_gateway_tea_timer", "20")  # a time
        await ask(commands, "cancel the tea timer")

        async def timer_is_gone() -> bool:
            return "sensor.voice_gateway_tea_timer" not in await ha.all_states()

        await until(timer_is_gone, SEEN_SECONDS)
        await seen("notify.voice_gateway_say", "unknown")
        await ha.act("notify.send_message", "notify.voice_gateway_say", message="Dinner is ready.")
        assert gateway.process.stdout is not None
        assert b"Dinner is ready." in await gateway.process.stdout.readline()
        [device] = [one for one in await devices(ha) if one["name"] == "Voice Gateway"]
        assert device["sw_version"]
        assert device["area_id"]

    await seen("sensor.voice_gateway_last_answer", "unavailable")
    await seen("sensor.voice_gateway_status", "offline")


async def devices(ha: RealHomeAssistant) -> list[dict[str, Any]]:
    async with ha.socket() as socket:
        found: list[dict[str, Any]] = await socket.ask("config/device_registry/list")
    return found
