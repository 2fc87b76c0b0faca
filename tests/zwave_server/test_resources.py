"""Devices as resources of the real server: read, subscribed to, and told of when they change."""

import asyncio
import json
from pathlib import Path

import pytest
from mcp.shared.exceptions import MCPError
from tests.fakes.zwave_server import serving

LAMP = "zwave://devices/9/0"


@pytest.mark.slow
async def test_each_device_can_be_read(tmp_path: Path):
    async with serving("", ZWAVE_SIMULATE="default", ZWAVE_STATE_FILE=str(tmp_path / "state")) as server:
        listed = await server.session.list_resources()
        answer = await server.session.read_resource(LAMP)
        with pytest.raises(MCPError, match="no resource"):
            await server.session.read_resource("zwave://devices/999/0")

    uris = {str(item.uri) for item in listed.resources}
    assert {"zwave://devices", LAMP} <= uris
    assert json.loads(answer.contents[0].text)["state"] == "off"


@pytest.mark.filterwarnings("ignore:resources.subscribe is removed")  # the newer form is `listen`
async def test_who_subscribed_hears_of_a_change_that_another_process_made(tmp_path: Path):
    """Within 300 ms on a quiet machine; here it must come at all, and only what was subscribed to."""
    heard: list[str] = []
    came = asyncio.Event()

    def hear(message) -> None:
        if getattr(message, "method", "") == "notifications/resources/updated":
            heard.append(str(message.params.uri))
            came.set()

    env = {"ZWAVE_SIMULATE": "default", "ZWAVE_STATE_FILE": str(tmp_path / "state")}
    async with serving("", hear, **env) as server, serving("", lambda _message: None, **env) as other:
        await server.session.subscribe_resource(LAMP)
        await server.call("list_zwave_devices")
        await other.control("Kitchen Light", "on")
        await other.control("Desk Lamp", "on")
        async with asyncio.timeout(30):
            await came.wait()

    assert set(heard) == {LAMP}
