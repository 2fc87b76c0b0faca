"""From a model's tool call to a device: the gateway's executor and link, the real server, a real broker."""

import asyncio
import contextlib

import pytest
from tests.fakes import warm_python

from voice_gateway.config import McpSettings, ServerSettings
from voice_gateway.mcp_client.integration import MCPIntegration
from voice_gateway.tools.executor import ToolExecutor
from voice_gateway.tools.manager import ToolManager
from voice_gateway.turn import ToolCall

LIMIT_SECONDS = 30.0


@contextlib.asynccontextmanager
async def executor_for(broker_url):
    """The gateway's own parts, put together as the program does."""
    manager = ToolManager()
    settings = ServerSettings(
        command=warm_python.python(), args=("-m", "zwave_mcp"), env={"MQTT_BROKER_URL": broker_url}
    )
    link = MCPIntegration({"zwave": settings}, McpSettings(), on_tools=manager.add_mcp_tools)
    running = asyncio.create_task(link.run())
    try:
        async with asyncio.timeout(LIMIT_SECONDS):
            await link.settled()
        yield ToolExecutor(manager)
    finally:
        link.stop()
        await running


def call(name, **arguments):
    return ToolCall(id="1", name=name, args=arguments)


@pytest.mark.scenario("NORM-3")
async def test_device_name_and_command_reach_the_server_as_it_declares_them(broker, gateway, caplog):
    gateway.house.rename(2, "Switch One", "Hallway")
    caplog.set_level("INFO")
    async with executor_for(broker.url) as executor:
        outcome = await executor.execute(call("control_zwave_device", device_name="Switch One", command="on"))

    assert outcome.ok, outcome.text
    assert outcome.structured["outcome"] == "confirmed"
    assert outcome.args == {"deviceName": "Switch One", "action": "on"}
    assert gateway.house.writes == [(2, "37-0-targetValue", True)]
