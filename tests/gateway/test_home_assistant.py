"""A gateway whose home is a Home Assistant: what it says when that refuses it, and where its token goes."""

import json

import pytest
from tests.fakes.home_assistant_homes import recorded_home
from tests.fakes.home_assistant_server import FakeHomeAssistant

from voice_gateway.app import opened
from voice_gateway.config import McpSettings, ServerSettings, Settings
from voice_gateway.turn import Reply, Utterance

pytestmark = pytest.mark.usefixtures("own_folder")


async def hear(ha: FakeHomeAssistant, text: str, token: str | None = None, url: str = "") -> Reply:
    headers = {"Authorization": f"Bearer {token or ha.token}"}
    server = ServerSettings(url=url or ha.mcp_url, headers=headers)
    quick = McpSettings(attempts=1, base_delay_seconds=0.0, connect_timeout_seconds=30)
    async with opened(Settings(mcpServers={"casa": server}, mcp=quick)) as gateway:
        return await gateway.conversation.answer(Utterance(text))


async def test_a_light_is_switched_and_the_token_is_in_no_outcome():
    async with FakeHomeAssistant(recorded_home()) as ha:
        reply = await hear(ha, "turn on the bed light")
        assert reply.ok, reply.text
        assert ha.home["light.bed_light"].state == "on"
        assert ha.token not in json.dumps(reply.to_json())


async def test_a_lock_is_asked_about_whatever_it_is_called_by():
    async with FakeHomeAssistant(recorded_home()) as ha:
        reply = await hear(ha, "unlock the front door")
        assert reply.expects_answer
        assert ha.tools.acted() == []
