"""The simulated home stays until the first server that has devices is connected, and that is said."""

import asyncio
import sys
from pathlib import Path

import pytest

from voice_gateway.app.gateway import opened
from voice_gateway.config import SIMULATED_HOME, McpSettings, ServerSettings, Settings, data_folder
from voice_gateway.events import Event, EventBus, Notice
from voice_gateway.turn import Utterance

PATIENT = McpSettings(connect_timeout_seconds=30)  # a loaded machine
FAKES = Path(__file__).parents[1] / "fakes"
START = "import runpy, sys; sys.argv = ['zwave_mcp']; runpy.run_module('zwave_mcp', run_name='__main__')"
WITH_DEVICES = ServerSettings(command=sys.executable, args=("-c", START), env={"ZWAVE_SIMULATE": "true"})
WITHOUT = ServerSettings(command=sys.executable, args=(str(FAKES / "minimal_server.py"),))


@pytest.fixture(autouse=True)
def own_data_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))


@pytest.mark.slow
async def test_a_server_with_devices_sends_it_away():
    told: list[Event] = []
    events = EventBus()
    events.subscribe(told.append)
    servers = {"mine": WITH_DEVICES, "zwave": SIMULATED_HOME}
    async with opened(Settings(mcpServers=servers, mcp=PATIENT), events=events) as gateway:
        async with asyncio.timeout(30):
            await gateway.linked()
            await gateway.local.cache.refresh()
        assert [status.name for status in gateway.link.status()] == ["mine"]
        assert {device.source for device in gateway.local.home.devices} == {"mine"}
        reply = await gateway.conversation.answer(Utterance("turn on the floor lamp"))
        assert reply.ok, reply.text

    said = [event.text for event in told if isinstance(event, Notice)]
    assert said == ["The simulated home is gone: mine has devices."]
    assert (data_folder() / "homes").read_text() == "mine\n"


async def test_a_server_without_devices_leaves_it():
    async with opened(
        Settings(mcpServers={"mine": WITHOUT, "zwave": SIMULATED_HOME}, mcp=PATIENT)
    ) as gateway:
        async with asyncio.timeout(30):
            await gateway.linked()
            await gateway.local.cache.refresh()
        assert {device.source for device in gateway.local.home.devices} == {"zwave"}
    assert not (data_folder() / "homes").exists()
