"""A Home Assistant over its link: both addresses, its refusals, and that its token stays with it."""

import asyncio

import pytest
from tests.fakes.home_assistant_home import Entity
from tests.fakes.home_assistant_homes import recorded_home
from tests.fakes.home_assistant_server import FakeHomeAssistant
from tests.fakes.linked import LIMIT, linked
from tests.fakes.loopback_http import Answer, LoopbackHttp, Request

from voice_gateway.config import ServerSettings
from voice_gateway.errors import ToolError, ToolUnavailable
from voice_gateway.events import State
from voice_gateway.mcp_client.connection import LinkTimeouts
from voice_gateway.mcp_client.status import STILL_STARTING, Refusal, refusal
from voice_gateway.reports import server_report
from voice_gateway.tools.masking import without_secrets

NOT_UNIT = "a web server on the loopback address"
QUICK = LinkTimeouts(ping_seconds=LIMIT, ping_every_seconds=0.1, list_every_seconds=0.1)


def at(ha: FakeHomeAssistant) -> dict[str, ServerSettings]:
    return {"ha": ServerSettings(url=ha.mcp_url, headers={"Authorization": f"Bearer {ha.token}"})}


LAMP = Entity("light.lamp", "Lamp", "Hall")
# How Home Assistant refuses us, and words of the sentence and the advice.
REFUSALS = [
    ({"starting": True}, [LAMP], "just starting", ""),
    ({"configured": False}, [LAMP], "has no MCP server set up", "Add integration"),
    ({"token": "revoked"}, [LAMP], "does not accept my token", "Create token"),
    ({"token": ""}, [LAMP], "does not accept my token", "Create token"),
    ({}, [Entity("light.lamp", "Lamp", "Hall", exposed=False)], "shows me no devices", "Voice assistants"),
]


@pytest.mark.parametrize(("state", "home", "sentence", "advice"), REFUSALS)
async def test_each_refusal_has_its_sentence_and_advice(state, home, sentence, advice):
    async with FakeHomeAssistant(home) as ha:
        server = at(ha)
        for name, value in state.items():
            setattr(ha, name, value)
        async with linked(server) as link:
            report = server_report(link.status("ha"))
    assert report[0] is State.DEGRADED
    assert sentence in report[1]
    assert advice in report[2]
    assert "eyJ" not in f"{report}{link.status('ha')}"


def test_one_that_goes_on_starting_has_none():
    server = ServerSettings(url="http://homeassistant.local:8123/api/mcp")

    assert refusal(server, 404, "404: Not Found", STILL_STARTING) is Refusal.STARTING
    assert refusal(server, 404, "404: Not Found", STILL_STARTING + 1) is Refusal.NOT_SET_UP
    assert refusal(ServerSettings(url="http://other/mcp"), 404, "", 1) is None, "not everybody is that home"
    assert refusal(server, 500, "", 1) is None


@pytest.mark.parametrize("old", [False, True], ids=["streamable HTTP", "SSE"])
async def test_it_is_called_at_either_address(old: bool):
    async with FakeHomeAssistant(recorded_home()) as ha:
        ha.sse_only = old
        async with linked(at(ha)) as link:
            assert "action_done" in await link.call("HassTurnOn", "ha", name="Bed Light")
            assert ha.home["light.bed_light"].state == "on"
            with pytest.raises(ToolError, match="MatchFailedReason"):
                await link.call("HassTurnOn", "ha", name="Disco Ball")


async def test_tools_that_come_late_are_found_without_an_announcement():
    lamp, lock = Entity("light.lamp", "Lamp", "Hall"), Entity("fan.fan", "Fan", "Hall", exposed=False)
    async with FakeHomeAssistant([lamp, lock]) as ha, linked(at(ha), timeouts=QUICK) as link:
        assert "HassFanSetSpeed" not in link.tools["ha"]
        lock.exposed = True
        await link.until(lambda: "HassFanSetSpeed" in link.tools["ha"])


@pytest.mark.parametrize("old", [False, True], ids=["streamable HTTP", "SSE"])
async def test_a_token_that_is_revoked_is_noticed_by_the_next_call_and_a_new_one_helps(old: bool):
    async with FakeHomeAssistant(recorded_home()) as ha:
        ha.sse_only = old
        async with linked(at(ha)) as link:
            old_token, ha.token = ha.token, "another"
            with pytest.raises(ToolUnavailable, match="token"):
                async with asyncio.timeout(LIMIT):
                    await link.call("HassTurnOn", "ha", name="Bed Light")
            await link.until(lambda: link.status("ha").state == "degraded")
            assert "401" in (link.status("ha").last_error or "")
            assert ha.home["light.bed_light"].state == "off"
            ha.token = old_token
            link.go_on.set()
            await link.until(lambda: link.status("ha").state == "connected")


async def test_one_that_is_starting_is_tried_again_soon():
    async with FakeHomeAssistant(recorded_home()) as ha:
        ha.starting = True
        async with linked(at(ha), timeouts=QUICK, patience=60, attempts=2) as link:
            await link.until(lambda: len(link.delays) >= 12)
            assert max(link.delays) <= 4.0
            ha.starting = False
            await link.until(lambda: link.status("ha").state == "connected")
            assert "action_done" in await link.call("HassTurnOn", "ha", name="Bed Light")


async def test_the_token_is_in_no_log_and_no_status(caplog):
    caplog.set_level("DEBUG")
    async with FakeHomeAssistant(recorded_home()) as ha:
        token = ha.token
        async with linked(at(ha), hide=without_secrets) as link:
            await link.call("HassTurnOn", "ha", name="Bed Light")
            ha.token = "another"
            with pytest.raises(ToolError):
                await link.call("HassTurnOn", "ha", name="Bed Light")
            await link.until(lambda: link.status("ha").state == "degraded")
            assert token not in repr(link.statuses)
            assert token not in repr(at(ha))
    assert token not in caplog.text


class Server(LoopbackHttp):
    """Records what it is sent, and redirects to the target if it has one."""

    def __init__(self, target: str = "") -> None:
        super().__init__()
        self.target, self.seen = target, ""

    async def respond(self, request: Request, answer: Answer) -> None:
        self.seen += repr(request.headers)
        headers = {"Location": self.target} if self.target else {}
        await answer.whole(307 if self.target else 404, b"", "text/plain", headers)


@pytest.mark.parametrize("path", ["/api/mcp", "/mcp_server/sse"])
async def test_the_token_goes_to_no_other_server(path: str):
    async with Server() as other, Server(f"{other.url}{path}") as ha:
        server = ServerSettings(url=f"{ha.url}{path}", headers={"Authorization": "Bearer s3cret-token"})
        async with linked({"ha": server}, attempts=1) as link:
            assert link.status("ha").state == "degraded"
        assert "s3cret" not in other.seen
