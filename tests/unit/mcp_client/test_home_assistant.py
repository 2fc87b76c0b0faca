"""Home Assistant as a server that says no: each no has its sentence and advice, and none has the token."""

import pytest
from tests.fakes.home_assistant_server import Entity, FakeHomeAssistant
from tests.fakes.linked import Linked, linked

from voice_gateway.config import ServerSettings
from voice_gateway.events import State
from voice_gateway.mcp_client.status import STILL_STARTING, Refusal, refusal
from voice_gateway.reports import server_report

LAMP = (Entity("light.lamp", "Lamp", "Hall"),)


def settings(ha: FakeHomeAssistant) -> dict[str, ServerSettings]:
    return {"ha": ServerSettings(url=ha.mcp_url, headers={"Authorization": f"Bearer {ha.token}"})}


def told(link: Linked) -> tuple[State, str, str]:
    return server_report(link.status("ha"))


async def test_a_home_assistant_that_starts_is_told_so_and_then_linked():
    async with FakeHomeAssistant(LAMP) as ha:
        ha.starting = True
        async with linked(settings(ha), patience=4.0) as link:
            state, sentence, _ = told(link)
            assert (state, sentence) == (
                State.DEGRADED,
                "Home Assistant (ha) is just starting; I keep trying.",
            )
            ha.starting = False
            link.go_on.set()
            await link.until(lambda: link.status("ha").state == "connected")
            assert "GetLiveContext" in link.tools["ha"]
            assert told(link)[0] is State.OK


async def test_a_home_assistant_without_its_mcp_server_is_told_so():
    async with FakeHomeAssistant(LAMP) as ha:
        ha.configured = False
        async with linked(settings(ha)) as link:
            state, sentence, advice = told(link)

    assert state is State.DEGRADED
    assert "Home Assistant (ha) has no MCP server set up" in sentence
    assert "Add integration" in advice


def test_one_that_goes_on_starting_has_none():
    server = ServerSettings(url="http://homeassistant.local:8123/api/mcp")

    assert refusal(server, 404, "404: Not Found", STILL_STARTING) is Refusal.STARTING
    assert refusal(server, 404, "404: Not Found", STILL_STARTING + 1) is Refusal.NOT_SET_UP
    assert refusal(ServerSettings(url="http://other/mcp"), 404, "", 1) is None, "not everybody is that home"
    assert refusal(server, 500, "", 1) is None


@pytest.mark.parametrize("token", ["revoked", ""])
async def test_a_token_that_is_refused_is_told_so(token):
    async with FakeHomeAssistant(LAMP) as ha:
        server = ServerSettings(url=ha.mcp_url, headers={"Authorization": f"Bearer {ha.token}"})
        ha.token = token
        async with linked({"ha": server}) as link:
            state, sentence, advice = told(link)

    assert state is State.DEGRADED
    assert "The ha server does not accept my token" in sentence
    assert "Create token" in advice
    assert "eyJ" not in f"{sentence}{advice}{link.status('ha')}"


async def test_a_home_assistant_that_shows_nothing_is_told_so():
    hidden = Entity("light.lamp", "Lamp", "Hall", exposed=False)
    async with FakeHomeAssistant([hidden]) as ha, linked(settings(ha)) as link:
        state, sentence, advice = told(link)

    assert state is State.DEGRADED
    assert sentence == "Home Assistant (ha) shows me no devices: none of them is exposed to Assist."
    assert "Voice assistants" in advice
